"""Unpacks answers."""

from __future__ import annotations

import re

from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.utils._compression import _DecompressionMaxSizeExceeded

from topical_crawler.failures import BROKEN_ENCODING, Refused

_PACKED = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")  # what no text has, and what is packed has within a few bytes


class UnpackMiddleware(HttpCompressionMiddleware):
    """Scrapy's, but a text that is not packed, whatever its ``Content-Encoding`` says, is taken as it is: some servers label what
    they do not pack, and some recorders unpack what they store. Anything else that cannot be unpacked is refused."""

    @staticmethod
    def _decode(body: bytes, encoding: bytes, max_size: int) -> bytes:
        try:
            return HttpCompressionMiddleware._decode(body, encoding, max_size)
        except _DecompressionMaxSizeExceeded:
            raise
        except Exception as error:  # each coding has its own
            if _PACKED.search(body[:512]):
                raise Refused(BROKEN_ENCODING) from error
            return body
