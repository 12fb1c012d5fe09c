"""The report of a comparison: all figures as JSON, one line a crawl as CSV, a page of HTML, a picture."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from experiments.comparison import CHECKPOINTS, ORACLE, RunFigures, Setting
from experiments.figures import chinese_font, save_figure
from experiments.ranking import FEWEST_SEEDS, Comparison, Estimate, estimate, mean_kept, mean_recall, tightness
from experiments.report import Axis, Cell, Head, Panel, TableRow, chart, draw_panels, render, styles
from topical_crawler.files import replacing

# -- The scalar figures of a crawl as people read them


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


# -- The page


MOST_SITES = 30
"""Most sites in a table: those with the most relevant texts."""


def page(comparison: Comparison) -> str:
    """The comparison as one page of HTML."""
    figures = comparison.runs[0].scalars()
    return render(
        "comparison.html.j2",
        comparison.title,
        comparison.about,
        seeds=sorted({len(runs) for s in comparison.settings for runs in comparison.under(s).values()}),
        fewest_seeds=FEWEST_SEEDS,
        overview=_overview(comparison) if len(comparison.settings) > 1 else None,
        caps=list(_caps(comparison)),
        sections=[_section(comparison, setting) for setting in comparison.settings],
        meanings=[FIGURES[name] for name in FIGURES if name in figures],
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


def _overview(comparison: Comparison) -> dict[str, object]:
    """The area of every strategy under every setting, and its mean rank."""
    areas = {s: {n: e.mean for n, e in comparison.ranking(s)} for s in comparison.settings}
    rows = []
    for name in comparison.strategies:
        ranks = [list(ranking).index(name) + 1 for ranking in areas.values() if name in ranking]
        cells = [_cell(ranking.get(name), ".3f", max(ranking.values())) for ranking in areas.values()]
        rows.append(TableRow(name, [Cell(f"{sum(ranks) / len(ranks):.1f}"), *cells]))
    bounds = [Cell(f"{comparison.oracles[s].area:.3f}") for s in areas]
    rows.append(TableRow(ORACLE, [Cell("–"), *bounds], oracle=True))
    return {"heads": [Head("mean rank"), *(Head(setting_name(s), target=f"s{i}") for i, s in enumerate(areas))], "rows": rows}


def _caps(comparison: Comparison) -> Iterator[dict[str, object]]:
    """Ranks over the bounds on the pages of a host, for every topic, start and share of the links with several bounds."""
    for place in dict.fromkeys(replace(s, cap=0) for s in comparison.settings):
        agreements = [a for a in comparison.agreements() if Setting(a.topic, a.start, keep_links=a.keep_links) == place]
        if not agreements:
            continue
        settings = [s for s in comparison.settings if replace(s, cap=0) == place]
        orders = [[name for name, _ in comparison.ranking(s)] for s in settings]
        names = sorted(comparison.strategies, key=lambda n: next(o.index(n) for o in orders if n in o))
        yield {
            "name": setting_name(place),
            "heads": [Head(_bound(s.cap)) for s in settings],
            "rows": [TableRow(n, [Cell(str(o.index(n) + 1) if n in o else "–") for o in orders]) for n in names],
            "sentences": [
                f"{_bound(a.caps[0])} against {_bound(a.caps[1])}: "
                + ("nothing to order" if math.isnan(a.tau) else f"Kendall's τ {a.tau:.2f}; {_swapped(a.swapped)}")
                for a in agreements
            ],
        }


def _bound(cap: int) -> str:
    return f"{cap:,} pages a host" if cap else "no bound"


def _swapped(pairs: Sequence[tuple[str, str]]) -> str:
    if not pairs:
        return "no two strategies change places"
    shown = "; ".join(f"{a} falls behind {b}" for a, b in pairs[:5])
    return shown + (f"; {len(pairs) - 5} more pairs" if len(pairs) > 5 else "")


def _section(comparison: Comparison, setting: Setting) -> dict[str, object]:
    name = setting_name(setting)
    runs = comparison.under(setting)
    oracle = comparison.oracles[setting]
    looks = styles([*comparison.strategies, ORACLE])
    order = [strategy for strategy, _ in comparison.ranking(setting)]
    recall = {n: mean_recall(runs[n]) for n in order} | {ORACLE: mean_recall([oracle])}
    kept = {n: mean_kept(runs[n]) for n in order}
    pages, recall_axis = Axis("pages fetched", comparison.budget), Axis("recall", _top(recall, 1))
    recall_kept = Axis("recall of what is kept", _top(kept, 0))
    heads, rows = _figures(comparison.estimates(setting), oracle, order)
    sites, more_sites = _sites({n: runs[n] for n in order}, oracle)
    return {
        "name": name,
        "total": oracle.total,
        "heads": heads,
        "rows": rows,
        "recall": chart(recall, looks, f"Recall over pages: {name}", pages, recall_axis),
        "kept": chart(kept, looks, f"Precision over recall of what is kept: {name}", recall_kept, Axis("precision", 1)),
        "site_heads": [Head("there"), *map(Head, recall)],
        "site_rows": sites,
        "more_sites": more_sites,
    }


def _top(curves: Mapping[str, Sequence[tuple[float, float]]], side: int) -> float:
    """End of an axis of recall: the next full tenth above all curves."""
    highest = max((point[side] for points in curves.values() for point in points), default=0.0)
    return min(10, math.floor(highest * 10) + 1) / 10


def _figures(
    rows: Mapping[str, Mapping[str, Estimate]], oracle: RunFigures, order: Sequence[str]
) -> tuple[list[Head], list[TableRow]]:
    """Every figure of every strategy, and the oracle's below."""
    bound = oracle.scalars()
    names = [n for n in FIGURES if n in bound]
    best = {n: max(row[n].mean for row in rows.values()) if FIGURES[n].best else None for n in names}
    table = []
    for strategy in order:
        row = rows[strategy]
        cells = [_cell(row[n].mean, FIGURES[n].form, best[n], row[n], bar=n == "area") for n in names]
        table.append(TableRow(strategy, [Cell(str(row["area"].seeds)), *cells]))
    cells = [_cell(bound[n], FIGURES[n].form, None, bar=n == "area") for n in names]
    table.append(TableRow(ORACLE, [Cell(""), *cells], oracle=True))
    return [Head("seeds"), *(Head(FIGURES[n].head, FIGURES[n].meaning) for n in names)], table


