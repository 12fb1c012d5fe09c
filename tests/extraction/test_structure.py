"""Formulas, code and tables of every markup come out of a page in one form; nothing that is seen is lost."""

# ruff: noqa: E501 (markup)

import re
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from topical_crawler.extraction.extract import extract
from topical_crawler.extraction.main_text import parse, whole
from topical_crawler.extraction.structure import Block, normalise, read_blocks
from topical_crawler.text.passages import Passage, passages

SENTENCE = "各级党组织要扎实开展主题教育，推动全面从严治党向基层延伸。"
URL = "http://www.example.cn/post/1.html"
MATHJAX = "<script src='https://cdn.example.cn/MathJax.js'></script>"


def blocks(body: str) -> list[Block]:
    tree = parse(f"<html><head><title>页</title></head><body>{body}</body></html>")
    assert tree is not None
    return read_blocks(normalise(tree))


def seen(body: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in blocks(body)]


def text_of(body: str) -> list[Passage]:
    found = extract(f"<html><head><title>页</title></head><body><article>{body}</article></body></html>", URL)
    return passages(found.text, found.layout)


# -- Formulas

MATHML = "<math{}><semantics><mrow><msup><mi>x</mi><mn>2</mn></msup></mrow>{}</semantics></math>"
NOTE = '<annotation encoding="application/x-tex">x^2</annotation>'
DRAWN = "<svg><g><use xlink:href='#E1'/></g></svg>"

INLINE = {
    "MathJax script": '<script type="math/tex">x^2</script>',
    "MathJax 2 with its script": '<span class="MathJax_Preview">x2</span><span class="MathJax" id="MathJax-Element-1"><nobr>x2'
    '</nobr><span class="MJX_Assistive_MathML"><math><mi>x</mi></math></span></span><script type="math/tex">x^2</script>',
    "MathJax 2, drawn": f'<span class="MathJax_SVG" data-mathml="&lt;math&gt;&lt;msup&gt;&lt;mi&gt;x&lt;/mi&gt;&lt;mn&gt;2&lt;/mn&gt;'
    f'&lt;/msup&gt;&lt;/math&gt;">{DRAWN}</span>',
    "MathJax 3 with MathML": f'<mjx-container class="MathJax" jax="SVG">{DRAWN}<mjx-assistive-mml>{MATHML.format("", NOTE)}'
    "</mjx-assistive-mml></mjx-container>",
    "KaTeX": f'<span class="katex"><span class="katex-mathml">{MATHML.format("", NOTE)}</span><span class="katex-html">x2</span></span>',
    "alttext": MATHML.format(' alttext="{\\displaystyle x^2}"', ""),
    "Wikipedia": f'<span class="mwe-math-element"><span class="mwe-math-mathml-inline">{MATHML.format("", NOTE)}</span>'
    '<img class="mwe-math-fallback-image-inline" alt="{\\displaystyle x^2}"></span>',
    "Zhihu": '<span class="ztext-math" data-eeimg="1" data-tex="x^2"><span>x2</span></span>',
    "Zhihu, image": '<img src="https://www.example.cn/equation?tex=x%5E2" alt="x^2" eeimg="1">',
    "image without alt": '<img src="https://www.example.cn/equation?tex=x%5E2">',
    "image, address": '<img src="https://latex.codecogs.com/gif.latex?x%5E2" alt="">',
    "mdnice": '<span class="span-inline-equation" data-formula="x^2"><svg><g/></svg></span>',
    "pandoc": '<span class="math inline">\\(x^2\\)</span>',
    "image with a class": '<img class="inline-formula latex" alt="$x^2$" src="1.png">',
    "delimiters": MATHJAX + "\\(x^2\\)",
    "dollars": "$x^2$",
}
DISPLAY = {
    "MathJax script": '<script type="math/tex; mode=display">% <![CDATA[\nx^2\n%]]></script>',
    "MathJax 2": '<div class="MathJax_Display"><span class="MathJax">x2</span></div><script type="math/tex; mode=display">x^2</script>',
    "KaTeX": f'<span class="katex-display"><span class="katex"><span class="katex-mathml">{MATHML.format("", NOTE)}</span>'
    '<span class="katex-html">x2</span></span></span>',
    "MathML": MATHML.format(' display="block"', NOTE),
    "MathJax 3": f'<mjx-container class="MathJax" display="true">{DRAWN}<mjx-assistive-mml>{MATHML.format("", "")}</mjx-assistive-mml>'
    "</mjx-container>",
    "Zhihu, image": '<img src="https://www.example.cn/equation?tex=x%5E2%5C%5C" alt="x^2\\\\" eeimg="1">',
    "dollars": MATHJAX + "$$<br>x^2<br>$$",
    "brackets": MATHJAX + "\\[x^2\\]",
}


