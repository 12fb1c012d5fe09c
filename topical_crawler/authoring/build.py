"""Selection and weighting of a topic's terms by a domain corpus and a background.

Candidates come from the domain's texts (:mod:`candidates`). The contrast with the background separates the domain's own words
from general ones. Eq. 2 of Zhou et al. 2019 weighs them (:mod:`topical_crawler.text.statistics`). Counts are of documents, not
of occurrences: a report of a hundred pages with five hundred uses of a word counts once.
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

SIGNIFICANT = 10.83  # G² exceeded by chance once in a thousand words (χ² with one degree of freedom)
YOURS, CANDIDATE, DICTIONARY = "yours", "candidate", "dictionary"
HEAVY = 10.0  # least multiple of the mean weight for adjusting a word outside the terms
PROPOSED = "proposed"  # prefix of the reason of a proposed adjustment
_MIN_DOCUMENTS = 2
_MIN_BACKGROUND_DOCUMENTS = 5  # least background documents with a word for proposing an adjustment
_NO_WORD = "no word"


# -- Contrast of a domain with a background


def termhood(domain: WordStatistics, background: WordStatistics, word: str) -> tuple[float, float]:
    """Return the score G²·ln(contrast) of a word, and G², both over documents. Both are at most 0 for a word of the background.

    G² alone prefers frequent general words (工作, 问题), contrast alone rare ones (experiments/notes/terms.md).
    """
    g = log_likelihood(domain.spread[word], domain.documents, background.spread[word], background.documents)
    if domain.rate(word) < background.rate(word):
        return -g, -g
    times = contrast(domain, background, word)
    return (g * math.log(times) if times > 1 else 0.0), g


def general_background(domain: WordStatistics, language: Language, cut: Callable[[str], Sequence[str]]) -> WordStatistics:
    """Return general Chinese as the background of the domain's words, without a background corpus.

    A word unknown to the language gets the document rate of its most specific part, times the share of that part's domain
    documents with the word. It is thus as specific to the domain as that part. ``cut`` must not know the topic's terms.
    """
    background = WordStatistics(documents=language.documents)
    for word, documents in domain.spread.items():
        rate = language.rate(word)
        if not rate and documents:
            parts = [p for p in cut(word) if language.rate(p)]
            rate = min((language.rate(p) * documents / max(documents, domain.spread[p]) for p in parts), default=0.0)
        background.spread[word] = round(rate * language.documents)
    return background


# -- Input of a build

Progress = Callable[[str, float], None]  # receives the current step and its progress, 0 to 1


@dataclass(frozen=True)
class Corpora:
    """Domain and background. A document of the domain is never part of the background."""

    corpus: Sequence[Path]  # sources of the domain
    background: Sequence[Path] = ()  # sources of the background; empty: those of `corpus` if `against` is set, else there is none
    domain: Condition | None = None  # selects documents of `corpus`; None: all
    against: Condition | None = None  # selects documents of the background; None: all of `background`

    @property
    def has_background(self) -> bool:
        return bool(self.background or self.against)

    def domain_texts(self, progress: Progress, step: str) -> Iterator[str]:
        """Yield the texts of the domain. Raise SourceError if a source cannot be read."""
        for source in map(open_source, self.corpus):
            for document in source:
                progress(f"{step} ({source.path.name})", source.done)
                if self.domain is None or self.domain.holds(document.fields):
                    yield document.text

    def background_texts(self, progress: Progress, step: str) -> Iterator[str]:
        """Yield the texts of the background. Raise SourceError if a source cannot be read."""
        corpus = {path.expanduser().resolve() for path in self.corpus}
        for source in map(open_source, self.background or (self.corpus if self.against else ())):
            shared = source.path.expanduser().resolve() in corpus
            for document in source:
                progress(f"{step} ({source.path.name})", source.done)
                of_domain = shared and (self.domain is None or self.domain.holds(document.fields))
                if not of_domain and (self.against is None or self.against.holds(document.fields)):
                    yield document.text

    def describe(self) -> str:
        """Return the command line options for these corpora."""
        options = ["--corpus", *(path.name for path in self.corpus)]
        options += ["--domain", str(self.domain)] if self.domain else []
        options += ["--background", *(path.name for path in self.background)] if self.background else []
        options += ["--against", str(self.against)] if self.against else []
        return " ".join(options)


@dataclass(frozen=True)
class Plan:
    """Limits of a build."""

    terms: int = 500  # most terms to find beside the user's own
    min_count: int = 5  # least occurrences in the domain of a found term or a word of weights.tsv, 1 or more
    min_contrast: float = 5.0  # least ratio of a term's document rates in the domain and the background
    adjust_below: float = 50.0  # propose adjustments for words of a lower contrast; 0: none
    discover: bool = True  # False: only the user's own terms and candidates


@dataclass(frozen=True)
class Own:
    """The user's own words, normalised."""

    terms: Sequence[str] = ()  # always terms
    candidates: Sequence[str] = ()  # terms if the corpora confirm them
    refused: Collection[str] = ()  # never terms, as deleted by the user


# -- Result of a build


