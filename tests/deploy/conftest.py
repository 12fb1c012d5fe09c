"""Lets the tests of this folder import the tools of ``tests``, which pytest's importlib mode does not find by itself."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]
