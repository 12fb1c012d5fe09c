"""A learner of links that needs no labels.

The papers' formulas score a link once and for all. A crawl is an experiment whose outcomes are seen page by page: here a judge
of pages (:mod:`topical_crawler.strategies.adaptive.page_classifier`) says of each fetched page how probably it is on topic, and a
model of links (:mod:`topical_crawler.strategies.adaptive.link_model`) learns which links lead to such pages. A list of links is
worth what it leads to (delayed reward), and nothing by itself. What is learned changes the order of all that waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from topical_crawler.strategies.adaptive.link_features import MAX_FEATURES, LinkFeatures, Numbers, Read, Standing, said
from topical_crawler.strategies.adaptive.link_model import LinkModel, LinkModelParameters, sigmoid
from topical_crawler.strategies.adaptive.memory import PARENTS, SAYS, Leading, Memory, Words, digest
from topical_crawler.strategies.adaptive.page_classifier import PageJudge
from topical_crawler.strategies.base import Strategy
from topical_crawler.strategies.common import packed, unpacked
from topical_crawler.strategies.site_text import SiteWords
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import Topic
from topical_crawler.web.dom import looks_like_index, looks_like_list
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict

PARTS = (
    "feedback",
    "labels",
    "sites",
    "lists",
    "survey",
    "hubs",
    "failures",
    "model",
    "rejudging",
    "second_look",
    "address",
    "anchor",
    "place",
    "standing",
    "likeness",
)
"""What can be left out, one at a time, to see what it is worth (``without``)."""
REASONS = 5
"""Reasons that are given for a link: the strongest."""
_PARENT = 3.0
_ANCHOR = 1.5
_LIKENESS = 1.0
_PRIOR = -2.0 - _LIKENESS  # the likeness of a link that says nothing is 1
_MOST_TERMS = 2.0
_INDEX = 3.0
_WEIGHTS = np.array([_PARENT / 2, _PARENT / 2, _ANCHOR, 0, _LIKENESS, _INDEX], dtype=np.float32)[:, None]
_FIRST_REFIT, _REFIT_SHARE, _MOST_BETWEEN = 8, 0.08, 256
_HUB = 0.5
_HUB_TEXTS = 5.0
_SURELY = 1.7  # times the odds of the threshold: at 0.2, above 0.3
_NOTHING = bytes(2 * SAYS)
_LOOKS, _MOST_SCORES = 16_384, 65_536


@dataclass(frozen=True)
class AdaptiveParameters:
    """Constants of the method; the table ``[strategy.adaptive]`` of a topic sets them.

    Attributes:
        page_threshold: a page is kept when its relevance is above this, 0 to 1. At 0.2 the F1 of what is kept is largest over ten
            development topics of the recorded sites; on two of them 80 % of the articles on topic are above it, and 60 % of the
            articles above it are on topic.
        without: parts to leave out, of :data:`PARTS`: for experiments.
    """

    page_threshold: float = 0.2
    without: Sequence[str] = ()

    def __post_init__(self) -> None:
        threshold = self.page_threshold
        if not isinstance(threshold, int | float) or isinstance(threshold, bool) or not 0 <= threshold <= 1:
            raise ValueError(f"page_threshold must be a probability, 0 to 1, not {threshold!r}")
        if isinstance(self.without, str) or not isinstance(self.without, Sequence) or set(self.without) - set(PARTS):
            raise ValueError(f"without must be a list of parts ({', '.join(PARTS)}), not {self.without!r}")


_Look = tuple[Sequence[Numbers], bytes, tuple[int, ...], tuple[float, ...], float, int, bool]
"""What is seen of a link and does not change with what is learned: its lasting features in parts; its words (as
:meth:`PageJudge.says`); digests of the first :data:`PARENTS` pages that hold it, and what they handed on, or a 0 each; topic
terms; links since the last page on topic; whether it leads to a list of all that a site has."""


class Adaptive(Strategy):
    """The strategy ``adaptive``.

    Args:
        topic: its terms are where learning starts; its marked texts are examples.
        segmenter: must know the topic's terms.
        parameters: constants of the method.

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
    learns_links = True
    parameters: AdaptiveParameters

    def __init__(self, topic: Topic, segmenter: Segmenter, parameters: AdaptiveParameters | None = None) -> None:
        super().__init__(topic, segmenter, parameters)
        without = self._without = frozenset(self.parameters.without)
        self._judge = PageJudge(
            topic.terms, segmenter, topic.marked, labels="labels" not in without, feedback="feedback" not in without
        )
        self._links = LinkFeatures(segmenter.cut, self._judge.terms_of, self._judge.says, without)
        self._standing = Standing(without)
        self._model = LinkModel(LinkModelParameters())
        self._memory = Memory()
        self._next_refit = _FIRST_REFIT
        self._sites = SiteWords()
        # Of links by the hash of all that is known of them.
        self._looks: dict[int, _Look] = {}
        self._older_looks: dict[int, _Look] = {}
        self._scores: dict[int, float] = {}  # by what has been known since the last refit
        self._scored: set[int] = set()

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        own = page if "sites" in self._without else self._sites.own(page)
        words, terms = self._judge.read(own, article="lists" in self._without or not looks_like_list(page.url))
        relevance = self._judge.probability(words)
        total = sum(terms.values())
        strongest = sorted(terms.items(), key=lambda t: -t[1])[:8]
        why = {term: round(part / total, 4) for term, part in strongest} if total > 0 else {}
        return Verdict(
            relevance,
            relevance > self.page_threshold,
            why,
            lesson=[_written(words), self._written_link(page.url, found), self._sites.lesson(page)],
        )

    def missed(self, url: str, found: Sequence[Evidence]) -> Any:
        """What is to be learned from a page that did not come."""
        return None if "failures" in self._without or not found else [None, self._written_link(url, found), None]

    def reconsider(self, lessons: Sequence[Any]) -> list[Verdict | None]:
        """Of articles, by the judge as it is now; a list has no text that could be kept. Many pages have their second look and
        few of them are on topic, so more is asked of them than of one that comes."""
        if self._without & {"rejudging", "second_look"}:
            return [None] * len(lessons)
        articles = {i: words for i, lesson in enumerate(lessons) if (words := _read(lesson[0])) is not None and words.article}
        threshold = self.page_threshold
        surely = _SURELY * threshold / (1 - threshold + _SURELY * threshold)
        now = self._judge.probabilities_of(list(articles.values())).tolist()
        found = {i: Verdict(relevance, relevance > surely) for i, relevance in zip(articles, now, strict=True)}
        return [found.get(i) for i in range(len(lessons))]

    def learn(self, url: str, verdict: Verdict) -> None:
        page = digest(url)
        if page in self._memory or verdict.lesson is None:
            return
        words = _read(verdict.lesson[0])
        self._sites.learn(url, verdict.lesson[2])
        self._memory.add(page, words, self._read_link(url, verdict.lesson[1]), verdict.relevance if words else 0.0)
        if words is not None:
            self._judge.note(words)
        if self._memory.learned >= self._next_refit:
            self._refit()

    def _refit(self) -> None:
        """Judge anew what is remembered, and learn again what links lead to."""
        memory = self._memory
        self._next_refit = memory.learned + min(_MOST_BETWEEN, max(_FIRST_REFIT, int(_REFIT_SHARE * memory.learned)))
        n = len(memory)
        memory.settle()
        self._judge.refit(memory)
        if "rejudging" not in self._without:
            memory.relevance[:n] = np.where(memory.answered[:n], self._judge.probabilities(memory), 0)
        if "model" not in self._without:
            values, known = self._outcomes()
            led = np.flatnonzero(memory.led[:n] & known)
            best, mean = memory.standing(memory.parents[led], memory.given[led])
            terms, distance = memory.terms[led], memory.distance[led].astype(np.float32)
            likeness = self._judge.likeness(memory.says[led])
            survey = np.zeros(len(led), dtype=np.float32)  # none is a lesson
            seen = np.stack([best, mean, terms, distance, likeness, survey])
            table = np.concatenate([memory.features[led], self._standing.numbers(seen)], axis=1)
            self._model.refit(table, _prior(seen), values[led])
        self._scores.clear()
        self.revision += 1

    def _outcomes(self) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """What the remembered pages were worth, and of which of them that is known: an article its relevance, a list a part of
        what it has led to. Of a list from which no link was followed yet nothing is known; were it taken to be worthless, the
        links to its like would be the last to be followed, and those on it, and it would stay so."""
        memory, n = self._memory, len(self._memory)
        values: NDArray[np.float32] = np.where(memory.article[:n], memory.relevance[:n], np.float32(0))
        if "hubs" in self._without:
            return values, np.ones(n, dtype=bool)
        known = memory.article[:n] | ~memory.answered[:n]
        brought = np.zeros(n, dtype=np.float32)
        for row, parents in enumerate(memory.parents[:n].tolist()):
            for place, page in enumerate(parents):
                if page and (parent := memory.row(page)) is not None:
                    known[parent] = True
                    if not place:
                        brought[parent] += values[row]
        led_to: NDArray[np.float32] = np.float32(_HUB) * np.minimum(1, brought / np.float32(_HUB_TEXTS))
        return np.maximum(values, led_to), known

    def score(self, candidates: Sequence[Candidate]) -> list[float | None]:
        # A page is learned before the links on it are scored, so between two refits nothing changes a score but another place.
        keys = [hash((c.url, c.evidence)) for c in candidates]
        if new := {key: c for key, c in zip(keys, candidates, strict=True) if key not in self._scores}:
            looks = [self._look(key, c) for key, c in new.items()]
            seen = self._seen(looks)
            lasting = self._model.evidence([look[0] for look in looks])
            changing = self._model.of_table(self._standing.numbers(seen))
            self._scores.update(zip(new, sigmoid(_prior(seen) + lasting + changing).tolist(), strict=True))
        found: list[float | None] = [self._scores[key] for key in keys]
        if len(self._scores) >= _MOST_SCORES:
            self._scores.clear()
        return found

    def _look(self, key: int, link: Candidate) -> _Look:
        """A link as it is seen. It is remembered when it is asked for a second time, as what waits is: most links of a page are
        known already, and never seen so again. At least the last :data:`_LOOKS` are."""
        look = self._looks.get(key) or self._older_looks.get(key)
        if look is not None:
            return look
        look = self._look_at(link)
        if key in self._scored:
            self._looks[key] = look
            if len(self._looks) == _LOOKS:
                self._looks, self._older_looks = {}, self._looks
        else:
            self._scored.add(key)
            if len(self._scored) == _MOST_SCORES:
                self._scored.clear()
        return look

    def _look_at(self, link: Candidate) -> _Look:
        found = link.evidence[:PARENTS]
        address, anchors, places = self._links.read(link.url, link.evidence)
        return (
            (address.features, anchors.features, places),
            _said(address, anchors),
            tuple([digest(e.parent) for e in found]) or (0,),
            tuple([_given(e) for e in found]) or (0.0,),
            _terms(address, anchors),
            _distance(found),
            self._surveys(link.url),
        )

    def _seen(self, looks: Sequence[_Look]) -> NDArray[np.float32]:
        """How links stand by what is known now, (6, n): relevance of the best page that holds each, and of all in the mean; topic
        terms in its best anchor or in its address; links since the last page on topic; likeness of what it says; whether it leads
        to a list of all that a site has."""
        now = lru_cache(None)(self._memory.relevance_of)  # many links are on the same pages
        rows = []
        for _, _, parents, given, terms, distance, survey in looks:
            if len(parents) == 1:  # most of them
                best = mean = given[0] if (relevance := now(parents[0])) is None else relevance
            else:
                known = [g if (relevance := now(p)) is None else relevance for p, g in zip(parents, given, strict=True)]
                best, mean = max(known), sum(known) / len(known)
            rows.append((best, mean, terms, distance, 0, survey))
        seen = np.array(rows, dtype=np.float32).T
        says = b"".join([look[1] for look in looks])
        seen[4] = self._judge.likeness(np.frombuffer(says, dtype="<u2").reshape(len(looks), -1))
        return seen

    def _surveys(self, url: str) -> bool:
        """Whether a link leads to a list of all that a site has, which shows at once where on the site the topic is."""
        return "survey" not in self._without and looks_like_index(url)

    def explain(self, candidate: Candidate) -> dict[str, float]:
        """The strongest reasons in words, with their parts of the log-odds."""
        url, evidence = candidate.url, candidate.evidence
        seen = self._seen([self._look_at(candidate)])
        best, mean, terms, distance, likeness, survey = seen[:, 0].tolist()
        parts = {
            f"pages it is on are on topic ({best:.2f} at best, {mean:.2f} in the mean)": _PARENT * (best + mean) / 2,
            f"topic terms in the anchor or the address ({terms:.1f})": _ANCHOR * terms,
            f"words of articles on topic in the anchor, against those of others ({likeness:.1f})": _LIKENESS * (likeness - 1),
            "list of all that the site has": _INDEX * survey,
        }
        features = self._links.words(url, evidence)
        values = {"best": f"{best:.1f}", "mean": f"{mean:.1f}", "terms": f"{terms:.1f}", "distance": f"{distance:.0f}"}
        values["likeness"] = f"{likeness:.1f}"
        for kind, feature in zip(self._standing.kinds, self._standing.numbers(seen)[0].tolist(), strict=True):
            features[feature] = (kind, values[kind])
        for feature, meaning in features.items():
            words = said(meaning)
            parts[words] = parts.get(words, 0.0) + self._model.weight(feature)
        strongest = sorted(parts.items(), key=lambda p: (-abs(p[1]), p[0]))[:REASONS]
        return {words: round(part, 3) for words, part in strongest if round(part, 3)}

    def state_dict(self) -> dict[str, Any]:
        return {
            "memory": self._memory.state_dict(),
            "judge": self._judge.state_dict(),
            "sites": self._sites.state_dict(),
            "model": self._model.state_dict(),
            "next_refit": self._next_refit,
            "revision": self.revision,
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        self._memory.load_state_dict(state["memory"])
        self._judge.load_state_dict(state["judge"])
        self._sites.load_state_dict(state.get("sites", {}))
        self._model.load_state_dict(state["model"])
        self._next_refit = int(state["next_refit"])
        self.revision = int(state["revision"])
        self._scores.clear()

    def _written_link(self, url: str, found: Sequence[Evidence]) -> list[Any] | None:
        """A link as a lesson; the features of its address are added when it is learned. A survey is none: it is worth nothing by
        itself, on whatever site, and would teach that the sites are worth nothing."""
        if not found or self._surveys(url):
            return None
        found = found[:PARENTS]
        address, anchors, places = self._links.read(url, found)
        parents = packed(np.array([digest(e.parent) for e in found]), "<i8")
        handed_on = [_given(e) for e in found]
        says = packed(np.frombuffer(_said(address, anchors), dtype="<u2"), "<u2")
        features = packed(np.concatenate([anchors.features, places]), "<u4")
        return [features, parents, handed_on, _terms(address, anchors), _distance(found), says]

    def _read_link(self, url: str, lesson: Sequence[Any] | None) -> Leading | None:
        if lesson is None:
            return None
        features, parents, given, terms, distance, *says = lesson  # an earlier version did not say it
        return Leading(
            np.concatenate([self._links.address(url).features, unpacked(features, "<u4")])[:MAX_FEATURES],
            unpacked(parents, "<i8").tolist(),
            given,
            terms,
            distance,
            unpacked(says[0], "<u2")[:SAYS] if says else (),
        )


def _given(found: Evidence) -> float:
    """What a page handed on to a link, at most 1: another strategy may have judged it."""
    return found.relevance if found.relevance <= 1 else 1.0


def _distance(found: Sequence[Evidence]) -> int:
    """Links since the last page on topic."""
    return found[0].distance if len(found) == 1 else min([e.distance for e in found], default=0)


def _said(address: Read, anchors: Read) -> bytes:
    """Words of a link: of its anchors, or of its address where these have none (a picture)."""
    return address.says if anchors.says == _NOTHING else anchors.says


def _terms(address: Read, anchors: Read) -> float:
    """Topic terms of a link; many a one to a list of tags shows a picture, and says /tags/linux/ in its address only."""
    return min(_MOST_TERMS, max(address.terms, anchors.terms)) if address.terms or anchors.terms else 0.0


def _prior(seen: NDArray[np.float32]) -> NDArray[np.float32]:
    """Log-odds of links by the topic alone: how relevant the pages are that hold them, the topic terms in their anchors or
    addresses, the words there that articles on topic have, and whether they lead to a list of all that a site has."""
    prior: NDArray[np.float32] = _PRIOR + (_WEIGHTS * seen).sum(axis=0)
    return prior


def _written(words: Words) -> list[Any]:
    return [packed(words.numbers, "<u2"), packed(words.counts, "u1"), round(words.said, 4), int(words.article)]


def _read(lesson: Sequence[Any] | None) -> Words | None:
    if lesson is None:
        return None
    numbers, counts, said_of_topic, article = lesson
    return Words(unpacked(numbers, "<u2"), unpacked(counts, "u1"), float(said_of_topic), bool(article))
