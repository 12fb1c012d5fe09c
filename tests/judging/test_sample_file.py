"""The file of a sample: what is marked is on the disk, what is damaged is refused."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from judging_tools import sample, written

from topical_crawler.judging.sample import SampleError, SampleFile, merged, read_sample

ROOT = Path(__file__).parents[2]
MARKER = """
import sys, time
from pathlib import Path
from topical_crawler.judging.sample import SampleFile
file = SampleFile(Path(sys.argv[1]))
for place, mark in enumerate(("relevant", "irrelevant", "boilerplate")):
    file.mark(place, mark)
    print("marked", flush=True)
time.sleep(60)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return written(tmp_path / "样本.jsonl")


def marks(path: Path) -> list[str | None]:
    return [item.mark for item in read_sample(path).items]


def test_what_is_written_is_read(path: Path) -> None:
    assert read_sample(path) == sample()


def test_a_text_is_a_line_with_its_mark(path: Path) -> None:
    with SampleFile(path) as file:
        file.mark(0, "relevant")
        file.mark(1, "irrelevant")
        file.mark(1, None)
        assert [item.mark for item in file.now().items][:2] == ["relevant", None]
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["mark"] for line in lines[1:]] == ["relevant", None, None, None, None]
    assert lines[0]["judging"] == 1 and lines[0]["strata"][0] == {
        "name": "www.menhu.cn", "population": 100, "sample": 2, "reason": "",
    }  # fmt: skip


def test_marks_survive_a_kill(path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", MARKER, str(path)], stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as process:
        assert process.stdout is not None
        for _ in range(3):
            assert process.stdout.readline() == b"marked\n"
        process.send_signal(signal.SIGKILL)
    assert marks(path) == ["relevant", "irrelevant", "boilerplate", None, None]
    with SampleFile(path) as file:
        file.mark(3, "boilerplate")
    assert marks(path) == ["relevant", "irrelevant", "boilerplate", "boilerplate", None]


def test_a_mark_that_was_cut_off_in_writing_is_left_out(path: Path) -> None:
    with path.open("a", encoding="utf-8") as out:
        out.write('{"key": "0-0", "mark": "relevant"}\n{"key": "0-1", "ma')
    assert marks(path) == ["relevant", None, None, None, None]
    with SampleFile(path) as file:
        file.mark(1, "irrelevant")
    assert marks(path) == ["relevant", "irrelevant", None, None, None]


def test_the_last_line_feed_may_be_missing(path: Path) -> None:
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    with SampleFile(path) as file:
        file.mark(0, "relevant")
    assert marks(path) == ["relevant", None, None, None, None]


def test_one_process_at_a_time(path: Path) -> None:
    with SampleFile(path):
        with pytest.raises(SampleError, match="already being judged"):
            SampleFile(path)
        assert len(read_sample(path).items) == 5
    SampleFile(path).close()


def test_an_unknown_mark_is_refused_and_nothing_is_written(path: Path) -> None:
    before = path.read_bytes()
    with SampleFile(path) as file, pytest.raises(SampleError, match="not a mark"):
        file.mark(0, "perhaps")
    assert path.read_bytes() == before


def replacing(place: int, old: str, new: str) -> Callable[[list[str]], object]:
    return lambda lines: lines.__setitem__(place, lines[place].replace(old, new))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines.clear(), r"line 1: expected \{\"judging\": 1"),
        (lambda lines: lines.pop(0), r"line 1: expected \{\"judging\": 1"),
        (lambda lines: lines.pop(), "5 texts were drawn, but the file ends after 4"),
        (lambda lines: lines.insert(2, "党建"), "line 3: not a JSON object"),
        (lambda lines: lines.append(lines[1]), "line 7: the key '0-0' is repeated"),
        (lambda lines: lines.append('{"key": "x", "mark": null}'), "line 7: no text above has the key 'x'"),
        (lambda lines: lines.append('{"key": "0-0", "mark": "good"}'), "line 7: 'good' is not a mark"),
        (lambda lines: lines.append('{"key": "0-0", "mark": ["good"]}'), r"line 7: \['good'\] is not a mark"),
        (replacing(1, '"weight": 50', '"weight": "x"'), "line 2: weight is 'x'"),
        (replacing(1, '"www.wutong.cn", "weight', '"b.cn", "weight'), "no stratum 'b.cn'"),
        (replacing(1, '"host"', '"house"'), "line 2: .*house"),
        (replacing(0, '"sample": 2', '"sample": 0'), "line 1: the sample of a stratum"),
        (replacing(0, '"strata": [', '"strata": [1, '), "line 1: strata is not a list"),
    ],
)
def test_damage_is_refused_with_its_line(path: Path, change: Callable[[list[str]], object], said: str) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    change(lines)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    with pytest.raises(SampleError, match=said):
        read_sample(path)


def test_marks_of_several_people_are_put_together() -> None:
    key = sample().items[0].key
    given = [sample().marked({key: mark}) for mark in ("boilerplate", "relevant", "relevant")]
    assert merged(given).items[0].mark == "relevant"
    assert merged(given[:2]).items[0].mark == "boilerplate"
    assert merged([sample(), given[1]]).items[0].mark == "relevant"
