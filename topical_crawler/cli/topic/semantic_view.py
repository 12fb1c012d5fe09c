"""What the strategy ``semantic`` sees: why a text has its relevance, word by word (Zhou et al. 2019, Eq. 3), and a link its
priority (Eq. 5); for ``scrapy topic explain``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text
from scrapy.settings import BaseSettings

from topical_crawler.cli.strategy import make_strategy, missing_for, refusal
from topical_crawler.config import cache_dir, resources
from topical_crawler.crawl.options import CrawlOptions
from topical_crawler.resources.registry import Resource, Resources
from topical_crawler.strategies import BELOW_THRESHOLD, NO_TOPIC_WORD
from topical_crawler.strategies.semantic.similarity import WordSimilarity
from topical_crawler.strategies.semantic.strategy import Semantic, read_semantic_parameters
from topical_crawler.text.segment import default_stopwords, normalise
from topical_crawler.topic.topic import Topic
from topical_crawler.web.page import Candidate, Evidence, Page, Verdict, description_of

if TYPE_CHECKING:
    from topical_crawler.cli.topic.fetch_pages import Kind

# -- The strategy taken apart


@dataclass(frozen=True)
class Opened:
    """A strategy with what it was made from.

    Attributes:
        strategy: of the topic.
        similarity: Algorithm 1 with the topic's constants, over the resources that there are.
        resources: where they are; those of ``Resources.none()`` where the settings say to use none.
        missing: those that the strategy would use and that are not there.
    """

    strategy: Semantic
    similarity: WordSimilarity
    resources: Resources
    missing: tuple[Resource, ...]


def open_semantic(topic: Topic, settings: BaseSettings, seed: int | None = None) -> Opened:
    """Make the strategy ``semantic`` for a topic as by :func:`make_strategy`, with what its sums are taken apart by.

    Raises:
        TopicError: the topic, or a parameter of it, cannot be read.
        ValueError: a resource cannot be read.
    """
    language = resources(settings) or Resources.none()
    strategy = make_strategy(topic, "semantic", language, settings, seed)
    _, constants = read_semantic_parameters(topic)
    similarity = WordSimilarity.from_resources(language, constants, cache_dir(settings))
    return Opened(cast(Semantic, strategy), similarity, language, missing_for("semantic", language))


ITSELF = "itself"


@dataclass(frozen=True, slots=True)
class WordView:
    """A word with a part in a text's relevance.

    Attributes:
        word: normalised.
        weight: w_d, relative to the mean word's.
        similar: Σ_t w_t·Sim(d,t)² over all topic terms.
        term: the topic term with the greatest part in that sum.
        sim: Sim of word and term, in [0, 1].
        through: what makes them similar: "itself", "HowNet", "vectors" or "HowNet, vectors".
        contribution: w_d·Σ/M, the word's part of the relevance.
        share: of the relevance, in [0, 1].
    """

    word: str
    weight: float
    similar: float
    term: str
    sim: float
    through: str
    contribution: float
    share: float


@dataclass(frozen=True, slots=True)
class TextView:
    """A text as Eq. 3 sees it.

    Attributes:
        relevance: Rel of Eq. 3.
        counted: M, its distinct words that count; those without a part dilute the others.
        words: the words with a part, heaviest first.
        unlike: words that count and are like no topic term, in their order.
        silenced: words that are like a term and weigh 0.
        left_out: words that do not count, by reason ("stop words", "function words", "single characters", "numbers and signs").
    """

    relevance: float
    counted: int
    words: tuple[WordView, ...]
    unlike: tuple[str, ...]
    silenced: tuple[str, ...]
    left_out: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link as Eq. 5 sees it.

    Attributes:
        url, anchor: as on the page.
        of_anchor: Rel(anchor).
        of_parent: Rel(description of the page that holds the link).
        struct: Algorithm 3, 0 or 1.
        priority: α·of_parent + β·of_anchor + λ·struct.
        queued: whether a crawl would queue it.
        refused: why it would not be followed whatever its priority ("file type", "other site" …); "" where nothing is said.
    """

    url: str
    anchor: str
    of_anchor: float
    of_parent: float
    struct: int
    priority: float
    queued: bool
    refused: str = ""


