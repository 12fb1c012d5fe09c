"""Choose and weigh a topic's terms from a domain corpus and a background.

The domain's texts give candidates (:mod:`candidates`), the contrast with the background tells which of them are the domain's own,
and Eq. 2 of Zhou et al. 2019 weighs them (:mod:`topical_crawler.text.statistics`). Documents are counted, not occurrences: a
report of a hundred pages that uses a word five hundred times counts once.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from topical_crawler.authoring.candidates import Candidate, Sample, find_candidates
from topical_crawler.authoring.folder import Present, Written, merge
from topical_crawler.sources import Condition, open_source
from topical_crawler.text.segment import Segmenter, normalise
from topical_crawler.text.statistics import Language, WordStatistics, choose_terms, contrast, language, log_likelihood
from topical_crawler.topic.files import MEAN, TopicError
from topical_crawler.topic.topic_folder import ADJUST

SIGNIFICANT = 10.83  # G² that chance exceeds once in a thousand words (χ² with one degree of freedom)
YOURS, CANDIDATE, DICTIONARY = "yours", "candidate", "dictionary"
HEAVY = 10.0  # a word that is no term may be adjusted from this many times the mean weight
PROPOSED = "proposed"  # begins the reason of an adjustment that the build proposes
_MIN_DOCUMENTS = 2
_MIN_BACKGROUND_DOCUMENTS = 5  # an adjustment is only proposed for a word in this many documents of the background
_NO_WORD = "no word"


# -- How much more a domain uses a word than a background does


def termhood(domain: WordStatistics, background: WordStatistics, word: str) -> tuple[float, float]:
    """(score, G²) of a word: score = G²·ln(contrast), both over documents. Both are at most 0 if the background has more of it.

    G² alone prefers frequent general words (工作, 问题), contrast alone rare ones (experiments/notes/terms.md).
    """
    g = log_likelihood(domain.spread[word], domain.documents, background.spread[word], background.documents)
    if domain.rate(word) < background.rate(word):
        return -g, -g
    times = contrast(domain, background, word)
    return (g * math.log(times) if times > 1 else 0.0), g


def general_background(domain: WordStatistics, language: Language, cut: Callable[[str], Sequence[str]]) -> WordStatistics:
    """General Chinese as the background of the domain's words, for want of a background corpus.

    A word that the language does not know gets the document rate of its most telling part, times the share of that part's domain
    documents that contain the word: it is as specific to the domain as that part. ``cut`` does not know the topic's terms.
    """
    background = WordStatistics(documents=language.documents)
    for word, documents in domain.spread.items():
        rate = language.rate(word)
        if not rate and documents:
            parts = [p for p in cut(word) if language.rate(p)]
            rate = min((language.rate(p) * documents / max(documents, domain.spread[p]) for p in parts), default=0.0)
        background.spread[word] = round(rate * language.documents)
    return background


# -- What a build reads

Progress = Callable[[str, float], None]  # called with a description of the current step and the part of it that is done, 0 to 1


@dataclass(frozen=True)
class Corpora:
    """Domain and background. A document of the domain is never one of the background."""

    corpus: Sequence[Path]  # sources of the domain
    background: Sequence[Path] = ()  # sources of the background; empty: those of `corpus` if `against` is set, else there is none
    domain: Condition | None = None  # selects documents of `corpus`; None: all
    against: Condition | None = None  # selects documents of the background; None: all of `background`

    @property
    def has_background(self) -> bool:
        return bool(self.background or self.against)

    def domain_texts(self, progress: Progress, step: str) -> Iterator[str]:
        """Texts of the domain. Raises SourceError where a source cannot be read."""
        for source in map(open_source, self.corpus):
            for document in source:
                progress(f"{step} ({source.path.name})", source.done)
                if self.domain is None or self.domain.holds(document.fields):
                    yield document.text

    def background_texts(self, progress: Progress, step: str) -> Iterator[str]:
        """Texts of the background. Raises SourceError where a source cannot be read."""
        corpus = {path.expanduser().resolve() for path in self.corpus}
        for source in map(open_source, self.background or (self.corpus if self.against else ())):
            shared = source.path.expanduser().resolve() in corpus
            for document in source:
                progress(f"{step} ({source.path.name})", source.done)
                of_domain = shared and (self.domain is None or self.domain.holds(document.fields))
                if not of_domain and (self.against is None or self.against.holds(document.fields)):
                    yield document.text

    def describe(self) -> str:
        """The command line options for these corpora."""
        options = ["--corpus", *(path.name for path in self.corpus)]
        options += ["--domain", str(self.domain)] if self.domain else []
        options += ["--background", *(path.name for path in self.background)] if self.background else []
        options += ["--against", str(self.against)] if self.against else []
        return " ".join(options)


@dataclass(frozen=True)
class Plan:
    """Limits of a build."""

    terms: int = 500  # most terms to find beside the user's own
    min_count: int = 5  # occurrences in the domain that a term found or a word of weights.tsv needs, 1 or more
    min_contrast: float = 5.0  # documents of the domain contain a term at least so many times more often than the background's
    adjust_below: float = 50.0  # propose adjustments for words of a lower contrast; 0: none
    discover: bool = True  # False: only the user's own terms and candidates


@dataclass(frozen=True)
class Own:
    """The user's own words, normalised."""

    terms: Sequence[str] = ()  # always terms
    candidates: Sequence[str] = ()  # terms unless the corpora speak against them
    refused: Collection[str] = ()  # never terms, because the user deleted them


