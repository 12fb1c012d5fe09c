"""Exports by the name of the reading program, beside the names of the formats."""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "antconc": {"kind": "txt", "per_text": True, "segmented": True},
    "sketchengine": {"kind": "vertical"},
    "nosketch": {"kind": "vertical"},
    "cqpweb": {"kind": "vrt"},
    "huggingface": {"kind": "hf"},
    "llm": {"kind": "jsonl", "metadata": True},
}
"""Attributes of an :class:`~topical_crawler.services.exporting.Export`."""
