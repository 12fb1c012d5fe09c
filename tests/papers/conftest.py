"""Data that lies beside the project and may be absent."""

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """``../shared/data`` as seen from the project's root."""
    path = Path(__file__).resolve().parents[3] / "shared" / "data"
    if not path.is_dir():
        pytest.skip(f"{path} is not there: the real HowNet files are needed for this")
    return path
