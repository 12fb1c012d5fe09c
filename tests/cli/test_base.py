"""What the project's commands have in common."""

from __future__ import annotations

import argparse

import pytest

from topical_crawler.cli.base import ActionsCommand, AddAction


class Waiting(ActionsCommand):
    name = "waiting"

    def short_desc(self) -> str:
        return "Wait for Ctrl-C"

    def add_actions(self, add: AddAction) -> None:
        add("now", help="wait")

    def _now(self, opts: argparse.Namespace) -> None:
        raise KeyboardInterrupt


def test_ctrl_c_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    command = Waiting()
    command.run([], argparse.Namespace(action="now"))
    assert command.exitcode == 130
    assert capsys.readouterr().err == "scrapy waiting now: stopped\n"
