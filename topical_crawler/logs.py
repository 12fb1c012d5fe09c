"""Log lines as JSON objects, one a line, where ``TOPICAL_LOG_FORMAT`` is ``json``; ``text`` leaves the log to Scrapy.

Passwords: they come in by the environment, where nobody sees them, and no log shows one.

>>> masked("cannot reach redis://worker:s3cret@10.0.0.5:6379/0")
'cannot reach redis://worker:***@10.0.0.5:6379/0'
"""

from __future__ import annotations

import io
import logging
import os
import re
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pythonjsonlogger.json import JsonFormatter
from scrapy.settings import BaseSettings
from scrapy.utils.log import TopLevelFormatter

# -- Passwords: they come in by the environment, where nobody sees them, and no log shows one


HIDDEN = "***"

# An http address's user part ends at the first / ? # (RFC 3986), and links of pages hold @ and : behind it. In any other address
# the password reaches to the last @ of the word, for people forget to write its / as %2F. A quotation mark ends an address,
# unless no @ comes before it.
_ADDRESS = re.compile(
    r"""(?x)
    ://
    (?: (?: (?<= (?i:http) :// ) | (?<= (?i:https) :// ) ) ( [^\s/?\#:"]* : ) [^\s/?\#"]* (?= @ )
      | (?<! (?i:http) :// ) (?<! (?i:https) :// ) ( [^\s/?\#:"]* : ) (?: (?: (?!://) [^\s"] )* | (?: (?!://) \S )*? ) (?= @ )
    )
    """
)
# password=…, 'password': '…', "FTP_PASSWORD": "…", Telnet Password: …, also inside JSON inside JSON (\"password\": \"…\"), where
# \" and \n end a value without quotation marks.
_FIELD = re.compile(
    r"""(?xi)
    ( (?: passw(?:or)?d | passphrase | _pass ) (?: \\* ["'] )? \s* (?: = | : ) \s* b? )
    (?:
        (?P<quote> ["'] ) (?: \\. | (?!(?P=quote)) [^\\] )* (?: (?P=quote) | \Z )
      | (?P<inner> \\+ ["'] ) .*? (?: (?P=inner) | $ )
      | (?: [^\s&"'\\] | \\\\ | \\ (?! ["'nrt] ) )+
    )
    """
)


def masked(text: str) -> str:
    """``text`` with three asterisks in place of every password: of URLs with a user part (``postgresql://user:…@host``), and of
    fields that are called so (``password=…``, ``{'password': '…'}``). A user's name stays. Where it cannot be known where a
    password ends, more is hidden rather than less. Text without a password comes back as it is.

    >>> masked("{'host': 'h', 'password': 'a b'} and /0?password=x&db=1")
    "{'host': 'h', 'password': '***'} and /0?password=***&db=1"
    """
    if "@" in text and "://" in text:
        text = _ADDRESS.sub(lambda found: f"://{found[1] or found[2]}{HIDDEN}", text)
    if "pass" in text.lower():
        text = _FIELD.sub(_hidden_field, text)
    return text


def _hidden_field(found: re.Match[str]) -> str:
    quote = found["quote"] or found["inner"] or ""
    return f"{found[1]}{quote}{HIDDEN}{quote}"


def install() -> None:
    """Mask what this process logs from now on: messages, their arguments, tracebacks and stack traces, by every handler, also
    one that is added later. Calling it again changes nothing.

    Every handler makes its line by ``logging.Handler.format``; this is the only place that sees the finished line. A filter does
    not see a traceback, which is rendered after it; a record factory does not see one that is rendered by a JSON formatter; and
    a wrapped formatter is lost when Scrapy replaces its handler, as it does each time a crawler starts.
    """
    plain = logging.Handler.format
    if hasattr(plain, "masks_passwords"):
        return

    def masking(self: logging.Handler, record: logging.LogRecord) -> str:
        return masked(plain(self, record))

    masking.masks_passwords = True  # type: ignore[attr-defined]
    logging.Handler.format = masking  # type: ignore[method-assign]


def secret(name: str, environment: Mapping[str, str] = os.environ) -> str:
    """The value of a setting that may hold a password: the environment variable ``name``, or the contents of the file that
    the variable ``name_FILE`` names (a Docker secret, a systemd credential); "" where neither is set. Neither shows in the list
    of processes or in scrapyd's log, as ``-s NAME=…`` and ``setting=NAME=…`` do.

    >>> secret("REDIS_URL", {"REDIS_URL": "redis://:s3cret@127.0.0.1"})
    'redis://:s3cret@127.0.0.1'

    Raises:
        ValueError: both are set, the file cannot be read or is empty, or the address cannot be used (:func:`check_address`).
    """
    value, file = environment.get(name, ""), environment.get(f"{name}_FILE", "")
    if value and file:
        raise ValueError(f"the environment has both {name} and {name}_FILE. Remedy: unset one of them")
    if file:
        try:
            value = Path(file).read_text(encoding="utf-8").strip()
        except UnicodeDecodeError:
            raise ValueError(f"{name}_FILE={file}: no text in UTF-8. Remedy: one line with the value of {name}") from None
        except OSError as error:
            raise ValueError(
                f"{name}_FILE={file}: {error.strerror}. Remedy: a file that this user may read, with the value of {name}"
            ) from None
        if not value:
            raise ValueError(f"{name}_FILE={file}: empty. Remedy: one line with the value of {name}")
    check_address(name, value)
    return value


def check_address(name: str, value: str) -> None:
    """See that a URL can be taken apart, before a library tries and quotes a piece of the password in its error. What is no
    URL (a path) is not looked at.

    Raises:
        ValueError: it cannot; the message names the setting, not its value.
    """
    if "://" not in value:
        return
    try:
        parts = urlsplit(value)
        broken = parts.port is not None and "@" not in parts.netloc and "@" in value  # USER:12/3@HOST: the port is none
    except ValueError:
        broken = True
    if broken or re.search(r"\s", value):
        raise ValueError(
            f"{name}: this address cannot be read. Remedy: SCHEME://USER:PASSWORD@HOST:PORT/NAME, where in the password @ is "
            "written %40, : %3A, / %2F, ? %3F, # %23, % %25 and a space %20"
        )


# -- Log lines as JSON objects, one a line, where ``TOPICAL_LOG_FORMAT`` is ``json``; ``text`` leaves the log to Scrapy


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
        install()
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
