"""Figures 4-6 of Sun et al. 2018 on recorded sites: relevant texts, harvest rate and mean relevance over pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from experiments.comparison import ORACLE, RunFigures
from experiments.papers.experiment import (
    MEAN,
    NARROW,
    NARROW_WORD,
    SUN,
    Chart,
    Crawls,
    Labels,
    Reproduction,
    add_oracles,
    curves,
    measure_crawls,
    narrow_claims,
    rows_of,
    sun_claims,
    with_mean,
)
from topical_crawler.evaluation.metrics import relevant_texts

_PAGES = "pages fetched"


def reproduce(
    crawls: Crawls, labels: Mapping[str, Labels], ways: Mapping[str, Sequence[str]], narrow: Crawls, budget: int
) -> Reproduction:
    """The figures, and whether what the paper says of them holds.

    Args:
        crawls: of :data:`~experiments.papers.experiment.SUN`.
        labels: by topic, of the narrow one too.
        ways: pages of the crawl that knows the labels, by topic; it bounds what a harvest rate can be.
        narrow: crawls of :data:`~experiments.papers.experiment.NARROW`.
        budget: pages that each crawl could fetch.
    """
    runs = measure_crawls(SUN, crawls, labels, budget)
    harvest = with_mean(curves(add_oracles(runs, ways, labels, budget), _harvest_rate))
    relevance = with_mean(curves(runs, lambda run: run.mean_relevance))
    kept = with_mean(curves(runs, lambda run: run.kept[-1].precision))
    reached = curves(measure_crawls(NARROW, narrow, labels, budget), lambda run: float(run.relevant))
    rows = [
        *rows_of("Figure 4", "relevant texts", reached, {}),
        *rows_of("Figure 5", "harvest rate", harvest, {("esvsm", budget): "20-30% above all others"}),
        *rows_of("Figure 6", "mean relevance", relevance, {("esvsm", budget): "above 0.85"}),
        *rows_of("beside Figure 6", "precision of what is kept", kept, {}),
    ]
    findings = [
        *(claim.check(rows, NARROW.topics[0].name) for claim in narrow_claims(budget)),
        *(claim.check(rows, MEAN) for claim in sun_claims(budget)),
    ]
    charts = [
        Chart("sun-figure-4", "Figure 4: relevant texts, where the topic is one rare word", _PAGES, "relevant texts", reached),
        Chart("sun-figure-5", "Figure 5: harvest rate", _PAGES, "harvest rate", harvest),
        Chart("sun-figure-6", "Figure 6: mean relevance", _PAGES, "mean relevance", relevance),
    ]
    return Reproduction(SUN.name, SUN.paper, _notes(labels, budget), charts, rows, findings)


def _harvest_rate(run: RunFigures) -> float:
    """Relevant texts a page. The crawl that knows the labels ends with the last of them; it bounds those that must go on."""
    return run.relevant / run.budget if run.key.strategy == ORACLE else run.harvest_rate


def _notes(labels: Mapping[str, Labels], budget: int) -> list[str]:
    topics = ", ".join(f"{t.printed} is {t.name} by the column {t.grade}" for t in SUN.topics)
    there = {t.name: relevant_texts(labels[t.name]) for t in SUN.topics}
    web = len(labels[SUN.topics[0].name])
    most = sum(min(1.0, n / budget) for n in there.values()) / len(there)
    return [
        f"Topics: {topics}. The labels fit 酷睿 (HW is hardware of all kinds) and 计算机 (OS is systems in a wide sense) only "
        "loosely.",
        f"The web has {web:,} labelled pages, of which {budget:,} are {min(1.0, budget / web):.0%}; texts on topic: "
        f"{', '.join(f'{name} {n:,}' for name, n in there.items())}. So no mean harvest rate at {budget:,} pages is above "
        f"{most:.1%}, and all crawls come near each other at the end. The paper crawled the open web, where nothing runs out: "
        "the first points of the curves are the ones to compare.",
        "The paper starts at the five pages that a search engine finds first for a topic; ours start at the home pages of all "
        "sites, which are about other things, too.",
        "Mean relevance is over all fetched texts by their labels (on topic 1, mixed 1/2, off topic 0). The paper does not say "
        "who judges its pages. The precision of what is kept stands beside it.",
        f"Figure 4: the topic is the word {NARROW_WORD} alone; the crawl itself replaces it. A text counts as relevant by the "
        f"column {NARROW.topics[0].grade}; the paper's topic is an author's name, replaced by hand by school and department.",
    ]
