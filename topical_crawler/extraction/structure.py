"""Structure of a page: its formulas, code and tables in one form, and its blocks.

Pages encode the same things in many ways: a formula as a script, an image, MathML or drawn glyphs, code as a table with a column
of line numbers. :func:`normalise` repairs the parsed page before extraction, so that all of them read alike:

* ``<pre data-kind="code" data-note="python">`` and ``<pre data-kind="formula">`` hold code and TeX as written.
* Formulas within a line are text between dollar signs.
* ``<table data-kind="table">`` is a table of data, any other table is layout.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import chain, islice
from typing import cast

from lxml.etree import XPath, iterwalk
from lxml.html import Element, HtmlElement

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.extraction.formulas import HAN, as_element, read_delimiters, read_formula, storable
from topical_crawler.extraction.shown import LINE, unwrapped
from topical_crawler.text.passages import VERBATIM, Kind

MAX_BLOCKS = 20_000  # most blocks read of a page
MAX_BUTTON = 10  # most characters of an `<a>` without an address taken for a button

_SPACE = re.compile(rf"[^\S{LINE}]+")
_UNSEEN = frozenset(
    ("script", "style", "noscript", "template", "select", "textarea", "button", "head", "svg", "iframe", "object")
)
_BLOCKS = frozenset(
    (
        *("address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "div", "dl", "dt", "figcaption"),
        *("figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p", "pre"),
        *("section", "table", "tbody", "td", "th", "tr", "ul"),
    )
)
HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_FURNITURE = frozenset(("nav", "footer", "aside"))
_LISTS = frozenset(("ul", "ol"))


# -- Blocks


@dataclass(frozen=True, slots=True)
class Block:
    """Visible part of a page: text between block elements or ``<br>``, a piece of code, a displayed formula, or a table.

    ``kind``, ``level`` and ``note`` are those of a :class:`~topical_crawler.text.passages.Passage`.
    """

    text: str  # white space folded, but as written in code, formulas and tables, never empty
    letters: int  # number of letters and digits
    linked: int  # number of those in links
    links: int  # number of links
    href: str  # address of the first link as written, "" without one
    tag: str  # the innermost heading around it (`h1` … `h6`), else the innermost block element, e.g. `p`, `li`
    furniture: bool  # inside `nav`, `footer` or `aside`
    kind: Kind = "paragraph"
    level: int = 0
    note: str = ""
    # Where its text begins: an element, and True if in its tail. None outside a page.
    element: HtmlElement | None = field(default=None, compare=False, repr=False)
    in_tail: bool = field(default=False, compare=False, repr=False)

    @property
    def link_share(self) -> float:
        """Share of the letters in links, 0 to 1.

        >>> Block("首页", 2, 2, 1, "/", "li", False).link_share
        1.0
        """
        return self.linked / self.letters if self.letters else float(self.links > 0)


def read_blocks(tree: HtmlElement) -> list[Block]:
    """Return the blocks of ``tree`` in order, at most :data:`MAX_BLOCKS`. Leaves the tree unchanged.

    >>> from lxml.html import fromstring
    >>> page = fromstring("<div><h1>党建</h1>第一段<br>第二<b>段</b><ul><li><a href='/'>首页</a></ul><script>x</script></div>")
    >>> [(block.kind, block.text, block.linked) for block in read_blocks(page)]
    [('heading', '党建', 0), ('paragraph', '第一段', 0), ('paragraph', '第二段', 0), ('item', '首页', 2)]
    """
    return list(islice(_lines(_walk(tree)), MAX_BLOCKS))


def _lines(blocks: Iterator[Block]) -> Iterator[Block]:
    """Split blocks at line breaks kept by a style."""
    for block in blocks:
        for line in filter(None, map(str.strip, block.text.split(LINE))) if LINE in block.text else ():
            yield replace(block, text=line, letters=count_letters(line), linked=block.linked if line in block.text[:9] else 0)
        if LINE not in block.text:
            yield block


def _walk(tree: HtmlElement) -> Iterator[Block]:
    parts: list[str] = []
    stack: list[str] = ["body"]
    linked = links = in_link = furniture = quotes = 0
    href = ""
    lists: list[int | None] = []  # next item number of each open list, None without numbers
    item: tuple[int, str] | None = None  # depth and number of an item before its text
    begun: tuple[HtmlElement, bool] | None = None

    def flush() -> list[Block]:
        nonlocal linked, links, href, item, begun
        text = _SPACE.sub(" ", "".join(parts)).strip() if parts else ""
        found: list[Block] = []
        if text:
            tag = next((tag for tag in reversed(stack[-4:]) if tag in HEADINGS), stack[-1])
            kind: Kind = "paragraph"
            level, note = 0, ""
            if tag in HEADINGS:
                kind, level = "heading", int(tag[1])
            elif item is not None:
                kind, (level, note) = "item", item
            elif tag in ("figcaption", "caption"):
                kind = "caption"
            elif quotes:
                kind = "quote"
            item = None
            seen = tag, furniture > 0, kind, level, note, *(begun or ())
            found.append(Block(text, count_letters(text), linked, links, href, *seen))
        parts.clear()
        begun = None
        if text or not in_link:  # a link around blocks belongs to the first one with text
            linked, links, href = 0, 0, ""
        return found

    def add(text: str, element: HtmlElement, in_tail: bool) -> None:
        nonlocal linked, begun
        if begun is None and not text.isspace():
            begun = element, in_tail
        parts.append(text)
        if in_link:
            linked += count_letters(text)

    walk = iterwalk(tree, events=("start", "end", "comment", "pi"))
    for event, element in walk:
        tag = element.tag
        if event == "end":
            if tag in _BLOCKS:
                yield from flush()
                if tag != "br":
                    stack.pop()
                if tag in _LISTS and lists:
                    lists.pop()
                elif tag == "li":
                    item = None
                elif tag == "blockquote":
                    quotes -= 1
            if tag == "a":
                in_link -= _is_link(element)
            elif tag in _FURNITURE:
                furniture -= 1
        elif event == "start":
            form = element.get("data-kind") if tag in ("pre", "table") else None
            if tag in _UNSEEN:
                walk.skip_subtree()
            elif form in VERBATIM:
                yield from flush()
                stack.append(tag)
                yield from _verbatim(element, cast("Kind", form), bool(in_link), furniture > 0)
                walk.skip_subtree()
            else:
                if tag in _BLOCKS:
                    yield from flush()
                    if tag != "br":
                        stack.append(tag)
                    if tag == "li":
                        item = len(lists) or 1, ""
                        if lists and (number := lists[-1]) is not None:
                            number = _number(element.get("value"), number)
                            item, lists[-1] = (len(lists), str(number)), number + 1
                    elif tag in _LISTS:
                        lists.append(_number(element.get("start"), 1) if tag == "ol" else None)
                    elif tag == "blockquote":
                        quotes += 1
                if tag == "a" and _is_link(element):
                    in_link += 1
                    links += element.get("href") is not None
                    href = href or element.get("href", "")
                elif tag in _FURNITURE:
                    furniture += 1
                if element.text:
                    add(element.text, element, False)
        if event != "start" and element is not tree and element.tail:
            add(element.tail, element, True)
    yield from flush()


def _is_link(anchor: HtmlElement) -> bool:
    """Return True if an ``<a>`` leads somewhere or is a button. Targets and permalinks of headings are no links."""
    href = anchor.get("href")
    if href:
        return not (href.startswith(("#", "javascript:")) and _in_heading(anchor))
    return not (anchor.get("name") or anchor.get("id") or _in_heading(anchor)) and len("".join(anchor.itertext())) <= MAX_BUTTON


def _verbatim(element: HtmlElement, kind: Kind, in_link: bool, furniture: bool) -> Iterator[Block]:
    """Yield the blocks of a table, of code or of a formula: its captions and its text as written."""
    for title in element.iterchildren("caption"):
        if text := _cell(title):
            yield Block(text, count_letters(text), 0, 0, "", "caption", furniture, "caption", 0, "", *_first_text(title))
    text = _rows(element) if kind == "table" else element.text or ""
    if text:
        own = [a for a in element.iter("a") if _is_link(a)]
        in_own = count_letters(text) if in_link else sum(count_letters("".join(a.itertext())) for a in own)
        where = _first_text(element) if kind == "table" else (element, False)
        address = own[0].get("href", "") if own else ""
        note = element.get("data-note", "")
        yield Block(text, count_letters(text), in_own, len(own), address, element.tag, furniture, kind, 0, note, *where)


def _number(text: str | None, default: int) -> int:
    return int(text) if text and re.fullmatch("[0-9]{1,6}", text.strip()) else default


def _first_text(element: HtmlElement) -> tuple[HtmlElement, bool]:
    """Return the place of an element's first text, in a table of its first cell with text: an element, True if in its tail."""
    for cell in element.iter("td", "th") if element.tag == "table" else (element,):
        for part in cell.iter():
            if isinstance(part.tag, str) and part.tag not in _UNSEEN and part.text and not part.text.isspace():
                return part, False
            if part is not cell and part.tail and not part.tail.isspace():
                return part, True
    return element, False


