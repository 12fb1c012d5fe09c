"""``topical-crawler corpus overlap``: find texts overlapping with a test set."""

import argparse

from topical_crawler.cli.base import add_corpus, add_json
from topical_crawler.cli.corpus import add_test_sets
from topical_crawler.cli.corpus.reading import print_json
from topical_crawler.cli.terminal import printable
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.project import AnySettings
from topical_crawler.services.exporting import test_sets
from topical_crawler.services.places import find_corpus
from topical_crawler.text import counted

DESCRIPTION = (
    "Find the texts sharing 13 words in a row with a test set, to avoid training a model on its test data. "
    "corpus export --test-set FILE leaves them out."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_corpus(parser)
    add_test_sets(parser, required=True, help="a .txt, a .jsonl, or a folder of them; may be repeated")
    add_json(parser, "the texts and the test sets as JSON")


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    sets = test_sets(opts.test_sets, settings)
    with CorpusStore(find_corpus(opts.corpus, settings), read_only=True) as store:
        found = [(row, *overlap) for row in store.records() if (overlap := sets.found(row.text or ""))]
    texts = [{"order": row.order, "url": row.url, "test_set": name, "words": words} for row, name, words in found]
    if opts.json:
        print_json({"texts": texts, "test_sets": sets.files})
        return 0
    for text in texts:
        print(printable(f"{text['order']:6}  {text['url']}  {text['test_set']}: {text['words']}"))
    for file in sets.files:
        short = f" ({file['short']:,} too short to check)" if file["short"] else ""
        print(printable(f"{file['name']}: {counted(file['items'], 'item')}{short}, in {counted(file['texts'], 'text')}"))
    return 0
