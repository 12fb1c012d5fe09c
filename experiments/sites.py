"""Table 8 of Zhou et al. 2019: precision and recall of a corpus per site and group of sites, beside the paper's.

They are also given over the least relevance of a kept page.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.markup import escape
from rich.table import Table
from scrapy.settings import BaseSettings

from experiments.figures import new_figure, save_figure, write_json
from topical_crawler.cli.evaluate import add_labels, read_corpus
from topical_crawler.cli.terminal import console, table
from topical_crawler.corpus.record import Record
from topical_crawler.evaluation.labels import Label, read_labels
from topical_crawler.evaluation.metrics import SiteScore, group_score, site_scores, thresholds
from topical_crawler.services import MistakeError

Groups = dict[str, list[str]]  # names of sites by the name of their group

PAPER: Mapping[str, Sequence[tuple[int, int]]] = {
    "party": ((28_681, 26_948), (1_108, 1_103), (1_303, 1_238), (8_074, 7_866)),
    "portals": ((4_656, 3_344), (3_789, 2_649), (3_899, 2_813), (5_832, 2_863)),
}
"""Table 8 of Zhou et al. 2019: texts collected and relevant ones, site by site. The means that the paper prints, 94.87 and 64.20,
are of all texts of a group together."""

DESCRIPTION = (
    "Precision and recall of a collected corpus per site and group of sites, and over the least relevance of a kept page. Groups "
    "named party and portals stand beside the paper's Table 8."
)


def add_groups(parser: argparse.ArgumentParser) -> None:
    """Declare ``--group``."""
    parser.add_argument(
        "--group", action="append", default=[], metavar="NAME=SITE,SITE", help="sites to take together; may be repeated"
    )


def read_groups(options: Iterable[str], sites: Sequence[str]) -> Groups:
    """The groups as given on the command line, NAME=SITE,SITE each. Raises MistakeError for another form, or a site that the
    labels do not name."""
    groups: Groups = {}
    for text in options:
        name, _, members = text.partition("=")
        groups[name] = members.split(",")
        if unknown := set(groups[name]) - set(sites):
            raise MistakeError(
                f"--group {text}: NAME=SITE,SITE is expected. There is no site {', '.join(sorted(unknown))!r} in the labels; "
                f"there are {', '.join(sites)}"
            )
    return groups


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("corpus", help="data directory of a crawl, or its corpus.sqlite")
    add_labels(parser)
    add_groups(parser)
    parser.add_argument("--out", type=Path, default=Path("results"), metavar="DIR", help="default: %(default)s")


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    labels = read_labels(opts.labels, opts.grade)
    records = read_corpus(opts.corpus)
    scores = site_scores(records, labels)
    names = [s.site for s in scores]
    groups = read_groups(opts.group, names) or {"all": names}
    curve = _threshold_curve(records, labels, groups)
    figures = {
        "sites": [
            {"site": s.site, "texts": s.collected, "relevant": s.relevant, "precision": s.precision, "recall": s.recall}
            for members in groups.values()
            for s in scores
            if s.site in members
        ],
        "groups": {name: _group_figures(name, scores, members) for name, members in groups.items()},
        "curve": curve,
    }
    write_json(opts.out / "sites.json", figures)
    _draw_curve(curve, groups, opts.out / "sites.png")
    console().print(_sites_table(scores, groups), _curve_table(curve, groups))
    console().print(f"→ {opts.out}/sites.json, sites.png", markup=False, soft_wrap=True)
    return 0


def _group_figures(name: str, scores: Sequence[SiteScore], members: Sequence[str]) -> dict[str, float]:
    mean, total = group_score(name, [s for s in scores if s.site in members])
    figures = {"mean_precision": mean, "precision": total.precision, "recall": total.recall}
    if name in PAPER:
        figures["paper_mean_precision"], figures["paper_precision"] = _printed(name)
    return figures


def _printed(name: str) -> tuple[float, float]:
    """Mean precision of the paper's sites of a group, and precision of all their texts together."""
    mean, total = group_score(name, [SiteScore("", texts, relevant, 0, 0) for texts, relevant in PAPER[name]])
    return mean, total.precision


def _threshold_curve(records: Sequence[Record], labels: Mapping[bytes, Label], groups: Groups) -> list[dict[str, float]]:
    """Mean precision and recall of every group over the least relevance of a kept page."""
    rows = []
    for step in thresholds(records):
        at = site_scores(records, labels, step)
        row = {"threshold": step}
        for name, members in groups.items():
            mean, total = group_score(name, [s for s in at if s.site in members])
            row |= {f"{name}_precision": mean, f"{name}_recall": total.recall}
        rows.append(row)
    return rows


def _sites_table(scores: Sequence[SiteScore], groups: Groups) -> Table:
    shown = table(("site", "texts", "relevant", "precision %", "paper %", "recall %", "of"), (), title="Table 8")
    for name, members in groups.items():
        rows = [s for s in scores if s.site in members]
        mean, total = group_score(name, rows)
        for s in rows:
            cells = [escape(s.site), str(s.collected), str(s.relevant), f"{100 * s.precision:.2f}", "", f"{100 * s.recall:.1f}"]
            shown.add_row(*cells, str(s.available))
        paper_mean, paper_all = (f"{100 * share:.2f}" for share in _printed(name)) if name in PAPER else ("", "")
        cells = [f"[bold]{escape(name)}[/]: all texts", str(total.collected), str(total.relevant)]
        shares = f"[bold]{100 * total.precision:.2f}[/]", paper_all, f"[bold]{100 * total.recall:.1f}[/]"
        shown.add_row(*cells, *shares, str(total.available))
        cells = [f"[bold]{escape(name)}[/]: mean of sites", "", "", f"[bold]{100 * mean:.2f}[/]"]
        shown.add_row(*cells, paper_mean, "", "", end_section=True)
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
