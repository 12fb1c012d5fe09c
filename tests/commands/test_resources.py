"""``topical-crawler resources`` as a user calls it; archives stand in a local directory, pip is the real one."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from command_tools import exit_code
from resource_tools import pinned, wheel

from topical_crawler.resources.registry import RESOURCES

DATA = {
    "hownet": b"\xe5\x85\x9a N human|\xe4\xba\xba\n",
    "vectors": b"1 2\n\xe5\x85\x9a 1 2\n",
    "cilin": b"Aa01A01= \xe4\xba\xba \xe5\xa3\xab\n",
    "cilin_tree": b'{"A": {"tag": "human", "sub": {}}}',
    "clc": b'{"A": {"name": "Marxism", "up_level": null}, "B": {"name": "philosophy", "up_level": null}}',
}

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def resources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Runs ``topical-crawler resources …`` in this process; gives exit code, output, messages."""
    shelf = tmp_path / "shelf"
    shelf.mkdir()
    archive = wheel(shelf, "tcresources", {f"data/{name}": data for name, data in DATA.items()})
    for name, data in DATA.items():
        monkeypatch.setitem(RESOURCES, name, pinned(name, archive, f"data/{name}", data))  # type: ignore[misc]
    for variable in [v for v in os.environ if v.startswith("TOPICAL_")]:
        monkeypatch.delenv(variable)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shelf))
    monkeypatch.setenv("TOPICAL_RESOURCES_DIR", str(tmp_path / "to"))
    monkeypatch.setenv("COLUMNS", "400")

    def run(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        return exit_code("resources", *arguments), *capfd.readouterr()

    return run


def test_fetch_list_check(resources: Run, tmp_path: Path) -> None:
    code, out, _ = resources("list")
    assert (
        code == 0 and out.count(" missing ") == 6 and "tcresources==1.0" in out and "Words are compared by their vectors" in out
    )
    code, out, err = resources("fetch")
    assert code == 0 and f"5 fetched to {tmp_path / 'to'}" in out and "hownet_tree is missing." in out
    assert all(name in err for name in DATA) and "fetched" in err
    code, out, _ = resources("fetch")
    assert code == 0 and "0 fetched" in out
    code, out, _ = resources("list")
    assert code == 0 and out.count(" here ") == 5 and str(tmp_path / "to/hownet.txt") in out
    code, out, _ = resources("check")
    assert code == 0 and out.count("SHA-256 right") == 5 and "1 word, 1 definition" in out and "1 word, 2 dimensions" in out
    assert out.count("FAILED") == 0 and "hownet_tree  missing." in out


def test_damage_is_found(resources: Run, tmp_path: Path) -> None:
    resources("fetch")
    cilin, clc = tmp_path / "to/cilin.txt", tmp_path / "to/clc.json"
    cilin.write_bytes(cilin.read_bytes()[:-1])
    clc.write_bytes(clc.read_bytes().replace(b"B", b"C"))
    code, out, _ = resources("check", "clc", "cilin")
    assert code == 1 and out.count("FAILED") == 2 and "not the pinned file. Run topical-crawler resources fetch clc" in out
    assert "damaged" in resources("list")[1]
    assert resources("fetch")[1].startswith("2 fetched")
    assert resources("check")[0] == 0


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("hownet", b"\xc4\xd0\xc8\xcb N human|\xc8\xcb", "not UTF-8"),
        ("hownet_tree", b"0 a 0\n1 b\n", ":2: expected 'index sememe parent'"),
        ("vectors", b"\x1f\x8b\x08\x00broken", "damaged gzip data"),
        ("cilin", b"Aa01A01 \xe4\xba\xba\n", ":1: expected 'code word word"),
        ("cilin_tree", b"{", ":1: not JSON"),
        ("clc", b"[]", "expected a JSON object"),
    ],
)
def test_a_file_of_ones_own_is_read_too(resources: Run, tmp_path: Path, name: str, content: bytes, says: str) -> None:
    own = tmp_path / "broken.file"
    own.write_bytes(content)
    code, out, _ = resources("check", name, "-s", f"{RESOURCES[name].setting}={own}")
    assert code == 1 and "FAILED" in out and says in out and str(own) in out


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 2, "say what to do"),
        (("fetch", "wordnet"), 1, "no resource 'wordnet'. Choose one of hownet"),
        (("fetch", "hownet_tree"), 1, "hownet_tree cannot be fetched"),
        (("list", "-s", "TOPICAL_CLC=/no/such/file"), 1, "TOPICAL_CLC=/no/such/file: no such file"),
    ],
)
def test_mistakes_are_explained(resources: Run, arguments: tuple[str, ...], code: int, says: str) -> None:
    found, out, err = resources(*arguments)
    assert found == code and says in out + err


def test_pip_fails(resources: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    code, _, err = resources("fetch", "clc")
    assert code == 1 and "pip could not download tcresources==1.0" in err and "Check network" in err and "TOPICAL_CLC" in err
    assert [p.name for p in (tmp_path / "to").iterdir()] == [".fetch.lock"]
