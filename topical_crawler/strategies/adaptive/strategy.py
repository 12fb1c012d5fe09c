"""Strategy ``adaptive``: learns the links leading to on-topic pages, without labels.

The papers' formulas score a link once and for all. A crawl is an experiment with outcomes arriving page by page. The page
classifier estimates the topic probability of each fetched page, and the link model learns the links leading to such pages. A
list of links is worth its targets (delayed reward), and nothing by itself. Learning reorders everything waiting.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from topical_crawler.meaning.encoder import Encoder
from topical_crawler.strategies.adaptive.link_model import (
    KINDS,
    MAX_FEATURES,
    MAX_PARENTS,
    ChangingFeatures,
    Floats,
    LinkFeatures,
    LinkModel,
    LinkView,
    added,
    digest,
    in_words,
    sigmoid,
)
from topical_crawler.strategies.adaptive.memory import LINK_WORDS, IncomingLink, Memory, PageWords
from topical_crawler.strategies.adaptive.nearness import Nearness, of_page, short
from topical_crawler.strategies.adaptive.page_classifier import PageClassifier
from topical_crawler.strategies.base import Parameters, Setup, SiteWords, Strategy, check_fields, packed, unpacked
from topical_crawler.strategies.semantic.priority import Priority, share
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.files import MarkedText
from topical_crawler.topic.topic import Topic
from topical_crawler.web.dom import looks_like_list
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict, full_text
from topical_crawler.web.urls import host

REASONS = 5
"""Number of reasons in an explanation besides the parts of Eq. 5, strongest first."""
PARENT_WEIGHT, TERM_WEIGHT, LIKENESS_WEIGHT, NEAR_WEIGHT, SURVEY_WEIGHT = 3.0, 1.5, 1.0, 8.0, 3.0
_WEIGHTS = np.array(
    [PARENT_WEIGHT / 2, PARENT_WEIGHT / 2, TERM_WEIGHT, 0, LIKENESS_WEIGHT, 0, 0, 0, NEAR_WEIGHT, SURVEY_WEIGHT], dtype=np.float32
)
PRIOR = -2.0
"""Log-odds of an unknown link with a likeness of 1."""
EQ5 = slice(5, 8)
"""Rows of the parts of Eq. 5 in the state of a link (:meth:`Adaptive._state`)."""
LEAST = 1e-6
"""Bound on the certainty of a link by Eq. 5."""
FIRST_REFIT, REFIT_SHARE, MAX_BETWEEN_REFITS = 8, 0.08, 256
"""Learned pages between two refits: the minimum, the share of all pages, and the maximum."""
HUB_VALUE, HUB_TEXTS = 0.5, 5.0
"""Maximum value of a list, and number of relevant texts it must lead to for it."""
_ARRAYS = ("<u2", "u1", "<u2", "u1", "<u2")
FADE = 0.998
"""Decay of a link outcome's weight per page: scores are compared with the outcomes of about the last 500 pages."""
SPREAD = 1.645 / 2
"""Half width of the 90 % interval around the square root of a count of rare events."""
UNKNOWN = (0.5, 1.0)
"""Pseudo-counts of kept pages and of their links' scores, added to the observed ones to stabilise small samples."""


@dataclass(frozen=True)
class AdaptiveParameters(Parameters):
    """Constants of the method, read from the table ``[strategy.adaptive]`` of a topic.

    Attributes:
        page_threshold: keep a page if its relevance exceeds this, 0 to 1. A calibrated judge maximises F1 at a threshold of
            half the maximum F1 (Lipton, Elkan & Naryanaswamy 2014), about 0.3.
        precision: least expected precision of a kept page together with all articles of higher relevance, 0 to 1. 0: no such
            bound. Learned anew at each refit from the remembered articles.
        even_relevance: Eq. 3 of Zhou et al. 2019 of a neutral description or text. 0: ignore Eq. 3. Informative if the terms
            are weighted by a domain corpus, as in the paper.
    """

    page_threshold: float = 0.3
    precision: float = 0.0
    even_relevance: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self, shares=("page_threshold", "precision"))


@dataclass(slots=True)
class _Seen:
    """View of a link, with its latest score and the number of the refit before it."""

    view: LinkView
    refit: int = -1
    score: float = 0.0


