"""A topic's terms, their weights and the adjustments to propose, out of a domain corpus and a background.

The domain's texts give candidates (:mod:`candidates`), the background tells which of them are the domain's own
(:mod:`contrast`), Eq. 2 of Zhou et al. 2019 gives the weights (:mod:`topical_crawler.weights`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from topical_crawler.language import language
from topical_crawler.terms.candidates import Found, Sample, find_candidates
from topical_crawler.terms.contrast import SIGNIFICANT, general_background, termhood
from topical_crawler.terms.corpora import Corpora, Progress
from topical_crawler.text import Segmenter
from topical_crawler.topic import TopicError
from topical_crawler.weights import DomainStatistics, choose_terms, contrast

YOURS, CANDIDATE, DISCOVERY, PHRASE, DICTIONARY = "yours", "candidate", "discovery", "phrase", "dictionary"
HEAVY = 10.0
"""A word that is no term is heavy, and worth an adjustment, from this many times the mean weight on."""
_MIN_DOCUMENTS = 2
_MIN_EVIDENCE = 5
"""Documents of the background that a word must stand in to be called one of the background, too."""


@dataclass(frozen=True)
class Plan:
    """What a person wants of a build.

    Attributes:
        terms: how many terms are to be found at most, beside a person's own.
        min_count: occurrences in the domain that a found term or a word of weights.tsv needs, 1 or more.
        min_contrast: how many times more often documents of the domain must hold a term than those of the background.
        adjust_below: words of a contrast below this are proposed for adjustment; 0: none.
        discover: False: nothing but a person's own terms and candidates.
    """

    terms: int = 500
    min_count: int = 5
    min_contrast: float = 5.0
    adjust_below: float = 50.0
    discover: bool = True


@dataclass(frozen=True)
class Own:
    """What a person has said: words normalised.

    Attributes:
        terms: always terms.
        candidates: terms where the corpora do not speak against them.
        refused: never terms: those that a person deleted.
    """

    terms: Sequence[str] = ()
    candidates: Sequence[str] = ()
    refused: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """A term with its figures.

    Attributes:
        word: normalised.
        source: ``yours``, ``candidate``, ``discovery``, ``phrase`` or ``dictionary``.
        weight: Eq. 2; nan where no document of the domain holds the term: it weighs the mean.
        count: occurrences in the domain.
        documents: documents of the domain that hold it.
        likelihood: G² against the background.
        contrast: how many times more often documents of the domain hold it.
        score: by which found terms are ranked, see :func:`topical_crawler.terms.contrast.termhood`.
        cohesion: of a new word or phrase; nan else.
    """

    word: str
    source: str
    weight: float
    count: int
    documents: int
    likelihood: float
    contrast: float
    score: float
    cohesion: float = math.nan


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A word that weighs much in the domain, though the background has it, too.

    Attributes:
        word: normalised.
        weight: proposed.
        by_eq2: its weight by Eq. 2.
        in_domain: share of the domain's documents that hold it.
        in_background: share of the background's.
    """

    word: str
    weight: float
    by_eq2: float
    in_domain: float
    in_background: float


@dataclass(frozen=True)
class Built:
    """What came out.

    Attributes:
        terms: heaviest first, those without weight last.
        weights: other words with their weights, heaviest first.
        mean: the mean weight over all words of the domain.
        adjustments: heaviest first.
        documents: of the domain.
        background_documents: of the background.
        general: whether the language in general stood for the background.
        dropped: candidates that are no terms, by reason.
        sample: what was looked through for candidates; None where nothing was to be found.
    """

    terms: Sequence[Term]
    weights: Sequence[tuple[str, float]]
    mean: float
    adjustments: Sequence[Adjustment]
    documents: int
    background_documents: int
    general: bool
    dropped: Mapping[str, int]
    sample: Sample | None