MAX_SPAN = 100  # most columns or rows of one cell, and the column from which on cells span one


def _rows(table: HtmlElement) -> str:
    """Return the rows of a table as lines of tab-separated cells. A spanning cell fills the first of its places."""
    lines = []
    reach: dict[int, int] = {}  # column: number of rows below still covered by a cell above
    for row in table.iter("tr"):
        cells: list[str] = []

        def skip_covered(cells: list[str] = cells) -> None:
            while len(cells) < MAX_SPAN and reach.get(len(cells), 0) > 0:
                reach[len(cells)] -= 1
                cells.append("")

        for cell in row.iterchildren("td", "th"):
            skip_covered()
            rows, columns = (min(max(1, _number(cell.get(span), 1)), MAX_SPAN) for span in ("rowspan", "colspan"))
            for column in range(columns if len(cells) < MAX_SPAN else 1):
                if rows > 1:
                    reach[len(cells)] = rows - 1
                cells.append("" if column else _cell(cell))
        skip_covered()
        if any(cells):
            lines.append("\t".join(cells).rstrip("\t"))
    return "\n".join(lines)


def _cell(cell: HtmlElement) -> str:
    return " ".join("".join(_texts(cell)).split())


def _texts(element: HtmlElement) -> Iterator[str]:
    """Yield the visible text of an element, with blanks at the edges of blocks."""
    walk = iterwalk(element, events=("start", "end", "comment", "pi"))
    for event, part in walk:
        if event == "start":
            if part.tag in _UNSEEN:
                walk.skip_subtree()
                continue
            if part.tag in _BLOCKS:
                yield " "
            if part.text:
                yield part.text
        elif part is not element:
            if part.tag in _BLOCKS:
                yield " "
            if part.tail:
                yield part.tail


