"""Extraction by the length of the true text: up to 100, 300, 1,000 characters, and longer.

    python benchmarks/lengths.py TEXTS.jsonl.gz [--web WEB.warc.gz --labels LABELS.tsv] [--pages 200] [--seed 28]

Texts of each length, drawn from TEXTS, stand in every layout of gold_layouts.py beside excerpts and comments of others. With
--web pages of a recorded web whose texts are known (labels as for portal_corpus.py) are measured too. Precision, recall and F1
are of the character 4-grams of the cleaned text.
"""

import argparse
import csv
import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

import gold_layouts
from gold_pages import read_pages
from text_scores import _bare, _grams

from topical_crawler.cleaning.cleaner import CleaningOptions, TextCleaner
from topical_crawler.extraction.extract import extract
from topical_crawler.web.page import Page

BOUNDS = (100, 300, 1000)  # characters without white space
Known = tuple[str, str, str]  # address, source and true text


def bound_of(text: str) -> str:
    """The name of the bin of a text."""
    size = len(_bare(text))
    return next((f"<= {bound:,}" for bound in BOUNDS if size <= bound), f"> {BOUNDS[-1]:,}")


def in_layouts(texts: Path, count: int, rng: random.Random) -> Iterator[Known]:
    """About ``count`` pages of each bin."""
    stories = gold_layouts.read_stories(texts, longest=10_000)
    bins = defaultdict(list)
    for story in stories:
        bins[bound_of("".join(story.paragraphs))].append(story)
    each = max(1, count // len(gold_layouts.LAYOUTS))
    for _, chosen in sorted(bins.items()):
        for name, layout in gold_layouts.LAYOUTS.items():
            for number, story in enumerate(rng.sample(chosen, min(each, len(chosen)))):
                others = tuple(rng.sample(stories, gold_layouts.OTHERS))
                made = layout(gold_layouts.Story(story.title, story.date, story.paragraphs, others))
                yield f"http://{name}.example/{story.date}/{number}.html", made.html, "\n".join(made.lines)


def recorded(web: Path, labels: Path, texts: Path, count: int, rng: random.Random) -> Iterator[Known]:
    """Up to ``count`` pages of each bin."""
    with gzip.open(texts, "rt", encoding="utf-8") as file:
        truth = [json.loads(line)["text"] for line in file]
    bins = defaultdict(list)
    with labels.open(encoding="utf-8") as file:
        for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["kind"] == "article":
                text = truth[int(row["doc"])]
                bins[bound_of(text)].append((row["url"], text))
    chosen = dict(pair for _, pairs in sorted(bins.items()) for pair in rng.sample(pairs, min(count, len(pairs))))
    for url, html in read_pages([web], chosen).items():
        yield url, html, chosen[url]


def show(name: str, pages: Iterable[Known]) -> None:
    """Measure and print a row a bin."""
    cleaner = TextCleaner(CleaningOptions(min_characters=1))  # short ones are refused by choice, which is not measured here
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    outcomes: dict[str, Counter[str]] = defaultdict(Counter)
    for url, html, true in pages:
        extracted = extract(html, url)
        anchors = [link.anchor for link in Page.from_html(url, html, "").links]
        cleaned = cleaner.clean(extracted.text, anchors, extracted.title, layout=extracted.layout) if extracted.text else None
        found, wanted = _grams(cleaned.text if cleaned else "", 4), _grams(true, 4)
        common = (found & wanted).total()
        precision, recall = common / max(1, found.total()), common / max(1, wanted.total())
        size = bound_of(true)
        for place, value in enumerate((precision, recall, 2 * common / max(1, found.total() + wanted.total()))):
            sums[size][place] += value
        outcomes[size][extracted.reason or (cleaned.reason if cleaned else "") or "kept"] += 1
    print(name)
    for size in sorted(sums, key=lambda size: (size[0] == ">", int(size.split()[-1].replace(",", "")))):
        count = outcomes[size].total()
        figures = " ".join(f"{value / count:.3f}" for value in sums[size])
        print(f"  {size:8} {count:5} pages  P R F1 {figures}  {dict(outcomes[size].most_common())}")


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--web", type=Path)
    parser.add_argument("--labels", type=Path)
    parser.add_argument("--pages", type=int, default=200, help="of each bin (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=28)
    options = parser.parse_args()
    show("layouts", in_layouts(options.texts, options.pages, random.Random(options.seed)))
    if options.web and options.labels:
        pages = recorded(options.web, options.labels, options.texts, options.pages, random.Random(options.seed))
        show(options.web.stem, pages)


if __name__ == "__main__":
    main()
