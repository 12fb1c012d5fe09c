"""Words near a topic's terms, proposed by HowNet, Cilin and word vectors, best first.

The word nearest to a single term is often of another field (中断 proposes 刹车, 内核 proposes 精华), so each term proposes and
all terms judge: words near several of them come first, words near one alone and general words last.
"""

import functools
import math
import statistics
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.hownet import ConceptIndex, HowNet
from topical_crawler.resources.registry import Resources
from topical_crawler.resources.vectors import WordVectors
from topical_crawler.text.segment import Segmenter, normalise
from topical_crawler.text.statistics import language

Floats = NDArray[np.float64]
Usable = Callable[[str], bool]
Neighbour = tuple[str, str, float]  # (term, word, similarity in [0, 1])

SOURCES = ("hownet", "cilin", "vectors")  # the resources that can propose words
TRUST = {"hownet": 0.3, "cilin": 0.3, "vectors": 1.0}
"""Weight of a resource's evidence: definitions and synonym groups know a term's everyday sense (进程: 历程), vectors its
field."""
JUDGES = 5  # how many terms must be near a word for full evidence; the square root of the number of terms if that is more
EXTENSION = 0.5  # λ of the extension degree λ·sem + (1 − λ)·rel (Zhang et al., Eq. 5)
RELATION = {"=": 0.85, "#": 1.0, "@": 0.0}
"""rel of two words of one Cilin group, by the group's sign (Zhang et al., Eq. 4)."""
OWN_VECTORS = 3  # from this many terms with a vector of their own, composed vectors propose words but do not judge them
_TERMS_AT_ONCE = 32
_WORDS_AT_ONCE = 1024
_GENERAL, _SPECIFIC = 3.0, 9.0
_PARTICLES = frozenset("的该对在和与及其这那由于被把为从到每某是了不中时后前上下里可所以")


# -- Resources that propose and judge words


class Proposer(Protocol):
    """A resource that finds words near topic terms and grades any word by its nearness to all of them."""

    def nearest(self, n: int, usable: Usable) -> Iterator[Neighbour]:
        """The ``n`` nearest usable words of each term that the resource knows, nearest first."""

    def evidence(self, words: Sequence[str], gains: Mapping[str, float], judges: int) -> Floats:
        """Mean of the ``judges`` greatest similarities of each word with the terms, each times the term's gain; in [0, 1]."""


class VectorProposer:
    """Proposes by the cosine (SimD). A compound without a vector has the mean of its parts' if all of them have one; the
    ``segmenter`` that cuts it must not know the ``terms``, which are normalised."""

    def __init__(self, vectors: WordVectors, terms: Sequence[str], segmenter: Segmenter) -> None:
        self._vectors = vectors
        rows = {term: vector for term in terms if (vector := self._vector(term, segmenter)) is not None}
        self.terms = list(rows)
        self._own = np.stack([*rows.values()]) if rows else np.empty((0, vectors.dimensions), dtype=np.float32)

    def _vector(self, term: str, segmenter: Segmenter) -> NDArray[np.float32] | None:
        rows = self._vectors.rows
        if term in rows:
            return np.asarray(self._vectors.matrix[rows[term]])
        parts = segmenter.cut(term)
        if not all(part in rows for part in parts):
            return None
        total = np.sum([self._vectors.matrix[rows[part]] for part in parts], axis=0, dtype=np.float32)
        length = float(np.linalg.norm(total))
        return np.asarray(total / length, dtype=np.float32) if length else None

    def nearest(self, n: int, usable: Usable) -> Iterator[Neighbour]:
        for start in range(0, len(self.terms), _TERMS_AT_ONCE):
            chunk = slice(start, start + _TERMS_AT_ONCE)
            cosines = np.asarray(self._vectors.matrix @ self._own[chunk].T)
            for term, column in zip(self.terms[chunk], cosines.T, strict=True):
                yield from _best(term, self._vectors.words, column, n, usable)

    def evidence(self, words: Sequence[str], gains: Mapping[str, float], judges: int) -> Floats:
        judging = [i for i, term in enumerate(self.terms) if term in self._vectors.rows]
        if len(judging) < OWN_VECTORS:
            judging = list(range(len(self.terms)))
        result = np.zeros(len(words))
        known = np.array([i for i, word in enumerate(words) if word in self._vectors.rows], dtype=np.int64)
        if not judging:
            return result
        gain = np.array([gains[self.terms[i]] for i in judging])
        for start in range(0, len(known), _WORDS_AT_ONCE):
            chosen = known[start : start + _WORDS_AT_ONCE]
            rows = self._vectors.matrix[[self._vectors.rows[words[i]] for i in chosen]]
            cosines = (rows @ self._own[judging].T).astype(np.float64) * gain
            result[chosen] = _mean_of_greatest(cosines, min(judges, len(judging)))
        return result

    def cosine(self, term: str, word: str) -> float:
        """Cosine of a term's own vector and a word's, at least 0; 0.0 where one has none."""
        return max(0.0, self._vectors.similarity(term, word))