# -- Normalisation

_TAGS = ("a", "img", "math", "mjx-container", "pre", "script", "table", "textarea")  # elements possibly in need of repair
_HIGHLIGHTERS = ("syntaxhighlighter", "dp-highlighter", "blockcode", "CodeMirror-code", "cm-content", "ace_text-layer")
_HIGHLIGHTER = re.compile(rf"(?:^|\s)(?:{'|'.join(_HIGHLIGHTERS)})(?=\s|$)")
_NAMES = {f"@{name}": name for name in ("data-tex", "data-latex", "data-formula")} | {  # XPath tests by a word of the source
    f"contains(@class, '{name}')": name for name in ("katex", "MathJax", "mwe-math-element", "mw-editsection", *_HIGHLIGHTERS)
}
_RENDERER = XPath(
    "boolean(descendant::script[contains(@src, 'athjax') or contains(@src, 'athJax') or contains(@src, 'katex')"
    " or contains(., 'MathJax') or contains(., 'katex') or contains(., 'renderMathInElement')])"
    " or boolean(descendant::link[contains(@href, 'katex')]) or boolean(descendant::span[starts-with(@class, 'math ')])"
    " or boolean(descendant::*[contains(@class, 'arithmatex')])"
)


MAX_ELEMENTS = 10_000  # most candidates for code, formulas or tables examined: of 1,000 recorded pages the greatest has 526


