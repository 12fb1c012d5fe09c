"""Servers that speak as OpenAI's does (vLLM, llama.cpp, Ollama, or a paid service): how they are asked, and their embeddings."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

import numpy as np
from numpy.typing import NDArray

BATCH = 64
"""Texts in a request for embeddings."""
CHARACTERS = 1500
"""Characters of a text that are sent, from its beginning."""
MOST_BYTES = 16 << 20
"""Bytes of an answer that are read."""
LONGEST_WAIT = 60.0
"""Seconds before the next try, whatever the server asks for."""


class _NoRedirects(HTTPRedirectHandler):
    """The key goes to the address that the user named and to no other."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Server:
    """One service of a server.

    Args:
        url: up to ``/v1``, http or https.
        service: the rest of its path.
        key_env: the environment variable with the key; where it is not set, no key is sent.
        timeout: seconds for an answer.
        retries: further tries when the server cannot be reached, is busy (429) or fails (5xx): after 1, 2, 4 … seconds, or when
            it says (``Retry-After``).
    """

    def __init__(self, url: str, service: str, key_env: str = "OPENAI_API_KEY", timeout: float = 30.0, retries: int = 3) -> None:
        if not url.startswith(("http://", "https://")) or timeout <= 0 or retries < 0:
            raise ValueError("url must begin with http:// or https://, timeout must be above 0, and retries not below")
        self.url, self._key = f"{url.rstrip('/')}/{service}", os.environ.get(key_env, "")
        self._timeout, self._retries = timeout, retries
        self._opener = build_opener(_NoRedirects)

    def ask(self, message: Mapping[str, Any]) -> bytes:
        """The answer to a message. Raises OSError or HTTPException where the server cannot be reached, refuses or fails, also at
        the last try."""
        body = json.dumps(message).encode()
        headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        for attempt in range(self._retries + 1):
            wait = 2.0**attempt
            try:
                with self._opener.open(Request(self.url, body, headers), timeout=self._timeout) as response:
                    return bytes(response.read(MOST_BYTES))
            except (OSError, HTTPException) as error:
                if attempt == self._retries or (isinstance(error, HTTPError) and error.code != 429 and error.code < 500):
                    raise
                if isinstance(error, HTTPError) and (after := error.headers.get("Retry-After", "")).isdigit():
                    wait = float(after)
            time.sleep(min(wait, LONGEST_WAIT))
        raise AssertionError("unreachable")


class Embeddings:
    """The vectors of texts by the service ``/embeddings``.

    Args:
        place: the address up to ``/v1``, ``#``, and the name of a model there. The key is in ``OPENAI_API_KEY``.
    """

    def __init__(self, place: str, retries: int = 3) -> None:
        url, _, self._model = place.partition("#")
        if not self._model:
            raise ValueError(f"{place}: which model? Remedy: openai:https://HOST/v1#MODEL")
        self._server = Server(url, "embeddings", retries=retries)
        self._size: int | None = None

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of at least one text. Raises OSError, which names the remedy, where they cannot be had."""
        return np.concatenate([self._ask(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)])

    def _ask(self, texts: Sequence[str]) -> NDArray[np.float32]:
        sent = [text[:CHARACTERS].encode("utf-8", "replace").decode() or " " for text in texts]  # an empty text may be refused
        try:
            rows = json.loads(self._server.ask({"model": self._model, "input": sent}))["data"]
            by_place = {row["index"]: row["embedding"] for row in rows}
            vectors = np.array([by_place[place] for place in range(len(sent))], dtype=np.float32)
            if vectors.ndim != 2 or not np.isfinite(vectors).all() or vectors.shape[1] != (self._size or vectors.shape[1]):
                raise ValueError(f"vectors of the shape {vectors.shape}, or of numbers that are none")
        except (OSError, HTTPException, ValueError, LookupError, TypeError, RecursionError) as error:
            what = f"{self._server.url}: no vectors by {self._model} ({type(error).__name__}: {error}). Remedy: "
            raise OSError(f"{what}see that the server runs and has the model, and that OPENAI_API_KEY holds its key") from error
        self._size = vectors.shape[1]
        return vectors
