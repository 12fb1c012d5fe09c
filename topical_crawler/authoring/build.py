"""A topic's terms, their weights and the adjustments to propose, out of a domain corpus and a background.

The domain's texts give candidates (:mod:`candidates`), the background tells which of them are the domain's own
(:mod:`contrast`), Eq. 2 of Zhou et al. 2019 gives the weights (:mod:`topical_crawler.text.statistics`).

How much more a domain uses a word than a background does.

Documents are counted, not occurrences: one report of a hundred pages that says a word five hundred times is one witness.

>>> round(log_likelihood(20, 1000, 10, 10000), 1)  # in 20 of 1,000 documents against 10 of 10,000
59.6
>>> log_likelihood(10, 10000, 20, 1000) < 0
True
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from topical_crawler.authoring.candidates import Found, Sample, find_candidates
from topical_crawler.authoring.folder import ADJUST, Present, Written, merge
from topical_crawler.sources import Condition, Source, open_source
from topical_crawler.text.segment import Segmenter, normalise
from topical_crawler.text.statistics import DomainStatistics, Language, choose_terms, contrast, language
from topical_crawler.topic.files import MEAN, TopicError

# -- How much more a domain uses a word than a background does


SIGNIFICANT = 10.83
"""G² that chance exceeds once in a thousand words (χ² with one degree of freedom)."""


def log_likelihood(in_domain: float, domain_size: float, in_background: float, background_size: float) -> float:
    """Dunning's G² = 2·Σ observed·ln(observed / expected) over the two counts of a word (Dunning 1993, as Rayson & Garside 2000
    use it to compare corpora); negative where the domain has less of the word than the background.

    Args:
        in_domain: documents (or words) of the domain that hold the word (are it).
        domain_size: all of them, above 0.
        in_background: the same of the background.
        background_size: all of them, above 0.
    """
    rate = (in_domain + in_background) / (domain_size + background_size)
    g = sum(2 * n * math.log(n / (size * rate)) for n, size in ((in_domain, domain_size), (in_background, background_size)) if n)
    more = in_domain / domain_size >= in_background / background_size
    return max(0.0, g) if more else min(0.0, -g)


def termhood(domain: DomainStatistics, background: DomainStatistics, word: str) -> tuple[float, float]:
    """(score, G²) of a word: score = G²·ln(contrast), both over documents.

    G² alone prefers what is frequent in the domain, though common elsewhere (工作, 问题); contrast alone what is rare everywhere.
    Their product had as many topic terms among its first 100 and 200 as contrast alone, with frequent ones among them
    (docs/decisions.md). Not above 0 for a word that the background has more of.
    """
    g = log_likelihood(domain.spread[word], domain.documents, background.spread[word], background.documents)
    times = contrast(domain, background, word)
    return (g * math.log(times) if times > 1 else min(0.0, g)), g


def general_background(domain: DomainStatistics, language: Language, cut: Callable[[str], Sequence[str]]) -> DomainStatistics:
    """The words of the domain as they stand in the language in general, where there is no background corpus.

    A word that the language does not know is as much a word of the domain as the most telling of its parts, and not more: it
    gets the part's document rate in general, times the share of the part's domain documents that hold the word.

    Args:
        domain: counts over the domain.
        language: document rates.
        cut: segmentation that does not know the topic's terms.
    """
    background = DomainStatistics(documents=language.documents)
    for word, held in domain.spread.items():
        rate = language.rate(word)
        if not rate and held:
            parts = [p for p in cut(word) if language.rate(p)]
            rate = min((language.rate(p) * held / max(held, domain.spread[p]) for p in parts), default=0.0)
        background.spread[word] = round(rate * language.documents)
    return background


# -- Which documents are of the domain and which of the background, out of one labelled file or of several sources


Progress = Callable[[str, float], None]
"""Called with what is being done and the part of it that is done, 0 to 1."""


@dataclass(frozen=True)
class Corpora:
    """Domain and background.

    Attributes:
        corpus: sources of the domain.
        background: sources of the background; empty: those of ``corpus`` where ``against`` is given, else there is none.
        domain: documents of ``corpus`` that belong to the domain; None: all.
        against: documents that belong to the background; None: all of ``background``.

    A document of the domain is never one of the background.
    """

    corpus: Sequence[Path]
    background: Sequence[Path] = ()
    domain: Condition | None = None
    against: Condition | None = None

    @property
    def has_background(self) -> bool:
        return bool(self.background or self.against)

    def domain_texts(self, progress: Progress, what: str) -> Iterator[str]:
        """Texts of the domain.

        Raises:
            SourceError: a source cannot be read.
        """
        for source in _opened(self.corpus):
            for document in source:
                progress(f"{what} ({source.path.name})", source.done)
                if self.domain is None or self.domain.holds(document.fields):
                    yield document.text

    def background_texts(self, progress: Progress, what: str) -> Iterator[str]:
        """Texts of the background.

        Raises:
            SourceError: a source cannot be read.
        """
        own = {path.expanduser().resolve() for path in self.corpus}
        for source in _opened(self.background or (self.corpus if self.against else ())):
            shared = source.path.expanduser().resolve() in own
            for document in source:
                progress(f"{what} ({source.path.name})", source.done)
                of_domain = shared and (self.domain is None or self.domain.holds(document.fields))
                if not of_domain and (self.against is None or self.against.holds(document.fields)):
                    yield document.text

    def describe(self) -> str:
        """As the options of the command say it."""
        said = ["--corpus", *(path.name for path in self.corpus)]
        said += ["--domain", str(self.domain)] if self.domain else []
        said += ["--background", *(path.name for path in self.background)] if self.background else []
        said += ["--against", str(self.against)] if self.against else []
        return " ".join(said)


def _opened(paths: Sequence[Path]) -> list[Source]:
    return [open_source(path) for path in paths]


# -- A topic's terms, their weights and the adjustments to propose, out of a domain corpus and a background


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
        score: by which found terms are ranked, see :func:`topical_crawler.authoring.build.termhood`.
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
    at most :data:`topical_crawler.authoring.candidates.SAMPLE` characters; of the background, counts of the domain's words.

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


# -- The files of a topic folder as a build writes them: terms.tsv, weights.tsv, adjust.tsv


PROPOSED = "proposed"
"""Begins the reason of an adjustment that no person has made."""


def terms_file(present: Present, built: Built, made: str) -> tuple[str, Written]:
    """``terms.tsv``: a person's lines, those without a weight completed, then what was chosen, heaviest first."""
    background = "general Chinese" if built.general else f"{built.background_documents} of the background"
    head = [
        made,
        f"# w = f/N · ln(N/N_i) (Zhou et al. 2019, Eq. 2) over {built.documents} documents, held against {background}.",
        "# Yours to edit: a line that you add or change stays, a term that you delete does not come back.",
        "# Term, weight (none: the mean), where it comes from with its figures: occurrences, contrast, G², cohesion.",
    ]
    lines = {t.word: f"{t.word}\t{_weight(t.weight)}\t{_figures(t)}" for t in built.terms}
    weights = {t.word: t.weight for t in built.terms}
    notes = {w: c[2].strip() for line in present.kept if len(c := line.split("\t")) > 2 and (w := normalise(c[0].strip()))}
    completed = {
        w: f"{w}\t{_weight(weights[w])}\t{notes.get(w) or YOURS}"
        for w in present.open
        if not math.isnan(weights.get(w, math.nan))
    }
    return merge(present, head, lines, completed)


