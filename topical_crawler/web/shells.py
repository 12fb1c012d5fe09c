"""Pages empty until their scripts run, and pages only redirecting their readers.

>>> is_shell('<body><div id="app"></div><script src="/app.js"></script></body>')
True
>>> is_shell("<body><div id=app><p>" + "村支部的一天" * 40 + "</p></div><script src=/app.js></script></body>")
False
"""

from __future__ import annotations

import re
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser

LITTLE = 200  # characters of text, without blanks, below which a page may be a shell
NOTHING = 50  # characters below which a page with scripts is one, with any elements
SHORT = 4096  # most characters of a page with a script only for redirecting
GAIN = 100  # least characters added by scripts to be worth their requests
_ROOTS = "#app, #root, #__next, #__nuxt, #q-app, #main-app, app-root, [ng-app], [data-reactroot]"  # filled by frameworks
_REFRESH = re.compile(r"\s*(\d+\.?\d*|\.\d+|)\s*[;,\s]\s*(?:url\s*=\s*)?(?:'([^']*)|\"([^\"]*)|(\S.*))", re.IGNORECASE)
_LOCATION = re.compile(  # a string or the name of one, with nothing added but the query of the page itself
    r"(?:location(?:\.href)?(?:['\"]\])?\s*=|location\.(?:replace|assign)\s*\()\s*(?:\\?['\"`]([^'\"`\\\s]+)\\?['\"`]|([\w$]+))\s*"
    r"(?!\s|\+(?!\s*(?:window\.)?location\.)|[\w.=(\[])"
)
_STRING = re.compile(r"([\w$]+)\s*=\s*['\"`]([^'\"`\s]+)")
_NO_TEXT = ["script", "style", "noscript", "template", "head"]


def text_length(html: str) -> int:
    """Count the characters of text visible without scripts, without blanks.

    >>> text_length("<title>党建</title><body><p>支 部<script>x = 1</script><noscript>请启用脚本</noscript>")
    2
    """
    return _length(LexborHTMLParser(html))


def onward(html: str, header: str = "") -> tuple[float, str]:
    """Return seconds and target of a page's own redirect as written, (0, "") without one.

    Checks its ``header`` Refresh, a meta element, then the last address used by its scripts. Scripts count only on a page without
    any other purpose: at most :data:`SHORT` characters, no links or elements filled by a framework, and hardly any text.

    >>> onward("<meta http-equiv=refresh content='3; URL=党建.htm'>"), onward("<script>location.href='/党建/'</script>")
    ((3.0, '党建.htm'), (0.0, '/党建/'))
    """
    tree = LexborHTMLParser(html)
    scripts = " ".join(
        [*(n.text() for n in tree.css("script")), *(n.attributes["onload"] or "" for n in tree.css("body[onload]"))]
    )
    tree.strip_tags(["script", "noscript"])
    metas = [node.attributes.get("content") or "" for node in tree.css("meta[http-equiv='refresh' i]")]
    base = (node.attributes["href"] or "") if (node := tree.css_first("base[href]")) is not None else ""
    for refresh in filter(None, map(_REFRESH.match, (header, *metas))):
        return float(refresh[1] or 0), urljoin(base, (refresh[2] or refresh[3] or refresh[4] or "").strip())
    if len(html) > SHORT or tree.css_first(f"a[href], frame, iframe, {_ROOTS}") is not None or _length(tree) >= NOTHING:
        return 0.0, ""
    strings = dict(_STRING.findall(scripts))
    targets = [text or strings.get(name, "") for text, name in _LOCATION.findall(scripts)]
    return 0.0, next((urljoin(base, target) for target in reversed(targets) if target), "")


def is_shell(html: str, known: bool = False) -> bool:
    """Return True if scripts would fill a page: it has some, and hardly any text.

    Between :data:`NOTHING` and :data:`LITTLE` characters it also needs an element filled by a framework, unless scripts are
    ``known`` to fill pages of this host.
    """
    if "<script" not in html and "<SCRIPT" not in html:
        return False
    tree = LexborHTMLParser(html)
    has_root = known or tree.css_first(_ROOTS) is not None
    return _length(tree) < (LITTLE if has_root else NOTHING)


def _length(tree: LexborHTMLParser) -> int:
    tree.strip_tags(_NO_TEXT)
    return len("".join(tree.body.text().split())) if tree.body is not None else 0