def normalise(tree: HtmlElement, source: str = "") -> HtmlElement:
    """Bring formulas, code and tables of ``tree`` into the form described by the module, in place.

    Drops drawn copies of formulas, line numbers, and links for editing and copying. The ``source`` of the page only serves to
    skip searches without a chance.

    >>> from lxml.html import fromstring, tostring
    >>> code = "<table><tr><td><pre>1<br>2</pre></td><td><pre>if (x)<br>  y();</pre></td></tr></table>"
    >>> formula = "<p>令<script type='math/tex'>x^2</script>，则</p>"
    >>> page = fromstring(f"<div>{formula}<figure class='highlight c'>{code}</figure></div>")
    >>> print(tostring(normalise(page), encoding="unicode"))
    <div><p>令$x^2$，则</p><figure class="highlight c"><pre data-kind="code" data-note="c">if (x)
      y();</pre></figure></div>
    """
    for element in tree.iter("pre", "table"):
        element.attrib.pop("data-kind", None)  # only ours count
    split: dict[HtmlElement, None] = {}
    if (not source or "ath" in source or "katex" in source) and _RENDERER(tree):
        split.update((holder, None) for holder in read_delimiters(tree) if holder.tag == "p")
    gone: set[HtmlElement] = set()
    named = _named(tuple([test for test, word in _NAMES.items() if not source or word in source]), tree)
    for number, element in enumerate([*named, *tree.iter(*_TAGS)][:MAX_ELEMENTS]):
        if element in gone or element is tree or element.get("data-kind") == "formula":
            continue
        new: HtmlElement | str | None = None
        target = element
        classes = element.get("class", "")
        if element.tag == "table":
            if (code := _code_cell(element)) is not None:
                target, new = element, _code(code, element)
            else:
                if _is_data(element):
                    element.set("data-kind", "table")
                continue
        elif element.tag in ("pre", "textarea") or _HIGHLIGHTER.search(classes):
            if element.tag == "textarea" and "code" not in classes.lower():
                continue
            new = _code(element, element)
        elif element.tag == "a":
            if "headerlink" not in classes and not (_cell(element) in _PERMALINKS and _in_heading(element)):
                continue
            new = ""
        elif "mw-editsection" in classes:
            new = ""
        elif (formula := read_formula(element, classes)) is not None:
            new = as_element(*formula)
        if new is None:
            continue
        if not isinstance(new, str) and new.get("data-kind") == "code":
            _drop_labels(target, new.get("data-note", ""))
        gone.update(target.iter() if number < len(named) else target.iter(*_TAGS))
        parent = target.getparent()
        _replace(target, new)
        if parent is not None and parent.tag == "p" and not isinstance(new, str):
            split[parent] = None
    for paragraph in split:
        _split(paragraph)
    return tree


def _named(tests: tuple[str, ...], tree: HtmlElement) -> list[HtmlElement]:
    return cast("list[HtmlElement]", _any_of(tests)(tree)) if tests else []


@cache
def _any_of(tests: tuple[str, ...]) -> XPath:
    return XPath(f"descendant::*[{' or '.join(tests)}]")


_PERMALINKS = frozenset(("¶", "§", "#", "🔗", "[编辑]", "[編輯]", "编辑", "[edit]", "[ 编辑 ]", "复制", "复制链接"))


def _in_heading(element: HtmlElement) -> bool:
    return any(above.tag in HEADINGS for above in islice(element.iterancestors(), 3))


def _replace(element: HtmlElement, new: HtmlElement | str) -> None:
    """Replace an element by ``new``, keeping the text after it."""
    parent = element.getparent()
    if parent is None:
        return
    tail = element.tail or ""
    if isinstance(new, str):
        before = element.getprevious()
        if before is None:
            parent.text = (parent.text or "") + new + tail
        else:
            before.tail = (before.tail or "") + new + tail
        element.tail = None
        parent.remove(element)
    else:
        new.tail = tail
        element.tail = None
        parent.replace(element, new)


def _split(paragraph: HtmlElement) -> None:
    """End a paragraph before each block in it, and begin another one behind."""
    parts: list[HtmlElement] = []
    tail, paragraph.tail = paragraph.tail, None
    current = paragraph
    for child in list(paragraph):
        if child.tag == "pre" and child.get("data-kind"):
            rest = Element("p")
            rest.text, child.tail = child.tail, None
            parts += child, rest
            current = rest
        elif current is not paragraph:
            current.append(child)
    place = paragraph
    for part in parts:
        if part.tag == "pre" or len(part) or (part.text and part.text.strip()):
            place.addnext(part)
            place = part
    place.tail = tail