# -- What a build makes


@dataclass(frozen=True, slots=True)
class Term:
    """A term with its figures."""

    word: str  # normalised
    source: str  # `yours`, `candidate`, `discovery`, `phrase` or `dictionary`
    weight: float  # Eq. 2; nan if no document of the domain contains the term: it weighs the mean
    count: int  # occurrences in the domain
    documents: int  # documents of the domain that contain it
    likelihood: float  # G² against the background
    contrast: float  # how many times more often documents of the domain contain it
    score: float  # `termhood`
    cohesion: float = math.nan  # of a new word or phrase; nan for others


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A word that is heavy in the domain although the background has it, too."""

    word: str  # normalised
    weight: float  # proposed
    by_eq2: float  # its weight by Eq. 2
    in_domain: float  # share of the domain's documents that contain it
    in_background: float  # share of the background's


@dataclass(frozen=True)
class Built:
    """The result of a build."""

    terms: Sequence[Term]  # heaviest first, those without weight last
    weights: Sequence[tuple[str, float]]  # other words with their weights, heaviest first
    mean: float  # mean weight over all words of the domain
    adjustments: Sequence[Adjustment]  # heaviest first
    documents: int  # of the domain
    background_documents: int  # of the background
    general: bool  # whether general Chinese stood in for the background
    dropped: Mapping[str, int]  # number of candidates that are no terms, by reason
    sample: Sample | None  # texts searched for candidates; None if none were


def build(
    corpora: Corpora, own: Own, plan: Plan, segmenter: Callable[[Iterable[str]], Segmenter], progress: Progress = lambda *_: None
) -> Built:
    """Find, choose and weigh a topic's terms.

    Reads the domain once for candidates and once for weights, and the background once in between. Memory holds a sample of the
    domain (at most :data:`topical_crawler.authoring.candidates.SAMPLE` characters) and counts of the domain's words. Raises
    TopicError where the domain has no document, or too few to weigh anything; SourceError where a source cannot be read.
    """
    own_words = list(dict.fromkeys((*own.terms, *own.candidates)))
    candidates: Mapping[str, Candidate] = {}
    sample = None
    if plan.discover:
        sample = Sample.draw(corpora.domain_texts(progress, "reading the domain"))
        progress("looking for new words and phrases", 0.0)
        candidates = find_candidates(sample.texts, max(2, plan.min_count), own_words, segmenter)
    words = segmenter({*own_words, *candidates})
    domain = _count(sample.texts if sample else corpora.domain_texts(progress, "counting the domain"), words)
    places = ", ".join(map(str, corpora.corpus))
    if not domain.documents:
        if corpora.domain:
            raise TopicError(f"no document of {places} has {corpora.domain}. Remedy: check --domain")
        raise TopicError(f"no document in {places}. Remedy: give a corpus that holds texts")
    if corpora.has_background:
        counted = frozenset(domain.spread) | frozenset(own_words)
        background = _count(corpora.background_texts(progress, "counting the background"), words, counted)
        if not background.documents:
            raise TopicError(
                f"no document of the background{f' has {corpora.against}' if corpora.against else ''}. "
                f"Remedy: check --background and --against, or leave them out"
            )
    else:
        background = general_background(domain, language(), segmenter(()).cut)
    choice = _Choice(domain, background, candidates, plan)
    chosen = choice.choose(own)

    weighed = _count(corpora.domain_texts(progress, "weighing"), segmenter(chosen))
    mean = sum(map(weighed.weight, weighed.spread)) / max(1, len(weighed.spread))
    if mean == 0:
        raise TopicError(
            f"{places}: no word is rarer than another; documents: {weighed.documents}. Remedy: give hundreds of them"
        )
    terms = [choice.term(word, source, weighed) for word, source in chosen.items()]
    terms.sort(key=lambda t: (math.isnan(t.weight), -t.weight if t.documents else 0.0, t.word))
    others = [(w, weighed.weight(w)) for w, n in weighed.occurrences.items() if n >= plan.min_count and w not in chosen]
    others.sort(key=lambda pair: (-pair[1], pair[0]))
    return Built(
        terms=terms,
        weights=others,
        mean=mean,
        adjustments=choice.adjustments(terms, others, mean),
        documents=weighed.documents,
        background_documents=background.documents,
        general=not corpora.has_background,
        dropped=choice.dropped,
        sample=sample,
    )


def _count(texts: Iterable[str], segmenter: Segmenter, only: Collection[str] | None = None) -> WordStatistics:
    counts, counted = WordStatistics(), segmenter.is_content if only is None else only.__contains__
    for text in texts:
        counts.add(filter(counted, segmenter.cut(text)))
    return counts


@dataclass
class _Choice:
    """Which words become terms."""

    domain: WordStatistics
    background: WordStatistics
    candidates: Mapping[str, Candidate]
    plan: Plan
    dropped: Counter[str] = field(default_factory=Counter)

    def choose(self, own: Own) -> dict[str, str]:
        """Terms with their sources: the user's own, then candidates that the corpora confirm, then the best words found."""
        refused = frozenset(own.refused) - frozenset(own.terms)
        candidates = [c for c in own.candidates if c not in refused]
        chosen = dict.fromkeys(own.terms, YOURS)
        for word in choose_terms(candidates, self.domain, self.background, self.plan.min_contrast):
            chosen.setdefault(word, CANDIDATE)
        if lost := len(dict.fromkeys(c for c in candidates if c not in chosen)):
            self.dropped[f"candidates of a contrast below {self.plan.min_contrast:g}"] = lost
        if deleted := len(set(own.candidates) & refused):
            self.dropped["candidates that you deleted from terms.tsv"] = deleted
        if self.plan.discover:
            ranked = self._ranked(refused | chosen.keys())
            for word in ranked[: self.plan.terms]:
                chosen[word] = self.candidates[word].source if word in self.candidates else DICTIONARY
            if len(ranked) > self.plan.terms:
                self.dropped[f"words ranked behind the first {self.plan.terms}"] = len(ranked) - self.plan.terms
        return chosen

    def _ranked(self, excluded: Collection[str]) -> list[str]:
        """Candidates and dictionary words that can be terms, best first."""
        scores = {}
        for word in {**self.domain.occurrences, **dict.fromkeys(self.candidates)}:
            if word not in excluded and not (reason := self._objection(word)):
                scores[word] = termhood(self.domain, self.background, word)[0]
            elif word not in excluded and reason != _NO_WORD:
                self.dropped[reason] += 1
        return sorted(scores, key=lambda w: (-scores[w], w))

    def _objection(self, word: str) -> str:
        """Why a word is no term; "" if it can be one."""
        if len(word) < 2 or not (word in self.candidates or language().tag(word) or word.isascii()):
            return _NO_WORD
        if self.domain.occurrences[word] < self.plan.min_count:
            return "words that only occur inside longer ones" if word in self.candidates else _NO_WORD
        if contrast(self.domain, self.background, word) < self.plan.min_contrast:
            return f"words of a contrast below {self.plan.min_contrast:g}"
        if self.domain.spread[word] < _MIN_DOCUMENTS or termhood(self.domain, self.background, word)[1] < SIGNIFICANT:
            return "words of too few documents"
        return ""

    def term(self, word: str, source: str, weighed: WordStatistics) -> Term:
        score, likelihood = termhood(self.domain, self.background, word)
        return Term(
            word=word,
            source=source,
            weight=weighed.weight(word) if weighed.spread[word] else math.nan,
            count=weighed.occurrences[word],
            documents=weighed.spread[word],
            likelihood=likelihood,
            contrast=contrast(self.domain, self.background, word),
            score=score,
            cohesion=self.candidates[word].cohesion if word in self.candidates else math.nan,
        )

    def adjustments(self, terms: Sequence[Term], others: Sequence[tuple[str, float]], mean: float) -> list[Adjustment]:
        """Propose the mean weight for heavy words that the background has, too; less for those below ``min_contrast``."""
        heavy = [(t.word, t.weight) for t in terms if t.source != YOURS and t.weight > mean]
        heavy += [(word, weight) for word, weight in others if weight > HEAVY * mean]
        proposed = []
        for word, weight in heavy:
            times = contrast(self.domain, self.background, word)
            if self.background.spread[word] >= _MIN_BACKGROUND_DOCUMENTS and times < self.plan.adjust_below:
                lower = mean * min(1.0, times / self.plan.min_contrast) if self.plan.min_contrast else mean
                proposed.append(Adjustment(word, lower, weight, self.domain.rate(word), self.background.rate(word)))
        return sorted(proposed, key=lambda a: (-a.by_eq2, a.word))


