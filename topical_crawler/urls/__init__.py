"""URLs: one form per page, look-alikes of traps, and likeness of structure (Zhou et al. 2019, Alg. 2 and 3).

Pure functions on strings, in three modules: :mod:`identity`, :mod:`looks` (what a URL shows before it is fetched) and
:mod:`structure` (how alike two URLs are).
"""

from topical_crawler.urls.identity import MAX_LENGTH, canonical, fingerprint
from topical_crawler.urls.looks import host, is_binary, looks_like_trap, shape
from topical_crawler.urls.structure import StructureParameters, UrlParts, struct, structure_similarity

__all__ = [
    "MAX_LENGTH",
    "StructureParameters",
    "UrlParts",
    "canonical",
    "fingerprint",
    "host",
    "is_binary",
    "looks_like_trap",
    "shape",
    "struct",
    "structure_similarity",
]
