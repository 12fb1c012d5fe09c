"""``python -m experiments urls`` as a user runs it, on a table of a portal's URLs and on a recorded web."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import warc_tools

RunScrapy = Callable[..., subprocess.CompletedProcess[str]]
SECTIONS = {"money": "财经", "sports": "体育", "world": "国际", "culture": "文化"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """a.cn has its sections on hosts of their own, b.cn in paths; c.cn is b.cn once more."""
    folder = tmp_path_factory.mktemp("urls")
    lines = ["url\tkind\tsection\tlabels"]
    pages = []
    for slug, name in SECTIONS.items():
        for n in range(100, 116):
            on_host = f"http://{slug}.a.cn/{n}.html"
            lines.append(f"{on_host}\tarticle\t{name}\t{name};x")
            lines += [f"http://www.{site}/{slug}/{n}.html\tarticle\t{name}\t" for site in ("b.cn", "c.cn")]
            crumb = f'<p class="crumb"><a href="/">门户</a> &gt; <a href="/{slug}/">{name}</a></p>'
            pages.append((on_host, 200, {"Content-Type": "text/html"}, crumb.encode()))
    (folder / "urls.tsv").write_text("\n".join(lines), encoding="utf-8")
    warc_tools.write_warc(folder / "web.warc.gz", [*pages, ("http://www.a.cn/", 200, {"Content-Type": "text/html"}, b"home")])
    warc_tools.write_warc(folder / "plain.warc.gz", [("http://www.a.cn/", 200, {"Content-Type": "text/html"}, b"home")])
    return folder


def figures(folder: Path) -> dict[str, dict[str, list[dict[str, float]]]]:
    found: dict[str, dict[str, list[dict[str, float]]]] = json.loads((folder / "urls.json").read_text(encoding="utf-8"))
    return found


def test_table_6(run_experiment: RunScrapy, call_experiment: RunScrapy, folder: Path, tmp_path: Path) -> None:
    arguments = ("urls", "--labels", "urls.tsv", "--pairs", "300", "--parameters")
    shown = run_experiment(*arguments, "--out", tmp_path / "run1", cwd=folder)
    assert shown.returncode == 0, shown.stderr
    for part in ("192 URLs, 3 sites, 12 sections", "Table 6", "0.98", "b.cn", "default:", "best:", "urls.tsv"):
        assert part in shown.stdout, shown.stdout
    found = figures(tmp_path / "run1")
    assert set(found["table6"]) == {f"{n} pairs, {rule}" for n in (100, 300) for rule in ("paper's rule", "within_host")}
    assert [cell["threshold"] for cell in found["table6"]["100 pairs, within_host"]] == [x / 100 for x in range(5, 45, 5)]
    assert set(found["by_site"]) == {"a.cn", "b.cn", "c.cn"}
    best, default = (found["search"]["curves"][f"{name}, within_host"][1]["accuracy"] for name in ("best", "default"))
    assert best >= default - 0.05
    assert len((tmp_path / "run1/urls.tsv").read_text(encoding="utf-8").splitlines()) == 301
    again = call_experiment(*arguments, "--out", tmp_path / "run2", cwd=folder)
    assert again.stdout.replace("run2", "run1") == shown.stdout
    for name in ("urls.json", "urls.png", "urls.tsv"):
        assert (tmp_path / "run1" / name).read_bytes() == (tmp_path / "run2" / name).read_bytes(), name


def test_one_site_whose_sections_have_hosts(call_experiment: RunScrapy, folder: Path, tmp_path: Path) -> None:
    """By the paper's rule URLs of one section are always the same there; from the table and from the pages alike."""
    call_experiment("urls", "--labels", "urls.tsv", "--site", "a.cn", "--pairs", "100", "--out", tmp_path, cwd=folder)
    one = figures(tmp_path)["table6"]["100 pairs, paper's rule"]
    assert {cell["same"] for cell in one} == {1.0}
    shown = call_experiment("urls", "--web", "web.warc.gz", "--pairs", "100", "--out", tmp_path, cwd=folder)
    assert shown.returncode == 0, shown.stderr
    assert "1 no breadcrumb" in shown.stderr
    assert figures(tmp_path)["urls"] == 64
    assert {cell["same"] for cell in figures(tmp_path)["table6"]["100 pairs, paper's rule"]} == {1.0}


def test_across_sites(call_experiment: RunScrapy, folder: Path, tmp_path: Path) -> None:
    arguments = ("--labels", "urls.tsv", "--site", "b.cn", "--site", "c.cn", "--pairs", "100", "--across")
    shown = call_experiment("urls", *arguments, "--out", tmp_path, cwd=folder)
    assert shown.returncode == 0, shown.stderr
    assert "100 pairs across sites" in shown.stdout
    rows = (tmp_path / "urls.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert all(("b.cn" in row.split("\t")[0]) != ("b.cn" in row.split("\t")[1]) for row in rows)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--labels", "urls.tsv", "--column", "板块"), "there is no column '板块'; there are url, kind, section, labels"),
        (("--labels", "urls.tsv", "--site", "d.cn"), "--site d.cn: there is no such site. Remedy: one of a.cn, b.cn, c.cn"),
        (("--labels", "urls.tsv", "--kind", "list"), "only 0 were found in 0 URLs"),
        (("--labels", "urls.tsv", "--pairs", "100000"), "Remedy: fewer pairs"),
        (("--labels", "none.tsv"), "none.tsv"),
        (("--web", "none.warc.gz"), "none.warc.gz: no such file"),
        (("--web", "plain.warc.gz"), "no page has a breadcrumb. Remedy"),
    ],
)
def test_what_cannot_be_done(
    call_experiment: RunScrapy, folder: Path, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    shown = call_experiment("urls", *arguments, "--out", tmp_path, cwd=folder)
    assert shown.returncode == 1
    assert said in shown.stderr.splitlines()[-1]
    assert shown.stderr.splitlines()[-1].startswith("python -m experiments urls: ")
