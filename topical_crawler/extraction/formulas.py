"""TeX of the formulas on a page: scripts, images, MathML, drawn glyphs, text between delimiters.

The best source on the page wins: TeX in a script, an attribute or an annotation, else the MathML or the glyphs converted by
:func:`to_tex`.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate, chain, islice
from typing import Any, cast
from urllib.parse import parse_qsl, unquote, urlsplit

from lxml.etree import XPath
from lxml.html import Element, HtmlElement, fragment_fromstring

HAN = re.compile(r"[\u3400-\u9fff]")
_RENDERED = re.compile(
    r"(?:^|\s)(?:katex(?:--?(?:display|inline))?|(?:MathJax|MJX)(?:_SVG|_CHTML|_MathML|c)?(?:[_-]Display)?|MathJax_(?:Preview|Message)|"
    r"mwe-math-element)(?=\s|$)",
    re.IGNORECASE,
)
_FORMULA_IMAGE = re.compile(r"(?:^|[\s_-])(?:math|latex|tex|formula|equation|mwe-math)(?=$|[\s_-])", re.IGNORECASE)
_DISPLAYSTYLE = re.compile(r"^\{\s*\\(?:display|text)style\s*(.*)\}$", re.S)
_CDATA = re.compile(r"(?:%\s*+)?(?:<!\[CDATA\[|\]\]>)")  # no leading blanks: each of a run would start a match
_DELIMITERS = re.compile(r"^(?:\$\$(.*)\$\$|\\\[(.*)\\\]|\\\((.*)\\\)|\$(.*)\$)$", re.S)
_TEX_SCRIPT = re.compile(r"math/(?:tex|latex|mml|asciimath)", re.I)


def read_formula(element: HtmlElement, classes: str) -> tuple[str, bool] | None:
    """Return the TeX of a formula and True if it stands by itself. The TeX is "" for a drawn copy. None for anything else."""
    tag = element.tag
    display = "display" in classes.lower() or "block" in classes or element.get("display") in ("block", "true")
    if tag == "script" and not _TEX_SCRIPT.match(element.get("type", "")):
        return None
    if tag == "script":
        return _clean_tex("".join(element.itertext())), "display" in element.get("type", "")
    if tag == "img":
        return _of_image(element, display)
    rendered = tag in ("math", "mjx-container") or _RENDERED.search(classes)
    if not (rendered or element.get("data-tex") or element.get("data-latex") or element.get("data-formula")):
        return None
    if next(element.iter("p", "h1", "h2", "h3", "article", "pre"), None) is not None:
        return None  # a part of the page around formulas
    display = display or element.find(".//math[@display='block']") is not None
    if "MathJax" in classes and tag not in ("math", "mjx-container"):
        if "katex" not in classes and _has_script(element):
            return "", False
        if "MathJax_Preview" in classes or "MathJax_Message" in classes:
            return "", False
        display = display or element.find(".//*[@display='block']") is not None
    if (tex := _tex_of(element)) is None or not set(HAN.findall("".join(element.itertext()))) <= set(tex):
        return None  # no TeX, or more text than the formula
    image = element.find(".//img[@class]")
    return tex, display or (image is not None and "fallback-image-display" in image.get("class", ""))


def _tex_of(element: HtmlElement) -> str | None:
    """Return the TeX in an attribute, script or annotation of an element, else TeX converted from its MathML or glyphs."""
    for holder in chain((element,), element.iterfind(".//math"), element.iterfind(".//script")):
        for name in ("data-tex", "data-latex", "data-formula", "alttext", "data-mathml"):
            if not (value := holder.get(name)):
                continue
            return _clean_tex(_of_source(value) if name == "data-mathml" else value)
        if holder.tag == "script" and _TEX_SCRIPT.match(holder.get("type", "")):
            return _clean_tex("".join(holder.itertext()))
    for note in element.iter("annotation"):
        if "tex" in note.get("encoding", "").lower():
            return _clean_tex("".join(note.itertext()))
    if (math := element if element.tag == "math" else element.find(".//math")) is not None:
        return _clean_tex(to_tex(math))
    if (image := element.find(".//img[@alt]")) is not None:
        return _clean_tex(image.get("alt", ""))
    return _clean_tex(to_tex(element)) if element.tag == "mjx-container" else None


def _has_script(element: HtmlElement) -> bool:
    """Return True if the TeX of a drawn formula follows in a script."""
    for following in islice(element.itersiblings(), 4):
        if following.tag == "script":
            return _TEX_SCRIPT.match(following.get("type", "")) is not None
        if "MathJax" not in following.get("class", "") or (following.tail or "").strip():
            return False
    return False


def _of_image(image: HtmlElement, display: bool) -> tuple[str, bool] | None:
    alt = (image.get("data-formula") or image.get("alt") or "").strip()
    source = (image.get("src") or image.get("data-src") or "").strip()
    if "tex=" in source:
        try:
            query = dict(parse_qsl(urlsplit(source).query))
        except ValueError:
            query = {}
        alt = alt or query.get("tex", "") or query.get("latex", "")
    elif "latex" in source and not alt:
        alt = unquote(source.partition("?")[2])
    elif not any(name in image.attrib for name in ("eeimg", "data-eeimg", "data-formula")) and not (
        _FORMULA_IMAGE.search(image.get("class", "")) or "latex" in source
    ):
        return None
    if not alt or (HAN.search(alt) and "\\" not in alt):
        return None
    tex = _clean_tex(alt)
    return tex.removesuffix("\\\\").strip(), display or tex.endswith("\\\\")


def _clean_tex(text: str) -> str:
    text = _CDATA.sub("", text).replace("\xa0", " ").strip()
    if (match := _DELIMITERS.match(text)) is not None:
        text = next(group for group in match.groups() if group is not None).strip()
    if (match := _DISPLAYSTYLE.match(text)) is not None and _is_balanced(match[1]):
        text = match[1].strip()
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip())


def _is_balanced(tex: str) -> bool:
    depths = list(accumulate((sign == "{") - (sign == "}") for sign in tex))
    return not depths or (min(depths) >= 0 and depths[-1] == 0)


def as_element(tex: str, display: bool) -> HtmlElement | str:
    """Return the replacement of a formula in a normalised page: a ``<pre>`` if it stands by itself, else text ``$…$``."""
    if not tex:
        return ""
    if not display:
        return f"${' '.join(tex.split())}$"
    new = Element("pre", {"data-kind": "formula"})
    new.text = storable(tex)
    return new


_ODD = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def storable(text: str) -> str:
    """Return ``text`` without characters invalid in XML."""
    return _ODD.sub("", text)


# -- Formulas between delimiters, left by the page to a script

_DELIMITED = XPath(
    "descendant::text()[contains(., '$') or contains(., '\\(') or contains(., '\\[') or contains(., '\\begin{')][not(ancestor::*["
    "self::pre or self::code or self::script or self::style or self::textarea or self::noscript or self::math or self::title])]"
)
_OPENING = re.compile(
    r"(?<!\\)(?:\$\$|\\\[|\\\(|\$|\\begin\{((?:equation|align|alignat|flalign|gather|eqnarray|multline|displaymath)\*?)\})"
)
_CLOSING = {"$$": "$$", "$": "$", "\\[": "\\]", "\\(": "\\)"}
_IN_TEX = frozenset(("br", "em", "i"))  # Markdown turns _ and * into emphasis, newlines into breaks
MAX_TEX = 5_000  # longest formula between delimiters


def read_delimiters(tree: HtmlElement) -> list[HtmlElement]:
    """Replace delimited formulas in ``tree`` by elements and ``$…$``, in place. Return the changed elements."""
    holders: dict[HtmlElement, None] = {}
    for text in cast("list[Any]", _DELIMITED(tree)):
        holder = text.getparent()
        if (holder := holder.getparent() if text.is_tail else holder) is not None:
            holders[holder] = None
    return [holder for holder in holders if _take_formulas(holder)]


def _take_formulas(holder: HtmlElement) -> bool:
    """Replace the formulas in the text of an element, also across line breaks. Return True if any became an element."""
    pieces: list[str | HtmlElement] = [holder.text or ""]
    for child in holder:
        pieces += child, child.tail or ""
    new: list[str | HtmlElement] = []
    unclosed: set[str] = set()  # delimiters without an end before the next element of another kind
    changed = False
    at = place = 0
    while at < len(pieces):
        piece = pieces[at]
        if not isinstance(piece, str) or (opening := _OPENING.search(piece, place)) is None:
            if isinstance(piece, str):
                new.append(piece[place:])
            else:
                new.append(piece)
                if piece.tag not in _IN_TEX:
                    unclosed.clear()
            at, place = at + 1, 0
            continue
        closing = f"\\end{{{opening[1]}}}" if opening[1] else _CLOSING[opening[0]]
        found = None if closing in unclosed else _until(pieces, at, opening.end(), closing)
        new.append(piece[place : opening.start()])
        if found is None:
            unclosed.add(closing)
            new.append(opening[0])
            place = opening.end()
            continue
        tex, end, place = found
        if closing == "$" and end == at:
            new.append(f"${tex}$")
        else:
            tex = opening[0] + tex + closing if opening[1] else tex
            new.append(as_element(_clean_tex(tex), display=closing not in ("$", "\\)")))
            changed = True
        at = end
    if changed:
        _set_content(holder, new)
    return changed


def _until(pieces: list[str | HtmlElement], at: int, place: int, closing: str) -> tuple[str, int, int] | None:
    """Return the TeX up to ``closing``, and the piece and place behind it. None if something else than a formula follows."""
    parts: list[str] = []
    length = 0
    for number in range(at, len(pieces)):
        piece = pieces[number]
        if isinstance(piece, str):
            end = piece.find(closing, place)
            parts.append(piece[place : end if end >= 0 else None])
            if end >= 0:
                tex = "".join(parts)
                return (tex, number, end + len(closing)) if tex.strip() and "。" not in tex else None
        elif piece.tag == "br":
            parts.append("\n")
        elif piece.tag in _IN_TEX and len(piece) == 0:
            sign = "*" if parts and parts[-1].endswith("^") else "_"
            parts.append(f"{sign}{piece.text or ''}{sign}")
        else:
            return None
        length += len(parts[-1])
        if length > MAX_TEX:
            return None
        place = 0
    return None


def _set_content(holder: HtmlElement, content: list[str | HtmlElement]) -> None:
    holder.text = None
    elements: list[HtmlElement] = []
    texts: list[list[str]] = [[]]
    for piece in content:
        if isinstance(piece, str):
            texts[-1].append(piece)
        else:
            elements.append(piece)
            texts.append([])
    for element, text in zip(elements, texts[1:], strict=True):
        element.tail = "".join(text) or None
    holder.text = "".join(texts[0]) or None
    holder[:] = elements


# -- From MathML, or the tree of nodes that MathJax draws, to TeX

_MAX_NESTED = 40
_FUNCTION = re.compile("(?:arc)?(?:cos|sin|tan)h?|arg|cot|det|dim|exp|gcd|inf|ker|lim|ln|log|max|min|sup")
_ACCENTS = {"^": "hat", "ˆ": "hat", "¯": "bar", "―": "overline", "‾": "overline", "_": "underline", "~": "tilde"} | {
    "˜": "tilde", "→": "vec", "⃗": "vec", "˙": "dot", "¨": "ddot", "⏞": "overbrace", "⏟": "underbrace",
}  # fmt: skip
_SIGNS = {
    "−": "-",
    "⁢": "",
    "⁡": "",
    "⁣": "",
    "⁤": "",
    "∣": "|",
    "′": "'",
    "{": "\\{",
    "}": "\\}",
    "%": "\\%",
    "&": "\\&",
    "#": "\\#",
}
_LEAVES = ("mi", "mn", "mo", "ms", "mtext")


def to_tex(node: HtmlElement, nested: int = 0) -> str:
    """Convert MathML, or a formula drawn by MathJax 3, to TeX. Letters and signs stay in Unicode.

    >>> from lxml.html import fromstring
    >>> to_tex(fromstring("<math><mfrac><mi>a</mi><msqrt><msub><mi>x</mi><mn>2</mn></msub></msqrt></mfrac></math>"))
    '\\\\frac{a}{\\\\sqrt{x_{2}}}'
    """
    name = _name(node)
    if name in _LEAVES or nested > _MAX_NESTED:
        return _leaf(node, name)
    if name in ("annotation", "annotation-xml", "mphantom", "defs", "mjx-assistive-mml", "none", "mprescripts"):
        return ""
    parts = [to_tex(child, nested + 1) for child in node if isinstance(child.tag, str)]
    full = [*parts, "", "", ""]
    match name:
        case "msub":
            return f"{full[0]}_{{{full[1]}}}"
        case "msup":
            return f"{full[0]}^{{{full[1]}}}"
        case "msubsup" | "munderover":
            return f"{full[0]}_{{{full[1]}}}^{{{full[2]}}}"
        case "munder" | "mover" if full[1] in _ACCENTS:
            return f"\\{_ACCENTS[full[1]]}{{{full[0]}}}"
        case "munder":
            return f"{full[0]}_{{{full[1]}}}"
        case "mover":
            return f"{full[0]}^{{{full[1]}}}"
        case "mfrac":
            return f"\\frac{{{full[0]}}}{{{full[1]}}}"
        case "msqrt":
            return f"\\sqrt{{{''.join(parts)}}}"
        case "mroot":
            return f"\\sqrt[{full[1]}]{{{full[0]}}}"
        case "mtd":
            return "".join(parts)
        case "mtr" | "mlabeledtr":
            return " & ".join(parts)
        case "mtable":
            return "\\begin{matrix} " + r" \\ ".join(parts) + " \\end{matrix}"
        case "mfenced":
            return str(node.get("open", "(") + node.get("separators", ",")[:1].join(parts) + node.get("close", ")"))
        case "mspace":
            return " "
    return "".join(parts) or ("" if len(node) else _leaf(node, name))


def _name(node: HtmlElement) -> str:
    return str(node.get("data-mml-node") or str(node.tag).removeprefix("mjx-").rpartition(":")[2]).lower()


def _leaf(node: HtmlElement, name: str) -> str:
    codes = (part.get("data-c", "") for part in node.iter("*"))
    drawn = [chr(int(code, 16)) for code in codes if re.fullmatch("[0-9A-Fa-f]{2,5}", code)]
    text = unicodedata.normalize("NFKC", "".join(drawn or map(str, node.itertext()))).strip()
    if name == "mtext":
        return f"\\text{{{text}}}" if text else " "
    if _FUNCTION.fullmatch(text):
        return f"\\{text} "
    if name == "mi" and len(text) > 1 and text.isalpha():
        return f"\\mathrm{{{text}}}"
    return storable("".join(_SIGNS.get(sign, sign) for sign in text))


def _of_source(mathml: str) -> str:
    try:
        return to_tex(fragment_fromstring(mathml, create_parent="math"))
    except (ValueError, AssertionError):
        return ""
