"""Candidate terms out of the texts of a domain: new words and phrases, without what cannot be a term."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from topical_crawler.language import language
from topical_crawler.terms.discovery import discover
from topical_crawler.terms.phrases import find_phrases
from topical_crawler.text import Segmenter, default_stopwords, normalise

SAMPLE = 10_000_000
"""Characters of the domain that are looked through for candidates; of a larger domain every second, fourth, … document.
They take less than 1 GB of memory."""
_NO_EDGE = ("p", "c", "u", "y", "r", "e", "o")  # prepositions, conjunctions, particles, pronouns, …
_NO_SHORT_EDGE = ("q", "f", "d")  # measure words, directions and adverbs of one character: 个, 上, 都


@dataclass(frozen=True)
class Sample:
    """Texts of a domain, normalised; a line that stood in an earlier document is left out: menus, licences and notices that pages
    share would look like the domain's firmest terms.

    Attributes:
        texts: of the documents that have a line of their own.
        step: every step-th document was taken.
        repeated: lines left out.
    """

    texts: Sequence[str]
    step: int
    repeated: int

    @classmethod
    def draw(cls, texts: Iterable[str], limit: int = SAMPLE) -> Sample:
        """At most ``limit`` characters, evenly over all texts.

        >>> Sample.draw(["支部生活\\n版权所有", "组织生活\\n版权所有"])
        Sample(texts=['支部生活\\n版权所有', '组织生活'], step=1, repeated=1)
        """
        seen: set[int] = set()
        kept: list[tuple[int, str]] = []
        step, size, repeated = 1, 0, 0
        for number, text in enumerate(texts):
            if number % step:
                continue
            lines = [line for line in normalise(text).splitlines() if line.strip()]
            fresh = [line for line in lines if hash(line) not in seen]
            seen.update(map(hash, fresh))
            repeated += len(lines) - len(fresh)
            if fresh:
                kept.append((number, "\n".join(fresh)))
                size += len(kept[-1][1])
            while size > limit and len(kept) > 1:
                step *= 2
                kept = [(n, t) for n, t in kept if not n % step]
                size = sum(len(t) for _, t in kept)
        return cls([text for _, text in kept], step, repeated)


@dataclass(frozen=True, slots=True)
class Found:
    """A candidate.

    Attributes:
        word: normalised.
        source: ``discovery`` or ``phrase``.
        count: occurrences in the sample, also inside longer candidates.
        cohesion: pointwise mutual information in nats of a new word, normalised to [-1, 1] of a phrase.
    """

    word: str
    source: str
    count: int
    cohesion: float


def find_candidates(
    texts: Sequence[str], min_count: int, own: Collection[str], segmenter: Callable[[Iterable[str]], Segmenter]
) -> Mapping[str, Found]:
    """New words of the texts, and phrases made of them and of known words; words of the dictionary are not among them.

    Args:
        texts: normalised.
        min_count: occurrences, 2 or more.
        own: a person's terms and candidates, which the segmentation must know.
        segmenter: makes a segmenter that knows the given words.
    """
    plain = segmenter(())
    known = language().tags
    found = {
        w.word: Found(w.word, "discovery", w.count, w.cohesion)
        for w in discover(texts, min_count)
        if w.word not in known and has_good_edges(w.word, plain)
    }
    finer = segmenter({*found, *own})
    for phrase in find_phrases((finer.cut(text) for text in texts), min_count):
        if phrase.word not in known and phrase.word not in found and has_good_edges(phrase.word, plain):
            found[phrase.word] = Found(phrase.word, "phrase", phrase.count, phrase.npmi)
    return {word: one for word, one in found.items() if not _is_verb_with_object(word, found)}


def has_good_edges(word: str, plain: Segmenter) -> bool:
    """Whether neither the first nor the last part of ``word`` is a stop word or function word, nor the last one a number.

    >>> [has_good_edges(word, Segmenter()) for word in ("三会一课", "不忘初心", "的决定性意义", "新征程上")]
    [True, True, False, False]
    """
    parts = plain.cut(word)
    for part in (parts[0], parts[-1]):
        tag = language().tag(part)
        if part in default_stopwords() or tag.startswith(_NO_EDGE) or (len(part) == 1 and tag.startswith(_NO_SHORT_EDGE)):
            return False
    return not (len(parts[-1]) == 1 and language().tag(parts[-1]) == "m")


def _is_verb_with_object(word: str, found: Collection[str]) -> bool:
    """开展主题教育, where 主题教育 is a word: kept whole, all its verbs together would hide it."""
    rest = word[2:]
    return len(rest) > 2 and language().tag(word[:2]) == "v" and (rest in found or bool(language().tag(rest)))
