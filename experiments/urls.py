"""Algorithm 2 on URLs of one section and of different sections (Table 6 of Zhou et al. 2019)."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from scrapy.settings import BaseSettings

from experiments.figures import new_figure, save_figure, write_json
from experiments.sampling import halves
from experiments.url_pairs import (
    PRINTED,
    THRESHOLDS,
    SectionedUrl,
    UrlAccuracy,
    UrlPair,
    accuracy_curve,
    by_site,
    candidates,
    distance,
    draw_pairs,
    read_sections,
    sections_of_web,
)
from topical_crawler import config
from topical_crawler.cli.terminal import console as terminal
from topical_crawler.recordings.reader import Recording
from topical_crawler.strategies.semantic.url_structure import StructureParameters

DESCRIPTION = (
    "Accuracy of Algorithm 2 in telling pairs of URLs of one section of a site from pairs of two sections, over its threshold, "
    "beside the paper's Table 6: by the paper's rule, that two URLs of one host are always alike, and by the refinement, "
    "within_host, that compares their paths. The sections come from a table, or from the breadcrumbs of a recorded web's pages."
)
_PAPERS_PAIRS = 100
_RULES = {"paper's rule": False, "within_host": True}

Curves = dict[str, list[UrlAccuracy]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--labels", type=Path, metavar="FILE", help="TSV with the columns url and section, and site if there are several"
    )
    source.add_argument("--web", type=Path, metavar="WARC", help="a recorded web whose pages have breadcrumbs")
    add("--column", default="section", metavar="NAME", help="column of the section; of a;b;c it is a (default: %(default)s)")
    add("--kind", action="append", default=[], metavar="KIND",
                        help="only rows with this in the column kind; may be repeated (default: all)")  # fmt: skip
    add("--site", action="append", default=[], metavar="SITE", help="only this site; may be repeated (default: all)")
    add("--across", action="store_true", help="pairs of different sites, not of one; sections of one name are the same")
    add("--pairs", type=int, default=2000, metavar="N",
                        help="pairs to draw beside the paper's 100 (default: %(default)s)")  # fmt: skip
    add("--seed", type=int, default=1, help="of the pairs and the halves (default: %(default)s)")
    add("--parameters", action="store_true",
                        help="search a', b, d: choose them on one half of the pairs and report on the other")  # fmt: skip
    add("--out", type=Path, default=Path("results"), metavar="DIR",
                        help="write DIR/urls.json, urls.png and the pairs, urls.tsv (default: %(default)s)")  # fmt: skip


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    console = terminal()
    urls = read_sections(opts.labels, opts.column, opts.kind) if opts.labels else _read_web(opts.web, config.cache_dir(settings))
    if opts.site:
        known = sorted({one.site for one in urls})
        if unknown := sorted(set(opts.site) - set(known)):
            raise ValueError(f"--site {unknown[0]}: there is no such site. Remedy: one of {', '.join(known)}")
        urls = [one for one in urls if one.site in opts.site]
    pairs = draw_pairs(urls, opts.pairs, opts.seed, opts.across)
    sites = {one.site for one in urls}
    sections = {(one.site, one.section) for one in urls}
    console.print(
        f"{len(urls):,} URLs, {len(sites)} site{'s' * (len(sites) > 1)}, {len(sections)} sections; {len(pairs):,} pairs"
        f"{' across sites' if opts.across else ''}, half of them of one section", highlight=False)  # fmt: skip
    parameters = StructureParameters()
    few = pairs[:_PAPERS_PAIRS]
    samples = {f"{len(few)} pairs": few, f"{len(pairs)} pairs": pairs}
    curves = {
        f"{size}, {rule}": _curve(sample, parameters, inside)
        for size, sample in samples.items()
        for rule, inside in _RULES.items()
    }
    console.print(_curves_table(curves, f"Table 6: accuracy by threshold; {_say(parameters)}"))
    sites_table, per_site = _sites(pairs, parameters)
    if not opts.across:
        console.print(sites_table)
    figures: dict[str, Any] = {
        "source": str(opts.labels or opts.web), "urls": len(urls), "sites": len(sites), "sections": len(sections),
        "pairs": len(pairs), "across": opts.across, "seed": opts.seed, "parameters": asdict(parameters), "printed": PRINTED,
        "table6": {name: [asdict(cell) for cell in curve] for name, curve in curves.items()},
        "by_site": per_site,
    }  # fmt: skip
    if opts.parameters:
        figures["search"] = _search(pairs, opts.seed, parameters, console)
    write_json(opts.out / "urls.json", figures)
    _save_pairs(opts.out / "urls.tsv", pairs)
    figure, axes = new_figure("Algorithm 2: URLs of one section told from others (Table 6)", "threshold", "accuracy")
    axes.plot(THRESHOLDS, [PRINTED[t] for t in THRESHOLDS], marker="x", linestyle=":", color="black", label="paper, 100 pairs")
    for name, curve in curves.items():
        axes.plot(THRESHOLDS, [cell.accuracy for cell in curve], marker="o", label=name)
    axes.set_ylim(0.0, 1.02)
    axes.legend(frameon=False, fontsize="small")
    save_figure(figure, opts.out / "urls.png")
    console.print(f"→ {opts.out}: urls.json, urls.png, urls.tsv", markup=False, highlight=False, soft_wrap=True)
    return 0


def _read_web(path: Path, cache: Path) -> list[SectionedUrl]:
    skipped: Counter[str] = Counter()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Recording(path, cache) as recording, Progress(*columns, console=terminal(stderr=True)) as display:
        task = display.add_task("reading breadcrumbs", total=len(recording))
        found = []
        for one in sections_of_web(recording, skipped):
            display.advance(task)
            if one is not None:
                found.append(one)
    terminal(stderr=True).print("left out: " + ", ".join(f"{n:,} {reason}" for reason, n in skipped.items()), highlight=False)
    if not found:
        raise ValueError(f"{path}: no page has a breadcrumb. Remedy: name the sections in a table (--labels FILE --column NAME)")
    return found


def _curve(pairs: Sequence[UrlPair], parameters: StructureParameters, within_host: bool) -> list[UrlAccuracy]:
    return accuracy_curve(pairs, replace(parameters, within_host=within_host))


def _curves_table(curves: Curves, title: str, intervals: bool = True) -> Table:
    table = Table("threshold", "paper", *curves, title=title, title_justify="left")
    for row in zip(*curves.values(), strict=True):
        cells = [f"{c.accuracy:.3f}" + (f"  {c.interval[0]:.2f}–{c.interval[1]:.2f}" if intervals else "") for c in row]
        table.add_row(f"{row[0].threshold:.2f}", f"{PRINTED[row[0].threshold]:.2f}", *cells)
    return table


def _sites(pairs: Sequence[UrlPair], parameters: StructureParameters) -> tuple[Table, dict[str, Any]]:
    title = f"By site, threshold {parameters.threshold:g} (one section, two)"
    table = Table("site", "pairs", *_RULES, title=title, title_justify="left")
    found = {rule: by_site(pairs, replace(parameters, within_host=inside)) for rule, inside in _RULES.items()}
    figures: dict[str, Any] = {}
    for site in found["within_host"]:
        cells = {rule: found[rule][site][1] for rule in _RULES}
        number = found["within_host"][site][0]
        table.add_row(escape(site), str(number), *[f"{c.accuracy:.3f} ({c.same:.2f}, {c.different:.2f})" for c in cells.values()])
        figures[site] = {"pairs": number, **{rule: asdict(cell) for rule, cell in cells.items()}}
    return table, figures


def _search(pairs: list[UrlPair], seed: int, parameters: StructureParameters, console: Console) -> dict[str, Any]:
    """Choose for the highest mean accuracy of both rules at the threshold; and for the least distance from the printed table."""
    couples = halves(len(pairs) // 2, seed)
    one, other = ([pairs[2 * i + k] for i in half for k in (0, 1)] for half in couples)
    at = [parameters.threshold]
    tried: list[tuple[float, float, StructureParameters]] = []
    with Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), console=terminal(stderr=True)) as display:
        for p in display.track([parameters, *candidates(parameters)], description="trying constants"):
            good = sum(accuracy_curve(one, replace(p, within_host=inside), at)[0].accuracy for inside in _RULES.values()) / 2
            tried.append((good, -distance(_curve(one, p, False)), p))
    best = max(tried, key=lambda t: t[0])[2]
    nearest = max(tried, key=lambda t: t[1])[2]
    named = {"default": parameters, "best": best, "nearest to the paper": nearest}
    console.print(f"Constants chosen on {len(one)} pairs, reported on the other {len(other)}", highlight=False)
    for name, p in named.items():
        console.print(f"  {name}: {_say(p)}", highlight=False)
    curves = {f"{name}, {rule}": _curve(other, p, inside) for rule, inside in _RULES.items() for name, p in named.items()}
    console.print(_curves_table(curves, "", intervals=False))
    return {
        "chosen_on": len(one), "reported_on": len(other), "constants": {name: asdict(p) for name, p in named.items()},
        "curves": {name: [asdict(cell) for cell in curve] for name, curve in curves.items()},
    }  # fmt: skip


def _save_pairs(path: Path, pairs: Sequence[UrlPair]) -> None:
    rows = "".join(f"{p.first}\t{p.second}\t{int(p.same)}\t{p.site}\n" for p in pairs)
    path.write_text("first\tsecond\tsame\tsite\n" + rows, encoding="utf-8", newline="\n")


def _say(p: StructureParameters) -> str:
    return f"α={p.alpha:g} β={p.beta:g}, a' {p.a_host:g} (host) {p.a_path:g} (path), b={p.b:g}, d={p.d:g}"
