"""Types of arguments that several actions have, with their messages."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Callable

from topical_crawler.sources import Condition


def condition(text: str) -> Condition:
    """``FIELD=VALUE``."""
    try:
        return Condition.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """Whole numbers from ``least``, 0 or more, to ``most``; None: without an end."""
    expected = f"of {least} or more" if most is None else f"from {least} to {most:,}"

    def number(text: str) -> int:
        if not re.fullmatch(r"[0-9]{1,18}", text) or int(text) < least or (most is not None and int(text) > most):
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number {expected}")
        return int(text)

    return number


def amount(text: str) -> float:
    """A number of 0 or more."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 <= found < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of 0 or more")
    return found