class Explainer:
    """Takes the sums of a strategy apart.

    Args:
        strategy: for the topic.
        similarity: with the constants and resources that the strategy's table was made from.

    >>>     >>> strategy = strategies.create("operating-systems", "semantic", resources=None)
    >>> view = Explainer(strategy, WordSimilarity()).text("一个进程可以有多个线程")
    >>> [(w.word, w.term, w.through, round(w.share, 2)) for w in view.words]
    [('进程', '进程', 'itself', 0.5), ('线程', '线程', 'itself', 0.5)]
    """

    def __init__(self, strategy: Semantic, similarity: WordSimilarity) -> None:
        self._strategy = strategy
        self._similarity = similarity

    def text(self, text: str) -> TextView:
        """Eq. 3 over ``text``, taken apart."""
        strategy = self._strategy
        words = strategy.segmenter.words(text)
        relevance = strategy.relevance(words)
        parts, unlike, silenced = [], [], []
        for word in words:
            weight, similar, term = strategy.factors(word)
            if not similar:
                unlike.append(word)
            elif not weight:
                silenced.append(word)
            else:
                part = weight * similar / len(words)
                sim, through = self._why(word, term)
                parts.append(WordView(word, weight, similar, term, sim, through, part, part / relevance))
        parts.sort(key=lambda p: -p.contribution)
        left_out: dict[str, dict[str, None]] = {}
        for word in strategy.segmenter.cut(text):
            if word not in words and any(c.isalnum() for c in word):
                left_out.setdefault(why_left_out(word), {})[word] = None
        return TextView(
            relevance, len(words), tuple(parts), tuple(unlike), tuple(silenced), {r: tuple(w) for r, w in left_out.items()}
        )

    def links(self, page: Page, verdict: Verdict, refusal: Callable[[str], str | None]) -> list[LinkView]:
        """The links of a page that no parent is known of, best first.

        Args:
            page: that holds them.
            verdict: the strategy's on it.
            refusal: why a URL is not followed whatever it may lead to; None where nothing speaks against it.
        """
        strategy = self._strategy
        views = []
        for link in page.links:
            evidence = Evidence(page.url, verdict.relevance, verdict.keep, link.anchor, 0 if verdict.keep else 1)
            candidate = Candidate(link.url, (evidence,))
            refused = refusal(link.url) or ""
            views.append(
                LinkView(
                    url=link.url,
                    anchor=link.anchor,
                    of_anchor=strategy.relevance(strategy.segmenter.words(link.anchor)),
                    of_parent=verdict.relevance,
                    struct=strategy.struct(link.url, page.url),
                    priority=strategy.priority(link.url, evidence),
                    queued=not refused and strategy.score([candidate])[0] is not None,
                    refused=refused,
                )
            )
        return sorted(views, key=lambda v: (not v.queued, bool(v.refused), -v.priority))

    def _why(self, word: str, term: str) -> tuple[float, str]:
        """Sim of the two, and what it comes from."""
        if normalise(word) == normalise(term):
            return 1.0, ITSELF
        similarity = self._similarity
        parameters = similarity.parameters
        through = [
            name
            for name, value, least in (
                ("HowNet", similarity.sim_h(word, term), parameters.th2),
                ("vectors", similarity.sim_d(word, term), parameters.th1),
            )
            if value > 0 and value >= least
        ]
        return similarity.sim(word, term), ", ".join(through)


def why_left_out(word: str) -> str:
    """Why a normalised word does not count for relevance, unless it is a topic term (:meth:`Segmenter.is_content`).

    >>> [why_left_out(w) for w in ("关于", "的", "2024", "陆续")]
    ['stop words', 'single characters', 'numbers and signs', 'function words']
    """
    if not any(c.isalpha() for c in word):
        return "numbers and signs"
    if len(word) < 2:
        return "single characters"
    return "stop words" if word in default_stopwords() else "function words"


