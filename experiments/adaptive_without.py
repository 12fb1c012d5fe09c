"""The strategy ``adaptive`` with parts left out, to see what they are worth.

A part is switched off from outside: the class below overrides or replaces what does it. The product knows nothing of this.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from topical_crawler.meaning.encoder import Encoder
from topical_crawler.strategies.adaptive.link_model import (
    KINDS,
    ChangingFeatures,
    Feature,
    Floats,
    LinkFeatures,
    LinkText,
    LinkView,
    Numbers,
)
from topical_crawler.strategies.adaptive.strategy import EQ5, Adaptive, AdaptiveParameters, Lesson
from topical_crawler.strategies.semantic.priority import Priority
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict

_Part = TypeVar("_Part")

PARTS = {
    "feedback": "learning from words",
    "labels": "tags and breadcrumbs of a page",
    "sites": "what sites say of themselves",
    "lists": "lists of links are read otherwise than articles",
    "survey": "lists of all that a site has are fetched early",
    "hubs": "a list is worth what it leads to",
    "failures": "learning from what could not be fetched",
    "model": "learned weights of links",
    "rejudging": "remembered pages are judged again",
    "second_look": "rejected pages are judged again",
    "address": "words and shape of an address",
    "anchor": "words of anchors",
    "place": "the place of a link on its page",
    "standing": "how the pages of a link stand by now",
    "likeness": "likeness of a link's words to those of articles on topic",
    "eq5": "the three parts of Eq. 5",
    "meaning": "nearness in meaning to the topic's sentence",
}


def adaptive_without(*parts: str) -> type[Adaptive]:
    """The strategy without these parts, of :data:`PARTS`.

    Raises:
        ValueError: there is no such part.

    >>> adaptive_without("hubs", "eq5").name
    'adaptive'
    """
    if unknown := [part for part in parts if part not in PARTS]:
        raise ValueError(f"adaptive has no part {', '.join(unknown)}. Remedy: choose among {', '.join(PARTS)}")
    return type("AdaptiveWithout", (_AdaptiveWithout,), {"without": frozenset(parts)})


class _AdaptiveWithout(Adaptive):
    without: ClassVar[frozenset[str]]

    def __init__(
        self,
        topic: Topic,
        segmenter: Segmenter,
        eq5: Priority,
        parameters: AdaptiveParameters | None = None,
        encoder: Encoder | None = None,
    ) -> None:
        super().__init__(topic, segmenter, eq5, parameters, None if "meaning" in self.without else encoder)
        classifier, without, near = self._classifier, self.without, self._nearness.of_short
        self._links = Links(without, segmenter.cut, classifier.terms_of, classifier.word_ids, self._relevance, near)
        self._changing = Changing(without)
        if "feedback" in without:
            self._classifier = _replaced(self._classifier, refit=lambda memory: None)
        if "lists" in without:
            self._classifier = _replaced(self._classifier, read=lambda page, article: classifier.read(page, article=True))
        if "rejudging" in without:
            self._classifier = _replaced(self._classifier, probabilities=lambda memory: memory.relevance[: len(memory)])
        if "sites" in without:
            self._sites = _replaced(self._sites, own=lambda page: page)
        if "model" in without:
            self._model = _replaced(self._model, refit=lambda table, prior, values: None)

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        return super().judge(dataclasses.replace(page, labels=()) if "labels" in self.without else page, found)

    def missed(self, url: str, found: Sequence[Evidence]) -> Lesson | None:
        return None if "failures" in self.without else super().missed(url, found)

    def reconsider(self, lessons: Sequence[Any]) -> list[Verdict | None]:
        return [None] * len(lessons) if self.without & {"rejudging", "second_look"} else super().reconsider(lessons)

    def may_reconsider(self, lesson: Any) -> bool:
        return not self.without & {"rejudging", "second_look"} and super().may_reconsider(lesson)

    def explain(self, candidate: Candidate) -> dict[str, float]:
        """Nothing without Eq. 5, with which the reasons begin."""
        return {} if "eq5" in self.without else super().explain(candidate)

    def _outcomes(self) -> tuple[Floats, NDArray[np.bool_]]:
        if "hubs" not in self.without:
            return super()._outcomes()
        memory, n = self._memory, len(self._memory)
        return np.where(memory.is_article[:n], memory.relevance[:n], np.float32(0)), np.ones(n, dtype=bool)

    def _standing(self, links: Sequence[tuple[str, LinkView]]) -> Floats:
        state = super()._standing(links)
        if "eq5" in self.without:
            state[EQ5] = 0
        return state


class Links(LinkFeatures):
    """Reads less of links: an anchor or an address without words, terms or features."""

    def __init__(self, without: frozenset[str], *arguments: Any) -> None:
        self._without = without
        self._left_out = _kinds_of(without)
        super().__init__(*arguments)

    def view(self, url: str, evidence: Sequence[Evidence]) -> LinkView:
        view = super().view(url, evidence)
        return view._replace(is_survey=False) if "survey" in self._without else view

    def _numbers(self, features: Iterable[Feature], most: int) -> Numbers:
        return super()._numbers([feature for feature in features if feature[0] not in self._left_out], most)

    def _read_address(self, url: str) -> LinkText:
        return self._less(super()._read_address(url), "address")

    def _read_anchors(self, anchors: Sequence[str]) -> LinkText:
        return self._less(super()._read_anchors(anchors), "anchor")

    def _less(self, text: LinkText, part: str) -> LinkText:
        if part in self._without:
            text = text._replace(terms=0.0)
        return text._replace(words=self._no_words) if "likeness" in self._without else text


class Changing(ChangingFeatures):
    """Fewer kinds of changing features."""

    def __init__(self, without: frozenset[str]) -> None:
        super().__init__()
        left_out = _kinds_of(without)
        self._kept = [place for place, kind in enumerate(self.kinds) if kind not in left_out]
        self.kinds = tuple(kind for kind in self.kinds if kind not in left_out)

    def numbers(self, state: NDArray[np.float32]) -> Numbers:
        return super().numbers(state)[:, self._kept]


def _kinds_of(parts: Iterable[str]) -> frozenset[str]:
    return frozenset(kind for part in parts for kind in KINDS.get(part, ()))


def _replaced(part: _Part, **methods: Callable[..., Any]) -> _Part:
    """The part, of which these methods are others for whoever calls them from outside."""
    return cast(_Part, _Replaced(part, methods))


class _Replaced:
    def __init__(self, part: object, methods: dict[str, Callable[..., Any]]) -> None:
        self._part = part
        self.__dict__.update(methods)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._part, name)
