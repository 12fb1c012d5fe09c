"""Reading the files of others: gzipped or not, JSON or what passes for it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any, BinaryIO, cast


def open_packed(path: Path) -> BinaryIO:
    """The bytes of a file, unpacked where its first two say that it is gzipped."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return cast(BinaryIO, gzip.open(path, "rb")) if packed else path.open("rb")


def read_json(path: Path, error: type[ValueError] = ValueError) -> Any:
    """What a JSON file holds.

    Raises:
        ValueError: no JSON, or not UTF-8; of the type ``error``, naming the file and the line.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"))
    except json.JSONDecodeError as failure:
        raise error(f"{path}:{failure.lineno}: no JSON: {failure.msg}; get the file again") from None
    except RecursionError:
        raise error(f"{path}: no JSON that can be read: it is nested too deep; get the file again") from None
    except UnicodeDecodeError as failure:
        raise error(f"{path}: not UTF-8 ({failure.reason}); get the file again") from None
