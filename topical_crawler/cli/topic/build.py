"""``topical-crawler topic build``: find a topic's terms, weights and proposed adjustments in a domain corpus."""

import argparse
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.progress import TaskProgressColumn, TimeElapsedColumn

from topical_crawler import config
from topical_crawler.authoring.build import Built, Corpora, Own, Plan, adjust_file, build, terms_file, weights_file
from topical_crawler.authoring.folder import BuiltFolder, Present
from topical_crawler.cli.base import add_number, amount, condition, whole
from topical_crawler.cli.terminal import console, progress, table
from topical_crawler.project import AnySettings
from topical_crawler.text import counted
from topical_crawler.text.segment import Segmenter
from topical_crawler.topic.files import TopicError
from topical_crawler.topic.topic_folder import ADJUST, TERMS, WEIGHTS

DESCRIPTION = (
    "Find a topic's terms in texts about it and weigh them (w = f/N · ln(N/N_i), Zhou et al. 2019, Eq. 2): new words and "
    "phrases, words of the dictionary, your own candidates (FOLDER/candidates.txt) and terms, contrasted with texts about "
    "anything. Writes terms.tsv, weights.tsv and, as proposals, adjust.tsv. Lines added or changed by you stay, words deleted by "
    "you do not come back. A SOURCE is a Chinese Wikipedia dump, JSONL with a field 'text' (.gz too), a folder of text files, or "
    "the data folder of a crawl."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    plan = Plan()
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="topic folder")
    parser.add_argument("--corpus", nargs="+", type=Path, metavar="SOURCE", required=True, help="texts about the topic")
    parser.add_argument(
        "--domain", type=condition, metavar="FIELD=VALUE", help="documents of --corpus about the topic (default: all)"
    )
    parser.add_argument(
        "--background",
        nargs="+",
        type=Path,
        metavar="SOURCE",
        default=[],
        help="texts about anything (default: those of --corpus if --against is given, else document frequencies of general "
        "Chinese from jieba)",
    )
    parser.add_argument(
        "--against", type=condition, metavar="FIELD=VALUE", help="documents of the background (default: all of --background)"
    )
    add_number(parser, "--terms", type=whole(0), default=plan.terms, help="terms to find, beside your own")
    add_number(
        parser,
        "--min-count",
        type=whole(1),
        default=plan.min_count,
        help="occurrences of a found term, and of a word with a weight",
    )
    add_number(
        parser,
        "--min-contrast",
        type=amount,
        default=plan.min_contrast,
        metavar="X",
        help="least contrast: how many times more often documents of the domain contain a term",
    )
    add_number(
        parser,
        "--adjust-below",
        type=amount,
        default=plan.adjust_below,
        metavar="X",
        help="propose a lower weight for heavy words of a lower contrast; 0: for none",
    )
    parser.add_argument("--candidates-only", action="store_true", help="find no terms, only weigh your own candidates and terms")
    add_number(parser, "-n", type=whole(0), default=30, help="words to show in each list")


def run(opts: argparse.Namespace, settings: AnySettings) -> int:
    folder = BuiltFolder(opts.folder)
    terms, adjust, candidates = folder.read(TERMS), folder.read(ADJUST), folder.read_candidates()
    if opts.candidates_only and not (candidates or terms.words):
        raise TopicError(
            f"{folder.candidates}: missing, and {TERMS} holds no term of yours. "
            f"Write candidate terms into it, one a line, or leave --candidates-only out"
        )
    corpora = Corpora(opts.corpus, opts.background, opts.domain, opts.against)
    plan = Plan(opts.terms, opts.min_count, opts.min_contrast, opts.adjust_below, discover=not opts.candidates_only)
    built = _build(corpora, Own(terms.words, candidates, terms.deleted), plan, settings)
    made = f"# Made by `topical-crawler topic build {corpora.describe()}{_describe(plan)}`."
    files = {
        TERMS: terms_file(terms, built, made),
        WEIGHTS: weights_file(built, plan, made),
        ADJUST: adjust_file(adjust, built, made),
    }
    before = folder.mean()
    aside = folder.write(files)  # before anything is shown: its reader (head) may leave early
    out = console()
    proposed = [a.word for a in built.adjustments if a.word not in {*adjust.words, *adjust.deleted}]
    _show(out, built, proposed, plan, opts.n)
    _show_yours(out, terms, adjust, before, built.mean)
    for name in aside:
        out.print(f"weights.tsv was edited since the last build and is kept as {name}. Your own weights belong in adjust.tsv")
    out.print(f"→ {escape(str(opts.folder))}/{TERMS}, {WEIGHTS}, {ADJUST}")
    out.print(
        f"Next: read {TERMS} and delete wrong terms, read the proposals in {ADJUST} (they are in force; delete or change "
        f"them), and build again: your changes stay. Then topical-crawler topic check {escape(str(opts.folder))}",
        style="dim",
    )
    return 0


