#!/usr/bin/env python3
"""Correct the line numbers in experiments/fidelity.md after the code has moved: ``python tests/tools/number_fidelity.py``.

A reference is `symbol` [path:line](../path#Lline), the path from the root of the project: the symbol is defined, or set, in that
line.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "experiments" / "fidelity.md"
REFERENCE = re.compile(r"`([\w.]+)` \[([\w/.]+):(\d+)\]\(\.\./([\w/.]+)#L(\d+)\)")


def lines_of(symbol: str, path: Path) -> list[int]:
    """The lines, from 1, that define a symbol (the last part of its name); of a method ``Class.method`` those below its class."""
    owner, _, name = symbol.rpartition(".")
    defines = re.compile(rf"\s*(?:(?:def|class) )?{re.escape(name)}\b\s*(?:[(\[:=]|$)")
    lines = path.read_text(encoding="utf-8").splitlines()
    start = lines_of(owner, path)[0] if owner else 0
    end = next((n for n, line in enumerate(lines) if n >= start and line[:1].strip()), len(lines)) if owner else len(lines)
    return [n for n, line in enumerate(lines[:end], 1) if n > start and defines.match(line)]


def main() -> int:
    """Rewrite the file; 1 where a symbol is not to be found."""
    missing = []

    def numbered(match: re.Match[str]) -> str:
        symbol, path = match[1], match[2]
        file = ROOT / path
        found = lines_of(symbol, file) if file.is_file() else []
        if not found:
            missing.append(f"{path} has no {symbol}")
            return match[0]
        return f"`{symbol}` [{path}:{found[0]}](../{path}#L{found[0]})"

    TABLE.write_text(REFERENCE.sub(numbered, TABLE.read_text(encoding="utf-8")), encoding="utf-8")
    print("\n".join(missing), end="\n" if missing else "", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
