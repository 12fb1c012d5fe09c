"""Pages that benchmarks/fuzz.py found, made by hand: each is read in time and without an exception."""

from __future__ import annotations

import time
from collections.abc import Iterator

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


NESTED = ("div", "b", "p", "ul", "blockquote", "table><tr><td", "a href=/1.html", "font", "svg")
PAGES = {
    "a number without end beside code": f"{TEXT}<table><tr><td>{'1' * 50_000}x<td><pre>a = 1</pre></table>",
    "numbers without end in a gutter": f"{TEXT}<div class=gutter>{'1' * 50_000}x</div><pre>a = 1</pre>",
    "blanks without end in a formula": f"{TEXT}<script type='math/tex'>{' ' * 100_000}x</script>",
    "signs without end in a line": f"{TEXT}<p>支部{'#' * 100_000}学习</p>",
    "empty code, 20,000 times": TEXT + "<pre></pre>" * 20_000,
    "50,000 pieces of code": TEXT + "<p>支部学习。</p><pre>x</pre>" * 50_000,
    "code beside 100,000 elements": TEXT + "<div><pre>a = 1</pre>" * 500 + "<b></b>" * 100_000,
    **{f"100,000 nested <{tag}>": TEXT + f"<{tag}>" * 100_000 for tag in NESTED},
    "nothing but the end of an element": "</p></br>",
    "an encoding that a text cannot have": "<?xml version='1.0' encoding='utf-32'?></p>",
    "characters that XML has not, by number": f"{TEXT}<h2><a class=headerlink>¶</a>章&#1e999;程&#x1g;&#xFFFE;</h2>",
    "a comment beside code": f"{TEXT}<div><!-- x --><pre>a = 1</pre><!-- y --></div>",
}


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_read_and_extracted_in_time(extractor: WorkerPool[Extracted], page: str) -> None:
    began = time.process_time()
    Page.from_html("http://a.cn/1.html", PAGES[page], "utf-8", paths=True, around=True)
    assert time.process_time() - began < SECONDS
    extracted = extractor.run(SECONDS, PAGES[page], "http://www.example.cn/2026/0412/c1.html", MAX_HTML, "", ["支部学习"])
    assert extracted.reason != FAILED
    assert ("主题教育" in extracted.text) == (TEXT in PAGES[page])


def judged() -> bool:
    """A page with a word of 20,000 letters: its parts, in which topic terms are looked for, are their square in number."""
    topic = load_topic("partybuilding")
    setup = Setup(topic.default_strategy, topic, Segmenter(topic.terms), Resources.none(), seed=0)
    page = Page.from_html("http://www.example.cn/", f"<title>党建</title><p>{'㸾' * 20_000}</p>")
    return load(topic.default_strategy).make(setup).judge(page).relevance > 0


def headings() -> bool:
    """Before 60,000 tags that the parser nests, or looks through again and again."""
    pages = (f"<h1>党建</h1>{tag * 60_000}支部" for tag in ("<rt>", "<rp>", "<optgroup>", "<select><option>", "<li><dd>"))
    return all(Page.from_html("http://www.example.cn/", page).heading == "党建" for page in pages)


def cleaned() -> bool:
    """Code with 100,000 blank lines in it."""
    return repair_verbatim("a = 1" + "\n " * 100_000 + "b = 2\n\n").endswith("\n b = 2")


WORK = {work.__name__: work for work in (judged, headings, cleaned)}


def do(name: str) -> bool:
    return WORK[name]()


def warm() -> None:
    load_topic("partybuilding")


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkerPool[bool]]:
    pool = WorkerPool(do, warm, 1, computes=True)
    yield pool
    pool.close()


@pytest.mark.parametrize("name", WORK)
def test_long_words_headings_and_code_are_read_in_time(worker: WorkerPool[bool], name: str) -> None:
    assert worker.run(SECONDS, name)
