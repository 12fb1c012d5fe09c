"""The figures of the crawls of an ablation, and their file."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from experiments.oracle import ORACLES
from experiments.regret import HostFigures
from topical_crawler.files import replacing


@dataclass(frozen=True, slots=True)
class Run:
    """The figures of a crawl.

    Attributes:
        variant: the row that it belongs to: a strategy, with or without a part or a parameter, or an oracle.
        topic, start, seed: as in :class:`~experiments.comparison.RunKey`; ``start`` has the number of the draw or order.
        pages: pages fetched.
        area: under the curve of recall, over the best possible.
        recall: by numbers of pages.
        kept: texts kept.
        precision: share of the texts on topic among the kept pages that the labels call articles, those of grade 1 left out.
        kept_recall: share of all texts on topic that are among them.
        cpu_ms: CPU time for a page, in milliseconds, without the start.
        link_us: CPU time for a link each time it is scored, in microseconds.
        make_s: CPU time to make the strategy, in seconds.
        column: of the topic's grades.
        webs: names of the recordings that the topic is measured on.
        share: of the area that the oracle has from the same start which knows the way; nan where it did not crawl.
        hosts: see :func:`~experiments.regret.by_host`.
    """

    variant: str
    topic: str
    start: str
    seed: int
    pages: int
    area: float
    recall: Mapping[int, float]
    kept: int
    precision: float
    kept_recall: float
    cpu_ms: float
    link_us: float
    make_s: float
    column: str = ""
    webs: tuple[str, ...] = ()
    share: float = math.nan
    hosts: Mapping[str, HostFigures] = field(default_factory=dict)

    @property
    def of_oracle(self) -> bool:
        """Whether an oracle crawled."""
        return self.variant.removeprefix("oracle ") in ORACLES

    @property
    def kept_f(self) -> float:
        """Harmonic mean of ``precision`` and ``kept_recall``."""
        total = self.precision + self.kept_recall
        return 2 * self.precision * self.kept_recall / total if total else 0.0


def write_runs(file: Path, runs: Iterable[Run]) -> None:
    """Write ``file``, a JSON list of objects with the fields of :class:`Run`; ``null`` is an unknown share."""
    rows = [asdict(run) | {"share": None if math.isnan(run.share) else run.share} for run in runs]
    with replacing(file) as out:
        json.dump(rows, out, ensure_ascii=False, indent=1)


def read_runs(file: Path) -> list[Run]:
    """What :func:`write_runs` wrote.

    Raises:
        ValueError: the file holds something else; the message names it.
        OSError: it cannot be read.
    """
    try:
        return [
            Run(
                **row
                | {
                    "recall": {int(pages): value for pages, value in row["recall"].items()},
                    "webs": tuple(row["webs"]),
                    "share": math.nan if row["share"] is None else row["share"],
                    "hosts": {site: HostFigures(**figures) for site, figures in row["hosts"].items()},
                }
            )
            for row in json.loads(file.read_text(encoding="utf-8"))
        ]
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(
            f"{file}: no figures of an ablation ({error!r}). Remedy: python -m experiments ablation --json"
        ) from None
