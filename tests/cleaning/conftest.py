"""Real texts, where they are at hand."""

import gzip
import json
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def news() -> list[str]:
    """Every tenth of the news texts that the project is measured with."""
    source = Path(__file__).parents[2].parent / "shared/data/news/news-dev.jsonl.gz"
    if not source.is_file():
        pytest.skip("the evaluation data is not there (../shared/data/news)")
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for number, line in enumerate(lines) if number % 10 == 0]
