"""A short run of benchmarks/torture.py: each bad thing on either back end, by which crawls of the demo web lose nothing."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torture

DEMO = Path(__file__).resolve().parents[2] / "demo"
SQLITE = (torture.kill, torture.terminate, torture.stop, torture.fill_disk)
SHARED = (torture.kill, torture.kill_redis, torture.terminate, torture.kill_postgres, torture.stop)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[torture.Bench]:
    folder = tmp_path_factory.mktemp("torture")
    with torture.Bench(DEMO / "demo-web.warc.gz", DEMO / "seeds.txt", "partybuilding", folder, random.Random(1)) as made:
        yield made


@pytest.mark.parametrize(("back_end", "acts"), [("sqlite", SQLITE), ("shared", SHARED)])
def test_a_bad_day_costs_nothing(back_end: str, acts: tuple[torture.Act, ...], bench: torture.Bench) -> None:
    following = itertools.cycle(acts)
    mixed = torture.Disturbance("mixed", back_end, len(acts), lambda crawl, worker: next(following)(crawl, worker))
    *_, results = torture.torture(bench, {mixed: mixed.times}, None)
    found = results[mixed]
    assert found.times == len(acts)
    assert found.rows + found.otherwise.total() >= found.crawls * len(bench.undisturbed(back_end)) > 100
    assert not found.failed, found


def test_what_is_missing_is_found(bench: torture.Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row that went away, one that is there in another order, and a page that was fetched for nothing are seen."""
    crawl = torture.Crawl(bench, "sqlite", "broken")
    crawl.run(None, 0)
    first, second, *rest, last = bench.undisturbed("sqlite")
    lost = replace(last, url=f"{last.url}?x", key="00")
    monkeypatch.setattr(bench, "undisturbed", lambda back_end: [second, first, *rest, lost])
    crawl.ended[0].fetched.append(first.url)
    found = torture.Found()
    crawl.note(found)
    assert (found.reordered, found.lost, found.needless) == (1, [f"{lost.url} (missing)"], [first.url])
    assert found.differing == {"more rows": 1}
    assert found.failed
