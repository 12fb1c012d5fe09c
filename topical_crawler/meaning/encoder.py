"""Encoders from texts to vectors of length 1, close together for similar meanings."""

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
"""Values of ``TOPICAL_ENCODER``."""


class Encoder(Protocol):
    """Encoder from texts to vectors.

    Attributes:
        name: name of the model with its version. Anything learned from one model's vectors is useless with another's.
        waits: True if the encoder is a server. :meth:`encode` may then take seconds, and raises OSError without an answer.
    """

    name: str
    waits: bool

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of n texts, (n, d), each of length 1. A text's vector does not depend on the other texts."""


class Model:
    """Encoder wrapping a function with vectors of any length."""

    def __init__(self, name: str, encode: Callable[[list[str]], Any], waits: bool = False) -> None:
        self.name, self.waits = name, waits
        self._encode = encode

    def encode(self, texts: Sequence[str]) -> Floats:
        """See :class:`Encoder`."""
        vectors = np.asarray(self._encode(list(texts)), dtype=np.float32)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-9), dtype=np.float32)


def _model2vec(folder: str) -> Callable[[list[str]], Any]:
    """Open the static vectors of a model2vec folder.

    Raises:
        ValueError: the folder cannot be read.
    """
    library = package("model2vec", "topical-crawler[model2vec]", folder, "tokenizer.json")
    encode: Callable[[list[str]], Any] = library.StaticModel.from_pretrained(folder, force_download=False).encode
    return encode


def _sentence_transformers(folder: str) -> Callable[[list[str]], Any]:
    """Open a sentence-transformers folder with weights in safetensors files.

    Raises:
        ValueError: the folder cannot be read.
    """
    library = package("sentence_transformers", "sentence-transformers", folder, "modules.json")
    model = library.SentenceTransformer(folder, local_files_only=True, model_kwargs={"use_safetensors": True})
    return lambda texts: model.encode(texts, show_progress_bar=False)


def package(module: str, distribution: str, folder: str = "", holds: str = "") -> Any:
    """Import a module, after checking a model folder for it.

    Raises:
        ValueError: the module is not installed, the folder contains code, or it lacks the required file, which the module would
            otherwise download.
    """
    if folder and not any(Path(folder).rglob(holds)):
        raise ValueError(f"{folder} is no folder with a {holds}. Save the model there, since none is downloaded")
    if folder and (code := next(Path(folder).rglob("*.py"), None)):
        raise ValueError(f"{code} contains code that would run. Use a model without code of its own")
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ValueError(f"a package is missing ({error}). Run pip install '{distribution}'") from None


def open_encoder(named: str, cache_dir: Path | None = None) -> Encoder | None:
    """Open an encoder by name, None for "none". If the bundled one is unavailable, log a warning and return None.

    Args:
        named: one of :data:`KINDS`, with the user's own folder or address.
        cache_dir: folder for slow-to-read tables. None: no cache.

    Raises:
        ValueError: unknown kind, or unusable model. The message says how to fix it.

    >>> open_encoder("none") is None, open_encoder("bundled").encode(["党建", "党的建设"]).shape
    (True, (2, 512))
    """
    if named == NONE:
        return None
    return _bundled(cache_dir) if named == BUNDLED else open_model(named)


def open_model(named: str) -> Model:
    """Open a user's model.

    Raises:
        ValueError: as for :func:`open_encoder`.
    """
    kind, _, place = named.partition(":")
    kinds: dict[str, Callable[[str], Callable[[list[str]], Any]]]
    kinds = {"model2vec": _model2vec, "sentence_transformers": _sentence_transformers, "openai": Embeddings}
    if kind not in kinds or not place:
        raise ValueError(f"TOPICAL_ENCODER={named!r}: no such encoder. Use one of {', '.join(KINDS)}")
    return Model(named, kinds[kind](place), waits=kind == "openai")


@functools.lru_cache(maxsize=1)
def _bundled(cache_dir: Path | None) -> Encoder | None:
    from topical_crawler.meaning.bundled import Bundled

    try:
        return Bundled(cache_dir)
    except ValueError as error:
        logger.warning("Texts are judged by their words alone, missing those without the topic's words: %s", error)
        return None
