"""Which documents of a source are wanted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Condition:
    """A field and the value that it is to have; values are compared as text, in the form of JSON (``true``).

    >>> Condition.parse("party=2").holds({"party": 2, "title": "通知"}), Condition.parse("party=true").holds({"party": True})
    (True, True)
    """

    field: str
    value: str

    @classmethod
    def parse(cls, text: str) -> Condition:
        """``FIELD=VALUE``.

        Raises:
            ValueError: it does not have this form.
        """
        field, sign, value = text.partition("=")
        if not (sign and field):
            raise ValueError(f"{text!r}: FIELD=VALUE is expected. Remedy: e.g. party=2")
        return cls(field, value)

    def holds(self, fields: Mapping[str, Any]) -> bool:
        """Whether the field is there with this value; a list must hold it."""
        found = fields.get(self.field)
        if isinstance(found, list | tuple):
            return self.value in map(_as_text, found)
        return found is not None and _as_text(found) == self.value

    def __str__(self) -> str:
        return f"{self.field}={self.value}"


def _as_text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
