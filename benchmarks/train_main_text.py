"""Learn which blocks of a page are its main text, and measure it on sites left out.

    python benchmarks/train_main_text.py --data FOLDER --gold GOLD.tsv --web RECORDING … --layouts TEXTS.jsonl.gz [--write]

The pages are those of benchmarks/extraction.py. A block is text if it has a place in the known main text, in the order of the
page. Two logistic models are learned, see topical_crawler/extraction/main_text.py; the second from first scores of blocks on
sites that the first did not learn from. Every page weighs about as much as any other. Then the whole is done again for each
fold without the sites in it, and the F1 of the pages left out is printed by set, beside that of the pages learned from. --write
replaces main_text.tsv.
"""

import argparse
import csv
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from extraction import score, sets
from gold_pages import GoldPage
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from topical_crawler.extraction import main_text as model
from topical_crawler.extraction.structure import Block, normalise, read_blocks

WEIGHTS = Path(model.__file__).with_suffix(".tsv")
STRENGTHS = (0.3, 0.3)  # inverse regularisation of the two models
INNER_FOLDS = 3


@dataclass(frozen=True)
class Example:
    """A page, what the first model sees of it, and which blocks are text."""

    name: str  # of its set
    page: GoldPage
    blocks: list[Block]
    features: model.Floats
    labels: model.Floats
    weights: model.Floats


def read_example(name: str, page: GoldPage) -> Example:
    """The example of a page."""
    tree = model.parse(page.html)
    assert tree is not None
    blocks = read_blocks(normalise(tree, page.html))
    weights = model.block_weights(blocks)
    weights = weights / weights.sum() * np.sqrt(len(weights))
    features = model.block_features(tree.findtext(".//title") or "", blocks)
    return Example(name, page, blocks, features, places(blocks, page.text), weights)


def places(blocks: Sequence[Block], text: str) -> model.Floats:
    """1 for the blocks of the heaviest chain that stands in the text in their order, else 0."""
    whole = "".join(text.split())
    found: list[tuple[int, int, int]] = []  # block, place in the text, length
    for number, block in enumerate(blocks):
        bare = "".join(block.text.split())
        where, at = [], whole.find(bare)
        while at >= 0 and len(where) < 30:
            where.append(at)
            at = whole.find(bare, at + 1)
        if not where and len(bare) >= 12:  # another form of a part of it
            at, end = whole.find(bare[:12]), whole.find(bare[-12:])
            where = [at] if at >= 0 else [max(0, end + 12 - len(bare))] if end >= 0 else []
        found += [(number, at, len(bare)) for at in where]
    best: list[tuple[float, int]] = [(0.0, -1)] * (len(whole) + 2)  # a Fenwick tree: heaviest chain that ends up to a place
    values, before = [0.0] * len(found), [-1] * len(found)
    here = 0
    while here < len(found):
        behind = next((n for n in range(here, len(found)) if found[n][0] != found[here][0]), len(found))
        for n in range(here, behind):
            _, at, length = found[n]
            values[n], before[n], place = 0.0, -1, at + 1
            while place > 0:
                if best[place][0] > values[n]:
                    values[n], before[n] = best[place]
                place -= place & -place
            last = found[before[n]] if before[n] >= 0 else None
            values[n] += length + (0.3 if last is not None and abs(last[1] + last[2] - at) <= 2 else 0.0)
        for n in range(here, behind):
            place = min(len(whole), found[n][1] + found[n][2]) + 1
            while place < len(best):
                best[place] = max(best[place], (values[n], n))
                place += place & -place
        here = behind
    chosen = np.zeros(len(blocks))
    n = max(range(len(found)), key=values.__getitem__, default=-1)
    while n >= 0:
        chosen[found[n][0]] = 1.0
        n = before[n]
    return chosen


Model = tuple[float, model.Floats]


