"""Log lines as JSON objects, one a line, where ``TOPICAL_LOG_FORMAT`` is ``json``; ``text`` leaves the log to Scrapy."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pythonjsonlogger.json import JsonFormatter
from scrapy.settings import BaseSettings
from scrapy.utils.log import TopLevelFormatter

from topical_crawler import passwords
from topical_crawler.passwords import masked

_READ = ("LOG_FILE", "LOG_FILE_APPEND", "LOG_ENABLED", "LOG_LEVEL", "LOG_SHORT_NAMES")
_BREAKS = str.maketrans({c: f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"})
"""What ends a line for some readers, and what JSON does not escape by itself."""

_identity: dict[str, str] = {}
_handler: logging.Handler | None = None
_made_for: tuple[Any, ...] = ()


class LogAddon:
    """Takes the log over before Scrapy's first line.

    Scrapy makes its own handler anew for every crawler, each time with a formatter that cannot be chosen; so its handler is
    turned off (``LOG_INSTALL_ROOT_HANDLER``), and one that heeds the same settings stands in for it.
    """

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Before anything is logged; the settings are those of the project and the command line."""
        passwords.install()
        if log_format(settings) == "text":
            _remove()
        elif settings.getbool("LOG_INSTALL_ROOT_HANDLER"):
            settings.set("LOG_INSTALL_ROOT_HANDLER", False, priority="cmdline")
            _install(settings)

    def update_settings(self, settings: BaseSettings) -> None:
        """When a spider brings settings of its own."""
        follow(settings)


def log_format(settings: BaseSettings) -> str:
    """``text`` or ``json``.

    Raises:
        ValueError: the setting is neither.
    """
    found = settings.get("TOPICAL_LOG_FORMAT")
    if found not in ("text", "json"):
        raise ValueError(f"TOPICAL_LOG_FORMAT={found!r}: there is no such format. Remedy: text or json")
    return str(found)


def follow(settings: BaseSettings) -> None:
    """A JSON log goes on as the settings of a spider say: to another file, from another level.

    Raises:
        ValueError: the spider wants another format than the one in which the log has begun.
    """
    wanted = log_format(settings)
    if _handler is not None and wanted == "json":
        _install(settings)
    elif _handler is not None or (wanted == "json" and settings.getbool("LOG_INSTALL_ROOT_HANDLER")):
        raise ValueError(
            f"TOPICAL_LOG_FORMAT={wanted} comes too late in a spider's custom_settings: the log has begun. "
            f"Remedy: -s TOPICAL_LOG_FORMAT={wanted}, or set it in the project's settings"
        )


def identify(**fields: str) -> None:
    """What every line of a JSON log says of this process from now on, e.g. ``crawl``, ``topic``, ``worker``, ``job``; an empty
    value takes a field away."""
    _identity.update(fields)
    for name in [name for name, value in _identity.items() if not value]:
        del _identity[name]


class JsonLines(JsonFormatter):
    """A record as one line of JSON: ``time`` (UTC), ``level``, ``logger``, ``message``, where there are any ``exception`` and
    ``stack`` (one text each), what :func:`identify` was told, and ``data``, JSON data that was logged as ``extra={"data": …}``.

    Args:
        mask: applied to every text of the finished record. It comes before the encoding: in an encoded line what ends a text
            looks like what begins a password (``"wrong password:", "topic": …``), and hiding it would leave no JSON.
    """

    def __init__(self, mask: Callable[[str], str] = masked) -> None:
        super().__init__(json_ensure_ascii=False)
        self._mask = mask

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        log_data["time"] = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        log_data["level"] = record.levelname
        log_data["logger"] = record.name
        log_data["message"] = record.message or str(record.msg)
        for name, given in (("exception", "exc_info"), ("stack", "stack_info")):
            if message_dict.get(given):
                log_data[name] = message_dict[given]
        log_data |= _identity
        if hasattr(record, "data"):
            log_data["data"] = record.data

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        return {name: _masked(value, self._mask) for name, value in log_data.items()}

    def jsonify_log_record(self, log_data: dict[str, Any]) -> str:
        return super().jsonify_log_record(log_data).translate(_BREAKS)


def _masked(value: Any, mask: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {_masked(name, mask): _masked(part, mask) for name, part in value.items()}
    return [_masked(part, mask) for part in value] if isinstance(value, list | tuple) else value


def _install(settings: BaseSettings) -> None:
    """A handler as Scrapy makes it of the same settings, always in UTF-8, which JSON is."""
    global _handler, _made_for
    made_for = tuple(settings.get(name) for name in _READ)
    if _handler is not None and made_for == _made_for:
        return
    begun = _made_for[0] if _made_for else None
    _remove()
    if file := settings.get("LOG_FILE"):
        if file != begun:
            Path(file).open("a" if settings.getbool("LOG_FILE_APPEND") else "w").close()
        # Scrapy closes all handlers when it configures logging; one that appends opens its file again.
        _handler = logging.FileHandler(file, "a", "utf-8", delay=True, errors="backslashreplace")
    elif settings.getbool("LOG_ENABLED"):
        if isinstance(sys.stderr, io.TextIOWrapper):
            sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")
        _handler = logging.StreamHandler()
    else:
        _handler = logging.NullHandler()
    lines = JsonLines()
    _handler.setFormatter(lines)
    _handler.format = lines.format  # type: ignore[method-assign]  # passed by: passwords.install, which masks encoded lines
    _handler.setLevel(settings.get("LOG_LEVEL"))
    if settings.getbool("LOG_SHORT_NAMES"):
        _handler.addFilter(TopLevelFormatter(["scrapy"]))
    logging.root.setLevel(logging.NOTSET)
    logging.root.addHandler(_handler)
    _made_for = made_for


def _remove() -> None:
    global _handler, _made_for
    if _handler is not None:
        logging.root.removeHandler(_handler)
        _handler.close()
    _handler, _made_for = None, ()
