"""Parts of the product that other distributions bring, by entry points: strategies, models, extractors."""

from __future__ import annotations

import functools
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from typing import Any


@functools.cache
def found(group: str) -> Mapping[str, Sequence[EntryPoint]]:
    """The entry points of a group by name; several distributions may use one."""
    entries: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=group):
        entries.setdefault(entry.name, []).append(entry)
    return entries


def names(group: str, built_in: Mapping[str, str]) -> list[str]:
    """The names of this package, then those of other distributions."""
    return list(dict.fromkeys([*built_in, *sorted(found(group))]))


def load(what: str, name: str, group: str, built_in: Mapping[str, str], check: Callable[[Any], None]) -> Any:
    """What a name stands for, in this package or in another distribution; ``check`` raises where that is of no use. Raises
    ValueError where nothing has that name, several distributions use it, or it cannot be imported."""
    others = found(group).get(name, ())
    origins = ["topical-crawler"] * (name in built_in) + [_origin(entry) for entry in others]
    if not origins:
        raise ValueError(f"no {what} {name!r}. Remedy: choose one of {', '.join(names(group, built_in))}")
    if len(origins) > 1:
        raise ValueError(
            f"the {what} name {name!r} is taken by {' and by '.join(origins)}. Remedy: give the entry point another name, or "
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
            "Remedy: repair or uninstall that distribution"
        ) from error
    return part


def _origin(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else entry.value
