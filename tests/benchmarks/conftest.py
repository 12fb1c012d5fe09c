"""The benchmarks are programs in a folder of their own."""

from __future__ import annotations
