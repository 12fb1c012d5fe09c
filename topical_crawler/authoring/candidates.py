"""Candidate terms in the texts of a domain: new words and phrases.

New words are found without a dictionary, as cohesive strings of characters with varied neighbours. Cohesion is pointwise mutual
information, the smallest over all ways to cut the string in two (Church & Hanks 1990). Variety is branching entropy, the
smaller of left and right (Jin & Tanaka-Ishii 2006). Both are needed: 色社会主 coheres, but always stands between the same
characters. 了一个 varies on both sides, but falls apart.

>>> texts = ["支部开展三会一课。", "落实三会一课制度", "三会一课要常态化，", "坚持三会一课"] * 5
>>> [candidate.word for candidate in discover(texts, min_count=10, min_cohesion=1.0)]
['三会一课']

Phrases are adjacent words of a high normalised pointwise mutual information (Bouma 2009): 0 for independent words, 1 for words
always together, and for three and four words the smallest over the cuts. Branching entropy drops fragments. A filter on parts
of speech keeps noun phrases (Justeson & Katz 1995).

>>> documents = [["基层", "组织生活", "制度", "，", "基层", "党建"], ["天气", "很", "好"]] * 5
>>> [candidate.word for candidate in find_phrases(documents, min_count=5)]
['基层党建', '基层组织生活制度']
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from topical_crawler.text.segment import Segmenter, default_stopwords, normalise
from topical_crawler.text.statistics import language

Floats = NDArray[np.float64]

MAX_WORD_LENGTH = 8
MAX_PHRASE_LENGTH = 16
MAX_PHRASE_WORDS = 4
MIN_NPMI = 0.3  # least normalised pointwise mutual information of a phrase, -1 to 1
MIN_ENTROPY = 1.0  # in nats: slightly less than three equally frequent neighbours
SAMPLE = 10_000_000
"""Most characters of the domain to search (under 1 GB of memory). A larger one is thinned to every second, fourth, … document."""
_INNER_TAGS = ("n", "v", "a", "b", "j", "l", "i", "s", "eng", "m", "z")
_LAST_TAGS = ("n", "vn", "an", "j", "l", "i", "s", "eng")
_NO_EDGE = ("p", "c", "u", "y", "r", "e", "o")  # prepositions, conjunctions, particles, pronouns, …
_NO_SHORT_EDGE = ("q", "f", "d")  # measure words, directions and adverbs of one character: 个, 上, 都


@dataclass(frozen=True, slots=True)
class Candidate:
    """A new word or phrase."""

    word: str  # normalised
    source: str  # `discovery` or `phrase`
    count: int  # occurrences, including those inside longer candidates
    cohesion: float  # pointwise mutual information: in nats for a new word, normalised to [-1, 1] for a phrase
    entropy: float  # branching entropy in nats, at most ln(count)


# -- Frequent sequences of symbols (characters or words): count, cohesion, branching entropy


@dataclass(frozen=True)
class Sequences:
    """The frequent sequences of one length."""

    length: int  # in symbols
    places: NDArray[np.int64]  # start of one occurrence of each in the text
    counts: NDArray[np.int64]  # occurrences of each
    # pointwise mutual information of each, in nats, the smallest over the ways to cut it: ln(p(w) / (p(a)·p(b)))
    cohesion: Floats
    entropy: Floats  # branching entropy of each, in nats, the smaller of left and right; every boundary is a distinct neighbour


def frequent_sequences(
    text: NDArray[np.int32], min_count: int, max_length: int, min_cohesion: float = -np.inf
) -> Iterator[Sequences]:
    """Yield the sequences of 2 to ``max_length`` symbols, length by length.

    A sequence can only be frequent if both its parts shorter by one are (Agrawal & Srikant 1994). This takes some 70 bytes and
    0.6 µs per symbol, however many distinct sequences there are.

    Args:
        text: symbols as numbers above 0. No sequence crosses a 0.
        min_count: least occurrences, 2 or more.
        max_length: most symbols, 2 or more.
        min_cohesion: sequences below it are skipped, but not longer ones with such parts.

    >>> text = np.array([0, 1, 2, 5, 1, 2, 0, 6, 1, 2, 3], dtype=np.int32)
    >>> [(s.length, s.places.tolist(), s.counts.tolist(), s.entropy.round(2).tolist()) for s in frequent_sequences(text, 3, 4)]
    [(2, [8], [3], [1.1])]
    """
    if min_count < 2 or max_length < 2:
        raise ValueError(f"min_count and max_length are 2 or more, not {min_count} and {max_length}")
    text = np.concatenate((np.zeros(1, np.int32), text, np.zeros(1, np.int32)))
    total = max(1, int(np.count_nonzero(text)))
    _, first, numbers, counts = np.unique(text, return_index=True, return_inverse=True, return_counts=True)
    ids = (numbers - 1).astype(np.int32)  # by place, -1 for a boundary
    nothing = np.zeros(0, np.int64)
    levels = [_Level(counts[1:], first[1:], nothing, nothing)]
    for length in range(2, max_length + 1):
        ids = _lengthen(ids, levels, min_count)
        level = levels[-1]
        if not level.counts.size:
            return
        cohesion = _cohesion(levels, total)
        chosen = np.flatnonzero(cohesion >= min_cohesion)
        entropy = _entropy(text, ids, level.counts, chosen, length)
        yield Sequences(length, level.places[chosen] - 1, level.counts[chosen], cohesion[chosen], entropy)


@dataclass(frozen=True)
class _Level:
    """The frequent sequences of one length.

    ``prefixes`` and ``suffixes`` index the level before: each sequence without its last, and without its first symbol.
    """

    counts: NDArray[np.int64]
    places: NDArray[np.int64]
    prefixes: NDArray[np.int64]
    suffixes: NDArray[np.int64]


def _lengthen(ids: NDArray[np.int32], levels: list[_Level], min_count: int) -> NDArray[np.int32]:
    """Append the level of sequences longer by one. Return their numbers by start position, -1 for none."""
    places = np.flatnonzero((ids[:-1] >= 0) & (ids[1:] >= 0))
    shorter = max(1, levels[-1].counts.size)
    keys = ids[places].astype(np.int64) * shorter + ids[places + 1]
    distinct, numbers, counts = np.unique(keys, return_inverse=True, return_counts=True)
    frequent = counts >= min_count
    renumbered = np.where(frequent, np.cumsum(frequent) - 1, -1).astype(np.int32)
    a_place = np.empty(distinct.size, np.int64)
    a_place[numbers] = places
    kept = distinct[frequent]
    levels.append(_Level(counts[frequent], a_place[frequent], kept // shorter, kept % shorter))
    longer = np.full(ids.size, -1, np.int32)
    longer[places] = renumbered[numbers]
    return longer


def _cohesion(levels: Sequence[_Level], total: int) -> Floats:
    left = right = np.arange(levels[-1].counts.size)
    lefts, rights = [], []  # ln p of ever shorter prefixes and suffixes
    for level, shorter in zip(reversed(levels[1:]), reversed(levels[:-1]), strict=True):
        left, right = level.prefixes[left], level.suffixes[right]
        lefts.append(np.log(shorter.counts[left] / total))
        rights.append(np.log(shorter.counts[right] / total))
    apart = np.maximum.reduce([a + b for a, b in zip(lefts, reversed(rights), strict=True)])
    return np.asarray(np.log(levels[-1].counts / total) - apart)


def _entropy(
    text: NDArray[np.int32], ids: NDArray[np.int32], all_counts: NDArray[np.int64], wanted: NDArray[np.int64], length: int
) -> Floats:
    chosen = np.full(all_counts.size + 1, -1, np.int64)  # the last element is for ids of -1
    chosen[wanted] = np.arange(wanted.size)
    places = np.flatnonzero(chosen[ids] >= 0)
    owners, counts = chosen[ids[places]], all_counts[wanted]
    left, right = (_branching(owners, text[places + side], counts) for side in (-1, length))
    return np.minimum(left, right)


def _branching(owners: NDArray[np.int64], neighbours: NDArray[np.int32], counts: NDArray[np.int64]) -> Floats:
    """Return the entropy of the neighbours of each owner."""
    inside = neighbours > 0
    pairs, times = np.unique(owners[inside] << 32 | neighbours[inside], return_counts=True)
    of = pairs >> 32
    parts = np.bincount(of, weights=times * np.log(counts[of] / times), minlength=counts.size)
    boundaries = np.bincount(owners[~inside], minlength=counts.size) * np.log(counts)
    return np.asarray((parts + boundaries) / counts)


# -- New words and phrases


def discover(texts: Iterable[str], min_count: int = 5, min_cohesion: float = 3.0) -> list[Candidate]:
    """Find Chinese strings with the statistics of words, most frequent first, useful ones (三会一课) or not (我们要).

    Punctuation, digits, Latin letters and ends of texts are boundaries.

    Args:
        texts: normalised.
        min_count: least occurrences, 2 or more.
        min_cohesion: in nats. 3.0 is twenty times as often as chance, out of reach of a few hundred characters.
    """
    codes = np.frombuffer("\n".join(texts).encode("utf-32-le"), dtype=np.int32)
    ideographs = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x323AF))  # with their extensions
    codes = np.where(np.any([(codes >= first) & (codes <= last) for first, last in ideographs], axis=0), codes, 0)
    words: list[Candidate] = []
    for s in frequent_sequences(codes, min_count, MAX_WORD_LENGTH, min_cohesion):
        for i in np.flatnonzero(s.entropy >= MIN_ENTROPY).tolist():
            word = codes[s.places[i] : s.places[i] + s.length].tobytes().decode("utf-32-le")
            words.append(Candidate(word, "discovery", int(s.counts[i]), float(s.cohesion[i]), float(s.entropy[i])))
    return sorted(words, key=lambda w: (-w.count, w.word))


def find_phrases(documents: Iterable[Sequence[str]], min_count: int = 5) -> list[Candidate]:
    """Find phrases of 2 to :data:`MAX_PHRASE_WORDS` words, most frequent first.

    Words unfit for a term (function words, stop words, punctuation, figures) are boundaries.

    Args:
        documents: segmented and normalised.
        min_count: least occurrences, 2 or more.
    """
    numbers: dict[str, int] = {}
    usable: dict[str, int] = {}
    text = array("i")
    for document in documents:
        for word in document:
            number = usable.get(word)
            if number is None:
                number = usable[word] = numbers.setdefault(word, len(numbers) + 1) if _is_usable(word) else 0
            text.append(number)
        text.append(0)
    words = ["", *numbers]
    symbols = np.frombuffer(text, dtype=np.int32) if text else np.zeros(0, np.int32)
    total = max(1, int(np.count_nonzero(symbols)))
    phrases: dict[str, Candidate] = {}
    for s in frequent_sequences(symbols, min_count, MAX_PHRASE_WORDS, 0.0):
        npmi = s.cohesion / np.maximum(np.log(total / s.counts), 1e-9)
        for i in np.flatnonzero((npmi >= MIN_NPMI) & (s.entropy >= MIN_ENTROPY)).tolist():
            parts = [words[n] for n in symbols[s.places[i] : s.places[i] + s.length].tolist()]
            phrase = Candidate("".join(parts), "phrase", int(s.counts[i]), float(npmi[i]), float(s.entropy[i]))
            if _is_noun_phrase(parts) and (phrase.word not in phrases or phrase.count > phrases[phrase.word].count):
                phrases[phrase.word] = phrase
    return sorted(phrases.values(), key=lambda p: (-p.count, p.word))


def _is_usable(word: str) -> bool:
    tag = language().tag(word)
    return word.isalpha() and word not in default_stopwords() and (not tag or tag.startswith(_INNER_TAGS))


def _is_noun_phrase(parts: Sequence[str]) -> bool:
    tag = language().tag(parts[-1])
    return sum(map(len, parts)) <= MAX_PHRASE_LENGTH and max(map(len, parts)) > 1 and (not tag or tag.startswith(_LAST_TAGS))


# -- Candidates of a domain


@dataclass(frozen=True)
class Sample:
    """Normalised texts of a domain, without lines repeated from earlier documents, since menus and notices look like terms."""

    texts: Sequence[str]  # of documents with any new line
    step: int  # every step-th document is in it
    repeated: int  # lines left out

    @classmethod
    def draw(cls, texts: Iterable[str], limit: int = SAMPLE) -> Sample:
        """Draw at most ``limit`` characters, evenly over all texts.

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


