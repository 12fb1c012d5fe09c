"""The confusion table of kinds of pages."""

import kinds

from topical_crawler.extraction.kinds import KINDS


def test_corrections_name_kinds() -> None:
    assert set(kinds.corrections().values()) <= {*KINDS, ""}