# -- Code

_LANGUAGE = re.compile(
    r"(?:^|\s)(?:(?:language|lang|highlight-source|highlight|brush:?|src)[-:\s]\s*)(?!lang|highl)([A-Za-z][\w+#.-]{0,20})(?=\s|;|$)|"
    r"(?:^|\s)(?:hljs|sourceCode|prettyprint|syntaxhighlighter)\s+(?!lang)([a-z][\w+#-]{0,20})(?=\s|$)"
)
_NO_LANGUAGE = re.compile(
    "none|plain([-_]?text)?|te?xt|default|code|table|highlight|hljs|line-?num(ber)?s|notranslate|wrapper|container|null|undefined|chroma"
    "|computeroutput|nohighlight|linenums|rouge|block|auto|prettyprint(ed)?|[0-9.-]+",
    re.IGNORECASE,
)
_GUTTER = re.compile(
    r"(?:^|[\s_-])(?:gutter|linenos?|line-?(?:no|index|numbers?(?:-rows)?|nums?)|ln-num\w*|hljs-ln-n\w*|\w*numbering)(?=$|[\s_-])",
    re.IGNORECASE,
)
_BUTTON = frozenset(
    "复制|复制代码|copy|copy code|code|代码|展开|折叠|复制成功|已复制|复制到剪贴板|代码语言：|运行".split("|")  # noqa: SIM905
)
_BUTTON_CLASS = re.compile("copy|btn|button|toolbar", re.IGNORECASE)
_NUMBERS = re.compile(r"\s*+(?:\d++[.:]?\s*+)++")  # possessive: a long number can be split in very many ways
_ENDS_LINE = frozenset(("br", "div", "p", "pre", "li", "tr", "section"))
_NO_TEXT = frozenset(("table", "tbody", "thead", "tr", "ol", "ul"))
_CODE_CLASS = re.compile("highlight|hljs|code|blob", re.IGNORECASE)
MIN_NUMBERED = 3  # fewest line numbers recognised without a class
MAX_NUMBERED = 100  # most rows checked for numbers
MAX_BESIDE = 20  # most elements before and behind code checked for labels
MAX_LABEL = 5_000  # most elements in one of them: a number for every line
MAX_PROSE = 0.5  # share of Chinese letters over which preformatted text without a language is prose


def _code_cell(table: HtmlElement) -> HtmlElement | None:
    """Return the cell with the code in a table setting code beside line numbers, the table itself if each line is a row."""
    cells = list(islice(table.iter("td", "th"), 4))
    if len(cells) in (1, 2, 3) and next(cells[-1].iter("pre", "code"), None) is not None:
        beside = [cell for cell in cells[:-1] if not _NUMBERS.fullmatch(text := "".join(cell.itertext())) and text.strip()]
        if not beside and (len(cells) > 1 or _names_code(table)):
            return cells[-1]
    return table if _names_code(table) and _numbers_lines(table) else None


def _numbers_lines(table: HtmlElement) -> bool:
    """Return True if the rows are numbered lines of code."""
    rows = [list(row.iterchildren("td", "th")) for row in islice(table.iter("tr"), MAX_NUMBERED)]
    return len(rows) > 1 and all(
        len(cells) == 2 and (_cell(cells[0]) or cells[0].get("data-line-number", "")) in (str(n), "")
        for n, cells in enumerate(rows, 1)
    )


def _names_code(element: HtmlElement) -> bool:
    above = islice(chain((element,), element.iterancestors()), 3)
    return any(_CODE_CLASS.search(part.get("class", "")) for part in above)


def _code(element: HtmlElement, outer: HtmlElement) -> HtmlElement:
    """Return a new element with the code in ``element`` (part of ``outer``), or with its paragraphs if it is prose."""
    text = storable(verbatim(element))
    language = _language(element, outer)
    letters = count_letters(text)
    if not language and len(HAN.findall(text)) > MAX_PROSE * letters and next(element.iter("span"), None) is None:
        new = Element("div")
        for line in unwrapped(text):
            paragraph = Element("p")
            paragraph.text = line
            new.append(paragraph)
        return new
    new = Element("pre", {"data-kind": "code"})
    if language:
        new.set("data-note", language)
    new.text = text
    return new


