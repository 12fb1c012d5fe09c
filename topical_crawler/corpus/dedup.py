"""Exact duplicates: the same text on two addresses."""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b

_NOT_WORDS = re.compile(r"[\W_]+")


def text_hash(text: str) -> str:
    """Digest of ``text`` by its letters and digits alone: 32 hexadecimal digits, "" if it has none.

    Full-width forms are folded (NFKC), upper and lower case are one, and white space, punctuation and symbols do not count. So a
    reprint with other paragraphs, other quotation marks or another space after numbers is the same text; one with a single other
    word is not.

    >>> text_hash("“两学一做”，常态化！\\n制度化") == text_hash("「两学一做」常态化 制度化。")
    True
    >>> text_hash("……")
    ''
    """
    words = _NOT_WORDS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return blake2b(words.encode("utf-8", "replace"), digest_size=16).hexdigest() if words else ""
