"""Plug-ins from other distributions by entry points: strategies, models, extractors."""

from __future__ import annotations

import functools
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any


@functools.cache
def found(group: str) -> Mapping[str, Sequence[EntryPoint]]:
    """Return the entry points of a group by name. Several distributions may share a name."""
    entries: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=group):
        entries.setdefault(entry.name, []).append(entry)
    return entries


def names(group: str, built_in: Mapping[str, str]) -> list[str]:
    """Return the built-in names, then those of other distributions."""
    return list(dict.fromkeys([*built_in, *sorted(found(group))]))


def load(what: str, name: str, group: str, built_in: Mapping[str, str], check: Callable[[Any], None]) -> Any:
    """Load a part by name, built in or from another distribution.

    Args:
        what: kind of part, for messages.
        name: its name.
        group: group of entry points.
        built_in: import paths of the built-in parts by name.
        check: raises for an unusable part from another distribution.

    Raises:
        ValueError: the name is unknown or ambiguous, or the part cannot be loaded.
    """
    others = found(group).get(name, ())
    origins = ["topical-crawler"] * (name in built_in) + [_origin(entry) for entry in others]
    if not origins:
        raise ValueError(f"no {what} {name!r}. Choose one of {', '.join(names(group, built_in))}")
    if len(origins) > 1:
        raise ValueError(
            f"the {what} name {name!r} is taken by {' and by '.join(origins)}. Give the entry point another name, or "
            f"uninstall {origins[-1]}"
        )
    if name in built_in:
        return pkgutil.resolve_name(built_in[name])
    (entry,) = others
    try:
        part = entry.load()
        check(part)
    except Exception as error:
        raise ValueError(
            f"the {what} {name!r} of {origins[0]} cannot be loaded from {entry.value} ({type(error).__name__}: {error}). "
            "Repair or uninstall that distribution"
        ) from error
    return part


def _origin(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
