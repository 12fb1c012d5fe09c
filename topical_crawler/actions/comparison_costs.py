"""What the crawls of a comparison took of the machine: beside the figures, not among them, for it is never twice the same."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from topical_crawler.actions.recorded_crawls import Usage
from topical_crawler.evaluation.comparison import RunKey, Setting
from topical_crawler.evaluation.report import write_json
from topical_crawler.export.files import replacing

COSTS = ("costs.json", "costs.csv")
"""The files of :func:`write_costs`."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What the crawls of one strategy under one setting took, all random seeds together.

    Attributes:
        cpu_ms_per_page: CPU milliseconds for a page; nan where no page was measured.
        peak_mb: most memory of one process, in MiB.
    """

    cpu_ms_per_page: float
    peak_mb: float


def cost(usages: Mapping[RunKey, Usage], setting: Setting, strategy: str) -> Cost:
    """The cost of a strategy under a setting."""
    own = [usage for key, usage in usages.items() if key.setting == setting and key.strategy == strategy]
    pages, seconds = sum(u.pages for u in own), sum(u.cpu_seconds for u in own)
    return Cost(1000 * seconds / pages if pages else float("nan"), max((u.peak_mb for u in own), default=0.0))


def write_costs(out: Path, usages: Mapping[RunKey, Usage]) -> None:
    """Write :data:`COSTS` into ``out``: a row for every crawl, over all the pages that it has."""
    rows = [
        {
            **asdict(key),
            **asdict(usage),
            "pages_per_cpu_second": round(usage.pages / usage.cpu_seconds, 2) if usage.cpu_seconds else 0.0,
        }
        for key, usage in usages.items()
    ]
    data, table = (out / name for name in COSTS)
    write_json(data, {"crawls": rows})
    with replacing(table, "utf-8-sig") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(rows)
