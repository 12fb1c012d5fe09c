"""Lets the tests of this folder import two modules beside them, which pytest's importlib mode does not find by itself."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1])]
