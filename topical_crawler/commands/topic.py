"""``scrapy topic``: the topics there are, and the weights of their terms."""

from __future__ import annotations

import argparse
import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from scrapy.exceptions import UsageError

from topical_crawler.command_line import ActionsCommand, AddAction
from topical_crawler.text import Segmenter, normalise
from topical_crawler.topic import TopicError, list_topics, load_topic
from topical_crawler.topic_files import MEAN
from topical_crawler.weights import DomainStatistics, choose_terms


class Command(ActionsCommand):
    name = "topic"
    errors = (TopicError, OSError)

    def syntax(self) -> str:
        return "list | show TOPIC | weigh FOLDER --corpus FILE…"

    def short_desc(self) -> str:
        return "List topics, show one, compute the weights of its terms"

    def long_desc(self) -> str:
        return (
            "Topics are folders of plain files (topic.toml, terms.tsv, …). 'weigh' reads FOLDER/candidates.txt and a domain "
            "corpus, and writes terms.tsv and weights.tsv: the candidates that the corpus bears out, and the weight of every "
            "word (w = f/N · ln(N/N_i), Zhou et al. 2019, Eq. 2). FOLDER/adjust.tsv, written by hand, overrides both."
        )

    def add_actions(self, add: AddAction) -> None:
        add("list", help="the topics that come with the product")
        show = add("show", help="a topic's heaviest terms, parameters and seeds")
        show.add_argument("topic", help="name or path")
        show.add_argument("-n", type=int, default=20, help="terms to show (default: %(default)s)")
        weigh = add("weigh", help="compute terms.tsv and weights.tsv from a domain corpus")
        weigh.add_argument("folder", type=Path, help="topic folder with candidates.txt")
        weigh.add_argument(
            "--corpus", type=Path, nargs="+", required=True, metavar="FILE", help="JSONL with a field 'text', or .jsonl.gz"
        )
        weigh.add_argument("--domain", metavar="FIELD=VALUE", help="records that belong to the domain (default: all)")
        weigh.add_argument("--background", metavar="FIELD=VALUE", help="records to hold the candidates against (default: none)")
        weigh.add_argument(
            "--min-contrast",
            type=float,
            default=5.0,
            help="how many times more often than the background the domain must hold a term (default: %(default)s)",
        )
        weigh.add_argument(
            "--min-count", type=int, default=3, help="occurrences of a word listed in weights.tsv (default: %(default)s)"
        )

    def _list(self, opts: argparse.Namespace) -> None:
        table = Table("name", "title", "terms", "seeds", "strategy")
        for name in list_topics():
            topic = load_topic(name)
            table.add_row(name, escape(topic.title), str(len(topic.terms)), str(len(topic.seeds)), topic.default_strategy)
        Console().print(table)

    def _show(self, opts: argparse.Namespace) -> None:
        topic = load_topic(opts.topic)
        console = Console()
        console.print(
            f"[bold]{escape(topic.title)}[/] ({escape(topic.name)}), {len(topic.terms)} terms, {len(topic.weights)} other words\n"
            f"{escape(topic.source)}"
        )
        if topic.description:
            console.print(topic.description, markup=False)
        table = Table("term", "weight")
        for term in topic.keywords(opts.n):
            table.add_row(escape(term), f"{topic.terms[term]:.6g}")
        console.print(table)
        for seed in topic.seeds:
            console.print(seed, markup=False)

    def _weigh(self, opts: argparse.Namespace) -> None:
        file = opts.folder / "candidates.txt"
        if not file.is_file():
            raise TopicError(f"{file}: missing. Remedy: write the candidate terms into it, one a line")
        try:
            lines = [line.strip() for line in file.read_text(encoding="utf-8-sig").splitlines()]
        except UnicodeDecodeError as error:
            raise TopicError(f"{file}: {error}. Remedy: save the file as UTF-8") from None
        candidates = list(dict.fromkeys(normalise(line) for line in lines if line and not line.startswith("#")))
        segmenter = Segmenter(candidates)
        domain, background = DomainStatistics(), DomainStatistics()
        in_domain, in_background = _condition(opts.domain, True), _condition(opts.background, False)
        with Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=Console(stderr=True)
        ) as display:
            for path in opts.corpus:
                records = list(read_jsonl(path))
                for record in display.track(records, description=path.name):
                    target = domain if in_domain(record) else background if in_background(record) else None
                    if target is not None:
                        target.add(w for w in segmenter.cut(str(record["text"])) if segmenter.is_content(w))
        if not domain.documents:
            raise TopicError(f"no record of {', '.join(map(str, opts.corpus))} has {opts.domain}. Remedy: check --domain")
        mean = sum(map(domain.weight, domain.spread)) / max(1, len(domain.spread))
        if mean == 0:
            raise TopicError(
                f"no word of {', '.join(map(str, opts.corpus))} is rarer than another; documents: {domain.documents}. "
                f"Remedy: give hundreds of them"
            )
        terms = choose_terms(candidates, domain, background, opts.min_contrast)
        chosen = set(terms)
        known = sum(1 for t in terms if domain.spread[t])
        others = [w for w, n in domain.occurrences.items() if n >= opts.min_count and w not in chosen]
        others.sort(key=lambda w: (-domain.weight(w), w))
        made = (
            f"# w = f/N · ln(N/N_i) (Zhou et al. 2019, Eq. 2) over {domain.documents} documents of the domain.\n"
            f"# Made by `scrapy topic weigh`; edits belong into adjust.tsv.\n"
        )
        terms_head = (
            f"# {len(terms)} of {len(candidates)} candidates: "
            f"{known} that the domain holds {opts.min_contrast:g} times as often as\n"
            f"# the background ({background.documents} documents), or more often; {len(terms) - known} that no document holds,\n"
            f"# without a weight: they weigh the mean.\n"
        )
        weights_head = f"# Words with {opts.min_count} occurrences or more; any other word weighs the mean over all words.\n"
        _write(opts.folder / "terms.tsv", made + terms_head, terms, domain)
        _write(opts.folder / "weights.tsv", f"{made}{weights_head}{MEAN}\t{mean:.6g}\n", others, domain)
        Console().print(
            f"{domain.documents} documents of the domain, {background.documents} of the background\n"
            f"{len(terms)} of {len(candidates)} candidates became terms, {known} of them known to the domain\n"
            f"{len(others)} other words have weights; the mean is {mean:.4f}\n"
            f"→ {opts.folder}/terms.tsv, weights.tsv"
        )


