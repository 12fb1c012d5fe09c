"""``topical-crawler evaluate sites`` and ``harvest``: what crawls of one's own are worth against labelled pages."""

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from topical_crawler.cli.base import Action, UsageError, add_json, whole
from topical_crawler.cli.terminal import console, table
from topical_crawler.corpus.record import Filters, Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.evaluation.labels import Label, read_labels
from topical_crawler.evaluation.metrics import (
    SiteScore,
    area_under_recall,
    group_score,
    harvest_curve,
    relevant_texts,
    site_scores,
)
from topical_crawler.evaluation.report import new_figure, picture, save_figure, terminal_curve, write_json
from topical_crawler.frontier import REDIRECTED
from topical_crawler.project import AnySettings

Groups = dict[str, list[str]]  # names of sites by the name of their group


def add_labels(parser: argparse.ArgumentParser) -> None:
    """Declare ``--labels`` and ``--grade``."""
    parser.add_argument("--labels", type=Path, required=True, metavar="FILE", help="TSV with url, kind and a grade of 0, 1 or 2")
    parser.add_argument("--grade", default="grade", metavar="COLUMN", help="column of the grade (default: %(default)s)")


def add_groups(parser: argparse.ArgumentParser) -> None:
    """Declare ``--group``."""
    parser.add_argument(
        "--group", action="append", default=[], metavar="NAME=SITE,SITE", help="sites to take together; may be repeated"
    )


def read_groups(options: Iterable[str], sites: Sequence[str]) -> Groups:
    """The groups as given on the command line, NAME=SITE,SITE each. Raises UsageError for another form, or a site that the labels
    do not name."""
    groups: Groups = {}
    for text in options:
        name, _, members = text.partition("=")
        groups[name] = members.split(",")
        if unknown := set(groups[name]) - set(sites):
            raise UsageError(
                f"--group {text}: NAME=SITE,SITE is expected. There is no site {', '.join(sorted(unknown))!r} in the labels; "
                f"there are {', '.join(sites)}",
                print_help=False,
            )
    return groups


def read_corpus(place: str | Path) -> list[Record]:
    """All rows of a crawl's corpus (its data folder, or the file), rejected pages too, in the order of fetching."""
    path = Path(place)
    with CorpusStore(path / "corpus.sqlite" if path.is_dir() else path, read_only=True) as store:
        return list(store.records(Filters(rejected=True)))


# -- sites: precision and recall per site, as in Table 8 of Zhou et al. 2019, and over the relevance

PAPER: Mapping[str, Sequence[tuple[int, int]]] = {
    "party": ((28_681, 26_948), (1_108, 1_103), (1_303, 1_238), (8_074, 7_866)),
    "portals": ((4_656, 3_344), (3_789, 2_649), (3_899, 2_813), (5_832, 2_863)),
}
"""Table 8 of Zhou et al. 2019: texts collected and relevant ones, site by site. The means that the paper prints, 94.87 and 64.20,
are of all texts of a group together."""
_SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


def _sites_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", help="data directory of a crawl, or its corpus.sqlite")
    add_labels(parser)
    add_groups(parser)
    parser.add_argument("--paper", action="store_true", help="show the paper's Table 8 for groups named party and portals")
    add_json(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="write DIR/sites.json and the curve, DIR/sites.png")


def _sites(opts: argparse.Namespace, settings: AnySettings) -> int:
    labels = read_labels(opts.labels, opts.grade)
    records = read_corpus(opts.corpus)
    scores = site_scores(records, labels)
    names = [s.site for s in scores]
    groups = read_groups(opts.group, names)
    if opts.paper and not groups.keys() & PAPER.keys():
        raise UsageError(
            "--paper: the paper has a party group and a portals group. Remedy: --group party=SITE,SITE --group portals=SITE,SITE",
            print_help=False,
        )
    groups = groups or {"all": names}
    curve = _threshold_curve(records, labels, groups)
    figures = {
        "sites": [
            {"site": s.site, "texts": s.collected, "relevant": s.relevant, "precision": s.precision, "recall": s.recall}
            for members in groups.values()
            for s in scores
            if s.site in members
        ],
        "groups": {name: _group_figures(name, scores, members, opts.paper) for name, members in groups.items()},
        "curve": curve,
    }
    if opts.json:
        print(json.dumps(figures, ensure_ascii=False, indent=1))
    else:
        console().print(_sites_table(scores, groups, opts.paper), _curve_table(curve, groups))
    if opts.out is not None:
        write_json(opts.out / "sites.json", figures)
        _draw_curve(curve, groups, opts.out / "sites.png")
        if not opts.json:
            console().print(f"→ {opts.out}/sites.json, sites.png", markup=False, soft_wrap=True)
    return 0