def _language(element: HtmlElement, outer: HtmlElement) -> str:
    """Return the language of code named by the page, or ""."""
    inner = islice(element.iter("pre", "code"), 3)
    for part in (element, *inner, outer, *islice(outer.iterancestors("figure", "div", "section"), 2)):
        for name in (part.get("data-lang"), part.get("data-language"), part.get("lang") if part.tag in ("pre", "code") else None):
            if name and not _NO_LANGUAGE.fullmatch(name.strip()):
                return str(name).strip().lower()[:20]
        for match in _LANGUAGE.finditer(part.get("class", "")):
            if not _NO_LANGUAGE.fullmatch(name := match[1] or match[2]):
                return name.lower()
        names = part.get("class", "").split() if part.tag == "code" else []
        if len(names) == 1 and not _NO_LANGUAGE.fullmatch(names[0]) and not _LANGUAGE.fullmatch(names[0]):
            return str(names[0]).lower()[:20]
    return ""


def _drop_labels(code: HtmlElement, language: str) -> None:
    """Empty the elements right before and behind code with only its language, a button or its line numbers."""

    def says_nothing(beside: HtmlElement) -> bool:
        if not isinstance(beside.tag, str):
            return True  # a comment
        if beside.tag in HEADINGS or beside.tag == "p" or next(islice(beside.iter(), MAX_LABEL, None), None) is not None:
            return False
        texts = [text for text in map(str.strip, map(str.lower, beside.itertext())) if text]
        return all(text in _BUTTON or text == language for text in texts) or (
            _GUTTER.search(beside.get("class", "")) is not None and all(map(_NUMBERS.fullmatch, texts))
        )

    for place in islice(chain((code,), code.iterancestors("figure", "div", "section", "td")), 3):
        behind, before = place.getnext(), place.getprevious()
        for _ in range(MAX_BESIDE):
            if behind is None or (behind.getprevious().tail or "").strip() or not says_nothing(behind):
                break
            _empty(behind)
            behind = behind.getnext()
        for _ in range(MAX_BESIDE):
            if before is None or (before.tail or "").strip() or not says_nothing(before):
                break
            _empty(before)
            before = before.getprevious()
        if before is not None or behind is not None:
            return


def _empty(element: HtmlElement) -> None:
    for part in element.iter():
        part.text = None
        if part is not element:
            part.tail = None


def verbatim(element: HtmlElement) -> str:
    """Return code as written, with indentation and empty lines, without line numbers and buttons.

    >>> from lxml.html import fromstring
    >>> verbatim(fromstring("<ol><li>if x:</li><li>    y()</li><li></li><li>z</li></ol>"))
    'if x:\\n    y()\\n\\nz'
    """
    out: list[str] = []
    unseen = _line_numbers(element)
    numbered = bool(unseen)
    begun: list[int] = []  # number of parts before each open line-ending element
    codes = element.xpath("./code")
    code_is_line = len(codes) > 1 and len(codes) == len(element) and not any((c.tail or "").strip("\n") for c in codes)
    code_is_line = code_is_line and "\n" not in "".join(element.itertext())
    walk = iterwalk(element, events=("start", "end", "comment", "pi"))
    for event, part in walk:
        tag = part.tag
        if event == "start":
            if part is not element and (part in unseen or _is_gutter(part) or (tag in _UNSEEN and tag != "textarea")):
                unseen.add(part)
                walk.skip_subtree()
                continue
            if tag in _ENDS_LINE:
                if tag != "br" and out and not out[-1].endswith("\n"):
                    out.append("\n")
                begun.append(len(out))
            if part.text and not (tag in _NO_TEXT and part.text.isspace()):
                out.append(part.text)
            continue
        if event == "end" and part not in unseen:
            if tag in _ENDS_LINE:
                before = begun.pop()
                if part is not element and (len(out) == before or not out[-1].endswith("\n")):
                    out.append("\n")
            elif part is not element and ((tag == "code" and code_is_line) or _lacks_end(part)):
                out.append("\n")
        above = part.getparent()
        if part is not element and part.tail and not (above is not None and above.tag in _NO_TEXT and part.tail.isspace()):
            out.append(part.tail)
    lines = "".join(out).replace("\r\n", "\n").replace("\r", "\n").translate(_BLANKS).split("\n")
    if numbered and all(line.startswith(" ") for line in lines if line):
        lines = [line[1:] for line in lines]
    return "\n".join(line.rstrip() for line in lines).strip("\n")