def fit(rows: Sequence[model.Floats], examples: Sequence[Example], strength: float) -> Model:
    """Bias and weights of a logistic model for features as they are."""
    features = np.vstack(rows)
    scaler = StandardScaler().fit(features)
    learned = LogisticRegression(C=strength, max_iter=2000)
    labels, weights = (np.concatenate([getattr(e, name) for e in examples]) for name in ("labels", "weights"))
    learned.fit(scaler.transform(features), labels, sample_weight=weights)
    own = learned.coef_[0] / scaler.scale_
    return float(learned.intercept_[0] - own @ scaler.mean_), own


def train(examples: Sequence[Example], fold_of: Callable[[Example], int]) -> tuple[Model, Model]:
    """Both models."""
    rows: list[model.Floats] = [np.zeros(0)] * len(examples)
    for fold in range(INNER_FOLDS):
        others = [e for e in examples if fold_of(e) % INNER_FOLDS != fold]
        bias, weights = fit([e.features for e in others], others, STRENGTHS[0])
        for n, e in enumerate(examples):
            if fold_of(e) % INNER_FOLDS == fold:
                first = e.features @ weights + bias
                rows[n] = np.hstack([model.score_features(first, e.blocks), e.features])
    return fit([e.features for e in examples], examples, STRENGTHS[0]), fit(rows, examples, STRENGTHS[1])


def text_of(example: Example, models: tuple[Model, Model]) -> str:
    """The main text by these models."""
    (bias, weights), (second_bias, second) = models
    first = example.features @ weights + bias
    scores = np.hstack([model.score_features(first, example.blocks), example.features]) @ second + second_bias
    chosen = model.whole(example.blocks, model.stretch(scores, example.blocks))
    return "\n".join(block.text for block in model.once(chosen))


def write(models: tuple[Model, Model]) -> None:
    """Write the weights."""
    with WEIGHTS.open("w", encoding="utf-8", newline="") as stream:
        out = csv.writer(stream, delimiter="\t", lineterminator="\n")
        out.writerow(("stage", "feature", "weight"))
        for stage, (bias, weights) in enumerate(models, 1):
            pairs = [("bias", bias), *zip(model.feature_names(stage), weights, strict=True)]
            out.writerows((stage, name, f"{weight:.5g}") for name, weight in pairs)


def main(arguments: Sequence[str] | None = None) -> int:
    """Learn, measure, and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--gold", type=Path)
    parser.add_argument("--web", type=Path, nargs="+", default=[])
    parser.add_argument("--layouts", type=Path)
    parser.add_argument("--folds", type=int, default=12, help="folds of sites (default 12); 0 measures nothing")
    parser.add_argument("--write", action="store_true", help=f"replace {WEIGHTS.name}")
    options = parser.parse_args(arguments)
    named = sets(options.data, options.gold, options.web, options.layouts)
    pages = [(name, page) for name, found in named if name != "forums" for page in found]  # threads are read in another way
    examples = [example for name, page in pages if (example := read_example(name, page)).blocks]
    if not examples:
        parser.error("no pages: give --data, --gold with --web, or --layouts")
    sites = sorted({e.page.site for e in examples})
    np.random.default_rng(0).shuffle(sites)
    order = {site: place for place, site in enumerate(sites)}
    models = train(examples, lambda e: order[e.page.site])
    kept: dict[str, list[float]] = defaultdict(list)
    for e in examples:
        kept[e.name].append(score(text_of(e, models), e.page.text))
    left: dict[str, list[float]] = defaultdict(list)
    for fold in range(options.folds):
        out = [e for e in examples if order[e.page.site] % options.folds == fold]
        without = train([e for e in examples if order[e.page.site] % options.folds != fold], lambda e: order[e.page.site] // 5)
        for e in out:
            left[e.name].append(value := score(text_of(e, without), e.page.text))
            if value < 0.8:
                print(f"{value:.3f} {e.name} {e.page.site} {e.page.url}")
    for name, values in kept.items():
        held = f", sites left out {np.mean(left[name]):.3f}, least {min(left[name]):.3f}" if options.folds else ""
        print(f"{name}: {len(values)} pages, learned from {np.mean(values):.3f}, least {min(values):.3f}{held}")
    if options.write:
        write(models)
    return 0


if __name__ == "__main__":
    sys.exit(main())