def share_line(words: Sequence[WordView], most: int = 3) -> str:
    """The words that carry a relevance, with their shares: "学习贯彻 42 %, 主题教育 31 %"."""
    return ", ".join(f"{w.word if w.through == ITSELF else f'{w.word}~{w.term}'} {w.share:.0%}" for w in words[:most])


# -- A page or a text explained

_MOST_WORDS = 20
_MOST_LISTED = 12


@dataclass(frozen=True)
class Explained:
    """All that is shown."""

    source: str
    kind: Kind
    page: Page | None
    view: TextView
    on_topic: bool
    body: TextView | None
    body_kept: bool
    no_body: str
    links: Sequence[LinkView]


def decision(link: LinkView, on_topic: bool) -> str:
    """What a crawl would do with a link, in the words of its report."""
    if link.queued:
        return "queued"
    return link.refused or (BELOW_THRESHOLD if on_topic else NO_TOPIC_WORD)


def sentence(e: Explained, opened: Opened) -> str:
    """The decision in a sentence: "on topic: relevance 0.31 is above 0.07; 主题教育 73%"."""
    judged, is_above = ("on topic", "is above") if e.on_topic else ("off topic", "is not above")
    words = share_line(e.view.words) or "no word is like a topic term"
    return f"{judged}: relevance {e.view.relevance:.3g} {is_above} {opened.strategy.parameters.page_threshold:g}; {words}"


def explain(
    opened: Opened, options: CrawlOptions, source: str, kind: Kind, page: Page | None, text: str, reason: str, history: list[str]
) -> Explained:
    strategy = opened.strategy
    explainer = Explainer(strategy, opened.similarity)
    if page is None:
        view = explainer.text(text)
        return Explained(
            source, kind, None, view, view.relevance > strategy.parameters.page_threshold, None, strategy.confirm(text)[1], "", ()
        )
    verdict = strategy.judge(page)
    for url in [*history, page.url] if verdict.keep else history:
        strategy.learn(url, Verdict(verdict.relevance, True))
    links = explainer.links(page, verdict, refusal(options, page))
    body = explainer.text(text) if text else None
    view = explainer.text(description_of(page))
    return Explained(source, kind, page, view, verdict.keep, body, bool(text) and strategy.confirm(text)[1], reason, links)


def figures(e: Explained, opened: Opened, topic: Topic) -> dict[str, Any]:
    strategy = opened.strategy
    head = {n: getattr(e.page, n) for n in ("url", "title", "keywords", "description", "heading", "lead")} if e.page else {}
    return {
        "topic": topic.name,
        "source": e.source,
        "kind": e.kind,
        **head,
        "on_topic": e.on_topic,
        "page_threshold": strategy.parameters.page_threshold,
        **dataclasses.asdict(e.view),
        "text": {
            **(dataclasses.asdict(e.body) if e.body else {}),
            "kept": e.body_kept,
            "text_threshold": strategy.parameters.text_threshold,
            "reason": e.no_body,
        },
        "alpha": strategy.alpha,
        "beta": strategy.beta,
        "lambda": strategy.lam,
        "link_threshold": strategy.parameters.link_threshold,
        "links": [{**dataclasses.asdict(link), "decision": decision(link, e.on_topic)} for link in e.links],
        "missing_resources": [resource.name for resource in opened.missing],
    }


# -- In a terminal


def show_sums(out: Console, e: Explained, opened: Opened, *, body: bool, links: int, everything: bool) -> None:
    """Print the words of a page or a text, what they add up to, and the page's links.

    Args:
        out: where to.
        e: what is explained.
        opened: the strategy.
        body: the words of the main text, too.
        links: most links.
        everything: all words and links.
    """
    _show_words(out, "Words of the " + ("description" if e.page else "text"), e.view, everything)
    if e.page is None or e.body is not None:
        _show_text_line(out, e.body or e.view, e.body_kept, opened.strategy.parameters.text_threshold)
        if e.body is not None and body:
            _show_words(out, "Words of the main text", e.body, everything)
    else:
        out.print(f"\nMain text: none ({e.no_body}): a crawl would not keep this page", markup=False)
    if e.page is not None:
        _show_links(out, e, opened, len(e.links) if everything else links)