@pytest.mark.parametrize("markup", INLINE.values(), ids=INLINE)
def test_a_formula_in_a_line_is_tex_between_dollars(markup: str) -> None:
    assert seen(f"<p>令{markup}成立</p>") in ([("paragraph", "令$x^2$成立")], [("paragraph", "令$x^{2}$成立")])


@pytest.mark.parametrize("markup", DISPLAY.values(), ids=DISPLAY)
def test_a_formula_by_itself_is_a_block(markup: str) -> None:
    before, formula, after = seen(f"<p>令{markup}成立</p>")
    assert (before, after) == (("paragraph", "令"), ("paragraph", "成立"))
    assert formula in (("formula", "x^2"), ("formula", "x^{2}"))


@pytest.mark.parametrize(
    ("mathml", "tex"),
    [
        ("<mfrac><mn>1</mn><mi>n</mi></mfrac>", r"\frac{1}{n}"),
        ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover><mi>α</mi>", "∑_{i}^{n}α"),
        ("<mover><mi>y</mi><mo>^</mo></mover>", r"\hat{y}"),
        ("<mroot><mi>x</mi><mn>3</mn></mroot><mo>−</mo><mi>sin</mi><mi>x</mi>", r"\sqrt[3]{x}-\sin x"),
        ("<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>0</mn></mtd></mtr></mtable>", r"\begin{matrix} 1 & 0 \end{matrix}"),
        ("<mfenced><mi>a</mi><mi>b</mi></mfenced><mtext>如果</mtext>", r"(a,b)\text{如果}"),
    ],
)
def test_mathml_becomes_tex(mathml: str, tex: str) -> None:
    assert seen(f"<p>式<math>{mathml}</math>中</p>") == [("paragraph", f"式${tex}$中")]


def test_emphasis_within_a_formula_is_the_sign_that_markdown_took() -> None:
    assert seen(f"{MATHJAX}<p>$$a<em>i = b</em>j^<em>c</em>$$</p>") == [("formula", "a_i = b_j^*c*")]


def test_dollars_without_a_script_that_draws_formulas_are_money() -> None:
    assert seen("<p>卖$$5 or $$6</p>") == [("paragraph", "卖$$5 or $$6")]
    assert seen(f"{MATHJAX}<p>$$没有结束</p><p>卖$5一斤。还有$$</p>") == [
        ("paragraph", "$$没有结束"),
        ("paragraph", "卖$5一斤。还有$$"),
    ]


def test_a_picture_with_a_caption_is_no_formula() -> None:
    assert seen('<p>图<img class="context-image tex" alt="会场" src="1.jpg">一</p>') == [("paragraph", "图一")]
    assert seen('<div class="MathJax_Process"><p>正文</p></div>') == [("paragraph", "正文")]


# -- Code

PYTHON = "def f(x):\n    if x:\n        return 1\n\n    return 2"
LINES = PYTHON.split("\n")
NUMBERS = "".join(f"<span class='line'>{n}</span><br>" for n in range(1, 6))
HIGHLIGHTED = PYTHON.replace("def", "<span class='k'>def</span>").replace("return", "<span class='k'>return</span>")


def by_line(template: str, between: str = "") -> str:
    return between.join(template.format(n=n, line=line) for n, line in enumerate(LINES, 1))


