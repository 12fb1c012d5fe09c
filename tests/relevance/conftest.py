"""Lets the tests of this folder import the module of tools beside them, which pytest's importlib mode does not find by itself."""

from __future__ import annotations
