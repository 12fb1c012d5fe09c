"""Where the data files of the lexicon are, in a source tree, a wheel or a zipped egg."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path


def lexicon() -> Traversable:
    """The root of the lexicon: topics, stop words, boilerplate patterns.

    Installed, it is ``topical_crawler/lexicon``; in a source tree it is ``lexicon`` beside the package. It may be inside a zip
    file, so read it with ``lexicon().joinpath("boilerplate.txt").read_text("utf-8")``, never through a file path.

    Raises:
        FileNotFoundError: neither is there.

    >>> lexicon().joinpath("boilerplate.txt").is_file()
    True
    """
    package = files("topical_crawler")
    beside = package.parent / "lexicon" if isinstance(package, Path) else package.joinpath("../lexicon")
    for root in (package.joinpath("lexicon"), beside):
        if root.is_dir():
            return root
    raise FileNotFoundError(
        f"no lexicon beside or inside {package}: install the package with its data, or run from a complete checkout"
    )
