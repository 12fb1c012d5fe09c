"""Figures of one crawl of a recorded web, by labels that no crawl sees.

A crawl is identified by what it was made with (:class:`RunKey`) and measured page by page in the order of fetching
(:func:`measure`). Crawls are compared under equal conditions only (:class:`Setting`): one topic, one start, one bound on the
pages of a host, one share of the links. :mod:`experiments.ranking` summarises random seeds and ranks strategies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from topical_crawler.corpus.dedup import DUPLICATE
from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.labels import MIXED, RELEVANT, Label
from topical_crawler.evaluation.metrics import Shares, TextCollection, area_under_recall, relevant_texts
from topical_crawler.web.urls import fingerprint, host

ORACLE = "oracle"
"""Name of the crawl that knows labels and links (:mod:`experiments.oracle`)."""
REDIRECTED = "redirected"
"""Reason of a record whose redirect target is recorded in its place."""
CHECKPOINTS = (500, 1000, 2000)
"""Pages at which recall is given besides the budget."""
STEPS = 200
"""Most points of a sampled curve."""
_VALUE = {RELEVANT: 1.0, MIXED: 0.5}


@dataclass(frozen=True, slots=True)
class Quality(Shares):
    """Quality of a collection of texts after so many pages.

    Attributes:
        pages: pages fetched so far.
        collected: texts in it, copies of one text once, those of grade 1 not at all.
        relevant: those of grade 2.
        held, available: relevant texts that it holds, and that the web has.
    """

    pages: int
    collected: int
    relevant: int
    held: int
    available: int

    @classmethod
    def of(cls, texts: TextCollection, pages: int, available: int) -> Quality:
        """The quality of a collection after ``pages`` pages of a web with ``available`` relevant texts."""
        return cls(pages, len(texts.collected), len(texts.relevant), len(texts.held), available)

    @property
    def f(self) -> float:
        """Harmonic mean of precision and recall.

        >>> Quality(100, collected=8, relevant=4, held=4, available=16).f
        0.3333333333333333
        """
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


@dataclass(frozen=True, slots=True, order=True)
class Setting:
    """The conditions that comparable crawls have in common.

    Attributes:
        topic, start: names of the topic and of the set of start URLs.
        cap: most pages of a host; 0: no bound.
        keep_links: share of the links of every page that the crawls see (:class:`~experiments.thinning.Thinning`),
            over 0 and up to 1.
    """

    topic: str
    start: str
    cap: int = 0
    keep_links: float = 1.0


@dataclass(frozen=True, slots=True, order=True)
class RunKey:
    """Identity of a crawl: strategy, conditions and random seed.

    Attributes:
        strategy: its name.
        topic, start, cap, keep_links: see :class:`Setting`.
        seed: of every random choice; with a share of the links, also of the web.
    """

    strategy: str
    topic: str
    start: str
    seed: int = 0
    cap: int = 0
    keep_links: float = 1.0

    @property
    def setting(self) -> Setting:
        """The conditions under which it may be compared."""
        return Setting(self.topic, self.start, self.cap, self.keep_links)


@dataclass(frozen=True, slots=True, order=True)
class SiteFigures:
    """A crawl at one site: pages fetched there, relevant texts of the site reached (there or, as a copy, elsewhere), and relevant
    texts that the site has."""

    site: str
    pages: int
    reached: int
    there: int


@dataclass(frozen=True, slots=True)
class RunFigures:
    """The figures of one crawl.

    Attributes:
        key: what it was made with.
        budget: pages that it could fetch.
        total: relevant texts in the web.
        curve: relevant texts reached after 1, 2, … pages, kept or not; as long as the crawl had pages. A text counts once.
        area: under the recall curve (:func:`~topical_crawler.evaluation.metrics.area_under_recall`), 0 to 1.
        fetched: quality of all texts fetched, at no more than :data:`STEPS` even steps and at the end.
        kept: quality of the corpus, at the same steps, counted as in Table 8
            (:func:`~topical_crawler.evaluation.metrics.site_scores`): a kept page without a text of its own is collected, too.
            A text that was kept at a second look counts from the step at which its page was fetched.
        mean_relevance: of the fetched text pages, by their labels: grade 2 is 1, grade 1 is ½, grade 0 is 0 (Sun et al. 2018,
            Figure 6, but by people's judgement); 0 without any.
        hosts, relevant_hosts: hosts of which a page, and of which a relevant text was fetched.
        sites: in order of their names, every site of the labels.
    """

    key: RunKey
    budget: int
    total: int
    curve: tuple[int, ...]
    area: float
    fetched: tuple[Quality, ...]
    kept: tuple[Quality, ...]
    mean_relevance: float
    hosts: int
    relevant_hosts: int
    sites: tuple[SiteFigures, ...]

    @property
    def pages(self) -> int:
        """Pages fetched."""
        return len(self.curve)

    @property
    def relevant(self) -> int:
        """Relevant texts reached."""
        return self.curve[-1] if self.curve else 0

    @property
    def harvest_rate(self) -> float:
        """relevant / pages; 0 for a crawl without pages."""
        return self.relevant / self.pages if self.pages else 0.0

    def recall_at(self, pages: int) -> float:
        """Share of the web's relevant texts reached after so many pages; a crawl that ended earlier keeps its last value."""
        reached = self.curve[min(pages, self.pages) - 1] if self.curve and pages > 0 else 0
        return reached / self.total if self.total else 0.0

    def scalars(self) -> dict[str, float]:
        """All figures that are one number, by name, in the order of the files."""
        fetched, kept = self.fetched[-1], self.kept[-1]
        return {
            "pages": self.pages,
            "relevant": self.relevant,
            "harvest_rate": self.harvest_rate,
            **{f"recall_{k}": self.recall_at(k) for k in CHECKPOINTS if k < self.budget},
            "recall": self.recall_at(self.budget),
            "area": self.area,
            "mean_relevance": self.mean_relevance,
            "fetched_precision": fetched.precision,
            "fetched_f": fetched.f,
            "kept": kept.collected,
            "kept_precision": kept.precision,
            "kept_recall": kept.recall,
            "kept_f": kept.f,
            "hosts": self.hosts,
            "relevant_hosts": self.relevant_hosts,
        }


def steps(pages: int, budget: int) -> list[int]:
    """The numbers of pages at which curves are sampled: the same for every crawl of one budget, and the crawl's end.

    >>> steps(7, budget=600), steps(0, budget=600)
    ([3, 6, 7], [0])
    """
    step = max(1, -(-budget // STEPS))
    return sorted({*range(step, pages + 1, step), pages})


def measure(key: RunKey, records: Iterable[Record], labels: Mapping[bytes, Label], budget: int) -> RunFigures:
    """The figures of a crawl.

    Args:
        key: what it was made with.
        records: of its corpus in the order of fetching, rejected pages too. Redirects are passed over; what comes after
            ``budget`` pages is not looked at.
        labels: of the web for the topic, as read by :func:`~topical_crawler.evaluation.labels.read_labels`.
        budget: pages that the crawl could fetch, at least 1.
    """
    visits = (
        _Visit(r.url, r.host, bool(r.encoding), r.keep, r.keep or r.reason == DUPLICATE)
        for r in records
        if r.reason != REDIRECTED
    )
    return _measure(key, visits, labels, budget)


def measure_path(key: RunKey, urls: Sequence[str], labels: Mapping[bytes, Label], budget: int) -> RunFigures:
    """The figures of a path through the web that keeps exactly the relevant texts on it, as the oracle does.

    Args:
        urls: pages in the order of fetching, all of which answer.
        key, labels, budget: see :func:`measure`.
    """

    def visits() -> Iterator[_Visit]:
        for url in urls:
            label = labels.get(fingerprint(url))
            keep = label is not None and label.is_relevant_text
            yield _Visit(url, host(url), True, keep, keep)

    return _measure(key, visits(), labels, budget)


@dataclass(frozen=True, slots=True)
class _Visit:
    """A fetched page: whether it came, whether it was kept, whether its text is in the corpus (from here or from elsewhere)."""

    url: str
    host: str
    came: bool
    keep: bool
    held: bool


def _measure(key: RunKey, visits: Iterable[_Visit], labels: Mapping[bytes, Label], budget: int) -> RunFigures:
    if budget < 1:
        raise ValueError(f"a budget of {budget} pages. Remedy: at least 1")
    total = relevant_texts(labels)
    reached, corpus = TextCollection(), TextCollection()
    curve: list[int] = []
    fetched: list[Quality] = []
    kept: list[Quality] = []
    grades: list[float] = []
    hosts: set[str] = set()
    relevant_hosts: set[str] = set()
    pages_of: dict[str, int] = {}
    step = steps(budget, budget)[0]

    def sample() -> None:
        fetched.append(Quality.of(reached, len(curve), total))
        kept.append(Quality.of(corpus, len(curve), total))

    for visit in visits:
        if len(curve) == budget:
            break
        if visit.came:
            hosts.add(visit.host)
        label = labels.get(fingerprint(visit.url))
        if label is not None:
            pages_of[label.site] = pages_of.get(label.site, 0) + 1
            reached.add(label, label.is_text, label.is_text)
            corpus.add(label, visit.keep, visit.held)
            if label.is_text:
                grades.append(_VALUE.get(label.grade, 0.0))
                if label.grade == RELEVANT:
                    relevant_hosts.add(visit.host)
        curve.append(len(reached.held))
        if len(curve) % step == 0:
            sample()
    if not fetched or fetched[-1].pages != len(curve):
        sample()
    return RunFigures(
        key=key,
        budget=budget,
        total=total,
        curve=tuple(curve),
        area=area_under_recall(curve, total, budget),
        fetched=tuple(fetched),
        kept=tuple(kept),
        mean_relevance=sum(grades) / len(grades) if grades else 0.0,
        hosts=len(hosts),
        relevant_hosts=len(relevant_hosts),
        sites=_sites(labels, pages_of, reached.held),
    )


def _sites(labels: Mapping[bytes, Label], pages: Mapping[str, int], reached: Set[str]) -> tuple[SiteFigures, ...]:
    there: dict[str, set[str]] = {label.site: set() for label in labels.values()}
    for label in labels.values():
        if label.is_relevant_text:
            there[label.site].add(label.doc)
    return tuple(SiteFigures(site, pages.get(site, 0), len(docs & reached), len(docs)) for site, docs in sorted(there.items()))
