"""The part of ``scrapy evaluate words`` that holds similarities against people's judgements."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from topical_crawler.evaluation.intervals import Interval, halves
from topical_crawler.evaluation.report import new_figure, save_figure
from topical_crawler.evaluation.words import Agreement, Floats, Similarities, agreement, candidates, choose, read_pairs, spearman
from topical_crawler.semantics.similarity import SimilarityParameters, WordSimilarity


def agreements(opts: argparse.Namespace, similarity: WordSimilarity, console: Console) -> dict[str, Any]:
    """Read every file of ``opts.pairs``, print its table, write words.png to ``opts.out``; the figures."""
    files: dict[str, Any] = {}
    bars: dict[str, Agreement] = {}
    for path in opts.pairs:
        pairs = read_pairs(path)
        judged = np.array([p.judgement for p in pairs])
        with console.status("comparing words"):
            found = Similarities.of(((p.first, p.second) for p in pairs), similarity)
            rows = _rows(found, judged, {"Algorithm 1": similarity.parameters}, opts.seed)
        console.print(_table(rows, f"{escape(str(path))}: {len(pairs)} pairs"))
        bars |= {f"{path.stem}\n{name}": row for name, row in rows.items()}
        files[str(path)] = {"all": {name: asdict(row) for name, row in rows.items()}}
        if opts.parameters or opts.split is not None:
            files[str(path)]["search"] = _search(opts, found, judged, similarity.parameters, console)
    figure, axes = new_figure("Agreement with people's judgements, with 95 % intervals", "", "Spearman's rho, all pairs")
    for place, row in enumerate(bars.values()):
        axes.bar(place, row.rho, color="C0", width=0.6)
        axes.vlines(place, *row.interval, color="black", linewidth=1)
    axes.set_xticks(range(len(bars)), list(bars), fontsize="small")
    save_figure(figure, opts.out / "words.png")
    return {"files": files}


def _search(
    opts: argparse.Namespace, found: Similarities, judged: Floats, parameters: SimilarityParameters, console: Console
) -> dict[str, Any]:
    one, other = halves(len(judged), opts.seed if opts.split is None else opts.split)
    here, wanted = found[one], judged[one]
    given = candidates(opts.grid, parameters)
    with console.status(f"trying {len(given):,} sets of constants"):
        best, value = choose(given, lambda p: spearman(np.where(here.known, here.sim(p), 0.0), wanted))
        named = {f"Algorithm 1, {name}: {_say(p)}": p for name, p in (("as given", parameters), ("chosen", best))}
        rows = _rows(found[other], judged[other], named, opts.seed)
    console.print(_table(rows, f"Chosen on {len(one)} pairs (ρ {value:.3f} there), reported on the other {len(other)}"))
    return {"chosen": asdict(best), "chosen_on": value, "other": {name: asdict(row) for name, row in rows.items()}}


def _rows(found: Similarities, judged: Floats, named: Mapping[str, SimilarityParameters], seed: int) -> dict[str, Agreement]:
    return {
        "SimH (HowNet)": agreement(found.sim_h, found.known_h, judged, seed),
        "SimD (vectors)": agreement(found.sim_d, found.known_d, judged, seed),
        **{name: agreement(found.sim(p), found.known, judged, seed) for name, p in named.items()},
    }


def _table(rows: Mapping[str, Agreement], title: str) -> Table:
    table = Table("", "ρ, all pairs", "95 %", "known", "ρ, known pairs", "95 %", title=title, title_justify="left")
    for name, row in rows.items():
        known = f"{row.covered} ({row.covered / row.pairs:.0%})"
        table.add_row(name, f"{row.rho:.3f}", _range(row.interval), known, f"{row.rho_covered:.3f}", _range(row.interval_covered))
    return table


def _say(p: SimilarityParameters) -> str:
    return f"α={p.alpha:g} β={p.beta:g} Th1={p.th1:g} Th2={p.th2:g}"


def _range(interval: Interval) -> str:
    return f"{interval[0]:.3f}–{interval[1]:.3f}"
