"""Which pages are taken to be empty without scripts."""

from __future__ import annotations

import pytest

from topical_crawler.web.shells import LITTLE, NOTHING, is_shell

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
