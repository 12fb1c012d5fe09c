"""Pages, feeds, heads and robots.txt as bad as the bounds of a crawl let them be: none holds up the event loop for long."""

from pathlib import Path

import pytest
from loop import LIMIT, measure

BUSY = 4
"""How many times as long a call may take here as on an idle machine: other tests run beside this one."""
MOST_MEMORY = 700_000_000  # bytes, of four answers of 8 MB at a time


@pytest.mark.slow
def test_no_page_holds_up_the_others(tmp_path: Path) -> None:
    ended, calls = measure(tmp_path)
    assert ended.code == 0, ended.log
    assert len(calls) > 50
    assert not [call for call in calls if call.seconds > BUSY * LIMIT]
    assert 0 < ended.memory < MOST_MEMORY or not Path("/proc").is_dir()