TABLE = "<table class='{}'><tr><td class='{}'>{}</td><td class='{}'>{}</td></tr></table>"
CODE = {
    "pre": f"<pre class='language-python'>{PYTHON}</pre>",
    "pre, code": f"<pre><code class='hljs language-python'>{HIGHLIGHTED}\n</code></pre>",
    "Hexo": "<figure class='highlight python'>"
    + TABLE.format("", "gutter", f"<pre>{NUMBERS}</pre>", "code", f"<pre>{by_line('<span class=line>{line}</span><br>')}</pre>")
    + "</figure>",
    "Rouge": "<div class='language-python highlighter-rouge'><div class='highlight'><pre class='highlight'><code>"
    + TABLE.format("rouge-table", "gutter gl", "<pre class='lineno'>1\n2\n3\n4\n5\n</pre>", "code", f"<pre>{HIGHLIGHTED}\n</pre>")
    + "</code></pre></div></div>",
    "Pygments": "<div class='highlight-python notranslate'><div class='highlight'>"
    + TABLE.format("highlighttable", "linenos", "<pre>1\n2\n3\n4\n5</pre>", "code", f"<div><pre>{HIGHLIGHTED}</pre></div>")
    + "</div></div>",
    "CSDN": "<pre><code class='language-python hljs'><ol class='hljs-ln'>"
    + by_line(
        "<li><div class='hljs-ln-numbers'><div class='hljs-ln-n' data-line-number='{n}'></div></div>"
        "<div class='hljs-ln-code'><div class='hljs-ln-line'>{line}</div></div></li>"
    )
    + "</ol></code><div class='hljs-button' data-title='复制'>复制</div></pre>",
    "rows": "<pre><code class='hljs language-python'><table class='hljs-ln'>"
    + by_line("<tr><td class='hljs-ln-numbers'>{n}</td><td class='hljs-ln-code'>{line}</td></tr>")
    + "</table></pre>",
    "one element a line": f"<pre data-lang='python'>{by_line('<code>{line}</code>')}</pre>",
    "spans without breaks": "<pre data-lang='python'><code>" + by_line("<span class='line'>{line}</span>") + "</code></pre>",
    "line breaks": f"<pre class='brush: python;'>{PYTHON.replace(chr(10), '<br>')}</pre>",
    "SyntaxHighlighter": "<div class='syntaxhighlighter  python'>"
    + TABLE.format("", "gutter", by_line("<div class='line'>{n}</div>"), "code", by_line("<div class='line'>{line}</div>"))
    + "</div>",
    "GitHub": f"<div class='highlight highlight-source-python'><pre>{HIGHLIGHTED}</pre></div>",
    "WeChat": f"<section class='code-snippet__fix'><ul class='code-snippet__line-index'>{'<li></li>' * 5}</ul>"
    "<pre data-lang='python'>" + by_line("<code><span class='code-snippet_outer'>{line}</span></code>") + "</pre></section>",
    "numbers of another kind": "<div class='x_code'><pre data-lang='python'>"
    + by_line("<span style='color: #088'>{n}</span> {line}", "\n")
    + "</pre></div>",
    "numbers beside": f"<div class='language-python'><pre>{PYTHON}</pre><div class='line-numbers-wrapper'>{NUMBERS}</div></div>",
    "numbered list": f"<pre><code class='prism language-python'>{PYTHON}</code><ul class='pre-numbering'><li>1</li><li>2</li></ul></pre>",
    "Discuz": "<div class='blockcode' data-lang='python'><div><ol>"
    + by_line("<li>{line}<br></li>")
    + "</ol></div><em onclick='copycode(this)'>复制代码</em></div>",
    "editor": "<div class='cm-content' data-language='python'>" + by_line("<div class='cm-line'>{line}</div>") + "</div>",
    "text area": f"<textarea class='python code' data-lang='python'>{PYTHON}</textarea>",
    "label and button": f"<div class='wrap'><div class='bar'><span>Python</span><a>复制代码</a></div><pre data-lang='Python'>{PYTHON}</pre></div>",
}


@pytest.mark.parametrize("markup", CODE.values(), ids=CODE)
def test_code_is_one_block_as_it_was_written(markup: str) -> None:
    before, *code, after = blocks(f"<p>代码如下：</p>{markup}<p>完</p>")
    assert (before.text, after.text) == ("代码如下：", "完")
    assert [(block.kind, block.text) for block in code] == [("code", PYTHON)]
    assert code[-1].note == "python"


