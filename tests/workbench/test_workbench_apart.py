"""Work in a process of its own."""

from __future__ import annotations

import os

import pytest

from topical_crawler.services import MistakeError
from topical_crawler.workbench.apart import apart


def test_what_is_done_apart_comes_back_and_so_does_what_goes_wrong() -> None:
    assert apart(os.getpid) != os.getpid()
    assert apart(str.replace, "党课", "课", "员") == "党员"
    with pytest.raises(ValueError, match="invalid literal"):
        apart(int, "党课")


def test_a_process_that_is_ended_from_outside_is_said() -> None:
    with pytest.raises(MistakeError, match="ended from outside"):
        apart(os._exit, 1)
