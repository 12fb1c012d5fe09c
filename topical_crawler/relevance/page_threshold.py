"""The threshold above which a strategy keeps a page, as one number that may be changed while the strategy works."""

from __future__ import annotations

import dataclasses
from typing import Any


class PageThreshold:
    """For what has ``parameters`` with a ``page_threshold``, a frozen dataclass."""

    parameters: Any

    @property
    def page_threshold(self) -> float:
        """A page is relevant when its relevance is above this.

        Raises:
            ValueError: set to what the parameters refuse; with their message.
        """
        return float(self.parameters.page_threshold)

    @page_threshold.setter
    def page_threshold(self, value: float) -> None:
        self.parameters = dataclasses.replace(self.parameters, page_threshold=value)