def build(
    corpora: Corpora, own: Own, plan: Plan, segmenter: Callable[[Iterable[str]], Segmenter], progress: Progress = lambda *_: None
) -> Built:
    """Find, choose and weigh a topic's terms.

    The domain is read once to find candidates and once to weigh, the background once in between. What is kept of the domain is
    at most :data:`topical_crawler.terms.candidates.SAMPLE` characters; of the background, counts of the domain's words.

    Raises:
        TopicError: the domain has no document, or too few to weigh anything.
        SourceError: a source cannot be read.
    """
    asked = list(dict.fromkeys((*own.terms, *own.candidates)))
    found: Mapping[str, Found] = {}
    sample = None
    if plan.discover:
        sample = Sample.draw(corpora.domain_texts(progress, "reading the domain"))
        progress("looking for new words and phrases", 0.0)
        found = find_candidates(sample.texts, max(2, plan.min_count), asked, segmenter)
    words = segmenter({*asked, *found})
    texts = sample.texts if sample else corpora.domain_texts(progress, "counting the domain")
    domain = _count(texts, words)
    if not domain.documents:
        raise _no_document(corpora)
    background = _background(corpora, domain, asked, words, segmenter, progress)
    choice = _Choice(domain, background, found, plan)
    chosen = choice.choose(own)

    words = segmenter(chosen)
    whole = _count(corpora.domain_texts(progress, "weighing"), words)
    mean = sum(map(whole.weight, whole.spread)) / max(1, len(whole.spread))
    if mean == 0:
        raise TopicError(
            f"{', '.join(map(str, corpora.corpus))}: no word is rarer than another; documents: {whole.documents}. "
            f"Remedy: give hundreds of them"
        )
    terms = [choice.term(word, source, whole) for word, source in chosen.items()]
    terms.sort(key=lambda t: (math.isnan(t.weight), -t.weight if t.documents else 0.0, t.word))
    others = [(w, whole.weight(w)) for w, n in whole.occurrences.items() if n >= plan.min_count and w not in chosen]
    others.sort(key=lambda pair: (-pair[1], pair[0]))
    return Built(
        terms=terms,
        weights=others,
        mean=mean,
        adjustments=choice.adjustments(terms, others, mean),
        documents=whole.documents,
        background_documents=background.documents,
        general=not corpora.has_background,
        dropped=choice.dropped,
        sample=sample,
    )


