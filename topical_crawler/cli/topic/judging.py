"""Verdicts of a strategy on pages and texts, and the scores of links with their reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from topical_crawler.cli.terminal import printable, table
from topical_crawler.cli.topic.fetch_pages import Fetched, Kind, fetch_pages, kind_of, read_file
from topical_crawler.config import crawl_options
from topical_crawler.crawl.link_policy import LinkPolicy, evidence_of
from topical_crawler.items import OFF_TOPIC_TEXT
from topical_crawler.project import AnySettings
from topical_crawler.strategies import BELOW_THRESHOLD, OFF_TOPIC, Strategy
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate, Page, Verdict
from topical_crawler.web.urls import fingerprint

QUEUED = "queued"


@dataclass(frozen=True, slots=True)
class JudgedLink:
    """Link of a page, judged by a strategy."""

    url: str  # as on the page
    anchor: str  # as on the page
    score: float | None  # priority, None if not worth a visit
    reasons: Mapping[str, float]  # parts of the priority by name
    decision: str  # of a crawl, in the words of its report


@dataclass(frozen=True)
class Judged:
    """Page or text, judged by a strategy."""

    source: str  # as named by the user
    kind: Kind  # kind of the source
    page: Page | None  # None for a text
    verdict: Verdict  # on the page, or on a page with the text as its description
    main_text: str  # of the page, or the text, or ""
    text: tuple[float, bool] | None  # relevance of the main text, and True if it belongs to the topic. None without one
    no_text: str  # reason for having none
    links: Sequence[JudgedLink]  # best first, links not queued last

    @property
    def rejected(self) -> str:
        """Reason of a crawl for rejecting the page, in the words of its report, "" if it would be kept."""
        if not self.verdict.keep:
            return OFF_TOPIC
        if self.text is None:
            return self.no_text
        return "" if self.text[1] else OFF_TOPIC_TEXT

    @property
    def queued(self) -> int:
        """Number of links to be queued."""
        return sum(link.decision == QUEUED for link in self.links)

    def carried_by(self, most: int | None = None) -> str:
        """Return the words behind the relevance (at most ``most``), and the nearness in meaning to the topic's sentence.

        For example "学习贯彻 42%, 主题教育 31%, meaning 0.46".
        """
        words = [f"{printable(word)} {share:.0%}" for word, share in list(self.verdict.why.items())[:most]]
        return ", ".join([*words, f"meaning {self.verdict.near:.2f}"] if self.verdict.near is not None else words)


def read(names: Sequence[str], settings: AnySettings) -> list[tuple[Kind, Fetched]]:
    """Fetch or read sources named by the user, see :func:`kind_of`. A text has no page."""
    kinds = [kind_of(name) for name in names]
    pages = iter(fetch_pages([name for name, kind in zip(names, kinds, strict=True) if kind in _PAGES], settings))

    def found(name: str, kind: Kind) -> Fetched:
        if kind in _PAGES:
            return next(pages)
        return Fetched(name, None, read_file(name)[0] if kind == "text file" else name)

    return [(kind, found(name, kind)) for name, kind in zip(names, kinds, strict=True)]


_PAGES = ("URL", "HTML file")


class Judge:
    """Judge of pages and texts by a strategy, each as in a crawl of the topic after the earlier ones.

    Args:
        topic: topic of the strategy.
        settings: the project's.
        strategy: a new strategy, or one restored from a crawl. It learns from the pages.
    """

    def __init__(self, topic: Topic, settings: AnySettings, strategy: Strategy) -> None:
        self.strategy = strategy
        self._rules = LinkPolicy(crawl_options(settings, topic, {}))

    def __call__(self, kind: Kind, fetched: Fetched, base: str = "") -> Judged | None:
        """Judge a source. Return None if its page is unavailable.

        Args:
            kind: kind of the source.
            fetched: its page or text.
            base: origin of an HTML file, "" for its path.
        """
        if fetched.page is None and kind in _PAGES:
            return None
        page, strategy = fetched.page, self.strategy
        if page is not None and ((base and kind == "HTML file") or strategy.wants_around or strategy.wants_paths):
            url = base if base and kind == "HTML file" else page.url
            page = Page.from_html(url, page.html, page.encoding, strategy.wants_around, strategy.wants_paths)
        verdict = strategy.judge(page or Page("", description=fetched.text))
        text = strategy.confirm(fetched.text) if fetched.text else None
        links = self._links(page, verdict) if page else []
        return Judged(fetched.url, kind, page, verdict, fetched.text, text, fetched.reason, links)

    def _links(self, page: Page, verdict: Verdict) -> list[JudgedLink]:
        """Score the links of a page, in the order of a crawl."""
        strategy, distance = self.strategy, 0 if verdict.keep else 1
        strategy.learn(page.url, verdict)
        candidates = [Candidate(link.url, (evidence_of(link, page.url, verdict, distance),)) for link in page.links]
        links: list[JudgedLink] = []
        places: dict[str, tuple[bool, bool, float]] = {}
        for candidate, score in zip(candidates, strategy.score(candidates), strict=True):
            refused = self._refused(candidate.url, page)
            judged = QUEUED if score is not None else BELOW_THRESHOLD if verdict.keep else strategy.drop_reason
            reasons = {name: float(part) for name, part in strategy.explain(candidate).items()}
            links.append(JudgedLink(candidate.url, candidate.evidence[0].anchor, score, reasons, refused or judged))
            places[candidate.url] = (refused is not None, score is None, -(score or 0.0))
        return sorted(links, key=lambda link: places[link.url])

    def _refused(self, url: str, page: Page) -> str | None:
        """Return the reason for never following a link of ``page``, or None."""
        return "this page itself" if fingerprint(url) == fingerprint(page.url) else self._rules.refusal(url, 1)


def show_table(out: Console, title: str, pages: Sequence[tuple[Fetched, Judged | None]]) -> None:
    """Print a line for each page or text."""
    rows: list[tuple[Text | str, ...]] = []
    for fetched, judged in pages:
        if judged is None:
            rows.append((fetched.url, "", Text("no page", style="red"), "", "", fetched.reason))
            continue
        page, verdict = judged.page, judged.verdict
        title_of = page.title if page else " ".join(judged.main_text.split())[:40]
        name = Text.assemble(judged.source, *(("\n", (title_of, "dim")) if title_of else ()))
        decision = Text("on topic", style="green") if verdict.keep else Text("off topic", style="red")
        of_text = f"{judged.text[0]:.3g} {'kept' if judged.text[1] else 'rejected'}" if judged.text else judged.no_text
        links = str(judged.queued) if page else ""
        rows.append((name, f"{verdict.relevance:.3g}", decision, of_text, links, judged.carried_by(3)))
    shown = table(("page", ">relevance", "decision", "main text", ">links", "carried by"), rows, title=title, plain=True)
    shown.expand = out.is_terminal
    for column in shown.columns[2:4]:
        column.no_wrap = True
    shown.columns[0].ratio, shown.columns[-1].ratio = 3, 2
    out.print("", shown)
