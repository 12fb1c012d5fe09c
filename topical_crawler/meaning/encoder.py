"""Encoders: texts as vectors of length 1, near to each other where the texts mean much the same."""

from __future__ import annotations

import functools
import importlib
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from topical_crawler.meaning import BUNDLED, NONE
from topical_crawler.meaning.endpoint import Embeddings

Floats = NDArray[np.float32]
logger = logging.getLogger(__name__)

KINDS = (BUNDLED, "model2vec:FOLDER", "sentence_transformers:FOLDER", "openai:https://HOST/v1#MODEL", NONE)
"""What ``TOPICAL_ENCODER`` may say."""


class Encoder(Protocol):
    """Turns texts into vectors.

    Attributes:
        name: of the model and its version. What was learned from the vectors of one is of no use with another.
        waits: whether it asks a server. Then :meth:`encode` may take seconds, and raises OSError where there is no answer.
    """

    name: str
    waits: bool

    def encode(self, texts: Sequence[str]) -> Floats:
        """The vectors of n texts, (n, d), each of length 1. A text has the same vector whatever texts are beside it."""


class Model:
    """An encoder made of a function that gives vectors of any length."""

    def __init__(self, name: str, encode: Callable[[list[str]], Any], waits: bool = False) -> None:
        self.name, self.waits = name, waits
        self._encode = encode

    def encode(self, texts: Sequence[str]) -> Floats:
        """See :class:`Encoder`."""
        vectors = np.asarray(self._encode(list(texts)), dtype=np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-9), dtype=np.float32)


def _model2vec(folder: str) -> Callable[[list[str]], Any]:
    """The static vectors of a model2vec folder. Raises ValueError where it cannot be read."""
    library = package("model2vec", "topical-crawler[model2vec]", folder, "tokenizer.json")
    encode: Callable[[list[str]], Any] = library.StaticModel.from_pretrained(folder, force_download=False).encode
    return encode


def _sentence_transformers(folder: str) -> Callable[[list[str]], Any]:
    """The vectors of a sentence-transformers folder with weights in safetensors files. Raises ValueError where it cannot be
    read."""
    library = package("sentence_transformers", "sentence-transformers", folder, "modules.json")
    model = library.SentenceTransformer(folder, local_files_only=True, model_kwargs={"use_safetensors": True})
    return lambda texts: model.encode(texts, show_progress_bar=False)


def package(module: str, distribution: str, folder: str = "", holds: str = "") -> Any:
    """A module. Raises ValueError where it is not installed, for a folder without a file that it must hold, which would be sought
    on the network, and for one with code."""
    if folder and not any(Path(folder).rglob(holds)):
        raise ValueError(f"{folder} is no folder with a {holds}. Remedy: save the model there; none is downloaded")
    if folder and (code := next(Path(folder).rglob("*.py"), None)):
        raise ValueError(f"{code} is code, which would be run. Remedy: use a model without code of its own")
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ValueError(f"a package is missing ({error}). Remedy: pip install '{distribution}'") from None


def open_encoder(named: str, cache_dir: Path | None = None) -> Encoder | None:
    """The encoder of that name; None for "none". The bundled one that cannot be had is a warning, and None.

    Args:
        named: one of :data:`KINDS`, with the user's own folder or address.
        cache_dir: where tables are kept that take long to read; None: nowhere.

    Raises:
        ValueError: there is no such kind, or it cannot be used; names the remedy.

    >>> open_encoder("none") is None, open_encoder("bundled").encode(["党建", "党的建设"]).shape
    (True, (2, 512))
    """
    if named == NONE:
        return None
    return _bundled(cache_dir) if named == BUNDLED else open_model(named)


def open_model(named: str) -> Model:
    """A model of the user's. Raises ValueError as :func:`open_encoder` does."""
    kind, _, place = named.partition(":")
    kinds: dict[str, Callable[[str], Callable[[list[str]], Any]]]
    kinds = {"model2vec": _model2vec, "sentence_transformers": _sentence_transformers, "openai": Embeddings}
    if kind not in kinds or not place:
        raise ValueError(f"TOPICAL_ENCODER={named!r}: there is no such encoder. Remedy: {', '.join(KINDS)}")
    return Model(named, kinds[kind](place), waits=kind == "openai")


@functools.lru_cache(maxsize=1)
def _bundled(cache_dir: Path | None) -> Encoder | None:
    from topical_crawler.meaning.bundled import Bundled

    try:
        return Bundled(cache_dir)
    except ValueError as error:
        logger.warning(
            "Texts are judged by their words alone, so those that do not say what they are about are missed: %s", error
        )
        return None
