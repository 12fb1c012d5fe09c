"""Time of each step from the bytes of real pages to clean texts, and whether encodings are read right.

    python benchmarks/real_pages.py WEB.warc.gz [--pages 2000] [--seed 5] [--json FILE]

A sample of the recorded HTML pages is decoded, read for its links, extracted, cleaned and measured, one after the other in one
process. Then each page that GB18030 can hold is taken as GB18030, without its declarations of an encoding, and read again.
Printed are CPU milliseconds a page, the share of each step, which encodings were read, how many texts hold U+FFFD or are garbled,
and how many of the pages without a declaration were read as they are. The exit code is 1 where a text is not read right.
"""

from __future__ import annotations

import argparse
import json
import logging
import random
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from topical_crawler.cleaning.characters import GARBLED
from topical_crawler.cleaning.cleaner import TextCleaner
from topical_crawler.corpus import dedup
from topical_crawler.extraction.extract import extract, warm_up
from topical_crawler.web.dom import decode
from topical_crawler.web.page import Page

STEPS = ("decoding", "links", "extraction", "cleaning", "signature")
DECLARED = re.compile(r"<meta[^>]{0,200}charset[^>]{0,100}>|<\?xml[^>]{0,200}\?>", re.IGNORECASE)


def sample(web: Path, count: int, seed: int) -> list[tuple[str, str, bytes]]:
    pages = []
    with web.open("rb") as stream:
        for record in ArchiveIterator(stream):
            if record.rec_type != "response" or record.http_headers.get_statuscode() != "200":
                continue
            kind = record.http_headers.get_header("Content-Type") or ""
            if "html" in kind:
                pages.append((record.rec_headers.get_header("WARC-Target-URI"), kind, record.content_stream().read()))
    pages.sort()
    return random.Random(seed).sample(pages, min(count, len(pages)))


def main() -> int:
    logging.getLogger("warcio").setLevel(logging.ERROR)  # it complains of every blank in an address
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("web", type=Path)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warm_up()
    cleaner = TextCleaner()
    cleaner.clean("各支部开展主题党日活动。" * 20)
    steps: dict[str, list[float]] = defaultdict(list)
    outcomes, encodings, methods = Counter[str](), Counter[str](), Counter[str]()
    replaced = garbled = blind = misread = 0
    pages = sample(options.web, options.pages, options.seed)
    for url, kind, body in pages:
        clock = [time.process_time()]
        html, encoding = decode(body, kind)
        clock.append(time.process_time())
        page = Page.from_html(url, html, encoding)
        clock.append(time.process_time())
        extracted = extract(html, url)
        clock.append(time.process_time())
        encodings[encoding] += 1
        reason = extracted.reason
        if not reason:
            anchors = [link.anchor for link in page.links]
            cleaned = cleaner.clean(extracted.text, anchors, extracted.title, layout=extracted.layout)
            clock.append(time.process_time())
            dedup.bands_of(cleaned.text)
            clock.append(time.process_time())
            reason = cleaned.reason
            methods[extracted.method] += 1
            replaced += "\ufffd" in cleaned.text
            garbled += reason == GARBLED
        for name, begun, ended in zip(
            ("decoding", "links", "extraction", "cleaning", "signature"), clock, clock[1:], strict=False
        ):
            steps[name].append((ended - begun) * 1000)
        outcomes[reason or "text"] += 1
        bare = DECLARED.sub("", html)
        if "\ufffd" not in bare:
            blind += 1
            misread += decode(bare.encode("gb18030"), "text/html")[0] != bare
    whole = sum(map(sum, steps.values()))
    for name, times in steps.items():
        of_all = sum(times) / len(pages)
        print(
            f"{name:10} {of_all:7.2f} ms a page ({sum(times) / whole:5.1%}), where done {statistics.mean(times):6.2f}, ", end=""
        )
        print(f"median {statistics.median(times):6.2f}, longest {max(times):7.1f}")
    print(f"{len(pages):,} pages, {whole / len(pages):.2f} ms a page")
    print("outcomes:  " + ", ".join(f"{name} {count:,}" for name, count in outcomes.most_common()))
    print("extractor: " + ", ".join(f"{name} {count:,}" for name, count in methods.most_common()))
    print("encodings: " + ", ".join(f"{name} {count:,}" for name, count in encodings.most_common()))
    print(f"texts with U+FFFD {replaced}, garbled {garbled}; as GB18030 without a declaration {blind:,} pages, {misread} misread")
    if options.json:
        figures = {name: statistics.mean(times) for name, times in steps.items()}
        options.json.write_text(
            json.dumps({"ms": figures, "outcomes": outcomes, "misread": misread}, ensure_ascii=False, indent=1)
        )
    return int(bool(replaced or misread))


if __name__ == "__main__":
    sys.exit(main())