def _sites(runs: Mapping[str, Sequence[RunFigures]], oracle: RunFigures) -> tuple[list[TableRow], int]:
    """Relevant texts reached at each site, in small numbers the pages fetched there; and how many sites are left out."""
    there = {s.site: s.there for s in oracle.sites}
    means = {
        name: {
            rows[0].site: (estimate([s.reached for s in rows]).mean, estimate([s.pages for s in rows]).mean)
            for rows in zip(*(r.sites for r in several), strict=True)
        }
        for name, several in {**runs, ORACLE: [oracle]}.items()
    }
    sites = sorted((s for s in there if there[s] or any(m[s][1] for m in means.values())), key=lambda s: (-there[s], s))
    rows = []
    for site in sites[:MOST_SITES]:
        best = max((means[n][site][0] for n in runs), default=0.0)
        cells = [
            Cell(written(reached, ".0f"), written(pages, ".0f"), name != ORACLE and reached == best > 0)
            for name, (reached, pages) in ((n, m[site]) for n, m in means.items())
        ]
        rows.append(TableRow(site, [Cell(str(there[site])), *cells]))
    return rows, max(0, len(sites) - MOST_SITES)


def _cell(value: float | None, form: str, best: float | None, spread: Estimate | None = None, bar: bool = False) -> Cell:
    if value is None:
        return Cell("–")
    note = ""
    if spread is not None and spread.seeds > 1 and spread.low != spread.high:
        note = f"{written(spread.low, form)}–{written(spread.high, form)}"
    is_best = best is not None and value > 0 and written(value, form) == written(best, form)
    return Cell(written(value, form), note, is_best, value if bar else None)


# -- The files


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
        (f.pages, f.held, f.collected, f.recall, f.precision, f.f, k.held, k.collected, k.recall, k.precision, k.f)
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
    """A row of pictures for every topic, start and share of the links, in it one for every bound."""
    places = list(dict.fromkeys(replace(s, cap=0) for s in comparison.settings))
    caps = sorted({s.cap for s in comparison.settings}, key=tightness)
    panels: list[Panel | None] = [None] * (len(places) * len(caps))
    for setting in comparison.settings:
        row = places.index(replace(setting, cap=0))
        curves = {name: mean_recall(runs) for name, runs in comparison.under(setting).items()}
        curves[ORACLE] = mean_recall([comparison.oracles[setting]])
        panels[row * len(caps) + caps.index(setting.cap)] = Panel(_title(setting, row), curves)
    save_figure(draw_panels(panels, len(caps), ("pages fetched", "recall"), (comparison.budget, 1.02)), path)


def _title(setting: Setting, row: int) -> str:
    """Of a picture; without a font for it, a Chinese name gives way to the number of the row."""
    name = f"{setting.topic} from {setting.start}"
    name = name if name.isascii() or chinese_font() else f"row {row + 1}"
    name += f", {setting.keep_links * 100:g} % of the links" if setting.keep_links < 1 else ""
    return f"{name}, at most {setting.cap} pages a host" if setting.cap else name
