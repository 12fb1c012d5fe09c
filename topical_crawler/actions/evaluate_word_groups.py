"""The part of ``scrapy evaluate words`` that repeats Table 5: groups of synonyms against other words."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from topical_crawler.evaluation.intervals import halves
from topical_crawler.evaluation.report import new_figure, save_figure
from topical_crawler.evaluation.word_groups import (
    PRINTED,
    Accuracy,
    Grid,
    WordGroup,
    accuracy,
    accuracy_grid,
    distance,
    draw_groups,
    jieba_frequencies,
    order,
)
from topical_crawler.evaluation.words import Bools, Similarities, candidates, choose
from topical_crawler.semantics.cilin import Cilin
from topical_crawler.semantics.resources import RESOURCES, Resources
from topical_crawler.semantics.similarity import SimilarityParameters, WordSimilarity


def table_5(opts: argparse.Namespace, resources: Resources, similarity: WordSimilarity, console: Console) -> dict[str, Any]:
    """Draw the groups, judge them, print the tables, write words.tsv and words.png to ``opts.out``; the figures."""
    path = resources.path("cilin")
    if path is None:
        raise ValueError(
            f"the word groups are drawn from {RESOURCES['cilin'].title}: missing. Remedy: scrapy lexicon fetch cilin"
        )
    with console.status("comparing words"):
        groups = draw_groups(Cilin(path), jieba_frequencies(), opts.groups, opts.seed, opts.negatives, opts.min_frequency)
        found = Similarities.of(((g.first, g.second) for g in groups), similarity)
    synonyms = np.array([g.synonyms for g in groups])
    grid = accuracy_grid(found, synonyms, opts.grid, similarity.parameters, opts.decision)
    rule = f"Sim ≥ {opts.decision:g}" if opts.decision else "Sim > 0"
    console.print(_table(grid, opts.grid, f"Table 5: {len(groups)} groups, synonyms where {rule}: ours (paper's)"))
    close, alike = distance(grid), order(grid)
    if close == close:
        said = f"mean difference from the paper's {close:.3f}; order of the cells against the paper's: rho {alike:.2f}"
        console.print(said, highlight=False)
    known = found.known
    coverage = {
        name: {"synonyms": float(those[synonyms].mean()), "others": float(those[~synonyms].mean())}
        for name, those in (("HowNet", found.known_h), ("vectors", found.known_d), ("either", known))
    }
    shares = ", ".join(f"{name} {share['synonyms']:.0%} of the synonyms ({share['others']:.0%} of the others)"
                       for name, share in coverage.items())  # fmt: skip
    console.print(f"both words known: {shares}", highlight=False)
    inner: Grid = {}
    if known.any():
        inner = accuracy_grid(found[known], synonyms[known], opts.grid, similarity.parameters, opts.decision)
        console.print(_table(inner, opts.grid, f"The same over the {int(known.sum())} groups that either knows"))
    figures: dict[str, Any] = {
        "groups": {"count": len(groups), "negatives": opts.negatives, "min_frequency": opts.min_frequency},
        "decision": opts.decision,
        "table5": _cells(grid),
        "table5_known": _cells(inner),
        "known": coverage,
        "mean_difference": close,
        "order": alike,
    }
    if opts.parameters or opts.split is not None:
        figures["search"] = _search(opts, found, synonyms, similarity.parameters, console)
    _save(opts.out / "words.tsv", groups, opts)
    _draw(opts, grid)
    return figures


def _search(
    opts: argparse.Namespace, found: Similarities, synonyms: Bools, parameters: SimilarityParameters, console: Console
) -> dict[str, Any]:
    couples = halves(len(synonyms) // 2, opts.seed if opts.split is None else opts.split)
    one, other = (np.repeat(2 * half, 2) + np.tile([0, 1], len(half)) for half in couples)  # the n-th couple shares a word

    def right(p: SimilarityParameters) -> float:
        return accuracy(found[one], synonyms[one], p, opts.decision).accuracy

    given = candidates(opts.grid, parameters)
    with console.status(f"trying {len(given):,} sets of constants"):
        own, _ = choose([replace(parameters, th1=a, th2=b) for a in opts.grid for b in opts.grid], right)
        best, _ = choose(given, right)
    table = Table("chosen", f"accuracy on {len(one)}", f"on the other {len(other)}", "95 %", title="Constants chosen on one half",
                  title_justify="left")  # fmt: skip
    figures: dict[str, Any] = {}
    for name, p in (("Th1, Th2", own), ("all", best)):
        here, there = (accuracy(found[half], synonyms[half], p, opts.decision) for half in (one, other))
        said = f"{name}: α={p.alpha:g} β={p.beta:g} Th1={p.th1:g} Th2={p.th2:g}"
        table.add_row(said, f"{here.accuracy:.3f}", f"{there.accuracy:.3f}", f"{there.interval[0]:.3f}–{there.interval[1]:.3f}")
        figures[name] = {"parameters": asdict(p), "chosen_on": here.accuracy, "other": asdict(there)}
    console.print(table)
    if set(PRINTED) & {(a, b) for a in opts.grid for b in opts.grid}:
        shapes = list({(p.alpha, p.beta): p for p in given}.values())
        with console.status(f"{len(shapes)} tables"):
            near, close = choose(shapes, lambda p: -distance(accuracy_grid(found, synonyms, opts.grid, p, opts.decision)))
        said = f"nearest to the paper's table: α={near.alpha:g}, β={near.beta:g}, mean difference {-close:.3f}"
        console.print(said, highlight=False)
        figures["nearest"] = {"alpha": near.alpha, "beta": near.beta, "mean_difference": -close}
    return figures


def _table(grid: Grid, values: Sequence[float], title: str) -> Table:
    table = Table("", *[f"Th1={th1:g}" for th1 in values], title=title, title_justify="left")
    for th2 in values:
        cells = [(grid[th1, th2], PRINTED.get((th1, th2))) for th1 in values]
        table.add_row(f"Th2={th2:g}", *[f"{a.accuracy:.3f}" + (f" ({printed:.2f})" if printed else "") for a, printed in cells])
    return table


def _cells(grid: Mapping[tuple[float, float], Accuracy]) -> list[dict[str, Any]]:
    return [{**asdict(cell), "printed": PRINTED.get(place)} for place, cell in grid.items()]


def _save(path: Path, groups: Sequence[WordGroup], opts: argparse.Namespace) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    how = f"--groups {opts.groups} --seed {opts.seed} --negatives {opts.negatives} --min-frequency {opts.min_frequency}"
    text = "".join(f"{g.first}\t{g.second}\t{int(g.synonyms)}\n" for g in groups)
    path.write_text(f"# word groups drawn from Cilin ({how}): 1 synonyms, 0 not\n{text}", encoding="utf-8", newline="\n")


def _draw(opts: argparse.Namespace, grid: Grid) -> None:
    figure, axes = new_figure(f"Synonyms told from other words (Table 5), α={opts.alpha:g}, β={opts.beta:g}", "Th1", "accuracy")
    for number, th2 in enumerate(opts.grid):
        ours = [grid[th1, th2].accuracy for th1 in opts.grid]
        axes.plot(opts.grid, ours, marker="o", color=f"C{number}", label=f"Th2={th2:g}")
        if printed := {a: value for (a, b), value in PRINTED.items() if b == th2}:
            axes.plot(list(printed), list(printed.values()), "x:", color=f"C{number}", label=f"Th2={th2:g}, paper")
    axes.legend(frameon=False, fontsize="small")
    save_figure(figure, opts.out / "words.png")