@pytest.mark.parametrize("name", ["language-none", "language-text", "lang-plain", "computeroutput"])
def test_text_is_no_language_of_code(name: str) -> None:
    (code,) = blocks(f"<pre class='line-numbers {name}'><code class='{name}'>x = 1</code></pre>")
    assert (code.kind, code.note) == ("code", "")


def test_numbers_that_are_code_stay() -> None:
    table = "1 小麦 10\n2 水稻 20\n4 玉米 30"
    assert seen(f"<pre class='language-text'><span>x</span>\n{table}</pre>") == [("code", f"x\n{table}")]
    assert seen("<pre><span>copy</span>(code)\n<span>1</span>\n<span>2</span></pre>") == [("code", "copy(code)\n1\n2")]


def test_prose_in_pre_is_prose() -> None:
    assert seen(f"<pre>{SENTENCE}\n\n  {SENTENCE}</pre>") == [("paragraph", SENTENCE)] * 2
    assert seen(f"<pre><code class='language-text'><span># {SENTENCE}</span></code></pre>") == [("code", f"# {SENTENCE}")]


def test_a_page_cannot_claim_a_form_that_it_has_not() -> None:
    assert seen("<pre data-kind='code'><b>a</b>b</pre>") == [("code", "ab")]
    assert [text for _, text in seen("<table data-kind='table'><tr><td><p>甲</p></td></tr></table>")] == ["甲"]


# -- Tables, headings, lists, quotes, captions


def test_a_table_of_data_is_one_block() -> None:
    rows = "<tr><th>年份<th colspan=2>产量</tr><tr><td rowspan=2>2023<td>小麦<br>水稻<td>5</tr><tr><td>玉米<td>6</tr>"
    assert seen(f"<table><caption>表一</caption>{rows}</table>") == [
        ("caption", "表一"),
        ("table", "年份\t产量\n2023\t小麦 水稻\t5\n\t玉米\t6"),
    ]


@pytest.mark.parametrize(
    "table",
    [
        f"<table><tr><td>频道<td>{SENTENCE * 9}</tr><tr><td>页脚<td>版权</tr></table>",
        "<table><tr><td><a href='/1'>第一条新闻</a><td><a href='/2'>第二条新闻</a></tr><tr><td><a href='/3'>第三条</a><td>x</tr></table>",
        "<table><tr><td>一<td>二</tr></table>",
        "<table><tr><td><table><tr><td>一</tr></table><td>二</tr><tr><td>三<td>四</tr></table>",
        "<table><tr><td>用户<td><input name=u></tr><tr><td>密码<td><input name=p></tr></table>",
    ],
    ids=["article", "links", "one row", "nested", "form"],
)
def test_a_table_for_layout_is_none(table: str) -> None:
    assert "table" not in {kind for kind, _ in seen(table)}


def test_headings_items_quotes_and_captions_say_what_they_are() -> None:
    found = blocks(
        "<h2>排序<a class='headerlink' href='#a'>¶</a></h2><h3>方法<span class='mw-editsection'>[<a>编辑</a>]</span></h3>"
        "<ol start=3><li>甲<ul><li>乙</ul><li><p>丙</p><p>丁</p></ol><blockquote><p>引文</p></blockquote>"
        "<figure><img><figcaption>图一</figcaption></figure>"
    )
    assert [(block.kind, block.text, block.level, block.note) for block in found] == [
        ("heading", "排序", 2, ""),
        ("heading", "方法", 3, ""),
        ("item", "甲", 1, "3"),
        ("item", "乙", 2, ""),
        ("item", "丙", 1, "4"),
        ("paragraph", "丁", 0, ""),
        ("quote", "引文", 0, ""),
        ("caption", "图一", 0, ""),
    ]


# -- Whole texts


