"""Strategy ``esvsm`` (Sun et al. 2018): LDA topics, relevance by SVSM, hypernyms for unproductive topic words.

Pages are judged by their full text, links get the priority of Eq. 9 (:mod:`topical_crawler.strategies.esvsm.vector_space`). If
the crawl stalls with few relevant pages, the topic is rebuilt around a hypernym of the topic word (section 1.4). The paper did
so by hand and names the automatic form as future work. Here the crawl does it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from typing import Any, Self

from topical_crawler.strategies.base import Setup, check_fields
from topical_crawler.strategies.esvsm.hypernyms import direct_hypernym
from topical_crawler.strategies.esvsm.topic_model import SUB_TOPICS, WORDS, Replacement, TopicModel
from topical_crawler.strategies.esvsm.vector_space import TextAndAnchor, TextAndAnchorParameters
from topical_crawler.text.segment import Segmenter, normalise
from topical_crawler.web.page import Evidence, Page, Verdict, full_text

REMEMBERED = 100
"""Number of words kept from a rejected page for a second look, heaviest by TF-IDF: about 1.5 kB."""

logger = logging.getLogger(__name__)


@dataclass
class Growth:
    """Counter of pages and relevant pages, each URL once, and of the time without a new relevant one.

    >>> growth = Growth()
    >>> for i in range(3):
    ...     growth.count(f"http://a.cn/{i}", relevant=i == 0)
    >>> growth.pages, growth.relevant, growth.stalled(pages=2, seconds=0), growth.stalled(pages=3, seconds=0)
    (3, 1, True, False)
    """

    pages: int = 0
    relevant: int = 0
    since: int = 0  # pages since the last relevant one
    seen: set[str] = field(default_factory=set)  # digests of addresses
    last: float = field(default_factory=time.monotonic)  # time of the last relevant page, else of the start or resumption

    def count(self, url: str, relevant: bool) -> None:
        """Count a page, unless already counted."""
        digest = blake2b(url.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        if digest in self.seen:
            return
        self.seen.add(digest)
        self.pages += 1
        self.since += 1
        if relevant:
            self.relevant += 1
            self.start()

    def start(self) -> None:
        """Restart the wait for the next relevant page."""
        self.since, self.last = 0, time.monotonic()

    def stalled(self, pages: int, seconds: float) -> bool:
        """Return True without a new relevant page for this many pages, or for this many seconds. 0: ignore."""
        return 0 < pages <= self.since or 0 < seconds <= time.monotonic() - self.last

    def state_dict(self) -> dict[str, Any]:
        """Return the counts as JSON data, without the time."""
        return {"pages": self.pages, "relevant": self.relevant, "since": self.since, "seen": sorted(self.seen)}


@dataclass(frozen=True)
class EsvsmParameters(TextAndAnchorParameters):
    """Constants of the method, read with those of :class:`TextAndAnchorParameters` from the table ``[strategy.esvsm]`` of a
    topic.

    The paper replaces the topic word after 15 seconds without a new relevant page. A number of pages does not depend on machine
    and site.
    """

    page_threshold: float = 0.08
    sub_topics: int = SUB_TOPICS  # number of sub-topics in the topic model (the paper's 10)
    words: int = WORDS  # words per sub-topic (the paper's 20)
    word: str = ""  # replaceable topic word. "": the topic's title
    least_results: int = 1000  # replace nothing from this many relevant pages on (the paper's 1,000)
    stall_pages: int = 200  # replace after this many pages without a new relevant one. 0: never
    stall_seconds: float = 0.0  # replace after this many seconds without one, too. 0: never
    max_replacements: int = 1  # maximum number of replacements (the paper's 1)
    most_results: int = 5000  # end the crawl with this many relevant pages (the paper's 5,000). 0: never

    def __post_init__(self) -> None:
        super().__post_init__()
        check_fields(self, least={"sub_topics": 1, "words": 1})


class Esvsm(TextAndAnchor):
    """Strategy ``esvsm``.

    After replacing a topic word, the crawl searches for the new one, compares anchors of waiting links with the new topic, and
    gives rejected pages a second look by their :data:`REMEMBERED` heaviest words.

    >>> from topical_crawler import Page, strategies
    >>> esvsm = strategies.create("partybuilding", "esvsm", resources=None)
    >>> [esvsm.judge(Page("http://a.cn/", title=title)).keep for title in ("学习贯彻党章 严肃党内政治生活", "球队升至榜首")]
    [True, False]
    """

    name = "esvsm"
    parameters_type = EsvsmParameters
    needs = ("hownet", "hownet_tree", "vectors", "cilin", "cilin_tree", "clc")
    parameters: EsvsmParameters

    def __init__(self, model: TopicModel, word: str, segmenter: Segmenter, parameters: EsvsmParameters) -> None:
        super().__init__(model.measure(), segmenter, parameters)
        self._model = model
        self._word = word
        self.replacements: list[Replacement] = []
        self._growth = Growth()
        self._at_the_top = False

    @classmethod
    def make(cls, setup: Setup) -> Self:
        topic, parameters = setup.topic, setup.parameters(EsvsmParameters)
        if not topic.documents:
            logger.warning(
                "%s/documents.txt is missing. Without it, LDA finds no sub-topics and the topic consists of title, description "
                "and terms. Fill it with texts about the topic (encyclopaedia articles), separated by empty lines",
                topic.source,
            )
        model = TopicModel(
            topic, setup.segmenter, setup.resources, setup.seed,
            sub_topics=parameters.sub_topics, words=parameters.words, cache_dir=setup.cache_dir,
        )  # fmt: skip
        return cls(model, normalise(parameters.word or topic.title), setup.segmenter, parameters)

    @property
    def revision(self) -> int:  # type: ignore[override]
        """Number of replacements: a new topic changes the value of anchors."""
        return len(self.replacements)

    @property
    def search_words(self) -> Sequence[str]:  # type: ignore[override]
        """Hypernyms in place of the topic word."""
        return [replacement.hypernym for replacement in self.replacements]

    @property
    def has_enough(self) -> bool:  # type: ignore[override]
        """True once the crawl has ``most_results`` relevant pages."""
        return 0 < self.parameters.most_results <= self._growth.relevant

    def judge(self, page: Page, found: Sequence[Evidence] = ()) -> Verdict:
        """Judge by the full text.

        The lesson holds the number of replacements so far. For a rejected page it also holds its heaviest words, as long as the
        topic may still change.
        """
        verdict = super().judge(page, found)
        lesson: dict[str, Any] = {"replaced": len(self.replacements)} if self.replacements else {}
        if not verdict.keep and not self._is_settled:
            lesson["words"] = self._model.heaviest(self._segmenter.content(full_text(page)), REMEMBERED)
        return replace(verdict, lesson=lesson or None)

    def reconsider(self, lessons: Sequence[Any]) -> list[Verdict | None]:
        """Judge the words of the lessons against the current topic."""
        return [self._again(lesson["words"]) if lesson and "words" in lesson else None for lesson in lessons]

    def _again(self, words: Mapping[str, int]) -> Verdict:
        relevance = self._measure.of([word for word, times in words.items() for _ in range(times)])
        return Verdict(relevance, relevance > self.page_threshold)

    def learn(self, url: str, verdict: Verdict) -> None:
        """Count the page, and replace the topic word if the crawl has stalled."""
        while (verdict.lesson or {}).get("replaced", 0) > len(self.replacements) and not self._at_the_top:
            self._replace()  # catch up with the resumed crawl
        if self._is_counted:
            return
        self._growth.count(url, verdict.keep)
        if not self._is_settled and self._growth.stalled(self.parameters.stall_pages, self.parameters.stall_seconds):
            self._replace()
        if self._is_counted:
            self._growth.seen.clear()

    def state_dict(self) -> dict[str, Any]:
        replacements = [asdict(replacement) for replacement in self.replacements]
        return {"replacements": replacements, "at_the_top": self._at_the_top, "growth": self._growth.state_dict()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        before = self.replacements
        self.replacements = [Replacement(**entry) for entry in state["replacements"]]
        self._at_the_top = bool(state["at_the_top"])
        self._growth = Growth(**{**state["growth"], "seen": set(state["growth"]["seen"])})
        if self.replacements != before:
            self.use(self._model.measure(self.replacements))

    @property
    def _is_counted(self) -> bool:
        """True if counting no longer matters."""
        return self._is_settled and (self.has_enough or not self.parameters.most_results)

    @property
    def _is_settled(self) -> bool:
        """True if no further replacement is possible."""
        enough = self._growth.relevant >= self.parameters.least_results
        return enough or self._at_the_top or len(self.replacements) >= self.parameters.max_replacements

    def _replace(self) -> None:
        word = self.replacements[-1].hypernym if self.replacements else self._word
        above = direct_hypernym(word, self._model.resources, self._model.texts)
        pages, relevant = self._growth.pages, self._growth.relevant
        if above is None or above.word in (self._word, *(r.hypernym for r in self.replacements)):
            self._at_the_top = True
            logger.warning(
                "After %d pages, %d of them relevant, no source has a hypernym to replace the topic word %r. "
                "Run topical-crawler resources fetch, or set another word in [strategy.esvsm] (word = …)", pages, relevant, word,
            )  # fmt: skip
            return
        self.replacements.append(Replacement(word, above.word, above.source, pages))
        logger.info(
            "After %d pages, %d of them relevant, replacing the topic word %r by its hypernym %r (%s)",
            pages, relevant, word, above.word, above.source,
        )  # fmt: skip
        self.use(self._model.measure(self.replacements))
        self._growth.start()