def find_candidates(
    texts: Sequence[str], min_count: int, own: Collection[str], segmenter: Callable[[Iterable[str]], Segmenter]
) -> Mapping[str, Candidate]:
    """Find new words, and phrases of new and known words, but no dictionary words.

    Args:
        texts: normalised.
        min_count: least occurrences, 2 or more.
        own: the user's own terms and candidates.
        segmenter: makes a segmenter with extra words.
    """
    plain = segmenter(())
    known = language().tags
    new = {w.word: w for w in discover(texts, min_count) if w.word not in known and has_good_edges(w.word, plain)}
    finer = segmenter({*new, *own})
    for phrase in find_phrases((finer.cut(text) for text in texts), min_count):
        if phrase.word not in known and phrase.word not in new and has_good_edges(phrase.word, plain):
            new[phrase.word] = phrase
    return {word: candidate for word, candidate in new.items() if not _is_verb_with_object(word, new)}


def has_good_edges(word: str, plain: Segmenter) -> bool:
    """Return True if a word neither begins nor ends with a stop word or function word, nor ends with a one-character number.

    >>> [has_good_edges(word, Segmenter()) for word in ("三会一课", "不忘初心", "的决定性意义", "新征程上")]
    [True, True, False, False]
    """
    parts = plain.cut(word)
    for part in (parts[0], parts[-1]):
        tag = language().tag(part)
        if part in default_stopwords() or tag.startswith(_NO_EDGE) or (len(part) == 1 and tag.startswith(_NO_SHORT_EDGE)):
            return False
    return not (len(parts[-1]) == 1 and language().tag(parts[-1]) == "m")


def _is_verb_with_object(word: str, words: Collection[str]) -> bool:
    """Return True for a verb before a word, such as 开展主题教育. As a term it would hide 主题教育."""
    rest = word[2:]
    return len(rest) > 2 and language().tag(word[:2]) == "v" and (rest in words or bool(language().tag(rest)))
