"""Work in a process of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from wait_tools import wait_for

from topical_crawler.services import MistakeError
from topical_crawler.workbench.apart import Apart


@pytest.fixture(scope="module")
def apart() -> Iterator[Apart]:
    with closing(Apart()) as found:
        yield found


def test_what_is_done_apart_comes_back_and_so_does_what_goes_wrong(apart: Apart) -> None:
    assert apart(str.replace, "党课", "课", "员") == "党员"
    with pytest.raises(ValueError, match="invalid literal"):
        apart(int, "党课")


def test_a_process_serves_the_next_call_unless_it_is_busy(apart: Apart, tmp_path: Path) -> None:
    first = apart(os.getpid)
    assert apart(os.getpid) == first != os.getpid()
    os.mkfifo(gate := tmp_path / "gate")
    busy = threading.Thread(target=apart, args=(Path.read_text, gate))  # until something is written
    busy.start()
    try:
        wait_for(lambda: apart._idle is None)
        assert apart(os.getpid) != first
    finally:
        gate.write_text("done")
        busy.join()


def test_a_process_that_is_ended_from_outside_is_said_and_the_next_call_works(apart: Apart) -> None:
    with pytest.raises(MistakeError, match="killed from outside"):
        apart(os._exit, 1)
    assert apart(os.getpid) != os.getpid()


def test_a_process_that_has_nothing_to_do_ends() -> None:
    apart = Apart(kept=0.1)
    process = apart(os.getpid)

    def has_ended() -> bool:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        return False

    wait_for(has_ended)
