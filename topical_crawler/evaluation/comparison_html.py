"""A comparison of crawls as one page of HTML: tables, curves, ranks. It needs no script and nothing from elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import escape

from topical_crawler.evaluation.comparison import ORACLE, RunFigures, Setting
from topical_crawler.evaluation.comparison_css import style_sheet
from topical_crawler.evaluation.curve_styles import Style, styles
from topical_crawler.evaluation.curve_svg import Curve, chart, sample
from topical_crawler.evaluation.figure_names import FIGURES, written
from topical_crawler.evaluation.ranking import FEWEST_SEEDS, Comparison, Estimate, estimate, mean_kept, mean_recall

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