def _write(path: Path, head: str, words: list[str], domain: DomainStatistics) -> None:
    rows = (f"{w}\t{domain.weight(w):.6g}\n" if domain.spread[w] else f"{w}\n" for w in words)
    temporary = path.with_suffix(".tmp")
    temporary.write_text(head + "".join(rows), encoding="utf-8")
    temporary.replace(path)


def _condition(text: str | None, default: bool) -> Any:
    if text is None:
        return lambda record: default
    name, sign, value = text.partition("=")
    if not sign:
        raise UsageError(f"{text!r}: FIELD=VALUE is expected, e.g. party=2")
    return lambda record: str(record.get(name)) == value


def read_jsonl(path: Path) -> Iterator[dict[str, Any]]:
    """Records of a JSONL file, gzipped or not.

    Raises:
        TopicError: a line is no JSON object with a ``text``, or the file is not UTF-8 or not whole; with file and line.
    """
    opener = gzip.open if path.suffix == ".gz" else open
    number = 0
    try:
        with opener(path, "rt", encoding="utf-8-sig") as lines:
            for number, line in enumerate(lines, 1):
                if not line.strip():
                    continue
                try:
                    record = json.loads(line)
                    record["text"]
                except (ValueError, TypeError, KeyError):
                    raise TopicError(f"{path}, line {number}: a JSON object with a field 'text' is expected") from None
                yield record
    except (UnicodeDecodeError, EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise TopicError(
            f"{path}, after line {number}: {error}. Remedy: a whole file in UTF-8, gzipped where its name ends in .gz"
        ) from None
