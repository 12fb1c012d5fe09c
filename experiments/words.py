"""Algorithm 1 on groups of synonyms (Table 5 of Zhou et al. 2019), or on pairs judged by people."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table
from scrapy.settings import BaseSettings

from experiments.extended_similarity import EXTENDED, ExtendedParameters, ExtendedSimilarity
from experiments.figures import new_figure, save_figure, write_json
from experiments.sampling import Interval, halves
from experiments.word_groups import (
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
from experiments.word_pairs import (
    EXTENSIONS,
    Bools,
    Floats,
    JudgedPair,
    JudgementAgreement,
    Similarities,
    agreement,
    candidates,
    choose,
    choose_setting,
    read_pairs,
    spearman,
)
from topical_crawler import config
from topical_crawler.cli.terminal import console as terminal
from topical_crawler.resources.cilin import Cilin
from topical_crawler.resources.registry import RESOURCES, Resources
from topical_crawler.strategies.semantic.similarity import SimilarityParameters, WordSimilarity

# -- Groups of synonyms: Table 5


def table_5(opts: argparse.Namespace, resources: Resources, similarity: WordSimilarity, console: Console) -> dict[str, Any]:
    """Draw the groups, judge them, print the tables, write words.tsv and words.png to ``opts.out``; the figures."""
    path = resources.path("cilin")
    if path is None:
        raise ValueError(
            f"the word groups are drawn from {RESOURCES['cilin'].title}: missing. Remedy: topical-crawler resources fetch cilin"
        )
    with console.status("comparing words"):
        groups = draw_groups(Cilin(path), jieba_frequencies(), opts.groups, opts.seed, opts.negatives, opts.min_frequency)
        similarities = Similarities.of(((g.first, g.second) for g in groups), similarity)
    synonyms = np.array([g.synonyms for g in groups])
    grid = accuracy_grid(similarities, synonyms, opts.grid, similarity.parameters, opts.decision)
    rule = f"Sim ≥ {opts.decision:g}" if opts.decision else "Sim > 0"
    console.print(_groups_table(grid, opts.grid, f"Table 5: {len(groups)} groups, synonyms where {rule}: ours (paper's)"))
    close, alike = distance(grid), order(grid)
    if close == close:
        line = f"mean difference from the paper's {close:.3f}; order of the cells against the paper's: rho {alike:.2f}"
        console.print(line, highlight=False)
    known = similarities.known
    coverage = {
        name: {"synonyms": float(those[synonyms].mean()), "others": float(those[~synonyms].mean())}
        for name, those in (("HowNet", similarities.known_h), ("vectors", similarities.known_d), ("either", known))
    }
    shares = ", ".join(f"{name} {share['synonyms']:.0%} of the synonyms ({share['others']:.0%} of the others)"
                       for name, share in coverage.items())  # fmt: skip
    console.print(f"both words known: {shares}", highlight=False)
    inner: Grid = {}
    if known.any():
        inner = accuracy_grid(similarities[known], synonyms[known], opts.grid, similarity.parameters, opts.decision)
        console.print(_groups_table(inner, opts.grid, f"The same over the {int(known.sum())} groups that either knows"))
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
        figures["search"] = _search_groups(opts, similarities, synonyms, similarity.parameters, console)
    _save(opts.out / "words.tsv", groups, opts)
    _draw(opts, grid)
    return figures


def _search_groups(
    opts: argparse.Namespace, similarities: Similarities, synonyms: Bools, parameters: SimilarityParameters, console: Console
) -> dict[str, Any]:
    couples = halves(len(synonyms) // 2, opts.seed if opts.split is None else opts.split)
    one, other = (np.repeat(2 * half, 2) + np.tile([0, 1], len(half)) for half in couples)  # the n-th couple shares a word

    def right(p: SimilarityParameters) -> float:
        return accuracy(similarities[one], synonyms[one], p, opts.decision).accuracy

    tried = candidates(opts.grid, parameters)
    with console.status(f"trying {len(tried):,} sets of constants"):
        own, _ = choose([replace(parameters, th1=a, th2=b) for a in opts.grid for b in opts.grid], right)
        best, _ = choose(tried, right)
    table = Table("chosen", f"accuracy on {len(one)}", f"on the other {len(other)}", "95 %", title="Constants chosen on one half",
                  title_justify="left")  # fmt: skip
    figures: dict[str, Any] = {}
    for name, p in (("Th1, Th2", own), ("all", best)):
        here, there = (accuracy(similarities[half], synonyms[half], p, opts.decision) for half in (one, other))
        line = f"{name}: α={p.alpha:g} β={p.beta:g} Th1={p.th1:g} Th2={p.th2:g}"
        table.add_row(line, f"{here.accuracy:.3f}", f"{there.accuracy:.3f}", f"{there.interval[0]:.3f}–{there.interval[1]:.3f}")
        figures[name] = {"parameters": asdict(p), "chosen_on": here.accuracy, "other": asdict(there)}
    console.print(table)
    if set(PRINTED) & {(a, b) for a in opts.grid for b in opts.grid}:
        shapes = list({(p.alpha, p.beta): p for p in tried}.values())
        with console.status(f"{len(shapes)} tables"):
            near, close = choose(shapes, lambda p: -distance(accuracy_grid(similarities, synonyms, opts.grid, p, opts.decision)))
        line = f"nearest to the paper's table: α={near.alpha:g}, β={near.beta:g}, mean difference {-close:.3f}"
        console.print(line, highlight=False)
        figures["nearest"] = {"alpha": near.alpha, "beta": near.beta, "mean_difference": -close}
    return figures


def _groups_table(grid: Grid, values: Sequence[float], title: str) -> Table:
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


# -- Pairs judged by people


def agreements(
    opts: argparse.Namespace, judged_pairs: Mapping[Path, Sequence[JudgedPair]], similarity: WordSimilarity, console: Console
) -> dict[str, Any]:
    """Judge the pairs of every file, print its table, write words.png to ``opts.out``; the figures."""
    files: dict[str, Any] = {}
    bars: dict[str, JudgementAgreement] = {}
    for path, pairs in judged_pairs.items():
        judged = np.array([p.judgement for p in pairs])
        with console.status("comparing words"):
            similarities = Similarities.of(((p.first, p.second) for p in pairs), similarity)
            rows = _rows(similarities, judged, {"Algorithm 1": similarity.parameters}, opts.seed)
        console.print(_pairs_table(rows, f"{escape(str(path))}: {len(pairs)} pairs"))
        bars |= {f"{path.stem}\n{name}": row for name, row in rows.items()}
        files[str(path)] = {"all": {name: asdict(row) for name, row in rows.items()}}
        if opts.parameters or opts.split is not None:
            files[str(path)]["search"] = _search_pairs(opts, similarities, judged, similarity.parameters, console)
    figure, axes = new_figure("Agreement with people's judgements, with 95 % intervals", "", "Spearman's rho, all pairs")
    for place, row in enumerate(bars.values()):
        axes.bar(place, row.rho, color="C0", width=0.6)
        axes.vlines(place, *row.interval, color="black", linewidth=1)
    axes.set_xticks(range(len(bars)), list(bars), fontsize="small")
    save_figure(figure, opts.out / "words.png")
    return {"files": files}


def _parted(opts: argparse.Namespace) -> tuple[dict[Path, list[JudgedPair]], dict[Path, list[JudgedPair]]]:
    """The pairs to choose a setting on and those to judge by it, by file: of a file that is named for both a half each, drawn by
    ``opts.seed``, and no pair that is judged."""
    judged = {path: read_pairs(path) for path in opts.pairs}
    given = {path: judged[path] if path in judged else read_pairs(path) for path in opts.choose}
    for path in given.keys() & judged.keys():
        one, other = ([given[path][i] for i in half] for half in halves(len(given[path]), opts.seed))
        given[path], judged[path] = one, other
    held = {frozenset((p.first, p.second)) for pairs in judged.values() for p in pairs}
    given = {path: [p for p in pairs if frozenset((p.first, p.second)) not in held] for path, pairs in given.items()}
    for path, pairs in given.items():
        if len(pairs) < 2:
            raise ValueError(f"--choose {path}: {len(pairs)} pairs that are not judged, too. Remedy: name a file of other pairs")
    return given, judged


def _chosen_setting(
    opts: argparse.Namespace,
    given: Mapping[Path, Sequence[JudgedPair]],
    measure: Callable[[ExtendedParameters], WordSimilarity],
    glosses: bool,
    console: Console,
) -> tuple[ExtendedParameters, dict[str, Any]]:
    with console.status("choosing a setting, some minutes"):
        best, rhos = choose_setting(list(given.values()), opts.grid, measure, glosses)
    parts = ", ".join(name for name in EXTENSIONS if getattr(best, name)) or "no extensions"
    weights = f"characters={best.characters:g}, glosses={best.glosses:g}"
    console.print(f"chosen: {parts}, {weights}, {_say(best)}", markup=False, highlight=False)
    for (path, pairs), rho in zip(given.items(), rhos, strict=True):
        console.print(f"  on {len(pairs)} pairs of {path}: ρ {rho:.3f}", markup=False, highlight=False, soft_wrap=True)
    return best, {str(path): {"pairs": len(pairs), "rho": rho} for (path, pairs), rho in zip(given.items(), rhos, strict=True)}


def _search_pairs(
    opts: argparse.Namespace, similarities: Similarities, judged: Floats, parameters: SimilarityParameters, console: Console
) -> dict[str, Any]:
    one, other = halves(len(judged), opts.seed if opts.split is None else opts.split)
    here, wanted = similarities[one], judged[one]
    tried = candidates(opts.grid, parameters)
    with console.status(f"trying {len(tried):,} sets of constants"):
        best, value = choose(tried, lambda p: spearman(np.where(here.known, here.sim(p), 0.0), wanted))
        named = {f"Algorithm 1, {name}: {_say(p)}": p for name, p in (("as given", parameters), ("chosen", best))}
        rows = _rows(similarities[other], judged[other], named, opts.seed)
    console.print(_pairs_table(rows, f"Chosen on {len(one)} pairs (ρ {value:.3f} there), reported on the other {len(other)}"))
    return {"chosen": asdict(best), "chosen_on": value, "other": {name: asdict(row) for name, row in rows.items()}}


def _rows(
    similarities: Similarities, judged: Floats, named: Mapping[str, SimilarityParameters], seed: int
) -> dict[str, JudgementAgreement]:
    return {
        "SimH (HowNet)": agreement(similarities.sim_h, similarities.known_h, judged, seed),
        "SimD (vectors)": agreement(similarities.sim_d, similarities.known_d, judged, seed),
        **{name: agreement(similarities.sim(p), similarities.known, judged, seed) for name, p in named.items()},
    }


def _pairs_table(rows: Mapping[str, JudgementAgreement], title: str) -> Table:
    table = Table("", "ρ, all pairs", "95 %", "known", "ρ, known pairs", "95 %", title=title, title_justify="left")
    for name, row in rows.items():
        known = f"{row.covered} ({row.covered / row.pairs:.0%})"
        table.add_row(name, f"{row.rho:.3f}", _range(row.interval), known, f"{row.rho_covered:.3f}", _range(row.interval_covered))
    return table


def _say(p: SimilarityParameters) -> str:
    return f"α={p.alpha:g} β={p.beta:g} Th1={p.th1:g} Th2={p.th2:g}"


def _range(interval: Interval) -> str:
    return f"{interval[0]:.3f}–{interval[1]:.3f}"


# -- The command


DESCRIPTION = (
    "Without files: accuracy of Algorithm 1 in telling synonyms from other words, for each Th1 and Th2, beside the paper's Table "
    "5. The groups are drawn from Cilin by a seed, half of them synonyms; the others have the same words to the left and equally "
    "frequent ones to the right. Judged synonyms is what has Sim > 0 after the thresholds. With files: Spearman's rho of SimH, "
    "SimD and Algorithm 1 with the numbers in them."
)
_DEFAULT = ExtendedParameters()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("pairs", nargs="*", type=Path, metavar="PAIRS.tsv", help="lines 'word<TAB>word<TAB>number'")
    grid = "values of Th1 and Th2 (default: 0.1,0.2,0.3, as printed)"
    add("--grid", type=thresholds, default=(0.1, 0.2, 0.3), metavar="TH,TH", help=grid)
    add("--alpha", type=float, default=_DEFAULT.alpha, help="of Algorithm 1 (default: %(default)s)")
    add("--beta", type=float, default=_DEFAULT.beta, help="of Algorithm 1 (default: %(default)s)")
    add("--parts", action="store_true", help="words without a vector get one made of their parts")
    add("--synonyms", action="store_true", help="Cilin's synonyms are joined to HowNet and the vectors; with files only")
    extended = "all extensions, with the constants chosen for them (the best agreement with people), instead of the four above"
    add("--extended", action="store_true", help=f"{extended}; with files only")
    glosses = "CC-CEDICT, gzipped or not, for --extended and --choose: words are also compared by their English glosses"
    add("--glosses", type=Path, metavar="FILE", help=glosses)
    setting = (
        "choose the whole setting, extensions and constants (Th1, Th2 of --grid), by the mean of Spearman's rho on these pairs, "
        "and judge PAIRS.tsv by it; of a file that is named for both, a half each"
    )
    add("--choose", nargs="+", type=Path, metavar="OTHERS.tsv", help=setting)
    search = "search α, β, Th1 and Th2: choose them on one half of the pairs and report on the other"
    add("--parameters", action="store_true", help=search)
    add("--split", type=int, metavar="SEED", help="the same, with halves drawn by SEED instead of --seed")
    add("--groups", type=int, default=420, metavar="N", help="word groups to draw (default: %(default)s)")
    negatives = "of another top-level class of Cilin (far), or of the same middle class and another small class (near)"
    add("--negatives", choices=("far", "near"), default="far", help=f"words that are no synonyms: {negatives} (default: far)")
    count = "least count of a word in jieba's dictionary, where 2 and 3 stand for no count"
    add("--min-frequency", type=int, default=10, metavar="N", help=f"{count} (default: %(default)s)")
    decision = "judge synonyms what has Sim ≥ SIM (default: what has Sim > 0)"
    add("--decision", type=float, default=0.0, metavar="SIM", help=decision)
    add("--seed", type=int, default=1, help="of the groups, the halves and the intervals (default: %(default)s)")
    out = "write DIR/words.json and words.png, and the groups, words.tsv (default: %(default)s)"
    add("--out", type=Path, default=Path("results"), metavar="DIR", help=out)


def thresholds(text: str) -> tuple[float, ...]:
    """The values of ``--grid``, ascending.

    >>> thresholds("0.3,0.1")
    (0.1, 0.3)
    """
    try:
        values = tuple(sorted({float(part) for part in text.split(",")}))
    except ValueError:
        values = ()
    if not values or not 0 <= values[0] <= values[-1] <= 1:
        raise argparse.ArgumentTypeError(f"{text!r}: numbers from 0 to 1 with commas between are expected (--grid 0.1,0.2,0.3)")
    return values


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    console = terminal()
    resources = config.resources(settings) or Resources.none()
    hownet, tree, vectors = (resources.path(name) for name in ("hownet", "hownet_tree", "vectors"))
    if hownet is None and vectors is None:
        raise ValueError(
            "there is neither HowNet nor word vectors to compare words by. Remedy: topical-crawler resources fetch hownet vectors"
        )
    if not 0 <= opts.decision <= 1:
        raise ValueError(f"--decision {opts.decision:g}: a similarity from 0 to 1 is expected")
    if (opts.synonyms or opts.extended) and not opts.pairs:
        option = "--extended" if opts.extended else "--synonyms"
        raise ValueError(f"{option}: the word groups are drawn from Cilin itself. Remedy: name a file of judged pairs")
    own = ExtendedParameters(opts.alpha, opts.beta, synonyms=opts.synonyms, parts=opts.parts)
    if opts.extended and own != _DEFAULT:
        raise ValueError("--extended has constants of its own. Remedy: leave out --alpha, --beta, --parts and --synonyms")
    if opts.choose and (not opts.pairs or opts.extended or own != _DEFAULT or opts.parameters or opts.split is not None):
        raise ValueError(
            "--choose: a setting is chosen for PAIRS.tsv. Remedy: name these, and no other option that sets a part of it"
        )

    def measure(parameters: ExtendedParameters) -> WordSimilarity:
        return ExtendedSimilarity.read(resources, parameters, config.cache_dir(settings), opts.glosses)

    chosen: dict[str, Any] = {}
    parameters, judged = EXTENDED if opts.extended else own, {path: read_pairs(path) for path in opts.pairs}
    if opts.choose:
        given, judged = _parted(opts)
        parameters, chosen = _chosen_setting(opts, given, measure, opts.glosses is not None, console)
    used = {
        "hownet": hownet.name if hownet else None,
        "hownet_tree": tree.name if hownet and tree and not parameters.rarity else None,
        "vectors": vectors.name if vectors else None,
    }
    line = ", ".join(f"{name}: {file or 'none'}" for name, file in used.items())
    more = "".join(f", {name}" for name in ("parts", "synonyms", "extended") if getattr(opts, name))
    console.print(f"{line}; α={parameters.alpha:g}, β={parameters.beta:g}{more}", markup=False, highlight=False)
    with console.status("reading the resources"):
        similarity = measure(parameters)
    figures: dict[str, Any] = {"resources": used, "parameters": asdict(parameters), "seed": opts.seed}
    figures |= {"chosen_on": chosen} if chosen else {}
    figures |= agreements(opts, judged, similarity, console) if opts.pairs else table_5(opts, resources, similarity, console)
    write_json(opts.out / "words.json", figures)
    written = "words.json, words.png" + ("" if opts.pairs else ", words.tsv")
    console.print(f"→ {opts.out}/{written}", markup=False, highlight=False, soft_wrap=True)
    return 0
