"""topical-crawler resources import: a file of vectors becomes the setting's."""

import os
import pickle
from pathlib import Path

from command_tools import RunScrapy

from topical_crawler.resources.vectors import WordVectors

TEXT = "5 2\n党员 3 4\n干部 1 0\nＣＰＵ 0 1\ncpu 1 1\n零 0 0\n"


class Attack:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("touch was-run",)


def test_what_is_imported_serves_as_the_vectors(call_scrapy: RunScrapy, tmp_path: Path) -> None:
    (tmp_path / "own.vec").write_text(TEXT, encoding="utf-8")
    done = call_scrapy("resources", "import", "own.vec", "new/mine", cwd=tmp_path)
    assert done.returncode == 0
    lines = done.stdout.replace("\n", " ").split("left out: ")
    assert lines[0] == "3 words, 2 dimensions, of 5 vectors read "
    assert lines[1] == "1 repeated after normalisation " and lines[2].startswith("1 without direction")
    assert f'TOPICAL_VECTORS = "{tmp_path}/new/mine.npy"' in done.stdout
    assert WordVectors.open(tmp_path / "new/mine.npy").words == ["党员", "干部", "cpu"]
    checked = call_scrapy("resources", "check", "vectors", "-s", f"TOPICAL_VECTORS={tmp_path}/new/mine.npy", cwd=tmp_path)
    assert checked.returncode == 0 and "3 words, 2 dimensions (own file" in checked.stdout


def test_a_limit_and_an_ending(call_scrapy: RunScrapy, tmp_path: Path) -> None:
    (tmp_path / "own.vec").write_text(TEXT, encoding="utf-8")
    assert "2 words" in call_scrapy("resources", "import", "own.vec", "v.npy", "--limit", "2", cwd=tmp_path).stdout
    assert WordVectors.open(tmp_path / "v.npy").words == ["党员", "干部"]
    failed = call_scrapy("resources", "import", "own.vec", "v.npy", "--limit", "0", cwd=tmp_path)
    assert failed.returncode == 1 and "Set 1 or more" in failed.stderr


def test_bad_files_change_nothing(call_scrapy: RunScrapy, tmp_path: Path) -> None:
    (tmp_path / "bad.kv").write_bytes(pickle.dumps(Attack()))
    (tmp_path / "short.vec").write_text("".join(TEXT.splitlines(keepends=True)[:3]), encoding="utf-8")
    for name, says in (("bad.kv", "so it was not read"), ("short.vec", "line 4: the file ends"), ("no", "No such file")):
        failed = call_scrapy("resources", "import", name, "v", cwd=tmp_path)
        assert failed.returncode == 1 and says in failed.stderr and failed.stdout == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.kv", "short.vec"]
