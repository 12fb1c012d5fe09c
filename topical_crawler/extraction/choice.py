"""Which extractor's text is taken.

trafilatura's, unless it is in doubt: it has none, or its text is worth little beside all the running text of the page, where
running text counts for it, links and boilerplate against it (:func:`~topical_crawler.extraction.density.text_worth`). Then every
other extractor is asked as well, and of those whose text is worth enough the one is taken that agrees most with the others: they
fail on different pages and in different ways, so what several found is the text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from lxml.html import HtmlElement

from topical_crawler.extraction import extractors
from topical_crawler.extraction.blocks import Block
from topical_crawler.extraction.density import LINKED, text_worth, worth

MIN_SHARE = 0.25
"""Share of the page's prose that trafilatura's text must be worth to be taken without a second look."""
MIN_WORTH = 0.5
"""Share of the most that any candidate is worth, which a candidate must have to be chosen."""
MAX_COMPARED = 50_000
"""Characters of a candidate that are compared with the others."""


def main_text(html: str, tree: HtmlElement, blocks: Sequence[Block]) -> tuple[str, str]:
    """The main text of a page and the name of its extractor, "" and "" where nothing is found.

    Args:
        html: the source.
        tree: its tree; not changed.
        blocks: its blocks.

    Raises:
        ValueError: an extractor failed and no other found a text.
    """
    failed: list[Exception] = []

    def ask(extractor: Callable[[str, HtmlElement], str]) -> str:
        try:
            return extractor(html, tree)
        except Exception as error:  # libraries and pages from anywhere: the others are still asked
            failed.append(error)
            return ""

    linked = links_of(blocks)
    first = ask(extractors.trafilatura)
    if first and not is_doubtful(text_worth(first, linked), prose_of(blocks)):
        return first, "trafilatura"
    candidates = {"trafilatura": first} | {name: ask(extractor) for name, extractor in extractors.FALLBACKS.items()}
    name = choose(candidates, {name: text_worth(text, linked) for name, text in candidates.items()})
    if not name and failed:
        raise ValueError(f"no text, and {len(failed)} extractors failed") from failed[0]
    return candidates.get(name, ""), name


def links_of(blocks: Sequence[Block]) -> set[str]:
    """The lines of a page that are links."""
    return {block.text for block in blocks if block.link_share > LINKED}


def prose_of(blocks: Sequence[Block]) -> float:
    """What all running text of a page is worth."""
    return sum(max(0.0, worth(block)) for block in blocks)


def is_doubtful(value: float, prose: float, min_share: float = MIN_SHARE) -> bool:
    """Whether a text worth ``value`` is too little for a page whose running text is worth ``prose``.

    >>> is_doubtful(300, 400), is_doubtful(0, 0)
    (False, True)
    """
    return value <= 0 or value < min_share * prose


def choose(candidates: Mapping[str, str], worths: Mapping[str, float], min_worth: float = MIN_WORTH) -> str:
    """Name of the candidate to take, "" where none is worth anything.

    Args:
        candidates: texts by the name of their extractors; of equals the first is taken.
        worths: of the texts.
        min_worth: share of the greatest worth that the one to take must have.

    >>> a, b, c = "各支部开展主题党日活动。", "首页 各支部开展主题党日活动。", "热点排行"
    >>> choose({"a": c, "b": a, "c": b}, {"a": 3.0, "b": 9.0, "c": 8.0})
    'b'
    """
    best = max(worths.values(), default=0.0)
    able = [name for name, value in worths.items() if value > 0 and value >= min_worth * best]
    grams = {name: _pairs(candidates[name]) for name in able}
    return max(able, key=lambda name: sum(_f1(grams[name], grams[other]) for other in able), default="")


def _pairs(text: str) -> Counter[str]:
    bare = "".join(text[:MAX_COMPARED].split())
    return Counter(map("".join, pairwise(bare)))


def _f1(a: Counter[str], b: Counter[str]) -> float:
    return 2 * (a & b).total() / max(1, a.total() + b.total())
