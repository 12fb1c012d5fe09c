"""Readers of documents by format, bounded in pages, characters and memory."""

from __future__ import annotations

import logging

from topical_crawler.cleaning.characters import count_letters
from topical_crawler.extraction.documents import ENCRYPTED, FAULT, OLD_FORMAT, SCANNED, TOO_LONG, Document, UnreadableError
from topical_crawler.extraction.office import read_docx, read_ofd
from topical_crawler.extraction.typeset import read_pages

logger = logging.getLogger(__name__)

MOST_PAGES = 1_000
MOST_CHARACTERS = 2_000_000
MOST_MEMORY = 1 << 30  # address space of a process reading documents, in bytes
LEAST_LETTERS = 20  # letters on all pages below which a document has no text layer


def read_document(body: bytes, kind: str) -> Document:
    """Read a file of the format ``kind``. Never raises: an unreadable file has a ``reason``, and bugs of readers are logged."""
    try:
        if kind == "docx":
            title, passages = read_docx(body)
        elif kind == "ofd":
            title, passages = read_pages(read_ofd(body, MOST_PAGES, MOST_CHARACTERS))
        elif kind == "pdf":
            from topical_crawler.extraction.pdf import read_pdf  # imports pypdfium2, an extra

            title, passages = read_pages(read_pdf(body, MOST_PAGES, MOST_CHARACTERS))
        else:
            return Document(reason=ENCRYPTED if "EncryptedPackage".encode("utf-16-le") in body else OLD_FORMAT)
    except UnreadableError as error:
        return Document(reason=str(error))
    except MemoryError:
        return Document(reason=TOO_LONG)
    except Exception:
        logger.exception("The reader of %s failed on a document of %s bytes.", kind, len(body))
        return Document(reason=FAULT)
    if sum(len(passage.text) for passage in passages) > MOST_CHARACTERS:
        return Document(reason=TOO_LONG)
    if count_letters(title) + sum(count_letters(passage.text) for passage in passages) < LEAST_LETTERS:
        return Document(reason=SCANNED)
    return Document(title, passages)


def warm_up() -> None:
    """Limit the memory of this process to :data:`MOST_MEMORY`. No-op on Windows."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY if most < 0 else min(MOST_MEMORY, most), most))