# -- The files of a topic folder that a build writes


def terms_file(present: Present, built: Built, made: str) -> tuple[str, Written]:
    """``terms.tsv``: the user's lines, those without a weight completed, then the chosen terms, heaviest first."""
    background = "general Chinese" if built.general else f"{built.background_documents} of the background"
    head = [
        made,
        f"# w = f/N · ln(N/N_i) (Zhou et al. 2019, Eq. 2) over {built.documents} documents, compared with {background}.",
        "# Yours to edit: a line that you add or change stays, a term that you delete does not come back.",
        "# Term, weight (none: the mean), where it comes from with its figures: occurrences, contrast, G², cohesion.",
    ]
    lines = {}
    for t in built.terms:
        cohesion = "" if math.isnan(t.cohesion) else f" cohesion={t.cohesion:.2f}"
        figures = f"{t.source} n={t.count} contrast={t.contrast:.3g} G²={t.likelihood:.0f}{cohesion}"
        lines[t.word] = f"{t.word}\t{_weight(t.weight)}\t{figures}"
    weights = {t.word: t.weight for t in built.terms}
    notes = {w: c[2].strip() for line in present.kept if len(c := line.split("\t")) > 2 and (w := normalise(c[0].strip()))}
    completed = {
        w: f"{w}\t{_weight(weights[w])}\t{notes.get(w) or YOURS}"
        for w in present.open
        if not math.isnan(weights.get(w, math.nan))
    }
    return merge(present, head, lines, completed)


