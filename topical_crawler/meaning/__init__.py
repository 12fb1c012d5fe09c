"""Text meaning: encoders from texts to vectors (:mod:`encoder`)."""

BUNDLED, NONE = "bundled", "none"
"""Two values of ``TOPICAL_ENCODER``: the bundled encoder, and no encoder."""
UNRELATED = 0.18
"""Cosine rarely exceeded by unrelated texts, including names such as 小米谷子 and 医学."""