def _group_figures(name: str, scores: Sequence[SiteScore], members: Sequence[str], paper: bool) -> dict[str, float]:
    mean, total = group_score(name, [s for s in scores if s.site in members])
    figures = {"mean_precision": mean, "precision": total.precision, "recall": total.recall}
    if paper and name in PAPER:
        figures["paper_mean_precision"], figures["paper_precision"] = _printed(name)
    return figures


def _printed(name: str) -> tuple[float, float]:
    """Mean precision of the paper's sites of a group, and precision of all their texts together."""
    mean, total = group_score(name, [SiteScore("", texts, relevant, 0, 0) for texts, relevant in PAPER[name]])
    return mean, total.precision


def _threshold_curve(records: Sequence[Record], labels: Mapping[bytes, Label], groups: Groups) -> list[dict[str, float]]:
    """Mean precision and recall of every group over the least relevance of a kept page, at shares of the kept pages."""
    kept = sorted(r.relevance for r in records if r.keep)
    rows = []
    for step in sorted({0.0} | {kept[int(len(kept) * q)] for q in _SHARES if kept}):
        at = site_scores(records, labels, step)
        row = {"threshold": step}
        for name, members in groups.items():
            mean, total = group_score(name, [s for s in at if s.site in members])
            row |= {f"{name}_precision": mean, f"{name}_recall": total.recall}
        rows.append(row)
    return rows


def _sites_table(scores: Sequence[SiteScore], groups: Groups, paper: bool) -> Table:
    columns = ("site", "texts", "relevant", "precision %", *(["paper %"] if paper else []), "recall %", "of")
    shown = table(columns, (), title="Table 8")
    for name, members in groups.items():
        rows = [s for s in scores if s.site in members]
        mean, total = group_score(name, rows)
        for s in rows:
            cells = [escape(s.site), str(s.collected), str(s.relevant), f"{100 * s.precision:.2f}"]
            shown.add_row(*cells, *([""] if paper else []), f"{100 * s.recall:.1f}", str(s.available))
        printed = [f"{100 * share:.2f}" for share in _printed(name)] if name in PAPER else ["", ""]
        of_mean, of_all = [[share] if paper else [] for share in printed]
        cells = [f"[bold]{escape(name)}[/]: all texts", str(total.collected), str(total.relevant)]
        shares = f"[bold]{100 * total.precision:.2f}[/]", *of_all, f"[bold]{100 * total.recall:.1f}[/]"
        shown.add_row(*cells, *shares, str(total.available))
        cells = [f"[bold]{escape(name)}[/]: mean of sites", "", "", f"[bold]{100 * mean:.2f}[/]"]
        shown.add_row(*cells, *of_mean, "", "", end_section=True)
    return shown


def _curve_table(rows: Sequence[Mapping[str, float]], groups: Groups) -> Table:
    columns = [(name, what) for name in groups for what in ("precision", "recall")]
    cells = ((f"{row['threshold']:.5f}", *(f"{100 * row[f'{name}_{what}']:.1f}" for name, what in columns)) for row in rows)
    return table(("relevance ≥", *(f"{name}: {what} %" for name, what in columns)), cells, title="Over the threshold")


