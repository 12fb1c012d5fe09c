"""Training, validation and test: every text always falls into the same of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from hashlib import blake2b
from typing import Literal

from topical_crawler.export.rows import Row

NAMES = ("train", "validation", "test")


@dataclass(frozen=True)
class Split:
    """Divides texts by a digest of what they are, so that no text moves when the corpus grows.

    By host, all texts of a host are in one split: what a model learns of a site's manner helps it nowhere else. By document,
    texts are divided one by one, by their letters and digits alone. A text that stood at several addresses, a near-duplicate and
    the parts of an article are one row of the corpus, so none of them can be in two splits.

    Attributes:
        shares: of train, validation and test; 0 or more, together 1.
        by: "host" or "document".
        seed: another one divides otherwise.

    >>> split = Split.parse("0.8,0.1,0.1")
    >>> split.of({"host": "a.cn", "content_hash": "", "url": "http://a.cn/"})
    'train'
    >>> Split.parse("1,0,0").names
    ('train',)
    """

    shares: tuple[float, float, float]
    by: Literal["host", "document"] = "document"
    seed: int = 0

    @classmethod
    def parse(cls, text: str, by: Literal["host", "document"] = "document", seed: int = 0) -> Split:
        """From three shares with commas between them.

        Raises:
            ValueError: these are not three numbers of 0 or more that make 1 together.
        """
        try:
            shares = tuple(float(part) for part in text.split(","))
        except ValueError:
            shares = ()
        if len(shares) != 3 or not all(0 <= share <= 1 for share in shares) or not math.isclose(sum(shares), 1, abs_tol=1e-6):
            raise ValueError(f"{text!r} is no split; write the shares of train, validation and test, 1 together: 0.9,0.05,0.05")
        return cls((shares[0], shares[1], shares[2]), by, seed)

    @property
    def names(self) -> tuple[str, ...]:
        """The splits that can have a text, in their order."""
        return tuple(name for name, share in zip(NAMES, self.shares, strict=True) if share > 0)

    def of(self, row: Row) -> str:
        """The name of the split of a row."""
        identity = row["host"] if self.by == "host" else row["content_hash"] or row["url"]
        place = digest(self.seed, self.by, identity) / 2**64
        reached = 0.0
        for name, share in zip(NAMES, self.shares, strict=True):
            reached += share
            if share > 0 and place < reached:
                return name
        return self.names[-1]  # the sum of the shares fell short of 1 by rounding


def digest(seed: int, *texts: str) -> int:
    """A number of 64 bits that looks drawn at random, always the same for the same arguments."""
    said = "\0".join((str(seed), *texts)).encode("utf-8", "replace")
    return int.from_bytes(blake2b(said, digest_size=8).digest(), "big")
