"""For the site: files beside the documentation are no pages of it, so links to them become plain text."""

import re
from typing import Any


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    out = re.escape("../" * (page.file.src_uri.count("/") + 1))
    return re.sub(rf"\[([^\]]+)\]\({out}[^)]*\)", r"\1", markdown)
