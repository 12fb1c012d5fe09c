"""Word vectors of one's own: texts into words, words into vectors (Zhou et al. 2019, §4: Wikipedia, domain texts, word2vec).

The stages, each of which goes on where it was interrupted: :mod:`prepare` (texts of any source as lines of words), :mod:`phrases`
(words that belong together, on request), :mod:`vocabulary` (counted within a bound of memory), :mod:`model` (training with a
checkpoint after each epoch); :mod:`continued` starts from finished vectors; :mod:`pipeline` runs them all.
"""

from __future__ import annotations

from collections.abc import Callable

Report = Callable[[str, float, str], None]
"""Told about progress: the stage's name, the part of it that is done (0 to 1), a word on what goes on."""


class TrainingError(ValueError):
    """Vectors cannot be trained. The message says what is wrong and what to do."""
