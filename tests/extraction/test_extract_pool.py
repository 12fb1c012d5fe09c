"""The pool that no page can hang or bring down."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from wait_tools import wait_for

from topical_crawler import workers
from topical_crawler.extraction.extract import CRASHED, TIMED_OUT, Extracted
from topical_crawler.extraction.pool import ExtractPool

ROOT = Path(__file__).parents[2]
SENTENCE = "各级党组织要扎实开展主题教育，推动全面从严治党向基层延伸。"
ARTICLE = (
    "<html><head><title>主题教育_党建网</title></head><body><div class='nav'><a href='/'>首页</a></div><h1>主题教育</h1>"
    "<div class='info'>2023年04月12日 08:30 来源：党建网</div><div class='article'>"
    + "".join(f"<p>{SENTENCE * 3}（{n}）</p>" for n in range(8))
    + "</div></body></html>"
)
SLOW = f"<p>{SENTENCE}<a href='/x'>链接</a></p>" * 60_000
"""Three million characters that are worked on for much longer than the tests wait."""


@pytest.fixture(autouse=True)
def started_for_a_user(monkeypatch: pytest.MonkeyPatch) -> None:
    """The processes are started as a user's are, and not forked from one of the tests."""
    monkeypatch.setattr(workers, "subprocess", subprocess)


def test_pool_extracts_in_other_processes_and_ends_them() -> None:
    async def run() -> list[Extracted]:
        return await asyncio.gather(*(pool.extract(ARTICLE, f"http://a.cn/{n}") for n in range(6)))

    pool = ExtractPool(2)
    assert not _children()  # nothing is started before it is needed
    found = asyncio.run(run())
    assert {f.title for f in found} == {"主题教育"}
    assert len(_children()) in (1, 2)
    pool.close()
    pool.close()
    assert not _children()


def test_a_worker_knows_when_the_page_was_fetched() -> None:
    pool = ExtractPool(1)
    fetched = ("2022-06-01T00:00:00+00:00", "2024-06-01T00:00:00+00:00")
    dates = [asyncio.run(pool.extract(ARTICLE, "http://a.cn/1.html", moment)).date for moment in fetched]
    pool.close()
    assert dates == ["", "2023-04-12"]


def test_a_page_that_takes_too_long_is_given_up_and_the_next_one_is_served() -> None:
    assert len(SLOW) > 3_000_000
    pool = ExtractPool(1, timeout=0.7, max_html=10_000_000)

    async def run() -> tuple[Extracted, Extracted, int]:
        await pool.extract(ARTICLE, "http://a.cn/")
        page = asyncio.ensure_future(pool.extract(SLOW, "http://a.cn/slow"))
        turns = 0
        while not page.done():  # the event loop runs on meanwhile
            await asyncio.sleep(0.01)
            turns += 1
        return await page, await pool.extract(ARTICLE, "http://a.cn/"), turns

    late, after, turns = asyncio.run(run())
    pool.close()
    assert (late.reason, after.title) == (TIMED_OUT, "主题教育") and turns > 20


def test_a_killed_worker_costs_its_own_page_only() -> None:
    pool = ExtractPool(1, timeout=20, max_html=10_000_000)

    async def run() -> tuple[Extracted, Extracted, Extracted]:
        await pool.extract(ARTICLE, "http://a.cn/")
        page = asyncio.ensure_future(pool.extract(SLOW, "http://a.cn/slow"))
        await _busy(pool)
        _kill_children()
        crashed = await page
        after = await pool.extract(ARTICLE, "http://a.cn/")
        _kill_children()  # an idle one, as by the kernel when memory is short
        return crashed, after, await pool.extract(ARTICLE, "http://a.cn/")

    crashed, after, later = asyncio.run(run())
    pool.close()
    assert crashed == Extracted(reason=CRASHED)
    assert after.title == later.title == "主题教育"


def test_closing_does_not_wait_for_a_page() -> None:
    pool = ExtractPool(1, max_html=10_000_000)

    async def run() -> Extracted:
        await pool.extract(ARTICLE, "http://a.cn/")
        page = asyncio.ensure_future(pool.extract(SLOW, "http://a.cn/slow"))
        await _busy(pool)
        pool.close()
        return await page

    assert asyncio.run(run()).reason == CRASHED


def test_workers_outlive_neither_their_parent_nor_a_ctrl_c(tmp_path: Path) -> None:
    # No main guard: a script that uses the pool must not be run again by its workers.
    script = tmp_path / "script.py"
    script.write_text(
        "import asyncio, os, time\nfrom topical_crawler.extraction.pool import ExtractPool\n"
        "print('run', flush=True)\npool = ExtractPool(1)\n"
        f"print(asyncio.run(pool.extract({ARTICLE!r}, 'http://a.cn/')).title, flush=True)\ntime.sleep(60)\n",
        "utf-8",
    )
    process = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert process.stdout is not None
    assert [process.stdout.readline().decode().strip() for _ in range(2)] == ["run", "主题教育"]
    workers = _children(process.pid)
    assert len(workers) == 1
    os.kill(workers[0], signal.SIGINT)
    time.sleep(0.1)
    assert _alive(workers[0])
    process.kill()
    process.communicate()
    wait_for(lambda: not _alive(workers[0]))


@pytest.mark.slow
def test_workers_say_nothing_when_their_parent_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import asyncio, os, signal, threading, time\nfrom topical_crawler.extraction.pool import ExtractPool\n"
        "pool = ExtractPool(1, max_html=10_000_000)\n"
        f"article = {ARTICLE!r}\n"
        "asyncio.run(pool.extract(article, 'http://a.cn/'))\n"
        "def killed():\n    while not pool._pool._workers[0]._busy:\n        pass\n    os.kill(os.getpid(), signal.SIGKILL)\n"
        "threading.Thread(target=killed).start()\n"
        "asyncio.run(pool.extract(article * 100, 'http://a.cn/'))\n",
        "utf-8",
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for _ in range(3):  # in the middle of a call's arrival, or of its work
        ended = subprocess.run([sys.executable, str(script)], capture_output=True, env=environment, check=False)
        assert ended.returncode == -signal.SIGKILL
        assert ended.stderr == b""  # read until the worker, too, is gone


@pytest.mark.parametrize(("workers", "timeout"), [(0, 20), (1, 0)])
def test_a_pool_that_cannot_work_is_refused(workers: int, timeout: float) -> None:
    with pytest.raises(ValueError, match="at least one worker and a timeout above 0"):
        ExtractPool(workers, timeout)


def _children(pid: int | None = None) -> list[int]:
    """Extracting processes that a process has started: other tests keep servers."""
    found: list[int] = []
    for task in Path(f"/proc/{pid or os.getpid()}/task").iterdir():
        with contextlib.suppress(FileNotFoundError):  # a thread that has ended meanwhile
            found += [int(child) for child in (task / "children").read_text().split()]
    return [child for child in found if _extracts(child)]


def _extracts(pid: int) -> bool:
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        return b"topical_crawler.extraction" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


async def _busy(pool: ExtractPool) -> None:
    """Until the worker has a page."""
    while not pool._pool._workers[0]._busy:
        await asyncio.sleep(0.01)


def _kill_children() -> None:
    children = _children()
    for child in children:
        os.kill(child, signal.SIGKILL)
    wait_for(lambda: all(map(_has_ended, children)))


def _has_ended(child: int) -> bool:
    """Whether a child can be reaped; a zombie cannot while one of its other threads has not ended."""
    try:
        return os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # it has been
        return True


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


if not Path("/proc/self/task").is_dir():
    pytestmark = pytest.mark.skip(reason="looks at child processes through /proc")