@dataclass
class _Choice:
    """Which candidates become terms."""

    domain: DomainStatistics
    background: DomainStatistics
    found: Mapping[str, Found]
    plan: Plan
    dropped: Counter[str] = field(default_factory=Counter)

    def choose(self, own: Own) -> dict[str, str]:
        """Terms with their sources: a person's own, the candidates that the corpora bear out, the best of what was found."""
        refused = frozenset(own.refused) - frozenset(own.terms)
        candidates = [c for c in own.candidates if c not in refused]
        chosen = dict.fromkeys(own.terms, YOURS)
        borne_out = choose_terms(candidates, self.domain, self.background, self.plan.min_contrast)
        for word in borne_out:
            chosen.setdefault(word, CANDIDATE)
        if lost := len(dict.fromkeys(c for c in candidates if c not in chosen)):
            self.dropped[f"candidates of a contrast below {self.plan.min_contrast:g}"] = lost
        if deleted := len(set(own.candidates) & refused):
            self.dropped["candidates that you deleted from terms.tsv"] = deleted
        if self.plan.discover:
            ranked = self._ranked(refused | chosen.keys())
            for word in ranked[: self.plan.terms]:
                chosen[word] = self.found[word].source if word in self.found else DICTIONARY
            if len(ranked) > self.plan.terms:
                self.dropped[f"found words behind the first {self.plan.terms}"] = len(ranked) - self.plan.terms
        return chosen

    def _ranked(self, excluded: Collection[str]) -> list[str]:
        """Found words that can be terms, the best first."""
        scores = {}
        for word in {**self.domain.occurrences, **dict.fromkeys(self.found)}:
            if word not in excluded and not (reason := self._against(word)):
                scores[word] = termhood(self.domain, self.background, word)[0]
            elif word not in excluded and reason != _NO_WORD:
                self.dropped[reason] += 1
        return sorted(scores, key=lambda w: (-scores[w], w))

    def _against(self, word: str) -> str:
        """Why a word is no term; "" where nothing speaks against it."""
        if len(word) < 2 or not (word in self.found or language().tag(word) or word.isascii()):
            return _NO_WORD
        if self.domain.occurrences[word] < self.plan.min_count:
            return "found words that stand inside longer ones only" if word in self.found else _NO_WORD
        if contrast(self.domain, self.background, word) < self.plan.min_contrast:
            return f"words of a contrast below {self.plan.min_contrast:g}"
        if self.domain.spread[word] < _MIN_DOCUMENTS or termhood(self.domain, self.background, word)[1] < SIGNIFICANT:
            return "words of too few documents"
        return ""

    def term(self, word: str, source: str, whole: DomainStatistics) -> Term:
        score, likelihood = termhood(self.domain, self.background, word)
        return Term(
            word=word,
            source=source,
            weight=whole.weight(word) if whole.spread[word] else math.nan,
            count=whole.occurrences[word],
            documents=whole.spread[word],
            likelihood=likelihood,
            contrast=contrast(self.domain, self.background, word),
            score=score,
            cohesion=self.found[word].cohesion if word in self.found else math.nan,
        )

    def adjustments(self, terms: Sequence[Term], others: Sequence[tuple[str, float]], mean: float) -> list[Adjustment]:
        """Terms heavier than the mean and other heavy words that the background has, too, though the domain may have more.

        The weight proposed is the mean's; for a word that is not even ``min_contrast`` times as frequent in the domain, a part of
        it.
        """
        heavy = [(t.word, t.weight) for t in terms if t.source != YOURS and t.weight > mean]
        heavy += [(word, weight) for word, weight in others if weight > HEAVY * mean]
        proposed = []
        for word, weight in heavy:
            times = contrast(self.domain, self.background, word)
            if self.background.spread[word] >= _MIN_EVIDENCE and times < self.plan.adjust_below:
                lower = mean * min(1.0, times / self.plan.min_contrast) if self.plan.min_contrast else mean
                proposed.append(Adjustment(word, lower, weight, self.domain.rate(word), self.background.rate(word)))
        return sorted(proposed, key=lambda a: (-a.by_eq2, a.word))


_NO_WORD = "no word"


def _count(texts: Iterable[str], segmenter: Segmenter, only: Collection[str] | None = None) -> DomainStatistics:
    counted = DomainStatistics()
    for text in texts:
        counted.add(w for w in segmenter.cut(text) if (w in only if only is not None else segmenter.is_content(w)))
    return counted


def _background(
    corpora: Corpora,
    domain: DomainStatistics,
    asked: Sequence[str],
    words: Segmenter,
    segmenter: Callable[[Iterable[str]], Segmenter],
    progress: Progress,
) -> DomainStatistics:
    if not corpora.has_background:
        return general_background(domain, language(), segmenter(()).cut)
    background = _count(
        corpora.background_texts(progress, "counting the background"), words, frozenset(domain.spread) | frozenset(asked)
    )
    if not background.documents:
        raise TopicError(
            f"no document of the background{f' has {corpora.against}' if corpora.against else ''}. "
            f"Remedy: check --background and --against, or leave them out"
        )
    return background


def _no_document(corpora: Corpora) -> TopicError:
    places = ", ".join(map(str, corpora.corpus))
    if corpora.domain:
        return TopicError(f"no document of {places} has {corpora.domain}. Remedy: check --domain")
    return TopicError(f"no document in {places}. Remedy: give a corpus that holds texts")
