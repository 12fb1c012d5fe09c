"""Pages that are empty until their scripts have run.

>>> is_shell('<body><div id="app"></div><script src="/app.js"></script></body>')
True
>>> is_shell("<body><div id=app><p>" + "村支部的一天" * 40 + "</p></div><script src=/app.js></script></body>")
False
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser

LITTLE = 200  # characters of text, blanks not counted, below which a page may be a shell
NOTHING = 50  # characters below which one is, with scripts, whatever its elements
GAIN = 100  # characters that scripts must add to be worth their requests
_ROOTS = "#app, #root, #__next, #__nuxt, #q-app, #main-app, app-root, [ng-app], [data-reactroot]"  # what frameworks fill
_NO_TEXT = ["script", "style", "noscript", "template", "head"]


def text_length(html: str) -> int:
    """Characters of the text that a reader without scripts sees, blanks not counted.

    >>> text_length("<title>党建</title><body><p>支 部<script>x = 1</script><noscript>请启用脚本</noscript>")
    2
    """
    return _length(LexborHTMLParser(html))


def is_shell(html: str, known: bool = False) -> bool:
    """Whether scripts would fill a page: it has some, and hardly any text; between :data:`NOTHING` and :data:`LITTLE` characters
    also the element that a framework fills, unless scripts are ``known`` to fill pages of this host."""
    if "<script" not in html and "<SCRIPT" not in html:
        return False
    tree = LexborHTMLParser(html)
    has_root = known or tree.css_first(_ROOTS) is not None
    return _length(tree) < (LITTLE if has_root else NOTHING)


def _length(tree: LexborHTMLParser) -> int:
    tree.strip_tags(_NO_TEXT)
    return len("".join(tree.body.text().split())) if tree.body is not None else 0