def weights_file(built: Built, plan: Plan, made: str) -> tuple[str, Written]:
    """``weights.tsv``: nothing in it is the user's."""
    head = [
        made,
        f"# Words that are no terms, with {plan.min_count} occurrences or more; any other word weighs the mean over all words.",
        f"# Made anew by every build: your own weights belong in {ADJUST}.",
    ]
    lines = {w: f"{w}\t{_weight(weight)}" for w, weight in ((MEAN, built.mean), *built.weights)}
    return merge(Present((), (), (), (), {}), head, lines)


def adjust_file(present: Present, built: Built, made: str) -> tuple[str, Written]:
    """``adjust.tsv``: the user's lines, then the proposals, without words that the user deleted."""
    head = [
        made,
        f"# Lines with {PROPOSED!r} are proposals, in force until you change or delete them: words heavy by Eq. 2 that",
        "# the background has, too. Every build makes them anew; your own lines and changes stay, what you delete stays out.",
    ]
    lines = {
        a.word: f"{a.word}\t{_weight(a.weight)}\t{PROPOSED}: Eq. 2 gives {a.by_eq2:.3g}; in {a.in_domain:.1%} of the domain's "
        f"documents, {a.in_background:.1%} of the background's"
        for a in built.adjustments
        if a.word not in present.deleted
    }
    return merge(present, head, lines)


def _weight(weight: float) -> str:
    return "" if math.isnan(weight) else f"{weight:.6g}"
