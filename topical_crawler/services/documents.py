"""Documents read by commands outside a crawl."""

from __future__ import annotations

from topical_crawler.corpus.record import CorpusError
from topical_crawler.extraction.documents import as_html, missing
from topical_crawler.extraction.pool import DocumentPool


def read_as_page(pool: DocumentPool, body: bytes, kind: str, name: str) -> tuple[str, str]:
    """Return the document ``name`` as an HTML page and "", or "" and the reason for failure.

    Raises:
        CorpusError: the package for the format ``kind`` is not installed.
    """
    if package := missing([kind]):
        raise CorpusError(
            f"{name} is a document ({kind}), and {package} is not installed. Run pip install 'topical-crawler[documents]'"
        )
    document = pool.read_now(body, kind)
    return ("", document.reason) if document.reason else (as_html(document, kind), "")
