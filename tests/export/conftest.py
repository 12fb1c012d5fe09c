"""Makes export_tools importable: pytest's importlib mode does not find it by itself."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
