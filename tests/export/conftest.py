"""Makes export_tools importable: pytest's importlib mode does not find it by itself."""

from __future__ import annotations
