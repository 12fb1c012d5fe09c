"""What a comparison of crawls leaves behind: all figures as JSON, one line a crawl as CSV, a page to read, a picture.

The same figures give the same bytes.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

from experiments.comparison import CHECKPOINTS, ORACLE, RunFigures, Setting
from experiments.curves import TONES, Curve, Style, chart, sample, styles
from experiments.ranking import FEWEST_SEEDS, Comparison, Estimate, estimate, mean_kept, mean_recall, tightness
from topical_crawler.evaluation.report import new_figure, save_figure
from topical_crawler.files import replacing

# -- The style sheet of the page that compares crawls: light and dark, wide and narrow


_RULES = """\
:root { color-scheme: light dark; --paper: #ffffff; --soft: #f3f4f6; --rule: #d4d7dc; --quiet: #5a6068; --bar: #cfe3f4 }
@media (prefers-color-scheme: dark) {
  :root { --paper: #16181b; --soft: #22262b; --rule: #3a4047; --quiet: #a4abb4; --bar: #1f4058 }
}
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, "Segoe UI", Roboto, "Noto Sans CJK SC", "Source Han Sans SC", "PingFang SC", "Microsoft YaHei",
    sans-serif }
main { max-width: 76rem; margin: 0 auto; padding: 1rem }
h1 { font-size: 1.6rem; line-height: 1.25 }
h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; padding-top: .8rem; border-top: 1px solid var(--rule) }
h3 { font-size: 1rem; margin: 1.4rem 0 .4rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .6rem 0 }
dt { color: var(--quiet) }
dd { margin: 0; overflow-wrap: anywhere }
a { color: inherit }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .84rem; font-variant-numeric: tabular-nums }
th, td { padding: .28rem .6rem; border-bottom: 1px solid var(--rule); text-align: right; vertical-align: top }
td, tbody th { white-space: nowrap }
thead th { color: var(--quiet); font-weight: 500; vertical-align: bottom; min-width: 3.2rem; max-width: 9rem }
th:first-child { position: sticky; left: 0; background: var(--paper); text-align: left }
tbody th { font-weight: 500 }
tr.oracle > * { color: var(--quiet); font-style: italic }
td small { display: block; color: var(--quiet); font-size: .72rem }
td.bar { background: linear-gradient(to right, var(--bar) var(--w), transparent 0); min-width: 5rem }
abbr { text-decoration: none }
.chart { display: block; width: 100%; min-width: 620px; max-width: 1000px; height: auto }
.chart text { font: 12px system-ui, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif }
.tick { fill: var(--quiet) }
.middle { text-anchor: middle }
.end { text-anchor: end }
.grid { stroke: var(--rule); stroke-width: .6 }
.axis { fill: none; stroke: var(--quiet) }
.line { fill: none; stroke-linejoin: round }
.leader { fill: none; stroke-width: .7; opacity: .55 }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; padding: 0; margin: .3rem 0; list-style: none; font-size: .84rem }
.sample { width: 34px; height: 10px }
@media print { .wide { overflow: visible } }
"""


def style_sheet() -> str:
    """All rules; the colours of curves (:data:`~experiments.curves.TONES`) are among them."""
    light, dark = (" ".join(f"--{name}: {pair[place]};" for name, pair in TONES.items()) for place in (0, 1))
    classes = "\n".join(
        f".line.t-{n}, .leader.t-{n} {{ stroke: var(--{n}) }} .dot.t-{n}, .name.t-{n} {{ fill: var(--{n}) }}" for n in TONES
    )
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{_RULES}{classes}\n"


# -- The scalar figures of a crawl as people read them: their heads in a table, what they mean, how they are written


@dataclass(frozen=True, slots=True)
class FigureName:
    """A column of a table.

    Attributes:
        head: short name.
        meaning: one sentence.
        form: how its numbers are written, as ``format`` has it.
        best: whether the greatest value is the best one.
    """

    head: str
    meaning: str
    form: str
    best: bool = True


FIGURES: dict[str, FigureName] = {
    "area": FigureName(
        "area", "area under recall over pages; 1 when every page is a new relevant text until none is left", ".3f"
    ),
    **{
        f"recall_{k}": FigureName(f"recall @{k:,}", f"share of the relevant texts reached after {k:,} pages", ".1%")
        for k in CHECKPOINTS
    },
    "recall": FigureName("recall", "share of the relevant texts reached within the budget, kept or not", ".1%"),
    "harvest_rate": FigureName("harvest", "harvest rate: relevant texts reached per page fetched", ".1%"),
    "mean_relevance": FigureName("relevance", "mean over the fetched texts by label: on topic 1, mixed ½, off topic 0", ".3f"),
    "fetched_precision": FigureName("P fetched", "share of the fetched texts that are relevant, mixed ones left out", ".1%"),
    "fetched_f": FigureName("F fetched", "harmonic mean of that precision and of recall", ".1%"),
    "kept": FigureName("kept", "texts kept, copies once, mixed ones left out, and kept pages that are no text", ".0f", False),
    "kept_precision": FigureName("P kept", "share of what is kept that is a relevant text", ".1%"),
    "kept_recall": FigureName("R kept", "share of the relevant texts that are kept", ".1%"),
    "kept_f": FigureName("F kept", "harmonic mean of the two", ".1%"),
    "hosts": FigureName("hosts", "hosts of which a page was fetched", ".0f", False),
    "relevant_hosts": FigureName("with texts", "hosts of which a relevant text was fetched", ".0f"),
    "relevant": FigureName("relevant", "relevant texts reached", ".0f"),
    "pages": FigureName("pages", "pages fetched", ".0f", False),
}
"""By their names in :meth:`~experiments.comparison.RunFigures.scalars`, in the order of a table."""


def written(value: float, form: str) -> str:
    """A figure as it stands in a table; a small mean of whole numbers with one decimal where it is none itself.

    >>> written(374.4, ".0f"), written(13.4, ".0f"), written(13.0, ".0f"), written(0.5, ".1%")
    ('374', '13.4', '13', '50.0%')
    """
    is_small_mean = form == ".0f" and abs(value) < 100 and abs(value - round(value)) > 1e-9
    return format(value, ".1f" if is_small_mean else form)


# -- A comparison of crawls as one page of HTML: tables, curves, ranks. It needs no script and nothing from elsewhere


MOST_SITES = 30
"""Sites in a table at most, those with the most relevant texts."""


def page(comparison: Comparison) -> str:
    """The whole page."""
    body = [
        f"<h1>{escape(comparison.title)}</h1>",
        _about(comparison),
        _overview(comparison),
        _caps(comparison),
        *(_section(comparison, setting, number) for number, setting in enumerate(comparison.settings)),
        _meanings(comparison),
    ]
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(comparison.title)}</title>\n<style>\n{style_sheet()}</style>\n</head>\n<body>\n<main>\n"
        + "\n".join(part for part in body if part)
        + "\n</main>\n</body>\n</html>\n"
    )


def setting_name(setting: Setting) -> str:
    """A setting for people.

    >>> setting_name(Setting("党建", "home", 200))
    '党建 · from home · at most 200 pages a host'
    >>> setting_name(Setting("党建", "home", keep_links=0.5))
    '党建 · from home · 50 % of the links of every page'
    """
    links = f" · {setting.keep_links * 100:g} % of the links of every page" if setting.keep_links < 1 else ""
    bound = f" · at most {setting.cap:,} pages a host" if setting.cap else ""
    return f"{setting.topic} · from {setting.start}{links}{bound}"


def _about(comparison: Comparison) -> str:
    seeds = sorted({len(runs) for s in comparison.settings for runs in comparison.under(s).values()})
    spread = "" if seeds[-1] == 1 else f" Small numbers: the interval of 95 % by Student's t over the random seeds{_few(seeds)}."
    listed = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in comparison.about.items() if value)
    return (
        f"<dl>{listed}</dl>\n<p>In every table, the best value of a column is bold.{spread} The oracle knows every label and "
        "every link and takes the best page within reach: it bounds what a crawl can do, but it is greedy, not optimal, and is "
        "not ranked.</p>"
    )


def _few(seeds: Sequence[int]) -> str:
    if seeds[0] >= FEWEST_SEEDS:
        return ""
    return f"; with fewer than {FEWEST_SEEDS} seeds, from the least to the greatest value"


def _overview(comparison: Comparison) -> str:
    """The area of every strategy under every setting, and its mean rank."""
    if len(comparison.settings) < 2:
        return ""
    areas = {s: {n: e.mean for n, e in comparison.ranking(s)} for s in comparison.settings}
    rows = []
    for name in comparison.strategies:
        ranks = [list(found).index(name) + 1 for found in areas.values() if name in found]
        cells = [_cell(found.get(name), ".3f", max(found.values())) for found in areas.values()]
        rows.append(_row(name, [f"<td>{sum(ranks) / len(ranks):.1f}</td>", *cells]))
    bounds = [f"<td>{comparison.oracles[s].area:.3f}</td>" for s in areas]
    rows.append(_row(ORACLE, ["<td>–</td>", *bounds], "oracle"))
    heads = ["mean rank", *(f'<a href="#s{i}">{escape(setting_name(s))}</a>' for i, s in enumerate(areas))]
    return "<h2>Area under the recall curve</h2>\n" + _table("strategy", heads, rows)


def _caps(comparison: Comparison) -> str:
    """Ranks over the bounds on the pages of a host."""
    parts = []
    for place in dict.fromkeys(replace(s, cap=0) for s in comparison.settings):
        agreements = [a for a in comparison.agreements() if Setting(a.topic, a.start, keep_links=a.keep_links) == place]
        if not agreements:
            continue
        settings = [s for s in comparison.settings if replace(s, cap=0) == place]
        orders = [[name for name, _ in comparison.ranking(s)] for s in settings]
        rows = [
            _row(name, [f"<td>{order.index(name) + 1 if name in order else '–'}</td>" for order in orders])
            for name in sorted(comparison.strategies, key=lambda n: next(o.index(n) for o in orders if n in o))
        ]
        said = "".join(
            f"<li>{_bound(a.caps[0])} against {_bound(a.caps[1])}: "
            + ("nothing to order" if math.isnan(a.tau) else f"Kendall's τ {a.tau:.2f}; {_swapped(a.swapped)}")
            + "</li>"
            for a in agreements
        )
        table = _table("rank by area", [_bound(s.cap) for s in settings], rows)
        parts.append(f"<h3>{escape(setting_name(place))}</h3>\n{table}\n<ul>{said}</ul>")
    return "\n".join(["<h2>Does the order change with the bound on the pages of a host?</h2>", *parts]) if parts else ""


def _bound(cap: int) -> str:
    return f"{cap:,} pages a host" if cap else "no bound"


def _swapped(pairs: Sequence[tuple[str, str]]) -> str:
    if not pairs:
        return "no two strategies change places"
    shown = "; ".join(f"{escape(a)} falls behind {escape(b)}" for a, b in pairs[:5])
    return shown + (f"; {len(pairs) - 5} more pairs" if len(pairs) > 5 else "")


def _section(comparison: Comparison, setting: Setting, number: int) -> str:
    name = setting_name(setting)
    runs = comparison.under(setting)
    oracle = comparison.oracles[setting]
    looks = styles([*comparison.strategies, ORACLE])
    order = [strategy for strategy, _ in comparison.ranking(setting)]
    recall = {n: mean_recall(runs[n]) for n in order} | {ORACLE: mean_recall([oracle])}
    kept = {n: mean_kept(runs[n]) for n in order}
    legend = "".join(f"<li>{sample(looks[n])} {escape(n)}</li>" for n in recall)
    return "\n".join(
        (
            f'<section id="s{number}">\n<h2>{escape(name)}</h2>',
            f"<p>{oracle.total:,} relevant texts.</p>",
            _figures(comparison.estimates(setting), oracle, order),
            "<h3>Relevant texts reached over pages fetched</h3>",
            _chart(
                recall, looks, f"Recall over pages: {name}", ("pages fetched", comparison.budget), ("recall", _top(recall, 1))
            ),
            f'<ul class="legend">{legend}</ul>',
            "<h3>Precision and recall of what is kept, as the crawl goes on</h3>",
            _chart(
                kept,
                looks,
                f"Precision over recall of what is kept: {name}",
                ("recall of what is kept", _top(kept, 0)),
                ("precision", 1),
            ),
            "<h3>Sites</h3>",
            _sites({n: runs[n] for n in order}, oracle),
            "</section>",
        )
    )


def _top(curves: Mapping[str, Sequence[tuple[float, float]]], side: int) -> float:
    """End of an axis of recall: the next full tenth above all curves."""
    highest = max((point[side] for points in curves.values() for point in points), default=0.0)
    return min(10, math.floor(highest * 10) + 1) / 10


def _chart(
    curves: Mapping[str, Sequence[tuple[float, float]]],
    looks: Mapping[str, Style],
    title: str,
    x: tuple[str, float],
    y: tuple[str, float],
) -> str:
    return f'<div class="wide">{chart([Curve(n, looks[n], points) for n, points in curves.items()], title, x, y)}</div>'


def _figures(rows: Mapping[str, Mapping[str, Estimate]], oracle: RunFigures, order: Sequence[str]) -> str:
    bound = oracle.scalars()
    names = [n for n in FIGURES if n in bound]
    best = {n: max(row[n].mean for row in rows.values()) if FIGURES[n].best else None for n in names}
    body = []
    for strategy in order:
        row = rows[strategy]
        cells = [_cell(row[n].mean, FIGURES[n].form, best[n], row[n], bar=n == "area") for n in names]
        body.append(_row(strategy, [f"<td>{row['area'].seeds}</td>", *cells]))
    cells = [_cell(bound[n], FIGURES[n].form, None, bar=n == "area") for n in names]
    body.append(_row(ORACLE, ["<td></td>", *cells], "oracle"))
    heads = ["seeds", *(f'<abbr title="{escape(FIGURES[n].meaning)}">{FIGURES[n].head}</abbr>' for n in names)]
    return _table("strategy", heads, body)


def _sites(runs: Mapping[str, Sequence[RunFigures]], oracle: RunFigures) -> str:
    """Relevant texts reached per site, and in small numbers the pages spent there."""
    there = {s.site: s.there for s in oracle.sites}
    found = {n: {s: (reached.mean, pages.mean) for s, reached, pages in _site_means(several)} for n, several in runs.items()} | {
        ORACLE: {s.site: (float(s.reached), float(s.pages)) for s in oracle.sites}
    }
    sites = sorted((s for s in there if there[s] or any(f[s][1] for f in found.values())), key=lambda s: (-there[s], s))
    rows = []
    for site in sites[:MOST_SITES]:
        best = max((found[n][site][0] for n in runs), default=0.0)
        cells = []
        for name, figures in found.items():
            reached, pages = figures[site]
            text = written(reached, ".0f")
            shown = f"<b>{text}</b>" if name != ORACLE and reached == best > 0 else text
            cells.append(f"<td>{shown}<small>{written(pages, '.0f')}</small></td>")
        rows.append(_row(site, [f"<td>{there[site]}</td>", *cells]))
    left = f"<p>{len(sites) - MOST_SITES} more sites are in crawl.json.</p>" if len(sites) > MOST_SITES else ""
    table = _table("site", ["there", *(escape(n) for n in found)], rows)
    return f"<p>Relevant texts that the site has, and how many were reached; below, the pages fetched there.</p>\n{table}{left}"


def _site_means(runs: Sequence[RunFigures]) -> Iterable[tuple[str, Estimate, Estimate]]:
    for rows in zip(*(r.sites for r in runs), strict=True):
        yield rows[0].site, estimate([s.reached for s in rows]), estimate([s.pages for s in rows])


def _meanings(comparison: Comparison) -> str:
    names = comparison.runs[0].scalars()
    listed = "".join(f"<dt>{FIGURES[n].head}</dt><dd>{escape(FIGURES[n].meaning)}</dd>" for n in FIGURES if n in names)
    return f"<h2>What the figures mean</h2>\n<dl>{listed}</dl>"


def _cell(value: float | None, form: str, best: float | None, spread: Estimate | None = None, bar: bool = False) -> str:
    if value is None:
        return "<td>–</td>"
    text = written(value, form)
    if best is not None and value > 0 and text == written(best, form):
        text = f"<b>{text}</b>"
    if spread is not None and spread.seeds > 1 and spread.low != spread.high:
        text += f"<small>{written(spread.low, form)}–{written(spread.high, form)}</small>"
    filled = f' class="bar" style="--w: {100 * value:.1f}%"' if bar else ""
    return f"<td{filled}>{text}</td>"


def _row(name: str, cells: Iterable[str], kind: str = "") -> str:
    chosen = f' class="{kind}"' if kind else ""
    return f'<tr{chosen}><th scope="row">{escape(name)}</th>{"".join(cells)}</tr>'


def _table(corner: str, heads: Iterable[str], rows: Iterable[str]) -> str:
    """``heads`` are HTML already."""
    columns = "".join(f'<th scope="col">{head}</th>' for head in (corner, *heads))
    return (
        f'<div class="wide" tabindex="0"><table>\n<thead><tr>{columns}</tr></thead>\n<tbody>\n'
        + "\n".join(rows)
        + ("\n</tbody>\n</table></div>")
    )


# -- What a comparison of crawls leaves behind: all figures as JSON, one line a crawl as CSV, a page to read, a picture


FILES = ("crawl.json", "crawl.csv", "crawl.html", "crawl.png")


def write_report(out: Path, comparison: Comparison) -> None:
    """Write :data:`FILES` into the folder ``out``, which is made where it does not exist.

    * ``crawl.json``: everything; curves at no more than 200 even steps;
    * ``crawl.csv``: one line a crawl with all figures that are one number, the oracle's crawls too;
    * ``crawl.html``: one page that stands alone;
    * ``crawl.png``: recall over pages for every topic, start, share of the links and bound.

    Raises:
        ImportError: matplotlib is not installed; only the picture is missing then.
    """
    out.mkdir(parents=True, exist_ok=True)
    with replacing(out / "crawl.json") as file:
        # Not indented as smaller results are: a line for each of a million numbers makes the file twice as large.
        file.write(
            json.dumps(as_json(comparison), ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")) + "\n"
        )
    _write_csv(out / "crawl.csv", comparison)
    with replacing(out / "crawl.html") as file:
        file.write(page(comparison))
    _draw(out / "crawl.png", comparison)


def as_json(comparison: Comparison) -> dict[str, Any]:
    """All that is in ``comparison`` as JSON data."""
    return {
        "title": comparison.title,
        "about": dict(comparison.about),
        "budget": comparison.budget,
        "strategies": comparison.strategies,
        "settings": [_setting(comparison, setting) for setting in comparison.settings],
        "caps": [
            {
                "topic": a.topic,
                "start": a.start,
                "keep_links": a.keep_links,
                "caps": a.caps,
                "kendall_tau": None if math.isnan(a.tau) else a.tau,
                "swapped": a.swapped,
            }
            for a in comparison.agreements()
        ],
    }


def _setting(comparison: Comparison, setting: Setting) -> dict[str, Any]:
    estimates = comparison.estimates(setting)
    oracle = comparison.oracles[setting]
    return {
        "topic": setting.topic,
        "start": setting.start,
        "cap": setting.cap,
        "keep_links": setting.keep_links,
        "relevant_texts": oracle.total,
        "ranking": [name for name, _ in comparison.ranking(setting)],
        "oracle": _run(oracle),
        "strategies": {
            name: {
                "figures": {figure: _estimate(e) for figure, e in estimates[name].items()},
                "recall_curve": _columns(("pages", "recall"), mean_recall(runs)),
                "runs": [{"seed": r.key.seed, **_run(r)} for r in runs],
            }
            for name, runs in comparison.under(setting).items()
        },
    }


def _estimate(found: Estimate) -> dict[str, Any]:
    kind = "95 % (t)" if found.is_interval else "least and greatest"
    return {"mean": found.mean, "low": found.low, "high": found.high, "seeds": found.seeds, "interval": kind}


def _run(run: RunFigures) -> dict[str, Any]:
    points = [
        (f.pages, f.found, f.collected, f.recall, f.precision, f.f, k.found, k.collected, k.recall, k.precision, k.f)
        for f, k in zip(run.fetched, run.kept, strict=True)
    ]
    names = [f"{whole}_{part}" for whole in ("fetched", "kept") for part in ("relevant", "texts", "recall", "precision", "f")]
    return {
        "figures": run.scalars(),
        "curves": _columns(("pages", *names), points),
        "sites": {s.site: {"pages": s.pages, "reached": s.reached, "there": s.there} for s in run.sites},
    }


def _columns(names: Sequence[str], rows: Sequence[Sequence[float]]) -> dict[str, list[float]]:
    """Curves as columns with names, which is shorter than rows; six decimals are more than a picture shows."""
    return {name: [round(row[i], 6) for row in rows] for i, name in enumerate(names)}


def _write_csv(path: Path, comparison: Comparison) -> None:
    runs = sorted((*comparison.runs, *comparison.oracles.values()), key=lambda r: (r.key.setting, r.key))
    keys = ("topic", "start", "cap", "keep_links", "strategy", "seed")
    with replacing(path, "utf-8-sig") as out:
        writer = csv.DictWriter(out, [*keys, *runs[0].scalars()], lineterminator="\r\n")
        writer.writeheader()
        for run in runs:
            figures = {name: format(value, ".6g") for name, value in run.scalars().items()}
            writer.writerow({**{k: getattr(run.key, k) for k in keys}, **figures})


def _draw(path: Path, comparison: Comparison) -> None:
    """A row of small pictures for every topic, start and share of the links, in it one for every bound."""
    figure, axes = new_figure("", "", "")
    figure.delaxes(axes)
    rows = list(dict.fromkeys(replace(s, cap=0) for s in comparison.settings))
    caps = sorted({s.cap for s in comparison.settings}, key=tightness)
    looks = styles([*comparison.strategies, ORACLE])
    figure.set_size_inches(1.8 + 4.2 * len(caps), 0.4 + 3.0 * len(rows))
    grid = figure.subplots(len(rows), len(caps), squeeze=False, sharex=True)
    lines: dict[str, Any] = {}
    for setting in comparison.settings:
        place = rows.index(replace(setting, cap=0))
        axes = grid[place][caps.index(setting.cap)]
        curves = {name: mean_recall(runs) for name, runs in comparison.under(setting).items()}
        for name, points in (curves | {ORACLE: mean_recall([comparison.oracles[setting]])}).items():
            style = looks[name]
            dash = (0, tuple(map(float, style.dash.split()))) if style.dash else "-"
            (line,) = axes.plot(
                *zip(*points, strict=True), color=TONES[style.tone][0], linewidth=style.width * 0.75, linestyle=dash
            )
            lines[name] = line
        axes.set_title(_title(setting, place), fontsize=9)
        axes.set_xlim(0, comparison.budget)
        axes.set_ylim(0, 1.02)
        axes.tick_params(labelsize=8)
        axes.grid(alpha=0.25)
    for axes in grid.flat:
        axes.set_visible(axes.has_data())
    figure.supxlabel("pages fetched", fontsize=9)
    figure.supylabel("recall", fontsize=9)
    figure.legend(list(lines.values()), list(lines), loc="outside right center", frameon=False, fontsize=8, handlelength=3.6)
    save_figure(figure, path)


def _title(setting: Setting, place: int) -> str:
    """The fonts of matplotlib have no Chinese characters: names of that kind give way to the number of the row."""
    name = f"{setting.topic} from {setting.start}"
    name = name if name.isascii() else f"row {place + 1}"
    name += f", {setting.keep_links * 100:g} % of the links" if setting.keep_links < 1 else ""
    return f"{name}, at most {setting.cap} pages a host" if setting.cap else name