def _show_words(out: Console, title: str, view: TextView, everything: bool) -> None:
    out.print(
        f"\n[bold]{title}[/]: {view.counted} count, {len(view.words)} are like a topic term; "
        f"Σ w_d·Σ w_t·Sim² / {view.counted} = {view.relevance:.4g}"
    )
    shown = view.words if everything else view.words[:_MOST_WORDS]
    if shown:
        table = Table("word", "nearest term", "Sim", "through", box=None, header_style="dim", pad_edge=False)
        for name in ("w_d", "Σ w_t·Sim²", "part", "share"):
            table.add_column(name, justify="right")
        for w in shown:
            numbers = f"{w.sim:.2f}", w.through, f"{w.weight:.2f}", f"{w.similar:.2f}", f"{w.contribution:.4f}", f"{w.share:.0%}"
            table.add_row(escape(w.word), escape(w.term), *numbers)
        out.print(table)
    if len(view.words) > len(shown):
        out.print(f"… and {len(view.words) - len(shown)} more (--all)", style="dim")
    for what, words in (
        ("like no topic term; they dilute the others", view.unlike),
        ("weigh 0 (adjust.tsv)", view.silenced),
        *((f"do not count, {reason}", words) for reason, words in view.left_out.items()),
    ):
        if words:
            listed = words if everything else words[:_MOST_LISTED] if words is view.unlike or words is view.silenced else ()
            more = " …" if 0 < len(listed) < len(words) else ""
            out.print(f"{len(words)} {what}{': ' if listed else ''}{' '.join(listed)}{more}", style="dim", markup=False)


def _show_text_line(out: Console, view: TextView, kept: bool, threshold: float) -> None:
    where = (
        f"{'above' if kept else 'not above'} text_threshold {threshold:g}" if threshold else "text_threshold is 0: not looked at"
    )
    out.print(f"\nAs a main text: relevance {view.relevance:.3g}, {where}; {share_line(view.words)}", markup=False)


def _show_links(out: Console, e: Explained, opened: Opened, most: int) -> None:
    strategy = opened.strategy
    queued = sum(link.queued for link in e.links)
    out.print(f"\n[bold]Links[/]: {queued} of {len(e.links)} would be queued")
    rule = f"those above link_threshold {strategy.parameters.link_threshold:g}"
    if not e.on_topic:
        rule = "those with a topic term in their anchor" if not strategy.parameters.tunnel else "all, at a low place (tunnel)"
    out.print(
        f"priority = α {strategy.alpha:.3f}·Rel(parent) {e.view.relevance:.3g} + β {strategy.beta:.3f}·Rel(anchor) "
        f"+ λ {strategy.lam:.3f}·struct; queued: {rule}",
        style="dim",
    )
    table = Table(box=None, header_style="dim", pad_edge=False, expand=out.is_terminal)
    for name in ("priority", "Rel(anchor)", "struct"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("decision", no_wrap=True)
    table.add_column("anchor and address", ratio=1, no_wrap=True, overflow="ellipsis")
    for link in e.links[: max(0, most)]:
        numbers = f"{link.priority:.3f}", f"{link.of_anchor:.3f}", str(link.struct)
        place = Text.assemble(link.anchor or "(no text)", "  ", (link.url, "dim"))
        table.add_row(*numbers, Text(decision(link, e.on_topic), style="green" if link.queued else ""), place)
    if table.row_count:
        out.print(table)
    if len(e.links) > max(0, most):
        out.print(f"… and {len(e.links) - max(0, most)} more (--links N, --all)", style="dim")