def _line_numbers(element: HtmlElement) -> set[HtmlElement]:
    """Return the elements numbering the lines of code at their beginnings, if all are numbered."""
    found: list[HtmlElement] = []
    for part in element.iter("span", "a", "em", "i"):
        if len(part) == 0 and part.text and part.text.strip() == str(len(found) + 1) and _begins_line(part):
            found.append(part)
    if len(found) < MIN_NUMBERED:
        return set()
    lines = "".join(element.itertext()).strip().count("\n") + 1 + sum(1 for _ in element.iter("br"))
    return set(found) if len(found) >= lines - 1 else set()


def _begins_line(part: HtmlElement) -> bool:
    before, above = part.getprevious(), part.getparent()
    if before is None:
        return not (above.text or "").strip() or above.text.rstrip(" ").endswith("\n")
    text = before.tail or ("\n" if before.tag == "br" else "".join(before.itertext()))
    return bool(text.rstrip(" ").endswith("\n"))


_BLANKS = str.maketrans(
    {"\xa0": " ", "\u200b": "", "\ufeff": "", "\x0b": "", "\x0c": "", "\x85": "\n", "\u2028": "\n", "\u2029": "\n"}
)


def _lacks_end(part: HtmlElement) -> bool:
    """Return True if an element is a line of code and the next line follows without a break."""
    if part.tail or part.tag != "span" or "line" not in part.get("class", "").split():
        return False
    following = part.getnext()
    return following is not None and following.tag == "span" and "line" in following.get("class", "").split()


def _is_gutter(part: HtmlElement) -> bool:
    if part.tag not in ("td", "th", "span", "a", "ul", "ol", "div", "i", "em"):
        return False
    may_be_gutter, may_be_button = _gutter_or_button(part.get("class", ""), part.get("onclick", ""))
    if may_be_gutter:
        text = "".join(part.itertext())
        return not text.strip() or _NUMBERS.fullmatch(text) is not None
    if may_be_button and part.tag in ("div", "span", "a", "i", "em"):
        return "".join(islice(part.itertext(), 3)).strip().lower() in _BUTTON
    return False


@lru_cache(maxsize=1024)  # highlighted code has an element for every word, but few classes
def _gutter_or_button(classes: str, on_click: str) -> tuple[bool, bool]:
    """Return True for attributes of a column of line numbers, and True for those of a button."""
    return _GUTTER.search(classes) is not None, _BUTTON_CLASS.search(classes + on_click) is not None


# -- Tables

MIN_ROWS, MIN_COLUMNS = 2, 2  # fewest of a data table
MAX_LINKED = 0.5  # greatest share of the letters of a data table in links
MAX_CELL = 0.6  # greatest share of its letters in one cell: an article laid out by a table fills one


def _is_data(table: HtmlElement) -> bool:
    """Return True if a table holds data.

    It must have several rows and columns, no nested tables, headings or forms, no text outside of cells, few links, and no
    dominant cell.
    """
    if next(islice(table.iter("table"), 1, None), None) is not None:
        return False
    if next(table.iter("pre", "h1", "h2", "h3", "form", "input", "textarea"), None) is not None:
        return False
    for part in table.iter("table", "thead", "tbody", "tfoot", "tr"):
        if (part.text or "").strip() or any((child.tail or "").strip() for child in part):
            return False  # text outside of cells
    rows = [sum(1 for _ in row.iterchildren("td", "th")) for row in table.iter("tr")]
    if len(rows) < MIN_ROWS or 2 * sum(count >= MIN_COLUMNS for count in rows) < len(rows):
        return False
    texts = HtmlElement.itertext if next(table.iter(*_UNSEEN), None) is None else _texts  # the one is faster
    sizes = [count_letters("".join(texts(cell))) for cell in table.iter("td", "th")]
    total = sum(sizes)
    linked = sum(count_letters("".join(link.itertext())) for link in table.iter("a") if _is_link(link))
    return total > 0 and linked <= MAX_LINKED * total and (max(sizes) <= MAX_CELL * total or total < 200)
