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
    """Return a data folder: ``lexicon`` (topics, stop words, boilerplate patterns) or ``demo`` (a recorded web, seeds, labels).

    It is inside an installed package, and beside the package in a source tree. It may be in a zip file, so read it with
    ``data_folder().joinpath("boilerplate.txt").read_text("utf-8")``, never through a file path.

    Raises:
        FileNotFoundError: the folder is in neither place.

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


def cells(text: str) -> list[list[str]]:
    r"""Return the cells of the lines of a table separated by tabs. Skip empty lines and comments, which start with #.

    >>> cells("# 类\t词\nD\t法律|法规\n")
    [['D', '法律|法规']]
    """
    return [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]


def jieba() -> ModuleType:
    """Import jieba, without its progress messages and its warning about some versions of setuptools."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="pkg_resources is deprecated")
        module = importlib.import_module("jieba")
    logging.getLogger("jieba").setLevel(logging.WARNING)
    return module


def jieba_file(name: str) -> str:
    """Return the text of one of jieba's data files without importing jieba, as needed by rjieba.

    >>> jieba_file("dict.txt").partition(" ")[0]
    'AT&T'
    """
    spec = importlib.util.find_spec("jieba")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("No module named 'jieba'", name="jieba")
    loader: Any = spec.loader  # for a folder or a zipped archive; both have get_data
    return str(loader.get_data(str(Path(spec.origin).parent / name)), "utf-8")
