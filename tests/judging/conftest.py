"""Puts judging_tools where the tests beside it find it."""

from __future__ import annotations