class HowNetProposer:
    """Proposes by SimH. Many words share a definition (113 sciences are ``knowledge|知识``), so ties need another resource:
    ``tie_break`` is evidence for words, in [0, 1]; None: the order of the glossary. ``terms`` are normalised."""

    def __init__(self, hownet: HowNet, terms: Sequence[str], tie_break: Callable[[Sequence[str]], Floats] | None) -> None:
        self._index = ConceptIndex(hownet)
        self.terms = [term for term in terms if term in hownet.senses]
        self._tie_break = tie_break

    def nearest(self, n: int, usable: Usable) -> Iterator[Neighbour]:
        words = self._index.words
        second = self._tie_break(words) if self._tie_break and self.terms else np.zeros(len(words))
        for term in self.terms:
            row = self._index.row(term)
            yield from _best(term, words, row, n, usable, np.lexsort((-second, -row)))

    def evidence(self, words: Sequence[str], gains: Mapping[str, float], judges: int) -> Floats:
        places = {word: i for i, word in enumerate(self._index.words)}
        known = [i for i, word in enumerate(words) if word in places]
        columns = [places[words[i]] for i in known]
        result = np.zeros(len(words))
        if self.terms and known:
            similarities = np.stack([self._index.row(term)[columns] * gains[term] for term in self.terms], axis=1)
            result[known] = _mean_of_greatest(similarities, judges)
        return result


class CilinProposer:
    """Proposes words that share a group with a normalised term by the extension degree (Zhang et al., Eq. 5). ``cosine`` is sem
    of a term and a word, in [0, 1]; None: 0."""

    def __init__(self, cilin: Cilin, terms: Sequence[str], cosine: Callable[[str, str], float] | None) -> None:
        self.terms = [term for term in terms if term in cilin]
        self._degrees: dict[str, dict[str, float]] = {}
        for term in self.terms:
            degrees = self._degrees[term] = {}
            for group in map(cilin.groups.__getitem__, cilin.codes(term)):
                for word in group.words:
                    if word != term:
                        sem = cosine(term, word) if cosine else 0.0
                        degree = EXTENSION * sem + (1 - EXTENSION) * RELATION[group.relation]
                        degrees[word] = max(degree, degrees.get(word, 0.0))

    def nearest(self, n: int, usable: Usable) -> Iterator[Neighbour]:
        for term, degrees in self._degrees.items():
            yield from _best(term, list(degrees), np.array(list(degrees.values())), n, usable)

    def evidence(self, words: Sequence[str], gains: Mapping[str, float], judges: int) -> Floats:
        degrees = np.array([[self._degrees[t].get(word, 0.0) * gains[t] for t in self.terms] for word in words])
        return _mean_of_greatest(degrees.reshape(len(words), len(self.terms)), judges)


def _best(
    term: str,
    words: Sequence[str],
    values: NDArray[np.floating],
    n: int,
    usable: Usable,
    order: NDArray[np.integer] | None = None,
) -> Iterator[Neighbour]:
    """The first ``n`` usable words with a value above 0, by ``order`` or else by value."""
    left = n
    for i in np.argsort(-values, kind="stable") if order is None else order:
        if left == 0 or values[i] <= 0:
            return
        if usable(words[i]):
            left -= 1
            yield term, words[i], min(1.0, float(values[i]))


def _mean_of_greatest(values: Floats, count: int) -> Floats:
    """Mean of the ``count`` greatest of each row, missing ones counted as 0; clipped to [0, 1]."""
    kept = min(count, values.shape[1])
    if not kept:
        return np.zeros(len(values))
    greatest = np.partition(values, values.shape[1] - kept, axis=1)[:, -kept:]
    return np.asarray(np.clip(greatest.sum(axis=1) / count, 0.0, 1.0))


# -- Proposals


@dataclass(frozen=True, slots=True)
class Proposal:
    """A word that may belong to a topic."""

    word: str  # normalised
    score: float  # 0 to 1, see `propose`
    sources: tuple[tuple[str, str, float], ...]  # (resource, term, similarity in [0, 1]), the most similar first


