"""Baselines of the papers and of the field, strategies by entry points (``pyproject.toml`` beside this package)."""
