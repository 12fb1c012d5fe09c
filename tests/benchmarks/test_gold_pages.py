"""The reader of gold: which lines of a page are its main text, and what it refuses."""

from pathlib import Path

import pytest
from gold_pages import GoldError, Mark, gold_lines, page_lines, read_gold, read_marks

GOLD = Path(__file__).parents[2] / "benchmarks/gold"
URL = "http://www.example.cn/a.html"
PAGE = """<nav>首页</nav><h1>排序算法</h1><div>2024-05-01</div><p>排序的代码如下：</p>
<figure class="highlight"><table><tr><td class="gutter"><pre>1
2</pre></td><td class="code"><pre>def f(x):<br>    return x</pre></td></tr></table></figure>
<p>分享</p><p>其中<script type="math/tex">x_i</script>是数。</p>
<h2>总结<a class="headerlink" href="#a">¶</a></h2><p>分享</p><footer>©</footer>"""


def kept(*rows: tuple[str, str, str]) -> list[str]:
    lines = page_lines(PAGE)
    marks = [Mark(*row, "gold.tsv:2") for row in rows]
    return [line for line, keep in zip(lines, gold_lines(lines, marks), strict=True) if keep]


def test_lines_hold_code_and_formulas_but_no_gutter() -> None:
    assert page_lines(PAGE)[3:9] == ["排序的代码如下：", "def f(x):", "    return x", "分享", "其中$x_i$是数。", "总结"]


def test_spans_drops_and_repeated_lines() -> None:
    whole = ("keep", "排序的代码如下：", "分享 #2")
    assert kept(whole, ("drop", "def…f(x):", "…return x"))[:2] == ["排序的代码如下：", "分享"]
    assert kept(whole, ("each", "分享", ""))[-1] == "总结"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("keep", "没有这一行", ""), "gold.tsv:2: no line is '没有这一行'"),
        (("keep", "分享", ""), "2 lines are '分享'; write which"),
    ],
)
def test_an_anchor_must_name_one_line(row: tuple[str, str, str], message: str) -> None:
    with pytest.raises(GoldError, match=message):
        kept(row)


def test_spans_are_in_the_order_of_the_page() -> None:
    with pytest.raises(GoldError, match="before the end of the one above"):
        kept(("keep", "总结", ""), ("keep", "排序的代码如下：", ""))


def test_a_file_quotes_no_more_than_ten_characters(tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text(f"url\tmark\tfrom\tto\n{URL}\tkeep\t{'排' * 11}\t\n", encoding="utf-8")
    with pytest.raises(GoldError, match=r"gold\.tsv:2: .* more than 10 characters"):
        read_marks(gold)


def test_gold_of_a_recorded_page(tmp_path: Path) -> None:
    gold = tmp_path / "gold.tsv"
    gold.write_text(f"url\tmark\tfrom\tto\n{URL}\tkeep\t排序的…\t…是数。\n", encoding="utf-8")
    (page,) = read_gold(gold, {URL: PAGE})
    assert page.site == "www.example.cn" and page.text.splitlines()[-1] == "其中$x_i$是数。"
