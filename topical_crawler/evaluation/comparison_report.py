"""What a comparison of crawls leaves behind: all figures as JSON, one line a crawl as CSV, a page to read, a picture.

The same figures give the same bytes.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from topical_crawler.evaluation.comparison import ORACLE, RunFigures, Setting
from topical_crawler.evaluation.comparison_html import page
from topical_crawler.evaluation.curve_styles import TONES, styles
from topical_crawler.evaluation.ranking import Comparison, Estimate, mean_recall, tightness
from topical_crawler.evaluation.report import new_figure, save_figure
from topical_crawler.export.files import replacing

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