def _figures(term: Term) -> str:
    cohesion = "" if math.isnan(term.cohesion) else f" cohesion={term.cohesion:.2f}"
    return f"{term.source} n={term.count} contrast={term.contrast:.3g} G²={term.likelihood:.0f}{cohesion}"


def weights_file(built: Built, plan: Plan, made: str) -> tuple[str, Written]:
    """``weights.tsv``: nothing in it is a person's."""
    head = [
        made,
        f"# Words that are no terms, with {plan.min_count} occurrences or more; any other word weighs the mean over all words.",
        f"# Made anew by every build: your own weights belong in {ADJUST}.",
    ]
    lines = {w: f"{w}\t{_weight(weight)}" for w, weight in ((MEAN, built.mean), *built.weights)}
    return merge(Present((), (), (), (), {}), head, lines)


def adjust_file(present: Present, built: Built, made: str) -> tuple[str, Written]:
    """``adjust.tsv``: a person's lines, then the proposals, but for words that a person took out before."""
    head = [
        made,
        f"# Lines with {PROPOSED!r} are proposals, in force until you change or delete them: words heavy by Eq. 2 that",
        "# the background has, too. Every build makes them anew; your own lines and changes stay, what you delete stays out.",
    ]
    lines = {a.word: f"{a.word}\t{_weight(a.weight)}\t{_reason(a)}" for a in built.adjustments if a.word not in present.deleted}
    return merge(present, head, lines)


def _reason(adjustment: Adjustment) -> str:
    return (
        f"{PROPOSED}: Eq. 2 gives {adjustment.by_eq2:.3g}; in {adjustment.in_domain:.1%} of the domain's documents, "
        f"{adjustment.in_background:.1%} of the background's"
    )


def _weight(weight: float) -> str:
    return "" if math.isnan(weight) else f"{weight:.6g}"
