"""Which corpus is meant by a name on the command line."""

from pathlib import Path

from scrapy.settings import BaseSettings

FILE = "corpus.sqlite"  # name of a corpus in its topic's folder


def find(name: str | None, settings: BaseSettings) -> str:
    """The file or URL of the existing corpus ``name``: a topic, folder, file or database URL; None: the one in the settings, or
    the only one under ``data/``. Raises FileNotFoundError where there is none; the message names those that are there."""
    from topical_crawler.config import corpus_place, data_dir, named_data_dir  # not for a help or a mistake on the command line

    name = name or corpus_place(settings) or named_data_dir(settings) or _only()
    if "://" in name:
        return name
    path = Path(name).expanduser()
    if path.is_file():
        return str(path)
    places = [path / FILE, data_dir(settings, name) / FILE]
    if corpus := corpus_place(settings):
        if "://" in corpus:
            return corpus
        places.append(Path(corpus).expanduser())
    for place in places:
        if place.is_file():
            return str(place)
    existing = [folder.name for folder in _existing()]
    raise FileNotFoundError(
        f"there is no corpus {name!r} (looked for {', '.join(str(p) for p in places)}). "
        + (f"There are: {', '.join(existing)}. " if existing else "There is none under data/ yet. ")
        + f"Make one with: scrapy crawl topical -a topic={name}"
    )


def new(name: str) -> str:
    """The file or URL of a corpus that may have to be made: of a name without a suffix the file in that folder."""
    if "://" in name:
        return name
    path = Path(name).expanduser()
    return str(path if path.suffix and not path.is_dir() else path / FILE)


def _only() -> str:
    existing = [str(folder) for folder in _existing()]
    if len(existing) == 1:
        return existing[0]
    raise FileNotFoundError(
        f"which corpus? Remedy: name one of {', '.join(existing) or 'those that a crawl has made (none yet)'}"
    )


def _existing() -> list[Path]:
    return sorted(file.parent for file in Path("data").glob(f"*/{FILE}"))
