"""Declarations of the workbench's operations, the source of its pages, its API and the tools for agents."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from topical_crawler.services import MistakeError

if TYPE_CHECKING:
    from topical_crawler.workbench.bench import Bench

Values = Mapping[str, Any]
Kind = Literal["string", "integer", "number", "boolean", "strings"]


@dataclass(frozen=True, kw_only=True)
class Param:
    """An argument of an operation. Numbers lie from ``low`` to ``high``. A text is one of ``choices``, if there are any."""

    name: str
    about: str
    kind: Kind = "string"
    default: Any = None
    required: bool = False
    choices: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf
    longest: int = 2000  # most characters of a text

    def read(self, given: Sequence[Any]) -> Any:
        """Return the value from the ``given`` texts or JSON data, or the default for none or an empty text.

        >>> Param(name="n", about="texts", kind="integer", low=1).read(["20"])
        20

        Raises:
            MistakeError: the value is missing or unusable.
        """
        given = [one for one in given if one not in ("", None)]
        if not given:
            if self.required:
                raise MistakeError(f"{self.name} is missing: {self.about}")
            return [] if self.kind == "strings" else self.default
        if self.kind == "strings":
            flat = [part for one in given for part in (one if isinstance(one, list) else [one])]
            return [self._text(part) for part in flat]
        return self._number(given[-1]) if self.kind in ("integer", "number") else self._word(given[-1])

    def _word(self, value: Any) -> Any:
        if self.kind == "boolean":
            if str(value).lower() not in ("1", "true", "on", "yes", "0", "false", "off", "no"):
                raise MistakeError(f"{self.name} is true or false, not {value!r}")
            return str(value).lower() in ("1", "true", "on", "yes")
        return self._text(value)

    def _text(self, value: Any) -> str:
        if not isinstance(value, str) or len(value) > self.longest:
            raise MistakeError(f"{self.name} is a text of at most {self.longest:,} characters")
        if self.choices and value not in self.choices:
            raise MistakeError(f"{self.name} is one of {', '.join(self.choices)}, not {value!r}")
        return value

    def _number(self, value: Any) -> float | int:
        form = r"-?[0-9]{1,15}" if self.kind == "integer" else r"-?[0-9]{1,15}(\.[0-9]{1,15})?([eE]-?[0-9]{1,2})?"
        number: float = math.nan
        if not isinstance(value, bool) and re.fullmatch(form, str(value), re.ASCII):
            number = int(value) if self.kind == "integer" else float(value)
        if not self.low <= number <= self.high:
            ends = [f"{word} {end:g}" for word, end in (("from", self.low), ("to", self.high)) if math.isfinite(end)]
            whole = "whole number" if self.kind == "integer" else "number"
            raise MistakeError(f"{self.name} is a {whole} {' '.join(ends)}, not {value!r}".replace(" , ", ", "))
        return number

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""
        if self.kind == "strings":
            return {"type": "array", "items": {"type": "string"}, "description": self.about}
        found: dict[str, Any] = {"type": self.kind, "description": self.about}
        if self.choices:
            found["enum"] = list(self.choices)
        for name, end in (("minimum", self.low), ("maximum", self.high)):
            if math.isfinite(end):
                found[name] = end
        if self.default is not None:
            found["default"] = self.default
        return found


@dataclass(frozen=True)
class Operation:
    """An operation of the workbench.

    Attributes:
        name: name of the operation and of its page's template.
        path: path of its page, and below ``/api`` of its API. Names in braces are arguments, too.
        about: description for programs.
        run: performs it and returns JSON data. Its "go" is the next page.
        params: further arguments.
        acts: True if it changes something.
        page: True if it has a page.
    """

    name: str
    path: str
    about: str
    run: Callable[[Bench, Values], dict[str, Any]]
    params: tuple[Param, ...] = ()
    acts: bool = False
    page: bool = True

    @property
    def places(self) -> tuple[Param, ...]:
        """The arguments in the path."""
        return tuple(Param(name=name, about=_PLACES[name], required=True) for name in re.findall(r"{(\w+)}", self.path))

    def read(self, given: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        """Return the argument values. Raise MistakeError for an unknown, missing or unusable one."""
        known = (*self.places, *self.params)
        if unknown := given.keys() - {param.name for param in known}:
            raise MistakeError(f"{', '.join(sorted(unknown))}: no such argument of {self.name}")
        return {param.name: param.read(given.get(param.name, ())) for param in known}


_PLACES = {
    "crawl": "name of a crawl, as listed by crawls",
    "page": "number of a page in the corpus",
    "place": "place of a text among the questions, from 0",
    "name": "name of a topic",
}
