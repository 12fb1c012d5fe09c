"""Labels of the portal web by subject: python benchmarks/portal_labels.py PORTAL.tsv NEWS.jsonl.gz OUT.tsv

The portal web is made of news texts (``make_portal.py``), each of which has a channel. PORTAL.tsv says which text a page shows
(``doc``), but grades party building only. OUT.tsv has the same rows with one more column of grades for every topic of Table 1 of
Chen & Zhu 2011 that has a channel: 2 where the text is of the topic's channel, else 0. There is no channel for shopping.

Texts of the channel 综合 (general news: half of all) were not sorted by subject; where one is about a topic, it counts as off
topic. Figures made with these labels compare strategies; they are not absolute precision.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
from collections import Counter
from pathlib import Path

CHANNELS = {"weather": "天气灾害", "entertainment": "文化旅游", "finance": "经济", "sports": "体育"}
"""Topics, and the channel whose texts are theirs."""


def read_texts(path: Path) -> list[tuple[str, str]]:
    """Title and channel of every news text, in the order of their numbers.

    Raises:
        ValueError: a line is not JSON, or lacks one of the two.
    """
    texts = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                text = json.loads(line)
                texts.append((str(text["title"]), str(text["channel"])))
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(
                    f"{path}, line {number}: {error!r}. Remedy: one JSON object a line, with title and channel"
                ) from None
    return texts


def label(portal: Path, texts: list[tuple[str, str]], out: Path) -> Counter[str]:
    """Write ``out``; how many pages each topic has.

    Raises:
        ValueError: a page's number names no text, or one with another title: the portal was made of other texts.
    """
    pages: Counter[str] = Counter()
    with portal.open(encoding="utf-8", newline="") as lines, out.open("w", encoding="utf-8", newline="") as written:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        names = [*(rows.fieldnames or ()), *CHANNELS]
        print(*names, sep="\t", file=written)
        for row in rows:
            channel = _channel(row, texts, f"{portal}, line {rows.line_num}")
            grades = {topic: 2 if channel == its else 0 for topic, its in CHANNELS.items()}
            pages.update(topic for topic, grade in grades.items() if grade)
            print(*({**row, **grades}[name] for name in names), sep="\t", file=written)
    return pages


def _channel(row: dict[str, str], texts: list[tuple[str, str]], where: str) -> str:
    """The channel of the text that a page shows; "" for a page without one."""
    if not row["doc"]:
        return ""
    number = int(row["doc"])
    title, channel = texts[number] if number < len(texts) else ("", "")
    if title.replace("\t", " ").replace("\n", " ") != row["title"]:
        raise ValueError(
            f"{where}: text {number} is called {title!r} in the news texts, but {row['title']!r} in the portal. "
            "Remedy: give the texts that the portal was made of, whole (make_portal.py without --scale)"
        )
    return channel


def main() -> None:
    """Label the pages and say how many there are."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("portal", type=Path, help="labels of the portal web")
    parser.add_argument("news", type=Path, help="the news texts that it was made of")
    parser.add_argument("out", type=Path)
    opts = parser.parse_args()
    try:
        pages = label(opts.portal, read_texts(opts.news), opts.out)
    except ValueError as error:
        raise SystemExit(str(error)) from None
    print(f"{opts.out}: pages on topic {dict(pages)}")


if __name__ == "__main__":
    main()