def _draw_curve(rows: Sequence[Mapping[str, float]], groups: Groups, path: Path) -> None:
    figure, axes = new_figure("Over the least relevance of a kept page", "relevance", "%")
    steps = [row["threshold"] for row in rows]
    for number, name in enumerate(groups):
        for what, line in (("precision", "-"), ("recall", "--")):
            values = [100 * row[f"{name}_{what}"] for row in rows]
            axes.plot(steps, values, line, color=f"C{number}", marker=".", linewidth=1.8, label=f"{name}: {what}")
    if any(steps):
        axes.set_xscale("log")  # which leaves the first step out, 0: nearly the same pages as the second
        axes.xaxis.set_major_formatter("{x:g}")
    axes.set_ylim(0, 102)
    axes.legend(frameon=False)
    save_figure(figure, path)


# -- harvest: relevant texts reached over pages fetched


def _harvest_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", nargs="+", help="data directories; NAME=DIR gives a curve its name")
    add_labels(parser)
    parser.add_argument("--budget", type=whole(0), default=0, metavar="N", help="pages to look at (default: all fetched)")
    add_json(parser)
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the curves into FILE (.png, .svg)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="write DIR/harvest.json and the curves, DIR/harvest.png")


def _harvest(opts: argparse.Namespace, settings: AnySettings) -> int:
    labels = read_labels(opts.labels, opts.grade)
    curves: dict[str, list[int]] = {}
    for text in opts.corpus:
        name, sign, place = text.partition("=")
        fetched = [r.url for r in read_corpus(place if sign else text) if r.reason != REDIRECTED]
        name = name if sign else Path(text).absolute().name
        if name in curves:
            raise UsageError(f"two crawls are named {name!r}. Remedy: name them, first={place or text} …", print_help=False)
        curves[name] = harvest_curve(fetched[: opts.budget or None], labels)
    total = relevant_texts(labels)
    budget = opts.budget or max(map(len, curves.values()))
    rows = {
        name: {
            "pages": len(c),
            "relevant": c[-1] if c else 0,
            "harvest_rate": c[-1] / len(c) if c else 0.0,
            "recall": c[-1] / total if c and total else 0.0,
            "area": area_under_recall(c, total, budget),
        }
        for name, c in curves.items()
    }
    if opts.json:
        print(json.dumps(rows, ensure_ascii=False, indent=1))
    else:
        console().print(_harvest_table(rows, total))
        print(terminal_curve(curves))
    if opts.picture:
        picture(curves, opts.picture, "Harvest", total)
    if opts.out is not None:
        figures = {name: {**row, "curve": _sampled(curves[name])} for name, row in rows.items()}
        write_json(opts.out / "harvest.json", {"relevant_texts": total, "budget": budget, "crawls": figures})
        picture(curves, opts.out / "harvest.png", "Harvest", total)
        if not opts.json:
            console().print(f"→ {opts.out}/harvest.json, harvest.png", markup=False, soft_wrap=True)
    return 0


def _harvest_table(rows: dict[str, dict[str, Any]], total: int) -> Table:
    cells = (
        (name, str(r["pages"]), str(r["relevant"]), f"{r['harvest_rate']:.1%}", f"{r['recall']:.1%}", f"{r['area']:.3f}")
        for name, r in rows.items()
    )
    return table(("crawl", "pages", "relevant texts", "harvest rate", f"recall (of {total})", "area under recall"), cells)


def _sampled(curve: Sequence[int]) -> list[tuple[int, int]]:
    """(pages fetched, relevant texts reached) at no more than 200 even steps and at the end."""
    step = max(1, -(-len(curve) // 200))
    return [(k, curve[k - 1]) for k in sorted({*range(step, len(curve) + 1, step), len(curve)} - {0})]


ACTIONS = {
    "sites": Action(
        "Precision and recall of a collected corpus per site and group of sites, and over the least relevance of a kept page. "
        "Copies of one text count once, texts of grade 1 not at all, kept pages without a text of their own as not relevant.",
        _sites_arguments,
        _sites,
    ),
    "harvest": Action(
        "Relevant texts reached over pages fetched, for one crawl or several, beside the ideal crawl, of which every page is a "
        "relevant text that was not there yet. A text counts when the first page that holds it is fetched, kept or not.",
        _harvest_arguments,
        _harvest,
    ),
}
