"""Client for OpenAI-compatible servers (vLLM, llama.cpp, Ollama, or a paid service), and their embeddings."""

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
"""Texts per request for embeddings."""
CHARACTERS = 1500
"""Characters sent of a text, from its beginning."""
MOST_BYTES = 16 << 20
"""Maximum number of bytes read of a response."""
LONGEST_WAIT = 60.0
"""Maximum delay before a retry in seconds, overriding the server's wishes."""


class _NoRedirects(HTTPRedirectHandler):
    """Handler refusing redirects, so the key goes only to the address chosen by the user."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Server:
    """One service of a server.

    Args:
        url: base URL up to ``/v1``, http or https.
        service: rest of its path.
        key_env: environment variable with the API key. If unset, no key is sent.
        timeout: seconds to wait for a response.
        retries: number of retries if the server is unreachable, busy (429) or failing (5xx), after 1, 2, 4 … seconds, or its
            ``Retry-After``.

    Raises:
        ValueError: an argument is out of range.
    """

    def __init__(self, url: str, service: str, key_env: str = "OPENAI_API_KEY", timeout: float = 30.0, retries: int = 3) -> None:
        if not url.startswith(("http://", "https://")) or timeout <= 0 or retries < 0:
            raise ValueError("url must begin with http:// or https://, timeout be above 0, and retries be 0 or more")
        self.url, self._key = f"{url.rstrip('/')}/{service}", os.environ.get(key_env, "")
        self._timeout, self._retries = timeout, retries
        self._opener = build_opener(_NoRedirects)

    def ask(self, message: Mapping[str, Any]) -> bytes:
        """Return the response to a message.

        Raises:
            OSError: the server is unreachable, refuses the request, or fails at the last retry.
            HTTPException: the server violates the HTTP protocol at the last retry.
        """
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
    """Vectors of texts from the service ``/embeddings``.

    Args:
        place: base URL up to ``/v1``, ``#``, and the name of a model there. ``OPENAI_API_KEY`` holds the key.
        retries: see :class:`Server`.

    Raises:
        ValueError: ``place`` has no model, or an invalid URL.
    """

    def __init__(self, place: str, retries: int = 3) -> None:
        url, _, self._model = place.partition("#")
        if not self._model:
            raise ValueError(f"{place}: no model. Write openai:https://HOST/v1#MODEL")
        self._server = Server(url, "embeddings", retries=retries)
        self._size: int | None = None

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return the vectors of at least one text.

        Raises:
            OSError: no vectors available. The message says how to fix it.
        """
        return np.concatenate([self._ask(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)])

    def _ask(self, texts: Sequence[str]) -> NDArray[np.float32]:
        sent = [text[:CHARACTERS].encode("utf-8", "replace").decode() or " " for text in texts]  # an empty text may be refused
        try:
            rows = json.loads(self._server.ask({"model": self._model, "input": sent}))["data"]
            by_place = {row["index"]: row["embedding"] for row in rows}
            vectors = np.array([by_place[place] for place in range(len(sent))], dtype=np.float32)
            if vectors.ndim != 2 or not np.isfinite(vectors).all() or vectors.shape[1] != (self._size or vectors.shape[1]):
                raise ValueError(f"vectors of shape {vectors.shape}, or with NaN or infinity")
        except (OSError, HTTPException, ValueError, LookupError, TypeError, RecursionError) as error:
            what = f"{self._server.url}: no vectors from {self._model} ({type(error).__name__}: {error}). "
            raise OSError(f"{what}Check the server, its model, and the key in OPENAI_API_KEY") from error
        self._size = vectors.shape[1]
        return vectors
