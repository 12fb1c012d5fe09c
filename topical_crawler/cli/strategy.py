"""The strategy of a topic, made for an action that looks at it; what it makes of a page and of a queue's links."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topical_crawler import strategies
from topical_crawler.cli.terminal import making_progress, printable
from topical_crawler.crawl.link_policy import LinkPolicy, evidence_of
from topical_crawler.crawl.options import CrawlOptions
from topical_crawler.items import OFF_TOPIC_TEXT
from topical_crawler.project import AnySettings
from topical_crawler.resources.registry import Resource, Resources
from topical_crawler.strategies import BELOW_THRESHOLD, OFF_TOPIC, Strategy
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate, Page, Verdict
from topical_crawler.web.urls import fingerprint

if TYPE_CHECKING:
    from topical_crawler.cli.topic.fetch_pages import Kind


def missing_for(name: str, language: Resources) -> tuple[Resource, ...]:
    """The resources that the strategy of this name would use and that are not there."""
    needed = strategies.load(name).needs
    return tuple(resource for resource in language.missing() if resource.name in needed)


def make_strategy(topic: Topic, name: str, language: Resources, settings: AnySettings, seed: int | None = None) -> Strategy:
    """As :func:`topical_crawler.services.reasons.make_strategy`, with a display of its progress."""
    from topical_crawler.services import reasons  # the strategies, which nothing else here needs

    with making_progress() as progress:
        return reasons.make_strategy(topic, name, language, settings, seed, progress)


# -- What a strategy makes of a page: its verdict, and the places of the page's links with their reasons

QUEUED = "queued"


@dataclass(frozen=True, slots=True)
class JudgedLink:
    """A link of a page as a strategy sees it."""

    url: str  # as on the page
    anchor: str  # as on the page
    score: float | None  # the priority; None: not worth a visit
    reasons: Mapping[str, float]  # the parts of the priority by name
    decision: str  # what a crawl would do with it, in the words of its report


@dataclass(frozen=True)
class Judged:
    """A page or a text as a strategy sees it."""

    source: str  # what was asked about
    kind: Kind  # what it was taken for
    page: Page | None  # None for a text
    verdict: Verdict  # on the page, or on a page that is described by the text
    text: tuple[float, bool] | None  # (relevance, whether it belongs) of the main text; None where there is none
    no_text: str  # why there is none
    links: Sequence[JudgedLink]  # best first; those that would not be queued last

    @property
    def rejected(self) -> str:
        """Why a crawl would not keep the page, in the words of its report; "" where it would."""
        if not self.verdict.keep:
            return OFF_TOPIC
        if self.text is None:
            return self.no_text
        return "" if self.text[1] else OFF_TOPIC_TEXT


def word_shares(verdict: Verdict, most: int | None = None) -> str:
    """The words that carry a relevance: "学习贯彻 42%, 主题教育 31%"; at most so many of those that the strategy names."""
    return ", ".join(f"{printable(word)} {share:.0%}" for word, share in list(verdict.why.items())[:most])


def as_crawled(page: Page, strategy: Strategy) -> Page:
    """A page as the spider reads it for this strategy, with what it wants to know of links."""
    if strategy.wants_around or strategy.wants_paths:
        return Page.from_html(page.url, page.html, page.encoding, strategy.wants_around, strategy.wants_paths)
    return page


def judge_page(
    strategy: Strategy,
    source: str,
    kind: Kind,
    page: Page | None,
    text: str,
    no_text: str,
    history: Sequence[str],
    refusal: Callable[[str], str | None],
) -> Judged:
    """Have ``strategy`` judge a page and weigh its links, in the order in which a crawl does it.

    Args:
        strategy: as new, or as a crawl has taught it; it learns the page.
        source, kind: what was asked about.
        page: None for a text.
        text: the main text, or the text.
        no_text: why there is none.
        history: addresses of relevant pages, which it is to learn first.
        refusal: why a URL is not followed whatever it may lead to; None where nothing speaks against it.
    """
    verdict = strategy.judge(page or Page("", description=text))
    confirmed = strategy.confirm(text) if text else None
    links: list[JudgedLink] = []
    places: dict[str, tuple[bool, bool, float]] = {}
    if page is not None:
        for url in history:
            strategy.learn(url, Verdict(verdict.relevance, True))
        strategy.learn(page.url, verdict)
        distance = 0 if verdict.keep else 1
        candidates = [Candidate(link.url, (evidence_of(link, page.url, verdict, distance),)) for link in page.links]
        for candidate, score in zip(candidates, strategy.score(candidates), strict=True):
            refused = refusal(candidate.url)
            judged = QUEUED if score is not None else BELOW_THRESHOLD if verdict.keep else strategy.drop_reason
            reasons = {name: float(part) for name, part in strategy.explain(candidate).items()}
            links.append(JudgedLink(candidate.url, candidate.evidence[0].anchor, score, reasons, refused or judged))
            places[candidate.url] = (refused is not None, score is None, -(score or 0.0))
        links.sort(key=lambda link: places[link.url])
    return Judged(source, kind, page, verdict, confirmed, no_text, links)


def refusal(options: CrawlOptions, page: Page | None) -> Callable[[str], str | None]:
    """Why a link of ``page`` is not followed whatever it may lead to."""
    rules, own = LinkPolicy(options), fingerprint(page.url) if page is not None else b""
    return lambda url: "this page itself" if fingerprint(url) == own else rules.refusal(url, 1)