def propose(
    terms: Mapping[str, float],
    resources: Resources,
    *,
    by: Collection[str] | None = None,
    n: int = 20,
    min_score: float = 0.0,
    known: Collection[str] = (),
    cache_dir: Path | None = None,
) -> list[Proposal]:
    """Propose neighbours of a topic's terms, best first.

    Every resource proposes the ``n`` words nearest to each term: HowNet by SimH (Liu & Li 2002), Cilin by the extension degree
    (Zhang et al., Eq. 5), vectors by the cosine. A word w has the score::

        s(w) · (1 − Π_r (1 − TRUST_r · e_r(w)))

    where e_r is the mean of the :data:`JUDGES` greatest similarities of w with terms, 0 for a term that resource r does not know
    (with the vectors, over terms that have one; a term lighter than the median counts in proportion to its weight), and s is
    :func:`specificity`. Raises ValueError where a resource of ``by`` is unknown or missing, none is installed, or one cannot be
    read.

    Args:
        terms: topic terms with their weights.
        resources: where the files are.
        by: which of :data:`SOURCES` to ask; None: all that are installed.
        n: words per resource and term.
        min_score: lowest score of a proposal.
        known: words not to propose, besides the terms.
        cache_dir: for converted vectors, see :meth:`WordVectors.open`.
    """
    weights = {normalise(t): w for t, w in terms.items()}
    median = statistics.median(weights.values()) if weights else 0.0
    gains = {t: min(1.0, w / median) if median else 1.0 for t, w in weights.items()}
    judges = min(len(weights), max(JUDGES, round(len(weights) ** 0.5)))
    segmenter = Segmenter()
    proposers = _open(gains, judges, segmenter, resources, by, cache_dir)
    excluded = {*weights, *map(normalise, known)}

    @functools.cache
    def usable(word: str) -> bool:
        return word not in excluded and _is_word(word, segmenter)

    sources: dict[str, list[tuple[str, str, float]]] = {}
    for source, proposer in proposers.items():
        for term, word, similarity in proposer.nearest(n, usable):
            sources.setdefault(word, []).append((source, term, similarity))
    words = sorted(sources)
    doubt = np.ones(len(words))
    for source, proposer in proposers.items():
        doubt *= 1 - TRUST[source] * proposer.evidence(words, gains, judges)
    proposals = [
        Proposal(word, specificity(word) * (1 - float(rest)), tuple(sorted(sources[word], key=lambda s: (-s[2], s[0], s[1]))))
        for word, rest in zip(words, doubt, strict=True)
    ]
    return sorted((p for p in proposals if p.score >= min_score), key=lambda p: (-p.score, p.word))


def specificity(word: str) -> float:
    """How specific a word is, 0.05 (进行) to 1: its inverse document frequency in jieba's table, with 3 to 9 mapped to 0 to 1.

    A word not in the table is rare: 1.

    >>> round(specificity("工作"), 2), round(specificity("软件"), 2), specificity("操作系统")
    (0.2, 0.73, 1.0)
    """
    rate = language().rate(word)
    idf = -math.log(rate) if rate else _SPECIFIC
    return min(1.0, max(0.05, (idf - _GENERAL) / (_SPECIFIC - _GENERAL)))


def _is_word(word: str, segmenter: Segmenter) -> bool:
    """Whether it can be a topic term: a content word, and no fragment such as 的系统, which vocabularies of vectors contain."""
    if not segmenter.is_content(word) or not word.replace("-", "").isalnum():
        return False
    parts = segmenter.cut(word)
    return len(parts) == 1 or not (parts[0] in _PARTICLES or parts[-1] in _PARTICLES)


def _open(
    gains: Mapping[str, float],
    judges: int,
    segmenter: Segmenter,
    resources: Resources,
    by: Collection[str] | None,
    cache: Path | None,
) -> dict[str, Proposer]:
    """The proposers by name, in the order of :data:`SOURCES`; vectors break the ties of the others."""
    for name in by or ():
        if name not in SOURCES:
            raise ValueError(f"{name!r} proposes no words. Remedy: choose among {', '.join(SOURCES)}")
        if resources.path(name) is None:
            raise ValueError(f"the resource {name} is missing. Remedy: topical-crawler resources fetch {name}, or leave it out")
    paths = {name: resources.path(name) for name in SOURCES if by is None or name in by}
    if not any(paths.values()):
        raise ValueError(f"no resource to ask. Remedy: topical-crawler resources fetch {' '.join(paths)}")
    terms, opened = list(gains), dict[str, Proposer]()
    vectors = None
    if path := paths.get("vectors"):
        opened["vectors"] = vectors = VectorProposer(WordVectors.open(path, cache), terms, segmenter)
    if path := paths.get("hownet"):
        tie_break = functools.partial(vectors.evidence, gains=gains, judges=judges) if vectors else None
        opened["hownet"] = HowNetProposer(HowNet(path, resources.path("hownet_tree")), terms, tie_break)
    if path := paths.get("cilin"):
        opened["cilin"] = CilinProposer(Cilin(path), terms, vectors.cosine if vectors else None)
    return {name: opened[name] for name in SOURCES if name in opened}
