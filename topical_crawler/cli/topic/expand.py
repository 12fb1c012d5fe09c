"""``topical-crawler topic expand``: further terms for a topic, proposed by HowNet, Cilin and word vectors."""

import argparse
import math
from collections.abc import Mapping, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path

from rich.table import Table

from topical_crawler.authoring.neighbours import SOURCES, Proposal, propose
from topical_crawler.cli.base import add_number, whole
from topical_crawler.cli.terminal import console, table
from topical_crawler.config import cache_dir
from topical_crawler.files import replacing
from topical_crawler.package_data import data_folder
from topical_crawler.project import AnySettings
from topical_crawler.resources.registry import Resources
from topical_crawler.text.segment import normalise
from topical_crawler.topic.files import TopicError, read_lines, read_terms, read_weights
from topical_crawler.topic.topic import Topic, load_topic
from topical_crawler.topic.topic_folder import TopicFolder

DESCRIPTION = (
    "Propose words near a topic's terms, best first: each resource names the words nearest to each term, and all terms together "
    "judge them, so that a word near one term only, or a general word, comes last. The score is from 0 to 1. Terms, candidates "
    "and the words of adjust.tsv are left out. Nothing is written without --write, which needs the path of a topic folder of "
    "your own. Read the list, and give the words that you choose a line each in terms.tsv: on the keyword topics that come with "
    "the product half of the first 30 are words of the field itself, most of the others of fields beside it."
)
_SOURCES_SHOWN = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("topic", metavar="TOPIC", help="name, or path of a topic folder")
    parser.add_argument(
        "--by",
        type=lambda text: tuple(filter(None, text.split(","))),
        metavar="NAME,…",
        help=f"of {', '.join(SOURCES)} (default: all that are there)",
    )
    add_number(parser, "--n", type=whole(1), default=20, help="words that each resource names for each term")
    add_number(parser, "--min-score", type=float, default=0.3, metavar="X", help="least score of a proposal")
    add_number(parser, "--show", type=whole(1), default=60, help="proposals to show")
    parser.add_argument(
        "--write", action="store_true", help="append what is shown to candidates.txt, for 'topic build' or your eye"
    )


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    topic = load_topic(opts.topic)
    folder = Path(topic.source)
    shipped = data_folder().joinpath("topics", topic.name)
    is_shipped = str(shipped) == topic.source
    files = TopicFolder[Traversable](shipped if is_shipped else folder)  # what is shipped may be inside a zipped egg
    if opts.write and is_shipped and opts.topic == topic.name:
        raise TopicError(
            f"{opts.topic} comes with the product, and an update would undo what is written there. "
            f"Remedy: cp -r {folder} ./{topic.name}, and name ./{topic.name}"
        )
    resources = Resources.from_settings(settings)
    messages = console(stderr=True)
    for name in SOURCES if opts.by is None else ():
        if resources.path(name) is None:
            messages.print(
                f"{name} is missing and proposes nothing. Get it: topical-crawler resources fetch {name}", markup=False
            )
    candidates = {normalise(line.strip()) for _, line in read_lines(files.candidates)}
    known = {*topic.terms, *read_weights(files.adjust), *candidates}
    with messages.status("comparing the topic's terms with the words of the resources"):
        judges = _judges(topic, read_terms(files.terms))
        wanted = {"by": opts.by, "n": opts.n, "min_score": opts.min_score}
        proposals = propose(judges, resources, **wanted, known=known, cache_dir=cache_dir(settings))
    shown = proposals[: opts.show]
    written = ""  # before anything is shown: its reader (head) may leave early
    if shown and opts.write:
        written = f"{len(shown)} candidates → {write_candidates(folder, shown)}"
    console().print(_table(shown) if shown else f"no proposal of score {opts.min_score:g} or more. Remedy: a lower --min-score")
    if len(proposals) > len(shown):
        print(f"{len(proposals) - len(shown)} more of score {opts.min_score:g} or more")
    if written:
        print(written)
    return 0


def _judges(topic: Topic, weights: Mapping[str, float]) -> dict[str, float]:
    """The terms that propose: those without a weight in terms.tsv, where there are some. A person has named these; the others
    were found near them (``topical-crawler topic new``), and neighbours of neighbours lead away."""
    named = {term: topic.terms[term] for term, weight in weights.items() if math.isnan(weight) and term in topic.terms}
    return named or dict(topic.terms)


def write_candidates(folder: Path, proposals: Sequence[Proposal]) -> Path:
    """Append proposals to ``candidates.txt``, each below a comment that says its score and sources."""
    file = TopicFolder(folder).candidates
    lines = ["# Proposed by `topical-crawler topic expand`: score, then who proposed it (resource, term, similarity)."]
    for proposal in proposals:
        lines += [f"# {proposal.score:.2f}  {_sources(proposal)}", proposal.word]
    _append(file, lines)
    return file


def _append(file: Path, lines: Sequence[str]) -> None:
    """Whole or not at all; what stands in the file stays, byte by byte."""
    before = file.read_bytes().decode("utf-8") if file.is_file() else ""
    if before and not before.endswith("\n"):
        before += "\n"
    with replacing(file) as out:
        out.write(before + "".join(f"{line}\n" for line in lines))


def _sources(proposal: Proposal) -> str:
    """As "vectors: 内核 0.73, 进程 0.61; hownet: 软件 1.00; 2 more"."""
    named: dict[str, list[str]] = {}
    for source, term, similarity in proposal.sources[:_SOURCES_SHOWN]:
        named.setdefault(source, []).append(f"{term} {similarity:.2f}")
    parts = [f"{source}: {', '.join(terms)}" for source, terms in named.items()]
    if (more := len(proposal.sources) - _SOURCES_SHOWN) > 0:
        parts.append(f"{more} more")
    return "; ".join(parts)


def _table(proposals: Sequence[Proposal]) -> Table:
    rows = ((str(number), p.word, f"{p.score:.2f}", _sources(p)) for number, p in enumerate(proposals, 1))
    return table(("", "word", "score", "proposed by"), rows)