class Lesson(NamedTuple):
    """Lesson of a fetched page, as JSON data.

    Attributes:
        page: its words (:func:`_pack_words`). None: unreachable.
        link: the link leading there (:meth:`Adaptive._pack_link`). None: a seed, or nothing to learn.
        site: digests of its site's own words (:meth:`SiteWords.lesson`).
        address: digest of the page's URL. 0: unreachable.
    """

    page: list[Any] | None
    link: list[Any] | None
    site: list[str] | None
    address: int = 0


class Adaptive(Strategy):
    """Strategy described in the module docstring. Starts learning from the topic's terms, with its marked texts as examples.

    >>> from topical_crawler import Page, strategies
    >>> adaptive = strategies.create("partybuilding", "adaptive", resources=None)
    >>> adaptive.judge(Page("http://a.cn/1.html", title="开展主题教育 推进全面从严治党 党员支部学习")).keep
    True
    >>> adaptive.judge(Page("http://a.cn/2.html", title="主场三比一取胜 球队升至榜首")).keep
    False
    """

    name = "adaptive"
    parameters_type = AdaptiveParameters
    wants_paths = True
    wants_meaning = True
    wants_text = True
    learns_links = True
    relevance_is_probability = True
    parameters: AdaptiveParameters

    def __init__(
        self,
        topic: Topic,
        segmenter: Segmenter,
        eq5: Priority,
        parameters: AdaptiveParameters | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        super().__init__(topic, segmenter, parameters)
        self._nearness = Nearness(topic, encoder)
        self.asks_server = self._nearness.waits
        self._eq5 = eq5
        self._eq5_weights = np.array([eq5.alpha, eq5.beta, eq5.lam], dtype=np.float32)
        self._related: list[str] = []  # relevant pages since the last refit, joining the history at the next one
        self._struct_of_host = lru_cache(65_536)(eq5.struct_of_host)
        self._struct_at = lru_cache(32_768)(lambda of_address, url: of_address(url))  # for hosts with path-dependent struct
        self._classifier = PageClassifier(
            topic.terms,
            segmenter,
            topic.marked,
            even=self.parameters.even_relevance,
            describe=self._relevance,
            near=self._nearness.of_page,
        )
        classifier, near = self._classifier, self._nearness.of_short
        self._links = LinkFeatures(segmenter.cut, classifier.terms_of, classifier.word_ids, self._relevance, near)
        self._changing = ChangingFeatures()
        self._model = LinkModel()
        self._memory = Memory()
        self._next_refit = FIRST_REFIT
        self._known_marks = self._classifier.marks  # at the last refit
        self._least_relevance = self.parameters.precision
        self._sites = SiteWords()
        self._unchecked: list[list[int]] = []  # [page, 1 if kept] since the last refit
        self._kept = self._promised = 0.0  # kept pages, and sum of the scores of their links
        self._refits = 0  # in this process

    @classmethod
    def make(cls, setup: Setup) -> Self:
        eq5 = Priority.make(setup, None)
        setup.segmenter.cut("党建")  # read its dictionary before the event loop starts
        return cls(setup.topic, setup.segmenter, eq5, setup.parameters(cls.parameters_type), setup.encoder)

    def _relevance(self, words: Iterable[str]) -> float:
        """Return Eq. 3 of a text as used in Eq. 5, 0 to 1. Ignores the topic's ``bounded``, since log-odds need a share."""
        return share(self._eq5.relevance([w for w in dict.fromkeys(words) if self.segmenter.is_content(w)]))

    async def prepare(self, page: Page, anchors: Sequence[str]) -> None:
        own = self._sites.own(page)
        text = "" if looks_like_list(page.url) else full_text(own, menus=False)
        await self._nearness.ask([*of_page(own.title, text), *map(short, anchors)])
        to = self._links
        await asyncio.to_thread(lambda: [(to.address(x.url), to.anchors((x.anchor,)), to.wording(x.anchor)) for x in page.links])

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        words, terms = self._classifier.read(self._sites.own(page), article=not looks_like_list(page.url))
        mark = self._classifier.mark_of(address := digest(page.url))
        relevance = self._classifier.probability(words) if mark is None else mark
        total = sum(terms.values())
        strongest = sorted(terms.items(), key=lambda t: -t[1])[:8]
        why = {term: round(part / total, 4) for term, part in strongest} if total > 0 else {}
        lesson = Lesson(_pack_words(words), self._pack_link(page.url, found), self._sites.lesson(page), address)
        near = round(sum(words.near) / 2, 3) if self._nearness.name else None
        return Verdict(relevance, self._keeps(relevance, words, mark), why, lesson=lesson, near=near)

    def _keeps(self, relevance: float, words: PageWords, mark: float | None) -> bool:
        """Return True if a page is kept.

        Requires a topic term, a similar meaning, a mark, or any text marked as on topic, however much the learned words speak
        for the page.
        """
        speaks = mark is not None or self._classifier.speaks(words)
        return speaks and relevance > self.page_threshold and relevance >= self._least_relevance

    def missed(self, url: str, found: Sequence[Evidence]) -> Lesson | None:
        return None if not found else Lesson(None, self._pack_link(url, found), None)

    def reconsider(self, lessons: Sequence[Any]) -> list[Verdict | None]:
        """Judge articles again by their marks and the current classifier. A list has no text to keep."""
        all_lessons = [Lesson(*lesson) for lesson in lessons]
        read = [_unpack_words(lesson.page) for lesson in all_lessons]
        articles = {i: words for i, words in enumerate(read) if words is not None and words.is_article}
        relevances = dict(zip(articles, self._classifier.probabilities_of(list(articles.values())).tolist(), strict=True))
        marks = {i: self._classifier.mark_of(all_lessons[i].address) for i in articles}
        relevances |= {i: mark for i, mark in marks.items() if mark is not None}
        verdicts = {i: Verdict(p, self._keeps(p, articles[i], marks[i])) for i, p in relevances.items()}
        return [verdicts.get(i) for i in range(len(lessons))]

    def may_reconsider(self, lesson: Any) -> bool:
        words = Lesson(*lesson).page
        return bool(words and words[-1])

    def learn(self, url: str, verdict: Verdict) -> None:
        page = digest(url)
        if page in self._memory or verdict.lesson is None:
            return
        lesson = Lesson(*verdict.lesson)
        words = _unpack_words(lesson.page)
        self._sites.learn(url, lesson.site)
        if verdict.keep:
            self._related.append(url)
        relevance = verdict.relevance if words is not None else 0.0
        self._memory.add(page, words, self._unpack_link(url, lesson.link), relevance, digest(host(url)) & 0xFFFF)
        if words is not None:
            self._classifier.note(words)
        self._unchecked.append([page, int(verdict.keep and words is not None and words.is_article)])
        if self._memory.learned >= self._next_refit or self._classifier.marks != self._known_marks:
            self._refit()

    def mark(self, texts: Sequence[MarkedText]) -> None:
        self._classifier.mark(texts)

    def _refit(self) -> None:
        """Judge remembered pages again, and relearn the value of links."""
        memory = self._memory
        self._known_marks = self._classifier.marks
        self._next_refit = memory.learned + min(MAX_BETWEEN_REFITS, max(FIRST_REFIT, int(REFIT_SHARE * memory.learned)))
        n = len(memory)
        self._check_scores()
        memory.settle()
        if self._related:
            for url in self._related:
                self._eq5.remember(url)
            self._related.clear()
            self._forget_structs()
        self._classifier.refit(memory)
        memory.relevance[:n] = np.where(memory.fetched[:n], self._classifier.probabilities(memory), 0)
        self._learn_least_relevance()
        values, known = self._outcomes()
        rows = np.flatnonzero(memory.has_link[:n] & known)
        self._model.refit(*self._remembered(rows), values[rows])
        self._refits += 1
        self.revision += 1

    def _remembered(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.uint32], Floats]:
        """Return the features and the priors of remembered links."""
        memory = self._memory
        best, mean = memory.parent_relevances(memory.parents[rows], memory.link_relevances[rows])
        terms, distance = memory.terms[rows], memory.distance[rows].astype(np.float32)
        likeness = self._classifier.likeness(memory.link_words[rows])
        survey = np.zeros(len(rows), dtype=np.float32)  # surveys are never lessons
        state = np.stack([best, mean, terms, distance, likeness, *memory.eq5[rows].T, memory.link_near[rows], survey])
        return np.concatenate([memory.features[rows], self._changing.numbers(state)], axis=1), self._prior(state)

    def _check_scores(self) -> None:
        """Compare the pages since the last refit with the scores of their links before this one."""
        memory, fade = self._memory, FADE ** len(self._unchecked)
        found = {row: kept for page, kept in self._unchecked if (row := memory.row(page)) is not None and memory.has_link[row]}
        self._unchecked.clear()
        self._kept, self._promised = fade * self._kept, fade * self._promised
        if found:
            table, prior = self._remembered(np.array(list(found), dtype=np.int64))
            self._kept += sum(found.values())
            self._promised += float(sigmoid(prior + self._model.of_table(table)).sum())

    @property
    def kept_per_score(self) -> tuple[float, float]:
        """Bounds by the square root, a transform giving counts of rare events the same spread at any size (Anscombe 1948)."""
        kept, promised = UNKNOWN
        root, promised = sqrt(self._kept + kept), self._promised + promised
        return max(0.0, root - SPREAD) ** 2 / promised, (root + SPREAD) ** 2 / promised

    def _learn_least_relevance(self) -> None:
        if precision := self.parameters.precision:
            memory, n = self._memory, len(self._memory)
            self._least_relevance = relevance_for(precision, memory.relevance[:n][memory.is_article[:n]])

    def _outcomes(self) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the value of each remembered page, and a mask of the known ones.

        An article is worth its relevance, a list a share of the texts found through it. A list without followed links is
        unknown. Treated as worthless, links to similar lists, and links on them, would come last and stay there.
        """
        memory, n = self._memory, len(self._memory)
        values: Floats = np.where(memory.is_article[:n], memory.relevance[:n], np.float32(0))
        known = memory.is_article[:n] | ~memory.fetched[:n]
        led_to = np.zeros(n, dtype=np.float32)
        for row, parents in enumerate(memory.parents[:n].tolist()):
            for place, page in enumerate(parents):
                if page and (parent := memory.row(page)) is not None:
                    known[parent] = True
                    if not place:
                        led_to[parent] += values[row]
        hub_values: Floats = np.float32(HUB_VALUE) * np.minimum(1, led_to / np.float32(HUB_TEXTS))
        return np.maximum(values, hub_values), known

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        # Encode the anchors of new links in one batch.
        self._nearness.of_short([e.anchor for candidate in candidates if self not in candidate.memo for e in candidate.evidence])
        links: list[_Seen] = [candidate.memo.get(self) or self._seen(candidate) for candidate in candidates]
        # A page is learned before its links are scored, so between two refits only a new place changes a score.
        old = [(candidate.url, link) for candidate, link in zip(candidates, links, strict=True) if link.refit != self._refits]
        if old:
            state = self._state([(url, link.view) for url, link in old])
            lasting = self._model.evidence([link.view.features for _, link in old])
            changing = self._model.of_table(self._changing.numbers(state))
            for (_, link), score in zip(old, sigmoid(self._prior(state) + lasting + changing).tolist(), strict=True):
                link.refit, link.score = self._refits, score
        return [link.score for link in links]

    def _seen(self, candidate: Candidate) -> _Seen:
        """Return the cached view of a link, with its last score."""
        link: _Seen | None = candidate.memo.get(self)
        if link is None:
            link = candidate.memo[self] = _Seen(self._links.view(candidate.url, candidate.evidence))
        return link

    def _state(self, links: Sequence[tuple[str, LinkView]]) -> Floats:
        """Return the current state of links (URL and view each), (10, n).

        Rows: relevance of the best page holding each link, mean relevance over all, topic terms, links since the last on-topic
        page, likeness of its words, the three parts of Eq. 5, similarity in meaning, 1 for a survey.
        """
        state = self._standing(links)
        words = b"".join([view.words for _, view in links])
        state[4] = self._classifier.likeness(np.frombuffer(words, dtype="<u2").reshape(len(links), -1))
        return state

    def _standing(self, links: Sequence[tuple[str, LinkView]]) -> Floats:
        """Return the result of :meth:`_state` without the likeness of words."""
        relevances_of = self._memory.relevances_of
        if len(links) > 1:
            relevances_of = lru_cache(None)(relevances_of)  # many links are on the same pages
        alpha, beta = self._eq5.alpha, self._eq5.beta
        rows = []
        for url, (name, _, _, _, terms, parents, relevances, wordings, distance, near, is_survey) in links:
            if len(parents) == 1:  # most of them
                passed = relevances[0]
                best, description = relevances_of(parents[0]) or (passed, passed)
                mean, wording = best, wordings[0]
            else:
                best = total = description = wording = 0.0
                highest = -1.0  # by Eq. 5, the best of all places counts
                for parent, passed, worded in zip(parents, relevances, wordings, strict=True):
                    now, described = relevances_of(parent) or (passed, passed)
                    total += now
                    if now > best:
                        best = now
                    value = alpha * described + beta * worded
                    if value >= highest and (value, described, worded) > (highest, description, wording):
                        highest, description, wording = value, described, worded
                mean = total / len(parents)
            struct = self._struct_of_host(name)
            struct = self._struct_at(struct, url) if callable(struct) else struct
            rows.append((best, mean, terms, distance, 0, description, wording, struct, near, is_survey))
        return np.array(rows, dtype=np.float32).T

    def _forget_structs(self) -> None:
        self._struct_of_host.cache_clear()
        self._struct_at.cache_clear()

    def _prior(self, state: Floats) -> Floats:
        """Return the log-odds of links by the topic alone.

        Combines Eq. 5, current relevance of the pages holding them, topic terms, likeness, similarity in meaning and surveys.
        """
        eq5 = added(self._eq5_weights[:, None] * state[EQ5])
        prior: Floats = _log_odds(eq5) + added(_WEIGHTS[:, None] * state) - np.float32(LIKENESS_WEIGHT)
        return prior

    def explain(self, candidate: Candidate) -> dict[str, float]:
        """Return the three parts of Eq. 5 and the strongest other reasons, in words with their parts of the log-odds."""
        url, view = candidate.url, self._seen(candidate).view
        state = self._state([(url, view)])
        best, mean, terms, distance, likeness, *eq5, near, survey = state[:, 0].tolist()
        parts = {
            f"pages it is on are on topic ({best:.2f} at best, {mean:.2f} in the mean)": PARENT_WEIGHT * (best + mean) / 2,
            f"topic terms in the anchor or the address ({terms:.1f})": TERM_WEIGHT * terms,
            f"words of articles on topic in the anchor, against those of others ({likeness:.1f})": LIKENESS_WEIGHT
            * (likeness - 1),
            f"anchor nearer to the topic's sentence than unrelated texts ({near:.2f})": NEAR_WEIGHT * near,
            "list of all that the site has": SURVEY_WEIGHT * survey,
        }
        features = self._links.meanings(url, candidate.evidence, view)
        values = {"best": f"{best:.1f}", "mean": f"{mean:.1f}", "terms": f"{terms:.1f}", "distance": f"{distance:.0f}"}
        values["near"] = f"{near:.2f}"
        values |= {"likeness": f"{likeness:.1f}"} | {kind: f"{part:.2g}" for kind, part in zip(KINDS["eq5"], eq5, strict=True)}
        for kind, feature in zip(self._changing.kinds, self._changing.numbers(state)[0].tolist(), strict=True):
            features[feature] = (kind, values[kind])
        learned = [(meaning, self._model.weight(feature)) for feature, meaning in features.items()]
        others = [abs(weight) for (kind, _), weight in learned if kind not in KINDS["eq5"]]
        least = min(sorted(others, reverse=True)[:REASONS], default=0.0)  # skip weaker ones
        for meaning, weight in learned:
            if abs(weight) >= least or meaning[0] in KINDS["eq5"]:
                words = in_words(meaning)
                parts[words] = parts.get(words, 0.0) + weight
        reasons = {}
        # Share of each part in Eq. 5, plus everything learned of it since.
        shares = (self._eq5_weights * eq5).astype(np.float64)
        gain = (float(_log_odds(shares.sum())) - PRIOR) / max(float(shares.sum()), LEAST)
        for kind, own in zip(KINDS["eq5"], shares.tolist(), strict=True):
            words = in_words((kind, values[kind]))
            reasons[words] = round(gain * own + parts.pop(words), 3)
        strongest = sorted(parts.items(), key=lambda p: (-abs(p[1]), p[0]))[:REASONS]
        return reasons | {words: round(part, 3) for words, part in strongest if round(part, 3)}

    def state_dict(self) -> dict[str, Any]:
        return {
            "memory": self._memory.state_dict(),
            "classifier": self._classifier.state_dict(),
            "sites": self._sites.state_dict(),
            "model": self._model.state_dict(),
            "next_refit": self._next_refit,
            "checked": [self._kept, self._promised],
            "unchecked": [list(page) for page in self._unchecked],
            "marks": self._known_marks,
            "history": self._eq5.history(),
            "related": list(self._related),
            "least_relevance": [self.parameters.precision, self._least_relevance],
            "encoder": self._nearness.name,
            "revision": self.revision,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        if (learned := state["encoder"]) != (mine := self._nearness.name):
            raise ValueError(
                f"it was learned with the encoder {learned or 'none'!r}, not {mine or 'none'!r}. Restore TOPICAL_ENCODER"
            )
        self._memory.load_state_dict(state["memory"])
        self._classifier.load_state_dict(state["classifier"])
        self._sites.load_state_dict(state["sites"])
        self._model.load_state_dict(state["model"])
        self._next_refit = int(state["next_refit"])
        self._kept, self._promised = map(float, state["checked"])
        self._unchecked = [[int(page), int(kept)] for page, kept in state["unchecked"]]
        self._known_marks = state["marks"]
        self._eq5.load(state["history"])
        self._related = list(state["related"])
        self._forget_structs()
        precision, least = map(float, state["least_relevance"])
        if precision == self.parameters.precision:
            self._least_relevance = least
        else:  # the crawl continues with another precision
            self._learn_least_relevance()
        self.revision = int(state["revision"])
        self._refits += 1

    def _pack_link(self, url: str, found: Sequence[Evidence]) -> list[Any] | None:
        """Return a link as a lesson, without the features of its URL. None for surveys: worth nothing by themselves on any
        site, they would teach that all sites are worthless."""
        view = self._links.view(url, found[:MAX_PARENTS])
        if not found or view.is_survey:
            return None
        features = packed(view.features[view.of_address :], "<u4")
        parents = packed(np.array(view.parents), "<i8")
        words = packed(np.frombuffer(view.words, dtype="<u2"), "<u2")
        eq5 = self._standing([(url, view)])[EQ5, 0].tolist()
        return [features, parents, list(view.relevances), view.terms, view.distance, words, eq5, view.near]

    def _unpack_link(self, url: str, lesson: Sequence[Any] | None) -> IncomingLink | None:
        if lesson is None:
            return None
        packed_features, parents, relevances, terms, distance, words, eq5, near = lesson
        features = np.concatenate([self._links.address(url).features, unpacked(packed_features, "<u4")])[:MAX_FEATURES]
        known_words = unpacked(words, "<u2")[:LINK_WORDS]
        return IncomingLink(features, unpacked(parents, "<i8").tolist(), relevances, terms, distance, known_words, eq5, near)


def relevance_for(precision: float, relevances: NDArray[Any]) -> float:
    """Return the least relevance with a share of ``precision`` on topic among pages at or above it, taking relevances as
    probabilities.

    If even the best pages fall short, returns ``precision`` itself, within reach of later pages.

    >>> relevance_for(0.8, np.array([0.2, 0.9, 0.7, 0.8, 0.1])), relevance_for(0.8, np.array([0.2, 0.7]))
    (0.7, 0.8)
    """
    values, numbers = np.unique(relevances.astype(np.float64), return_counts=True)
    expected = np.cumsum((values * numbers)[::-1]) / np.cumsum(numbers[::-1])
    enough = np.flatnonzero(expected >= precision - 1e-9)
    return float(values[::-1][enough[-1]]) if len(enough) else precision


def _log_odds(priority: Floats) -> Floats:
    """Return the log-odds of a link leading to the topic, by Eq. 5 alone.

    Its priority, 0 to 1, is the probability of doing so beyond that of any link (:data:`PRIOR`). So links keep the order of Eq.
    5.

    >>> [round(odds, 2) for odds in _log_odds(np.array([0, 0.2, 0.8], dtype=np.float32)).tolist()]
    [-2.0, -0.87, 1.54]
    """
    off = np.maximum(LEAST, 1 - priority.astype(np.float64)) / (1 + np.exp(PRIOR))
    odds: Floats = np.log((1 - off) / off).astype(np.float32)
    return odds


def _pack_words(words: PageWords) -> list[Any]:
    arrays: Sequence[NDArray[Any]] = (words.numbers, words.counts, words.terms, words.parts, words.labels)
    near = packed(np.asarray(words.near), "<f4")
    return [*map(packed, arrays, _ARRAYS), words.odds, words.described, near, int(words.is_article)]


def _unpack_words(lesson: Sequence[Any] | None) -> PageWords | None:
    if lesson is None:
        return None
    *arrays, odds, described, near, is_article = lesson
    numbers, counts, terms, parts, labels = map(unpacked, arrays, _ARRAYS)
    return PageWords(numbers, counts, terms, parts, labels, odds, described, unpacked(near, "<f4"), bool(is_article))
