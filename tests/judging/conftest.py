"""Puts judging_tools where the tests beside it find it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))  # which pytest's importlib mode does not do by itself
