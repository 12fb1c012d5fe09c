"""Decompression of answers."""

from __future__ import annotations

import re

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.utils._compression import _DecompressionMaxSizeExceeded

from topical_crawler.failures import BROKEN_ENCODING, Refused

_PACKED = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # absent from text, and found within the first bytes of packed data


class UnpackMiddleware(HttpCompressionMiddleware):
    """Scrapy's decompression, tolerant of plain text with a wrong ``Content-Encoding``.

    Some servers label text without packing it, and some recorders unpack what they store. Anything else impossible to unpack is
    refused.
    """

    @staticmethod
    def _decode(body: bytes, encoding: bytes, max_size: int) -> bytes:
        try:
            return HttpCompressionMiddleware._decode(body, encoding, max_size)
        except _DecompressionMaxSizeExceeded:
            raise
        except Exception as error:  # different for each coding
            if _PACKED.search(body[:512]):
                raise Refused(BROKEN_ENCODING) from error
            return body
