"""Table 1 of Chen & Zhu 2011 on a recorded web of news portals: precision and recall of T&L and T."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from experiments.comparison import RunFigures, measure
from experiments.papers.experiment import (
    CHEN,
    MEAN,
    TABLE_1,
    TABLE_1_MEAN,
    Chart,
    Crawls,
    Labels,
    Measurement,
    Reproduction,
    chen_claims,
    curves,
    measure_crawls,
    pages_per_target,
    run_key,
    with_mean,
)
from topical_crawler.evaluation.metrics import relevant_texts

TABLE = "Table 1"


def reproduce(crawls: Crawls, labels: Mapping[str, Labels], budget: int) -> Reproduction:
    """The table, and whether what the paper says of it holds.

    Eq. 3: target pages collected (fetched and kept) / pages fetched. Eq. 4: target pages collected / target pages.

    Args:
        crawls: of :data:`~experiments.papers.experiment.CHEN`.
        labels: by topic.
        budget: pages that each crawl could fetch.
    """
    rows: list[Measurement] = []
    for topic in CHEN.topics:
        known = labels[topic.name]
        pages = max(1, min(budget, round(pages_per_target() * relevant_texts(known))))
        for method in CHEN.methods:
            key, records = run_key(topic.name, method.name), crawls[topic.name, method.name]
            rows += _rows(measure(key, records, known, pages), TABLE, TABLE_1.get(topic.printed, {}).get(method.name))
            rows += _rows(measure(key, records, known, budget), f"{TABLE}, but at {budget:,} pages", None)
    rows += _means(rows)
    recall = curves(measure_crawls(CHEN, crawls, labels, budget), lambda run: run.kept[-1].recall)
    charts = [Chart("chen-table-1", f"{TABLE}: recall (Eq. 4) as crawls go on", "pages fetched", "recall", with_mean(recall))]
    findings = [claim.check(rows, MEAN) for claim in chen_claims()]
    return Reproduction(CHEN.name, CHEN.paper, _notes(labels), charts, rows, findings)


def _rows(run: RunFigures, item: str, printed: tuple[float, float] | None) -> list[Measurement]:
    kept, topic, method = run.kept[-1], run.key.topic, run.key.strategy
    precision, recall = (f"{number:.1f}%" for number in printed) if printed else ("", "")
    figures = (
        ("precision", precision, kept.held / run.pages if run.pages else 0.0),
        ("recall", recall, kept.recall),
        ("precision of what is kept", "", kept.precision),
        ("recall, kept or not", "", run.recall_at(run.budget)),
        ("pages fetched", "", float(run.pages)),
    )
    return [Measurement(item, quantity, 0, topic, method, said, ours) for quantity, said, ours in figures]


def _means(rows: Sequence[Measurement]) -> list[Measurement]:
    """For every figure and method a row with the mean over all topics."""
    groups: dict[tuple[str, str, str], list[float]] = {}
    for row in rows:
        groups.setdefault((row.item, row.quantity, row.method), []).append(row.ours)
    found = []
    for (item, quantity, method), values in groups.items():
        printed = dict(zip(("precision", "recall"), TABLE_1_MEAN[method], strict=True)) if item == TABLE else {}
        said = f"{printed[quantity]:.1f}%" if quantity in printed else ""
        found.append(Measurement(item, quantity, 0, MEAN, method, said, sum(values) / len(values)))
    return found


def _notes(labels: Mapping[str, Labels]) -> list[str]:
    there = ", ".join(f"{t.name} {relevant_texts(labels[t.name]):,}" for t in CHEN.topics)
    return [
        "Precision is Eq. 3, target pages collected / pages fetched; recall is Eq. 4, target pages collected / target pages. "
        "Collected is what was fetched and kept; copies of a text count once. Printed means are over the paper's five topics, "
        "ours over these five.",
        "After how many pages the paper measures is not printed, but follows: the two equations have one numerator, so recall / "
        f"precision is pages fetched / target pages, in Table 1 {pages_per_target():.2f} on average. So a crawl is measured when "
        "it has that many pages for each text on topic that there is. Where both methods have so many pages, precision and "
        "recall put them in one order.",
        f"Texts on topic: {there}. A topic is a channel of the portals (天气灾害, 文化旅游, 经济, 体育). No channel is near "
        "购物, which is left out; 文化旅游 fits 娱乐 only loosely; 党建 stands under its own name. General news about a topic "
        "counts as off topic.",
        "The paper takes its seeds from pages on topic; ours are the home pages of all sites.",
    ]