@dataclass(frozen=True, slots=True)
class Term:
    """A term with its figures."""

    word: str  # normalised
    source: str  # `yours`, `candidate`, `discovery`, `phrase` or `dictionary`
    weight: float  # Eq. 2; nan without a document of the domain: it gets the mean weight
    count: int  # occurrences in the domain
    documents: int  # documents of the domain with it
    likelihood: float  # G² against the background
    contrast: float  # ratio of its document rates in the domain and the background
    score: float  # `termhood`
    cohesion: float = math.nan  # of a new word or phrase; nan for others


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A heavy word of the domain, although common in the background."""

    word: str  # normalised
    weight: float  # proposed
    by_eq2: float  # its weight by Eq. 2
    in_domain: float  # share of the domain's documents with it
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
    general: bool  # True if general Chinese served as the background
    dropped: Mapping[str, int]  # number of rejected candidates by reason
    sample: Sample | None  # texts searched for candidates, if any


def build(
    corpora: Corpora, own: Own, plan: Plan, segmenter: Callable[[Iterable[str]], Segmenter], progress: Progress = lambda *_: None
) -> Built:
    """Find, select and weigh a topic's terms.

    The domain is read twice, for candidates and for weights, and the background once in between. Memory holds a sample of the
    domain (at most :data:`topical_crawler.authoring.candidates.SAMPLE` characters) and counts of the domain's words.

    Raises:
        TopicError: the domain has no document, or too few for weights.
        SourceError: a source cannot be read.
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
            raise TopicError(f"no document of {places} has {corpora.domain}. Check --domain")
        raise TopicError(f"no document in {places}. Give a corpus with texts")
    if corpora.has_background:
        counted = frozenset(domain.spread) | frozenset(own_words)
        background = _count(corpora.background_texts(progress, "counting the background"), words, counted)
        if not background.documents:
            raise TopicError(
                f"no document of the background{f' has {corpora.against}' if corpora.against else ''}. "
                f"Check --background and --against, or leave them out"
            )
    else:
        background = general_background(domain, language(), segmenter(()).cut)
    choice = _Choice(domain, background, candidates, plan)
    chosen = choice.choose(own)

    weighed = _count(corpora.domain_texts(progress, "weighing"), segmenter(chosen))
    mean = sum(map(weighed.weight, weighed.spread)) / max(1, len(weighed.spread))
    if mean == 0:
        raise TopicError(f"{places}: no word is rarer than another; documents: {weighed.documents}. Give hundreds of them")
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
    """Selection of the words that become terms."""

    domain: WordStatistics
    background: WordStatistics
    candidates: Mapping[str, Candidate]
    plan: Plan
    dropped: Counter[str] = field(default_factory=Counter)

    def choose(self, own: Own) -> dict[str, str]:
        """Return terms with their sources: the user's own, confirmed candidates, and the best words found."""
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
        """Return candidates and dictionary words eligible as terms, best first."""
        scores = {}
        for word in {**self.domain.occurrences, **dict.fromkeys(self.candidates)}:
            if word not in excluded and not (reason := self._objection(word)):
                scores[word] = termhood(self.domain, self.background, word)[0]
            elif word not in excluded and reason != _NO_WORD:
                self.dropped[reason] += 1
        return sorted(scores, key=lambda w: (-scores[w], w))

    def _objection(self, word: str) -> str:
        """Return the reason against a word as a term, or ""."""
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
        """Propose the mean weight for heavy words also common in the background, and less for those below ``min_contrast``."""
        heavy = [(t.word, t.weight) for t in terms if t.source != YOURS and t.weight > mean]
        heavy += [(word, weight) for word, weight in others if weight > HEAVY * mean]
        proposed = []
        for word, weight in heavy:
            times = contrast(self.domain, self.background, word)
            if self.background.spread[word] >= _MIN_BACKGROUND_DOCUMENTS and times < self.plan.adjust_below:
                lower = mean * min(1.0, times / self.plan.min_contrast) if self.plan.min_contrast else mean
                proposed.append(Adjustment(word, lower, weight, self.domain.rate(word), self.background.rate(word)))
        return sorted(proposed, key=lambda a: (-a.by_eq2, a.word))


# -- Files of a topic folder written by a build


def terms_file(present: Present, built: Built, made: str) -> tuple[str, Written]:
    """Return ``terms.tsv``: the user's lines, with missing weights filled in, then the selected terms, heaviest first."""
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
    """Return ``weights.tsv``. It has no lines of the user's."""
    head = [
        made,
        f"# Words that are no terms, with {plan.min_count} occurrences or more; any other word weighs the mean over all words.",
        f"# Made anew by every build: your own weights belong in {ADJUST}.",
    ]
    lines = {w: f"{w}\t{_weight(weight)}" for w, weight in ((MEAN, built.mean), *built.weights)}
    return merge(Present((), (), (), (), {}), head, lines)


def adjust_file(present: Present, built: Built, made: str) -> tuple[str, Written]:
    """Return ``adjust.tsv``: the user's lines, then the proposals, except words deleted by the user."""
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
