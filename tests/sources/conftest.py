"""Lets the tests of this folder import ``dump_tools``, which pytest's importlib mode does not find by itself."""

from __future__ import annotations
