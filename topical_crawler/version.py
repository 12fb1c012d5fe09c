"""The version, alone in its module: packaging reads it without importing anything."""

__version__ = "0.1.0"
