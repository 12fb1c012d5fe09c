"""Quality and speed of reading attachments: F1 of the character 4-grams of texts set in columns below running heads.

    python benchmarks/documents.py --source TEXTS.jsonl.gz [--texts 40]

The texts of a JSON-lines file (`text`, such as ../shared/data/news/news-dev.jsonl.gz) are set as PDF and OFD files of one, two
and three columns by tests/tools/document_tools.py, with a title, running heads in turn and page numbers, and drawn in any order.
Milliseconds are processor time in one process. Paragraphs are those found whole, of all.
"""

import argparse
import gzip
import json
import random
import sys
import time
from itertools import islice
from pathlib import Path
from statistics import mean

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT), str(ROOT / "tests" / "tools")]

from document_tools import ofd, pdf, set_columns  # noqa: E402
from text_scores import ngram_f1  # noqa: E402

from topical_crawler.extraction.readers import read_document  # noqa: E402
from topical_crawler.text.passages import plain  # noqa: E402

HEADS = ("党建研究 2024年第3期", "关于基层工作的调查")


def texts(source: Path, number: int) -> list[list[str]]:
    """Paragraphs of texts of 1,000 characters or more."""
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        long = (text for line in lines if len(text := json.loads(line)["text"]) >= 1000)
        return [[" ".join(p.split()) for p in text.split("\n") if p.strip()] for text in islice(long, number)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=int, default=40)
    parser.add_argument("--source", type=Path, required=True)
    options = parser.parse_args()
    draw = random.Random(1)
    given = texts(options.source, options.texts)
    print(f"{len(given)} texts\n{'format':8}{'columns':>8}{'pages':>7}{'F1':>8}{'paragraphs':>12}{'titles':>8}{'ms a page':>11}")
    for kind, write in (("pdf", pdf), ("ofd", ofd)):
        for columns in (1, 2, 3):
            scores, whole, all_paragraphs, titles, pages, seconds = [], 0, 0, 0, 0, 0.0
            for number, paragraphs in enumerate(given):
                title = f"关于第{'一二三四五六七八九十'[number % 10]}批调研情况的报告"
                made = set_columns(paragraphs, columns=columns, heads=HEADS, title=title)
                for page in made:
                    draw.shuffle(page.lines)
                body = write(made)
                began = time.process_time()
                found = read_document(body, kind)
                seconds += time.process_time() - began
                pages += len(made)
                scores.append(ngram_f1(plain(found.passages), "\n".join(paragraphs)))
                read = {"".join(passage.text.split()) for passage in found.passages}
                whole += sum("".join(paragraph.split()) in read for paragraph in paragraphs)
                all_paragraphs += len(paragraphs)
                titles += found.title == title
            share = whole / all_paragraphs
            print(f"{kind:8}{columns:8}{pages:7}{mean(scores):8.4f}{share:12.3f}{titles:8}{1000 * seconds / pages:11.1f}")


if __name__ == "__main__":
    main()