@pytest.mark.parametrize("markup", [CODE["Hexo"], CODE["Rouge"], DISPLAY["KaTeX"], DISPLAY["MathJax script"]])
def test_the_text_of_an_article_holds_its_code_and_formulas(markup: str) -> None:
    paragraphs = [f"<p>{SENTENCE * 2}（{n}）</p>" for n in range(6)]
    table = "<table><tr><th>算法<th>时间</tr><tr><td>快速<td>1.5</tr></table>"
    found = text_of("".join(paragraphs[:3]) + f"<h2>实现</h2>{markup}{table}" + "".join(paragraphs[3:]))
    kinds = [passage.kind for passage in found]
    assert kinds[3] == "heading" and kinds[4] in ("code", "formula") and kinds[5] == "table"
    assert kinds.count("paragraph") == 6
    assert found[4].text in (PYTHON, "x^2") and found[5].text == "算法\t时间\n快速\t1.5"


def test_code_at_the_end_of_a_text_belongs_to_it() -> None:
    tail = f"<p>代码：</p><pre>{PYTHON}</pre><h2>另一种</h2><pre>{PYTHON}</pre><div class='footer'><a href='/'>返回首页</a></div>"
    found = text_of(f"<p>{SENTENCE * 4}</p>" * 3 + tail)
    assert [passage.kind for passage in found][-3:] == ["code", "heading", "code"]


# -- Anything

PIECES = st.sampled_from(
    "<p>甲|</p>|<div>乙|</div>|<table>|<tr><td>丙|</table>|<pre>丁 x|</pre>|<code>戊|</code>|<li>己|<span class='katex'>庚|</span>"
    "|<span class='MathJax'>辛|$$|$壬$|\\[|\\]|<br>|<em>癸|</em>|<h2>子|<a class='anchor' href='#x'>丑</a>|<math><mi>寅|</math>"
    "|<textarea>|</textarea>|<img class='tex' alt='x'>|<figure class='highlight'>|<td class='gutter'>1|<ol><li>卯|</ol>"
    f"|<blockquote>辰|<!-- x -->|<script>|</script>|{MATHJAX}".split("|")
)


@given(st.lists(PIECES, max_size=25))
def test_nothing_raises_and_no_word_is_lost(pieces: list[str]) -> None:
    tree = parse(f"<html><body><div>{''.join(pieces)}</div></body></html>")
    assert tree is not None
    words = tree.xpath("//body//text()[not(ancestor::script or ancestor::textarea)]")
    before = Counter(re.findall(r"[一-鿿]", "".join(map(str, words))))
    found = read_blocks(normalise(tree))
    after = Counter("".join(block.text for block in found))
    # A drawn formula holds its words several times.
    assert set(before) <= set(after) if "span" in "".join(pieces) else before <= after


@pytest.mark.parametrize(
    "body",
    [
        "<div>" * 30_000 + SENTENCE,
        "<table><tr><td>" * 7_000 + SENTENCE,
        "<table>" + "<tr><td>1<td>2<td rowspan=99 colspan=99>3</tr>" * 7_000 + "</table>",
        "<pre>" * 7_000 + PYTHON,
        f"{MATHJAX}<p>" + "$$ \\( \\[ <br>" * 10_000,
        f"{MATHJAX}<p>" + "<script type='math/tex; mode=display'>x</script>y" * 7_000,
        "<span class='katex'>" * 7_000 + "x",
        "<math>" + "<mrow>" * 7_000 + "<mi>x</mi>",
        "<div class='bar'>Copy</div><pre>x</pre>" * 7_000,
    ],
    ids=["nested", "nested tables", "wide table", "nested pre", "delimiters", "formulas", "nested formulas", "MathML", "labels"],
)
def test_time_is_bounded(body: str) -> None:
    began = time.process_time()
    blocks(body)
    assert time.process_time() - began < 6


@pytest.mark.parametrize("body", ["<p>甲</p>" * 10_000, "<table>" + "<tr><td>甲<td>1</tr>" * 15_000 + "</table>"])
def test_the_time_for_a_whole_text_is_bounded(body: str) -> None:
    found = blocks(f"<div>{body}</div>")
    began = time.process_time()
    assert len(whole(found, set(range(len(found))))) == len(found)
    assert time.process_time() - began < 2
