"""Words near a topic's terms, proposed by HowNet, Cilin and word vectors, best first.

One term's nearest word is often of another field: 中断 proposes 刹车, 内核 proposes 精华. So terms and resources propose, and all
terms judge: what is near several of them comes first, what is near one alone, or is a general word, comes last.
"""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from topical_crawler.language import language
from topical_crawler.semantics.cilin import Cilin
from topical_crawler.semantics.hownet import HowNet
from topical_crawler.semantics.resources import Resources
from topical_crawler.semantics.vectors import WordVectors
from topical_crawler.terms.proposers import CilinProposer, HowNetProposer, Proposer, VectorProposer
from topical_crawler.text import Segmenter, normalise

SOURCES = ("hownet", "cilin", "vectors")
"""The resources that can propose words."""
TRUST = {"hownet": 0.3, "cilin": 0.3, "vectors": 1.0}
"""How much a resource's evidence counts. Tuned by eye on the two keyword topics of the product: definitions and synonym groups
know a term's everyday sense (进程: 历程), vectors its field."""
JUDGES = 5
"""How many terms have to be near a word for full evidence; the square root of the number of terms where that is more."""
_GENERAL, _SPECIFIC = 3.0, 9.0
_PARTICLES = frozenset("的该对在和与及其这那由于被把为从到每某是了不中时后前上下里可所以")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A word that may belong to a topic.

    Attributes:
        word: normalised.
        score: 0 to 1, see :func:`propose`.
        sources: who proposed it: (resource, term, similarity in [0, 1]), the most similar first.
    """

    word: str
    score: float
    sources: tuple[tuple[str, str, float], ...]


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
    """Neighbours of a topic's terms, best first.

    Every resource names the ``n`` words nearest to each term: HowNet by SimH (Liu & Li 2002), Cilin among the words of the term's
    groups by the extension degree (Zhang et al., Eq. 5), vectors by the cosine; a compound that has no vector proposes by the
    mean of its parts'. A word w so named has the score::

        s(w) · (1 − Π_r (1 − TRUST_r · e_r(w)))

    where e_r is the mean of the :data:`JUDGES` greatest similarities of w with terms, 0 for a term that resource r does not know
    (with the vectors, over terms that have one; a term lighter than the median counts in proportion to its weight), and s is
    :func:`specificity`.

    Args:
        terms: topic terms with their weights.
        resources: where the files are.
        by: which of :data:`SOURCES` to ask; None: those that there are.
        n: how many words each resource names for each term.
        min_score: least score of a proposal.
        known: words that are not proposed, besides the terms.
        cache_dir: where converted vectors are kept, see :meth:`WordVectors.open`.

    Raises:
        ValueError: a resource of ``by`` that does not exist or is missing, or none is there, or one cannot be read.
    """
    weights = {normalise(t): w for t, w in terms.items()}
    median = statistics.median(weights.values()) if weights else 0.0
    gains = {t: min(1.0, w / median) if median else 1.0 for t, w in weights.items()}
    judges = min(len(weights), max(JUDGES, round(len(weights) ** 0.5)))
    segmenter = Segmenter()
    proposers = _open(gains, judges, segmenter, resources, by, cache_dir)
    left_out = {*weights, *map(normalise, known)}

    @functools.cache
    def usable(word: str) -> bool:
        return word not in left_out and _is_word(word, segmenter)

    named: dict[str, list[tuple[str, str, float]]] = {}
    for source, proposer in proposers.items():
        for term, word, similarity in proposer.nearest(n, usable):
            named.setdefault(word, []).append((source, term, similarity))
    words = sorted(named)
    doubt = np.ones(len(words))
    for source, proposer in proposers.items():
        doubt *= 1 - TRUST[source] * proposer.evidence(words, gains, judges)
    proposals = [
        Proposal(word, specificity(word) * (1 - float(rest)), tuple(sorted(named[word], key=lambda s: (-s[2], s[0], s[1]))))
        for word, rest in zip(words, doubt, strict=True)
    ]
    return sorted((p for p in proposals if p.score >= min_score), key=lambda p: (-p.score, p.word))


def specificity(word: str) -> float:
    """How little general a word is, 0.05 (进行) to 1: its inverse document frequency in jieba's table, from 3 to 9 made 0 to 1.

    A word that the table lacks is rare: 1.

    >>> round(specificity("工作"), 2), round(specificity("软件"), 2), specificity("操作系统")
    (0.2, 0.73, 1.0)
    """
    rate = language().rate(word)
    idf = -math.log(rate) if rate else _SPECIFIC
    return min(1.0, max(0.05, (idf - _GENERAL) / (_SPECIFIC - _GENERAL)))


def _is_word(word: str, segmenter: Segmenter) -> bool:
    """Whether it can be a topic term: a content word, and no scrap such as 的系统, which vocabularies of vectors hold."""
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
    cache_dir: Path | None,
) -> dict[str, Proposer]:
    """The proposers by name, in the order of :data:`SOURCES`; vectors, where they are, grade what the others name."""
    for name in by or ():
        if name not in SOURCES:
            raise ValueError(f"{name!r} proposes no words. Remedy: choose among {', '.join(SOURCES)}")
        if resources.path(name) is None:
            raise ValueError(f"the resource {name} is missing. Remedy: scrapy lexicon fetch {name}, or leave it out")
    paths = {name: resources.path(name) for name in SOURCES if by is None or name in by}
    if not any(paths.values()):
        raise ValueError(f"no resource to ask. Remedy: scrapy lexicon fetch {' '.join(paths)}")
    terms, opened = list(gains), dict[str, Proposer]()
    vectors = None
    if path := paths.get("vectors"):
        opened["vectors"] = vectors = VectorProposer(WordVectors.open(path, cache_dir), terms, segmenter)
    if path := paths.get("hownet"):
        tie_break = functools.partial(vectors.evidence, gains=gains, judges=judges) if vectors else None
        opened["hownet"] = HowNetProposer(HowNet(path, resources.path("hownet_tree")), terms, tie_break)
    if path := paths.get("cilin"):
        opened["cilin"] = CilinProposer(Cilin(path), terms, vectors.cosine if vectors else None)
    return {name: opened[name] for name in SOURCES if name in opened}
