#!/usr/bin/env python3
"""Build the demo web: ``demo-web.warc.gz``, ``labels.tsv`` and ``seeds.txt`` from the texts beside this file.

    python demo/build.py [--out FOLDER]

The same texts give the same bytes: record ids come from URLs, dates are fixed, and what looks random is drawn from digests.
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from articles import read_articles
from layout import Layout
from nuisances import Nuisances
from pages import Pages
from recording import Recorded, write_labels, write_warc
from sites import SITES

HERE = Path(__file__).resolve().parent


def record_web(texts: Path) -> list[Recorded]:
    """Every response of the demo web, in the order of the WARC file."""
    layout = Layout(read_articles(texts))
    nuisances = Nuisances(layout)
    pages = Pages(layout, nuisances.hot, nuisances.tools, nuisances.corners)
    records = []
    for site in SITES:
        records.append(pages.home(site))
        for channel in site.channels:
            records += pages.lists(site, channel)
    records += [pages.article(placement) for placement in layout.placements]
    return records + nuisances.records(pages)


def main() -> None:
    """Build the files and say what was built."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=HERE, help="folder for the three files (default: beside this script)")
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    records = record_web(HERE / "texts")
    write_warc(records, out / "demo-web.warc.gz")
    write_labels(records, out / "labels.tsv")
    (out / "seeds.txt").write_text("".join(f"{site.home}\n" for site in SITES), encoding="utf-8", newline="\n")
    labels = [record.label for record in records if record.label is not None]
    kinds = Counter(label.kind for label in labels)
    grades = Counter(label.grade for label in labels if label.kind == "article")
    size = (out / "demo-web.warc.gz").stat().st_size
    print(f"{len(records)} records, {len(labels)} labelled pages, {size:,} bytes; pages by kind {dict(sorted(kinds.items()))}")
    print(f"article pages by grade {dict(sorted(grades.items()))}; texts {len({label.doc for label in labels if label.doc})}")


if __name__ == "__main__":
    main()
