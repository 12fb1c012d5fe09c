"""Places for a corpus: an SQLite file, a PostgreSQL database."""

from pathlib import Path

import pytest

# postgres_tools and corpus_tools, which pytest's importlib mode does not find by itself
from corpus_tools import NewPlace
from postgres_tools import own_server as own_server
from postgres_tools import postgresql as postgresql


@pytest.fixture
def new_place(request: pytest.FixtureRequest, tmp_path: Path) -> NewPlace:
    """``new_place("sqlite")`` or ``new_place("postgresql")``: where a corpus can be made."""
    made: list[str] = []

    def make(kind: str) -> str:
        if kind == "postgresql":
            made.append(request.getfixturevalue("postgresql").new_database())
        else:
            made.append(str(tmp_path / f"new{len(made)}" / "corpus.sqlite"))
        return made[-1]

    return make


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, new_place: NewPlace) -> str:
    """Where a corpus can be made, of either kind."""
    return new_place(request.param)
