"""The distribution ``topical-crawler-experiments``: what its entry points name is there, in the installation too."""

from __future__ import annotations

import tomllib
from importlib.metadata import entry_points
from pathlib import Path

from topical_crawler import strategies

EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"
PROJECT = tomllib.loads((EXPERIMENTS / "pyproject.toml").read_text(encoding="utf-8"))


def test_it_is_installed_as_it_is_here() -> None:
    declared = PROJECT["project"]["entry-points"]["topical_crawler.strategies"]
    installed = {entry.name: entry.value for entry in entry_points(group="topical_crawler.strategies")}
    assert {name: installed.get(name) for name in declared} == declared, "python3 bootstrap.py setup"


def test_its_strategies_are_those_of_the_baselines() -> None:
    for name, value in PROJECT["project"]["entry-points"]["topical_crawler.strategies"].items():
        assert strategies.load(name).__module__ == value.partition(":")[0]
        assert name not in strategies.STRATEGIES


def test_every_package_is_listed() -> None:
    folders = {file.parent for file in EXPERIMENTS.rglob("*.py")}
    assert PROJECT["tool"]["setuptools"]["packages"] == sorted(
        ".".join(("experiments", *folder.relative_to(EXPERIMENTS).parts)) for folder in folders
    )
