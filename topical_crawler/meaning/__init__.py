"""What texts mean: encoders that turn them into vectors (:mod:`encoder`)."""

BUNDLED, NONE = "bundled", "none"
"""The encoder of the base install, and none at all: two of the names that ``TOPICAL_ENCODER`` may give."""
UNRELATED = 0.18
"""Cosine of the vectors of texts: unrelated ones, and names such as 小米谷子 and 医学, are mostly not nearer than this."""
