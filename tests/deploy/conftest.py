"""Lets the tests of this folder import the tools of ``tests``, which pytest's importlib mode does not find by itself."""

from __future__ import annotations
