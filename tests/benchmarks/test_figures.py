"""Figures that benchmarks compute: the cost of links, scores of texts, and what of a page's structure survives extraction."""

# ruff: noqa: E501 (markup)

import itertools

import performance
import pytest
import structure
from hypothesis import given
from hypothesis import strategies as st
from text_scores import character_precision, character_recall, ngram_f1

PAGE = """<body><nav><pre>menu</pre></nav><div class="post-body"><script src="MathJax.js"></script>
<p>令$x_1$与\\(y\\)</p><script type="math/tex; mode=display">a<b</script><p>$$c$$</p>
<figure class="highlight"><table><tr><td class="gutter"><pre>1<br>2</pre></td><td class="code"><pre>if x:<br>    y()</pre></td></tr></table></figure>
<table><tr><td>年</td><td>数</td></tr><tr><td>2023</td><td>5</td></tr></table></div></body>"""
TEXT = "令$x_1$与$y$\na<b\nc\nif x:\n    y()\n年\t数\n2023\t5"
texts = st.text(alphabet="党建工作\n ", max_size=30)


def test_cost_of_each_kind_of_link_is_told_apart() -> None:
    numbers = itertools.product(range(0, 30, 7), range(0, 80, 13), range(5))
    pages = [(3e-4 + 2e-6 * fetched + 5e-6 * waiting + 40e-6 * new, fetched, waiting, new) for fetched, waiting, new in numbers]
    pages.append((1.0, 1, 1, 1))  # memory was collected
    assert performance.of_links(pages) == pytest.approx({"fetched": 2, "waiting": 5, "new": 40})


def test_everything_of_a_whole_text_is_found() -> None:
    counts, misses = structure.lost(PAGE, TEXT)
    assert {kind: counts[kind] for kind in structure.KINDS} == {"display": 2, "inline": 2, "code": 1, "indented": 1, "tables": 1}
    assert misses == []


def test_what_is_lost_is_named() -> None:
    _, misses = structure.lost(PAGE, "令$x_1$与y\na<b\nif x:\ny()\n年\n数\n2023\n5")
    assert [kind for kind, _ in misses] == ["display", "inline", "indented", "tables"]
    assert ("display", "c") in misses and ("inline", "y") in misses


@given(texts, texts)
def test_scores_are_shares_and_f1_is_symmetric(a: str, b: str) -> None:
    assert 0 <= ngram_f1(a, b) == ngram_f1(b, a) <= 1
    assert 0 <= character_precision(a, b) <= 1
    assert character_recall(a, b) == character_precision(b, a)
    assert ngram_f1(a, a) == character_precision(a, a) == 1


def test_order_counts_for_n_grams_and_not_for_characters() -> None:
    assert ngram_f1("一二三四五六", "六五四三二一") == 0
    assert character_precision("一二三四五六", "六五四三二一") == 1


def test_repetition_counts() -> None:
    assert ngram_f1("党建工作" * 2, "党建工作") == pytest.approx(2 * 1 / 6)
    assert character_precision("党建党建", "党建") == 0.5
    assert character_recall("党建", "党建党建") == 0.5


@pytest.mark.parametrize(("found", "truth", "score"), [("", "", 1), ("党", "党", 1), ("党", "建", 0), ("", "党建工作", 0)])
def test_texts_shorter_than_an_n_gram(found: str, truth: str, score: float) -> None:
    assert ngram_f1(found, truth) == score
