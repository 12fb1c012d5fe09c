"""Arrays of numbers in the JSON data of a strategy's lessons and states."""

from __future__ import annotations

from base64 import b64decode, b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray


def packed(numbers: NDArray[Any], kind: str) -> str:
    """The numbers as a numpy ``kind`` that names its byte order (``<i4``), in base64."""
    return b64encode(numbers.astype(kind).tobytes()).decode()


def unpacked(text: str, kind: str) -> NDArray[Any]:
    """What :func:`packed` wrote; an array that cannot be written to.

    >>> unpacked(packed(np.array([3, 1, 2]), "<i4"), "<i4").tolist()
    [3, 1, 2]
    """
    return np.frombuffer(b64decode(text), dtype=kind)
