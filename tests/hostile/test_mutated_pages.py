"""Pages that benchmarks/fuzz.py found, made by hand: each is read in time and without an exception."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from topical_crawler.cleaning.characters import repair_verbatim
from topical_crawler.extraction.extract import FAILED, MAX_HTML, Extracted, extract, warm_up
from topical_crawler.resources.registry import Resources
from topical_crawler.strategies import Setup, load
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.topic import load_topic
from topical_crawler.web.page import Page
from topical_crawler.workers import WorkerPool

SECONDS = 5.0  # of processor time, which does not depend on what else the machine does
TEXT = "<p>" + "各支部认真开展主题教育，学习党章党规。" * 20 + "</p>"


@pytest.fixture(scope="module")
def extractor() -> Iterator[WorkerPool[Extracted]]:
    pool = WorkerPool(extract, warm_up, 1, computes=True)
    yield pool
    pool.close()


PAGES = {
    "a number without end beside code": f"{TEXT}<table><tr><td>{'1' * 50_000}x<td><pre>a = 1</pre></table>",
    "numbers without end in a gutter": f"{TEXT}<div class=gutter>{'1' * 50_000}x</div><pre>a = 1</pre>",
    "blanks without end in a formula": f"{TEXT}<script type='math/tex'>{' ' * 100_000}x</script>",
    "signs without end in a line": f"{TEXT}<p>支部{'#' * 100_000}学习</p>",
    "empty code, 20,000 times": TEXT + "<pre></pre>" * 20_000,
    "50,000 pieces of code": TEXT + "<p>支部学习。</p><pre>x</pre>" * 50_000,
    "code beside 100,000 elements": TEXT + "<div><pre>a = 1</pre>" * 500 + "<b></b>" * 100_000,
    "100,000 nested elements": TEXT + "<div>" * 100_000,
    "100,000 nested tables": TEXT + "<table><tr><td>" * 33_000,
    "nothing but the end of an element": "</p></br>",
    "an encoding that a text cannot have": "<?xml version='1.0' encoding='utf-32'?></p>",
    "characters that XML has not, by number": f"{TEXT}<h2><a class=headerlink>¶</a>章&#1e999;程&#x1g;&#xFFFE;</h2>",
    "a comment beside code": f"{TEXT}<div><!-- x --><pre>a = 1</pre><!-- y --></div>",
}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_extracted_in_time(extractor: WorkerPool[Extracted], page: str) -> None:
    extracted = extractor.run(SECONDS, PAGES[page], "http://www.example.cn/2026/0412/c1.html", MAX_HTML, "", ["支部学习"])
    assert extracted.reason != FAILED
    assert ("主题教育" in extracted.text) == (TEXT in PAGES[page])


# -- Judging and cleaning


def judged(letters: int) -> float:
    """The relevance of a page with a word of so many letters by the default strategy."""
    topic = load_topic("partybuilding")
    setup = Setup(topic.default_strategy, topic, Segmenter(topic.terms), Resources.none(), seed=0)
    page = Page.from_html("http://www.example.cn/", f"<title>党建</title><p>{'㸾' * letters}</p>")
    return load(topic.default_strategy).make(setup).judge(page).relevance


def cleaned(lines: int) -> str:
    """Code with so many blank lines in it, cleaned."""
    return repair_verbatim("a = 1" + "\n " * lines + "b = 2\n\n")


def headings(tags: int) -> list[str]:
    """Headings before so many tags that the parser nests, or looks through again and again."""
    pages = (f"<h1>党建</h1>{tag * tags}支部" for tag in ("<rt>", "<rp>", "<optgroup>", "<select><option>", "<li><dd>"))
    return [Page.from_html("http://www.example.cn/", page).heading for page in pages]


def warm() -> None:
    judged(1)


def in_time(function: Callable[[int], Any], number: int) -> Any:
    pool = WorkerPool(function, warm, 1, computes=True)
    try:
        return pool.run(SECONDS, number)
    finally:
        pool.close()


def test_a_long_word_is_judged_in_time() -> None:
    """Its parts, in which topic terms are looked for, are the square of its letters in number."""
    assert in_time(judged, 20_000) > 0


def test_a_tag_60_000_times_is_read_in_time() -> None:
    assert in_time(headings, 60_000) == ["党建"] * 5


def test_code_with_many_blank_lines_is_cleaned_in_time() -> None:
    assert in_time(cleaned, 100_000).endswith("\n b = 2")
