"""Comparisons of strategies and the papers' experiments, run from a checkout: ``python -m experiments --help``."""
