"""The report of a comparison: what stands in its files, and that equal figures give equal bytes."""

from __future__ import annotations

import csv
import json
import re
from html import unescape
from pathlib import Path

import pytest

from experiments.comparison import ORACLE, STEPS, RunKey, measure_path
from experiments.comparison_report import FILES, MOST_SITES, as_json, page, write_report
from experiments.ranking import Comparison
from experiments.report import Axis, chart, styles
from topical_crawler import strategies
from topical_crawler.evaluation.labels import Label
from topical_crawler.web.urls import fingerprint

URLS = [f"http://s{i % 40}.cn/{i}" for i in range(600)]
LABELS = {fingerprint(url): Label(url, f"s{i % 40}.cn", "article", 2 if i % 5 == 0 else 0, str(i)) for i, url in enumerate(URLS)}
STRANGE = '<b>甲&"乙"'


def comparison(*strategies: str) -> Comparison:
    runs = [
        measure_path(RunKey(name, "党建", "home", seed, cap), URLS[place * 40 + seed : 590 - cap], LABELS, 600)
        for cap in (0, 20)
        for place, name in enumerate(strategies)
        for seed in range(3)
    ]
    settings = {r.key.setting for r in runs}
    oracles = {s: measure_path(RunKey(ORACLE, s.topic, s.start, 0, s.cap), URLS[::5], LABELS, 600) for s in settings}
    return Comparison("试验", runs, oracles, {"web": "web.warc.gz", "note": STRANGE})


def test_equal_figures_give_equal_bytes(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pictures need matplotlib: pip install 'topical-crawler[experiments]'")
    for name in ("1", "2"):
        write_report(tmp_path / name, comparison("semantic", "vsm", "mine"))
    assert sorted(f.name for f in (tmp_path / "1").iterdir()) == sorted(FILES)
    for name in FILES:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()
    assert (tmp_path / "1" / "crawl.png").read_bytes().startswith(b"\x89PNG")
    with (tmp_path / "1" / "crawl.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))  # a line for every run
    assert len(rows) == 2 * (3 * 3 + 1) and {r["strategy"] for r in rows} == {"semantic", "vsm", "mine", "oracle"}
    assert rows[0]["topic"] == "党建" and float(rows[0]["area"]) > 0


def test_the_json_holds_everything() -> None:
    made = comparison("semantic", "vsm")
    found = json.loads(json.dumps(as_json(made)))
    assert found["strategies"] == ["semantic", "vsm"]
    setting = found["settings"][0]
    assert (setting["topic"], setting["cap"], setting["relevant_texts"]) == ("党建", 0, 120)
    assert setting["ranking"] == ["semantic", "vsm"]
    runs = setting["strategies"]["vsm"]["runs"]
    assert [r["seed"] for r in runs] == [0, 1, 2]
    assert runs[0]["figures"] == made.runs[3].scalars()
    curves = runs[0]["curves"]
    assert len(curves["pages"]) <= STEPS + 1 and curves["pages"][-1] == made.runs[3].pages
    assert curves["fetched_relevant"] == [made.runs[3].curve[k - 1] for k in curves["pages"]]
    assert {len(column) for column in curves.values()} == {len(curves["pages"])}
    assert setting["strategies"]["vsm"]["figures"]["area"]["interval"] == "95 % (t)"
    assert (found["caps"][0]["caps"], found["caps"][0]["kendall_tau"]) == ([0, 20], 1.0)
    assert len(setting["oracle"]["sites"]) == 40 and f"{40 - MOST_SITES} more sites are in crawl.json" in page(made)


def test_the_page_stands_alone() -> None:
    html = page(comparison("semantic", "vsm"))
    assert all(re.fullmatch("#s[0-9]+", target) for target in re.findall(r'(?:src|href|srcset)="?([^"> ]*)', html))
    assert "<script" not in html and "@import" not in html and "url(" not in html and "http" not in html
    assert "<h1>试验</h1>" in html and STRANGE not in html and STRANGE in unescape(html)
    assert "prefers-color-scheme: dark" in html and "width=device-width" in html
    assert "no bound against 20 pages a host: Kendall's τ 1.00; no two strategies change places" in unescape(html)
    table = html[html.index("<section") :].split("</table>")[0]
    first, second, oracle = re.findall(r"<tr.*?</tr>", table[table.index("<tbody>") :], re.DOTALL)
    assert ">semantic</th>" in first and "<b>" in first  # the best of a column is bold, and the oracle is not
    assert ">vsm</th>" in second and ">oracle</th>" in oracle and "<b>" not in oracle


def test_every_strategy_has_a_look_of_its_own() -> None:
    names = [*strategies.names(), "mine", "yours", "theirs", "ours", ORACLE]
    looks = styles(names)
    assert len({(s.tone, s.dash) for s in looks.values()}) == len(names)


def test_a_chart_has_the_colours_of_the_page() -> None:
    svg = chart({"semantic": [(0, 0), (9, 1)]}, styles(["semantic"]), "", Axis("x", 10), Axis("y", 1))
    assert "stroke: var(--blue)" in svg and not re.search("#[0-9a-f]{6}", svg)
    without = chart({"a": [], "b": [(0, 0)]}, styles("ab"), "", Axis("x", 10), Axis("y", 1))
    assert ">b</text>" in without and ">a</text>" not in without  # a curve without points is left out