def _describe(plan: Plan) -> str:
    """Return the options other than the defaults, as on the command line."""
    usual = Plan()
    names = [n for n in ("terms", "min_count", "min_contrast", "adjust_below") if getattr(plan, n) != getattr(usual, n)]
    options = "".join(f" --{name.replace('_', '-')} {getattr(plan, name):g}" for name in names)
    return options + ("" if plan.discover else " --candidates-only")


def _build(corpora: Corpora, own: Own, plan: Plan, settings: AnySettings) -> Built:
    def segmenter(words: Iterable[str]) -> Segmenter:
        return Segmenter(words, backend=config.segmenter(settings), cache_dir=config.cache_dir(settings))

    with progress(TaskProgressColumn(), TimeElapsedColumn()) as display:
        task = display.add_task("", total=1.0)
        shown = ""

        def report(what: str, done: float) -> None:
            nonlocal shown
            if what != shown:
                display.reset(task, description=f"{what:<40}")
                shown = what
            display.update(task, completed=done)

        return build(corpora, own, plan, segmenter, report)


def _show(out: Console, built: Built, proposed: Sequence[str], plan: Plan, rows: int) -> None:
    out.print(f"{built.documents} documents of the domain, {_background(built)}")
    if built.sample and built.sample.step > 1:
        out.print(f"the domain is large: every {built.sample.step}th document was looked through for candidates")
    if built.sample and built.sample.repeated:
        out.print(f"{built.sample.repeated} lines repeated from earlier documents were left out when looking for candidates")
    cells = []
    for number, t in enumerate(sorted(built.terms, key=lambda t: (-t.score, t.word))[:rows], 1):
        cohesion = "" if math.isnan(t.cohesion) else f"{t.cohesion:.2f}"
        weight = "mean" if math.isnan(t.weight) else f"{t.weight / built.mean:.3g}"
        numbers = str(t.count), f"{t.contrast:.3g}", f"{t.likelihood:.0f}", cohesion
        cells.append((str(number), t.word, t.source, weight, *numbers))
    if rows:
        out.print(table(("", "term", "source", "weight", "count", "contrast", "G²", "cohesion"), cells))
        out.print("ranked by G² · ln(contrast); weights in weights of the mean word", style="dim")
    by_source = Counter(t.source for t in built.terms)
    parts = ", ".join(f"{n} {source}" for source, n in sorted(by_source.items()))
    unknown = sum(not t.documents for t in built.terms)
    out.print(f"{len(built.terms)} terms ({parts}), {unknown} of them in no document of the domain")
    for reason, n in sorted(built.dropped.items(), key=lambda pair: -pair[1]):
        out.print(f"  no terms: {n} {reason}")
    out.print(f"{len(built.weights)} other words have weights; the mean is {built.mean:.4g}")
    if proposed:
        out.print(f"{len(proposed)} adjustments proposed: heavy words of a contrast below {plan.adjust_below:g}")
        if rows:
            more = " …" if len(proposed) > rows else ""
            out.print(f"  {' '.join(proposed[:rows])}{more}", markup=False)


def _background(built: Built) -> str:
    if built.general:
        return (
            "no background: contrasted with jieba's document frequencies of general Chinese.\n"
            "Texts about anything, of the kind to be crawled, are a better contrast: --background SOURCE"
        )
    return f"{built.background_documents} of the background"


def _show_yours(out: Console, terms: Present, adjust: Present, before: float, mean: float) -> None:
    for name, present in ((TERMS, terms), (ADJUST, adjust)):
        parts = [f"{counted(len(present.words), 'line')} of yours kept"] if present.words else []
        parts += [f"{counted(len(present.deleted), 'deleted word')} left out"] if present.deleted else []
        if parts:
            out.print(f"{name}: {', '.join(parts)}")
    weighed = set(terms.words) - set(terms.open) | set(adjust.words)
    if weighed and not 0.5 <= mean / before <= 2:
        out.print(
            f"{len(weighed)} weights of yours were written while the mean word weighed {before:.3g}; now it weighs {mean:.3g}: "
            "check them"
        )
