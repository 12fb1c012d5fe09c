"""Data files of this package and of jieba, in a source tree, a wheel or a zipped egg."""

import importlib
import importlib.util
import logging
import warnings
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from types import ModuleType
from typing import Any


def data_folder(name: str = "lexicon") -> Traversable:
    """A folder of data: ``lexicon`` (topics, stop words, boilerplate patterns) or ``demo`` (a recorded web, seeds, labels).

    Installed, it is in the package; in a source tree it is beside it. It may be inside a zip file, so read
    it with ``data_folder().joinpath("boilerplate.txt").read_text("utf-8")``, never through a file path. Raises FileNotFoundError
    where neither is there.

    >>> data_folder().joinpath("boilerplate.txt").is_file()
    True
    """
    package = files("topical_crawler")
    beside = package.parent / name if isinstance(package, Path) else package.joinpath(f"../{name}")
    for root in (package.joinpath(name), beside):
        if root.is_dir():
            return root
    raise FileNotFoundError(
        f"no {name} beside or inside {package}: install the package with its data, or run from a complete checkout"
    )


def jieba() -> ModuleType:
    """The segmenter's package, without its notes of progress and the warning that it gives with some versions of setuptools."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="pkg_resources is deprecated")
        module = importlib.import_module("jieba")
    logging.getLogger("jieba").setLevel(logging.WARNING)
    return module


def jieba_file(name: str) -> str:
    """The text of one of jieba's data files. The package is not imported: rjieba does without it.

    >>> jieba_file("dict.txt").partition(" ")[0]
    'AT&T'
    """
    spec = importlib.util.find_spec("jieba")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("No module named 'jieba'", name="jieba")
    loader: Any = spec.loader  # of a folder or of a zipped archive; both have get_data
    return str(loader.get_data(str(Path(spec.origin).parent / name)), "utf-8")
