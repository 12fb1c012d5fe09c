"""A comparison of crawls as tables in the terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rich import box
from rich.markup import escape
from rich.table import Table

from topical_crawler.actions.comparison_costs import cost
from topical_crawler.actions.recorded_crawls import Usage
from topical_crawler.evaluation.comparison import CHECKPOINTS, ORACLE, RunKey, Setting
from topical_crawler.evaluation.figure_names import FIGURES, written
from topical_crawler.evaluation.ranking import Comparison, Estimate

_LAST = ("recall", "area", "harvest_rate", "mean_relevance", "kept_precision", "kept_recall", "kept_f", "hosts")
_CPU, _MEMORY = "CPU ms a page", "peak MB"
_DISPENSABLE = (
    "hosts",
    _MEMORY,
    "mean_relevance",
    "harvest_rate",
    "kept_precision",
    "kept_recall",
    _CPU,
    "recall_500",
    "recall_2000",
)
"""Columns that a narrow terminal does without, the first first; all of them are in the files."""
_FIRST = 15
_WIDTH = 8
"""Characters of the column of names, and of one with figures."""


def comparison_table(comparison: Comparison, setting: Setting, usages: Mapping[RunKey, Usage], width: int) -> Table:
    """The strategies under one setting, the greatest area under the recall curve first, then the crawl that knows the labels.

    Figures are means over the random seeds; the area has its interval (of 95 %; the extremes of two seeds). ``width`` is that of
    the terminal in characters: the narrower, the fewer figures.
    """
    columns = ["pages", *(f"recall_{k}" for k in CHECKPOINTS if k < comparison.budget), *_LAST, _CPU, _MEMORY]
    for name in _DISPENSABLE:
        if _FIRST + _WIDTH * len(columns) > width and name in columns:
            columns.remove(name)
    oracle = comparison.oracles[setting]
    bound = f", at most {setting.cap} pages of a host" if setting.cap else ""
    links = f", {setting.keep_links * 100:g} % of the links of every page" if setting.keep_links < 1 else ""
    title = f"{escape(setting.topic)} from {escape(setting.start)}{links}{bound}; {oracle.total} texts on topic in the web"
    table = Table(title=title, title_justify="left", pad_edge=False, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("strategy", no_wrap=True)
    for name in columns:
        head = f"recall @{comparison.budget:,}" if name == "recall" else FIGURES[name].head if name in FIGURES else name
        table.add_column(head, justify="right", max_width=11 if name == "area" else 9, overflow="fold")
    estimates = comparison.estimates(setting)
    for strategy, area in comparison.ranking(setting):
        took = cost(usages, setting, strategy)
        figures = {name: written(estimates[strategy][name].mean, FIGURES[name].form) for name in columns if name in FIGURES}
        figures["area"] += _interval(area)
        figures[_CPU] = "–" if math.isnan(took.cpu_ms_per_page) else f"{took.cpu_ms_per_page:.1f}"
        figures[_MEMORY] = f"{took.peak_mb:.0f}"
        seeds = f" ×{area.seeds}" if area.seeds > 1 else ""
        table.add_row(strategy + seeds, *(figures[name] for name in columns))
    table.add_section()
    best = oracle.scalars()
    table.add_row(ORACLE, *(written(best[n], FIGURES[n].form) if n in FIGURES else "" for n in columns), style="dim")
    return table


def _interval(found: Estimate) -> str:
    """The interval of a figure, below it; nothing for a single crawl."""
    form = FIGURES["area"].form
    return f"\n{written(found.low, form)}–{written(found.high, form)}" if found.seeds > 1 else ""
