"""Command line of ``topical-crawler corpus export``. :mod:`topical_crawler.services.exporting` does the work.

Imports nothing of the corpus or the formats, so that help and mistakes on the command line appear at once.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from topical_crawler.cli.base import add_corpus, add_number, whole
from topical_crawler.cli.corpus import add_filters, add_test_sets, filters_of, parsed
from topical_crawler.export.presets import PRESETS
from topical_crawler.project import AnySettings
from topical_crawler.services import MistakeError
from topical_crawler.text import counted

if TYPE_CHECKING:
    from topical_crawler.export.manifest import Tally
    from topical_crawler.export.rows import Split

FORMATS = ("jsonl", "csv", "txt", "md", "parquet", "hf", "tei", "vertical", "vrt", "conllu")  # names of the formats
STREAM = "-"  # standard output
DESCRIPTION = (
    "Write the texts meeting all conditions, in fetch order. The same corpus and options give the same bytes. Beside the output "
    "goes a manifest (FILE.manifest.json, in a folder manifest.json) with counts, digests, filters, versions, and per host the "
    "licences named by its pages and its robots.txt rules. Files and folders appear when they are complete."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_corpus(parser)
    parser.add_argument(
        "-f", "--format", choices=(*FORMATS, *PRESETS),
        help="a format, or the program to read it (default: by the name of the file; jsonl on standard output)",
    )  # fmt: skip
    parser.add_argument(
        "-o", "--output", metavar="FILE", default=STREAM,
        help="written whole or not at all, packed if its name ends in .gz or .zst; a folder for hf and antconc, and for tei "
        "unless the name is one of an XML file (default: standard output)",
    )  # fmt: skip
    parser.add_argument(
        "--per-text", action="store_true",
        help="a folder with a file for each text (txt, or the --format jsonl, tei, vertical, vrt or conllu) and an index.csv",
    )  # fmt: skip
    parser.add_argument("--force", action="store_true", help="replace FILE, or the folder of an earlier export")
    chosen = parser.add_argument_group("which pages")
    add_filters(chosen)
    chosen.add_argument(
        "--marked-off",
        action="store_true",
        help="also texts marked irrelevant or boilerplate (topical-crawler corpus judge)",
    )
    add_test_sets(chosen, help="without texts sharing 13 words in a row with this test set (.txt, .jsonl or a folder)")
    few = chosen.add_mutually_exclusive_group()
    few.add_argument("--limit", type=whole(0), metavar="N", help="only the first N")
    few.add_argument("--sample", type=whole(1), metavar="N", help="N drawn at random, the same every time")
    add_number(chosen, "--seed", type=whole(0), default=0, metavar="S", help="seed of the sample")
    changed = parser.add_argument_group("how the texts are written")
    personal = changed.add_mutually_exclusive_group()
    personal.add_argument("--no-personal", action="store_true", help="leave out texts with personal data")
    personal.add_argument("--mask-personal", action="store_true", help="mask personal data")
    script = changed.add_mutually_exclusive_group()
    script.add_argument("--simplified", action="store_true", help="in simplified characters")
    script.add_argument("--traditional", action="store_true", help="in traditional characters")
    changed.add_argument(
        "--without",
        type=_without,
        default=(),
        metavar="code,tables,formulas",
        help="leave out one or more of these parts of texts",
    )
    changed.add_argument(
        "--metadata", action="store_true",
        help="formats jsonl, parquet and hf with three fields: id, text, and metadata with all others",
    )  # fmt: skip
    changed.add_argument(
        "--labels",
        action="store_true",
        help="formats jsonl, parquet and hf with domain, register, quality and bits per character",
    )
    changed.add_argument("--text-only", action="store_true", help="formats txt and md without the lines above each text")
    changed.add_argument("--segmented", action="store_true", help="format txt with blanks between words, for AntConc")
    changed.add_argument(
        "--tagger", metavar="MODULE:FUNCTION", default=argparse.SUPPRESS,
        help="formats with words: your function for segmenting and tagging a sentence (default: jieba's tags)",
    )  # fmt: skip
    changed.add_argument(
        "--split", type=_shares, metavar="A,B,C",
        help="split into train, validation and test by these shares (0.9,0.05,0.05), a file for each",
    )  # fmt: skip
    changed.add_argument(
        "--split-by", choices=("host", "document"), default="document", help="keep a host's texts together, or not (default)"
    )
    changed.add_argument("--split-seed", type=whole(0), default=0, metavar="N", help="seed of the split")
    changed.add_argument("--topic", metavar="TOPIC", help="name or folder of the topic (default: the crawl's, if known)")
    changed.add_argument("--no-manifest", action="store_true", help="write no manifest")


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    from topical_crawler.export.rows import Split
    from topical_crawler.services.exporting import Export, export
    from topical_crawler.services.places import find_corpus

    preset = PRESETS.get(opts.format, {})
    kind = (
        preset.get("kind")
        or opts.format
        or ("txt" if opts.per_text else "jsonl" if opts.output == STREAM else _by_name(opts.output))
    )
    if kind == "parquet" and opts.output == STREAM and sys.stdout.isatty():
        raise MistakeError("Parquet cannot be shown on a screen. Name a file with -o FILE")
    given = {field.name: getattr(opts, field.name) for field in dataclasses.fields(Export) if hasattr(opts, field.name)}
    given |= preset | {
        "corpus": find_corpus(opts.corpus, settings),
        "test_sets": tuple(opts.test_sets),
        "kind": kind,
        "target": None if opts.output == STREAM else Path(opts.output).expanduser(),
        "filters": filters_of(opts, no_personal=opts.no_personal),
        "split": Split.parse(opts.split, opts.split_by, opts.split_seed) if opts.split else None,
        "manifest": not opts.no_manifest,
    }
    with _stream(opts.output) as out:
        done = export(wanted := Export(**given), settings, out)
    if wanted.target:
        print(_summary(done.tally, opts.output, wanted.split), file=sys.stderr)
    if done.cleaned:
        how = "the end of the crawl, or topical-crawler corpus clean, cleans the corpus itself"
        print(f"{counted(done.cleaned, 'text')} cleaned on the fly of lines repeated by their sites ({how})", file=sys.stderr)
    if done.marked_off:
        marked = f"{done.marked_off} texts marked irrelevant or boilerplate"
        print(f"without {marked} (--marked-off includes them)", file=sys.stderr)
    if opts.test_sets:
        print(f"without {counted(done.overlapping, 'text')} overlapping with the test sets", file=sys.stderr)
    return 0


def _stream(output: str) -> AbstractContextManager[BinaryIO | None]:
    """Open the output stream, for bytes so that Chinese is written in any locale."""
    return open(sys.stdout.fileno(), "wb", closefd=False) if output == STREAM else nullcontext()


def _by_name(output: str) -> str:
    from topical_crawler.export.formats import FORMATS, of_name

    if (kind := of_name(output)) is None:
        names = " ".join(suffix for form in FORMATS.values() for suffix in form.suffixes)
        problem = f"the name {output} has no known format. End it in one of {names} (then .gz or .zst), or name a --format"
        raise MistakeError(problem)
    return kind


def _summary(tally: Tally, output: str, split: Split | None) -> str:
    text = f"{counted(tally.whole.texts + tally.whole.rejected, 'page')} written to {output}"
    if split:
        text += f" ({', '.join(f'{name} {tally.splits[name].texts if name in tally.splits else 0}' for name in split.names)})"
    return text


def _without(text: str) -> tuple[str, ...]:
    from topical_crawler.export.rows import parse_without

    names: tuple[str, ...] = parsed(parse_without, text)
    return names


def _shares(text: str) -> str:
    from topical_crawler.export.rows import Split

    parsed(Split.parse, text)
    return text
