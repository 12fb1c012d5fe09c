"""``scrapy evaluate words``: Algorithm 1 on groups of synonyms (Table 5 of Zhou et al. 2019), or on pairs judged by people."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from scrapy.settings import BaseSettings

from topical_crawler import config
from topical_crawler.actions.evaluate_word_groups import table_5
from topical_crawler.actions.evaluate_word_pairs import agreements
from topical_crawler.evaluation.report import write_json
from topical_crawler.semantics.resources import Resources
from topical_crawler.semantics.similarity import SimilarityParameters, WordSimilarity

HELP = "word similarity on synonyms (Table 5), or on pairs judged by people"
DESCRIPTION = (
    "Without files: accuracy of Algorithm 1 in telling synonyms from other words, for each Th1 and Th2, beside the paper's Table "
    "5. The groups are drawn from Cilin by a seed, half of them synonyms; the others have the same words to the left and equally "
    "frequent ones to the right. Judged synonyms is what has Sim > 0 after the thresholds. With files: Spearman's rho of SimH, "
    "SimD and Algorithm 1 with the numbers in them."
)
_DEFAULT = SimilarityParameters()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("pairs", nargs="*", type=Path, metavar="PAIRS.tsv", help="lines 'word<TAB>word<TAB>number'")
    grid = "values of Th1 and Th2 (default: 0.1,0.2,0.3, as printed)"
    add("--grid", type=thresholds, default=(0.1, 0.2, 0.3), metavar="TH,TH", help=grid)
    add("--alpha", type=float, default=_DEFAULT.alpha, help="of Algorithm 1 (default: %(default)s)")
    add("--beta", type=float, default=_DEFAULT.beta, help="of Algorithm 1 (default: %(default)s)")
    add("--parts", action="store_true", help="words without a vector get one made of their parts")
    add("--synonyms", action="store_true", help="Cilin's synonyms are joined to HowNet and the vectors; with files only")
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
        found = tuple(sorted({float(part) for part in text.split(",")}))
    except ValueError:
        found = ()
    if not found or not 0 <= found[0] <= found[-1] <= 1:
        raise argparse.ArgumentTypeError(f"{text!r}: numbers from 0 to 1 with commas between are expected (--grid 0.1,0.2,0.3)")
    return found


def run(opts: argparse.Namespace, settings: BaseSettings) -> int:
    console = Console()
    resources = config.resources(settings) or Resources.none()
    hownet, tree, vectors = (resources.path(name) for name in ("hownet", "hownet_tree", "vectors"))
    if hownet is None and vectors is None:
        raise ValueError(
            "there is neither HowNet nor word vectors to compare words by. Remedy: scrapy lexicon fetch hownet vectors"
        )
    if not 0 <= opts.decision <= 1:
        raise ValueError(f"--decision {opts.decision:g}: a similarity from 0 to 1 is expected")
    if opts.synonyms and not opts.pairs:
        raise ValueError("--synonyms: the word groups are drawn from Cilin itself. Remedy: name a file of judged pairs")
    parameters = SimilarityParameters(opts.alpha, opts.beta, synonyms=opts.synonyms, parts=opts.parts)
    used = {
        "hownet": hownet.name if hownet else None,
        "hownet_tree": tree.name if hownet and tree else None,
        "vectors": vectors.name if vectors else None,
    }
    said = ", ".join(f"{name}: {file or 'none'}" for name, file in used.items())
    more = "".join(f", {name}" for name in ("parts", "synonyms") if getattr(opts, name))
    console.print(f"{said}; α={opts.alpha:g}, β={opts.beta:g}{more}", markup=False, highlight=False)
    with console.status("reading the resources"):
        similarity = WordSimilarity.from_resources(resources, parameters, config.cache_dir(settings))
    figures: dict[str, Any] = {"resources": used, "parameters": asdict(parameters), "seed": opts.seed}
    figures |= agreements(opts, similarity, console) if opts.pairs else table_5(opts, resources, similarity, console)
    write_json(opts.out / "words.json", figures)
    written = "words.json, words.png" + ("" if opts.pairs else ", words.tsv")
    console.print(f"→ {opts.out}/{written}", markup=False, highlight=False, soft_wrap=True)
    return 0
