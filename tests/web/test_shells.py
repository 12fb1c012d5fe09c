"""Which pages are taken to be empty without scripts."""

import pytest

from topical_crawler.web.shells import LITTLE, NOTHING, SHORT, is_shell, onward

SCRIPT = "<script src=/app.js></script>"


@pytest.mark.parametrize(
    ("html", "unknown", "known"),
    [
        (f"<body><div id=root></div>{SCRIPT}</body>", True, True),
        (f"<body><app-root>正在加载</app-root>{SCRIPT}</body>", True, True),
        (f"<body><div id=app>{'党' * (LITTLE - 1)}</div>{SCRIPT}</body>", True, True),
        (f"<body><div id=app>{'党' * LITTLE}</div>{SCRIPT}</body>", False, False),  # made on the server
        (f"<body><div>{'党' * (NOTHING - 1)}</div>{SCRIPT}</body>", True, True),
        (f"<body><div>{'党' * NOTHING}</div>{SCRIPT}</body>", False, True),  # a short notice
        (f"<body><div>{' 党' * 20}</div><style>{'党' * 500}</style>{SCRIPT}</body>", True, True),
        (f"<body><noscript>{'请启用脚本' * 100}</noscript><SCRIPT>go()</SCRIPT></body>", True, True),
        ("<body><div id=app></div></body>", False, False),  # nothing would fill it
        ("", False, False),
    ],
)
def test_shells(html: str, unknown: bool, known: bool) -> None:
    assert (is_shell(html), is_shell(html, known=True)) == (unknown, known)


def scripted(text: str) -> str:
    return f"<script>{text}</script>"


@pytest.mark.parametrize(
    ("html", "header", "found"),
    [
        ("<META content='3; URL=index.jsp' HTTP-EQUIV=Refresh>", "", (3.0, "index.jsp")),
        ("<meta http-equiv=refresh content='0,b.html'>", "", (0.0, "b.html")),
        ("<meta http-equiv=refresh content='.5;url=&quot;党.html&quot;'>", "", (0.5, "党.html")),
        ("<meta http-equiv=refresh content=30>", "", (0.0, "")),
        ("<noscript><meta http-equiv=refresh content='0;url=b.html'></noscript>", "", (0.0, "")),
        ("<meta http-equiv=refresh content='0;url=b.html'>", "1; c.html", (1.0, "c.html")),
        (scripted("setTimeout(\"location.href='b.html'\", 500)"), "", (0.0, "b.html")),
        (scripted("if (mobile) {location.href='m.html'} else {location.assign('b.html')}"), "", (0.0, "b.html")),
        (scripted("location.href = '/b.html' + location.search"), "", (0.0, "/b.html")),
        (scripted("location.href = '/b?id=' + id"), "", (0.0, "")),
        (scripted("if (location.href == '/b.html') go()"), "", (0.0, "")),
        (scripted("location.href = home()"), "", (0.0, "")),
        ("<body onload='location.href=&quot;b.html&quot;'>", "", (0.0, "b.html")),
        (scripted("window['location'] = `b.html`"), "", (0.0, "b.html")),
        ("<base href=/sub/>" + scripted("location='b.html'"), "", (0.0, "/sub/b.html")),
        ("<base href=/sub/><meta http-equiv=refresh content='0;url=b.html'>", "", (0.0, "/sub/b.html")),
        ("<p>正在进入首页" + scripted("document.location='b.html'"), "", (0.0, "b.html")),
        ("<a href=/c.html>进入</a>" + scripted("location='b.html'"), "", (0.0, "")),
        ("<div id=app></div>" + scripted("if (old) location='/old.html'"), "", (0.0, "")),
        (" " * SHORT + scripted("location='b.html'"), "", (0.0, "")),
        ("<p>" + "党支部的一天" * 20 + scripted("location='b.html'"), "", (0.0, "")),
    ],
)
def test_where_a_page_sends_its_readers(html: str, header: str, found: tuple[float, str]) -> None:
    assert onward(html, header) == found
