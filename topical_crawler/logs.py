"""Logging: passwords are masked in every line. With ``TOPICAL_LOG_FORMAT=json`` each line is a JSON object.

>>> masked("cannot reach redis://worker:s3cret@10.0.0.5:6379/0")
'cannot reach redis://worker:***@10.0.0.5:6379/0'
"""

from __future__ import annotations

import io
import logging
import os
import re
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pythonjsonlogger.json import JsonFormatter

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

HIDDEN = "***"

# The user part of an http URL ends at the first / ? # (RFC 3986), as links of pages may have @ and : behind it. In any other URL
# the password reaches to the last @ of the word, since people forget to escape / as %2F. A quotation mark ends a URL, unless no @
# comes before it.
_ADDRESS = re.compile(
    r"""(?x)
    ://
    (?: (?: (?<= (?i:http) :// ) | (?<= (?i:https) :// ) ) ( [^\s/?\#:"]* : ) [^\s/?\#"]* (?= @ )
      | (?<! (?i:http) :// ) (?<! (?i:https) :// ) ( [^\s/?\#:"]* : ) (?: (?: (?!://) [^\s"] )* | (?: (?!://) \S )*? ) (?= @ )
    )
    """
)
# password=…, 'password': '…', "FTP_PASSWORD": "…", Telnet Password: …, also in JSON inside JSON (\"password\": \"…\"), with
# \" and \n as ends of unquoted values.
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
    """Replace passwords by three asterisks, in URLs (``postgresql://user:…@host``) and fields (``{'password': '…'}``).

    User names stay. If the end of a password is unclear, more is masked rather than less.

    >>> masked("{'host': 'h', 'password': 'a b'} and /0?password=x&db=1")
    "{'host': 'h', 'password': '***'} and /0?password=***&db=1"
    """
    if "@" in text and "://" in text:
        text = _ADDRESS.sub(lambda match: f"://{match[1] or match[2]}{HIDDEN}", text)
    if "pass" in text.lower():
        text = _FIELD.sub(_hidden_field, text)
    return text


def _hidden_field(match: re.Match[str]) -> str:
    quote = match["quote"] or match["inner"] or ""
    return f"{match[1]}{quote}{HIDDEN}{quote}"


class MaskingFormatter(logging.Formatter):
    """Formatter that masks passwords in the output of another one, including tracebacks, out of reach of a filter."""

    def __init__(self, inner: logging.Formatter | None = None) -> None:
        super().__init__()
        self._inner = inner or logging.Formatter()

    def format(self, record: logging.LogRecord) -> str:
        return masked(self._inner.format(record))


def mask(handler: logging.Handler) -> None:
    """Mask passwords in the output of ``handler`` from now on. Idempotent."""
    if not isinstance(handler.formatter, MaskingFormatter | JsonLogFormatter):
        handler.setFormatter(MaskingFormatter(handler.formatter))


def mask_root() -> None:
    """Mask the handlers of the root logger, including those of a program with an embedded crawl."""
    for handler in (*logging.root.handlers, logging.lastResort):
        if handler is not None:
            mask(handler)


def secret(name: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the environment variable ``name``, or the content of the file in ``name_FILE`` (a Docker secret), "" if unset.

    Unlike ``-s NAME=…`` and scrapyd's ``setting=NAME=…``, neither shows in the process list or in scrapyd's log.

    Raises:
        ValueError: both are set, the file is unreadable or empty, or the URL is unusable (:func:`check_address`).

    >>> secret("REDIS_URL", {"REDIS_URL": "redis://:s3cret@127.0.0.1"})
    'redis://:s3cret@127.0.0.1'
    """
    value, file = environment.get(name, ""), environment.get(f"{name}_FILE", "")
    if value and file:
        raise ValueError(f"the environment has both {name} and {name}_FILE. Unset one of them")
    if file:
        try:
            value = Path(file).read_text(encoding="utf-8").strip()
        except UnicodeDecodeError:
            raise ValueError(f"{name}_FILE={file}: no text in UTF-8. Write one line with the value of {name}") from None
        except OSError as error:
            raise ValueError(
                f"{name}_FILE={file}: {error.strerror}. Name a file readable by this user, with the value of {name}"
            ) from None
        if not value:
            raise ValueError(f"{name}_FILE={file}: empty. Write one line with the value of {name}")
    check_address(name, value)
    return value


def check_address(name: str, value: str) -> None:
    """Check a URL before a library quotes part of its password in an error. A path passes.

    Raises:
        ValueError: the URL cannot be parsed. The message does not quote it.
    """
    if "://" not in value:
        return
    try:
        parts = urlsplit(value)
        broken = parts.port is not None and "@" not in parts.netloc and "@" in value  # USER:12/3@HOST: 12 is not a port
    except ValueError:
        broken = True
    if broken or re.search(r"\s", value):
        raise ValueError(
            f"{name}: this address cannot be read. Write it as SCHEME://USER:PASSWORD@HOST:PORT/NAME. In the password write @ as "
            "%40, : as %3A, / as %2F, ? as %3F, # as %23, % as %25 and a space as %20"
        )


# -- The handler

_READ = (
    *("TOPICAL_LOG_FORMAT", "LOG_FILE", "LOG_FILE_APPEND", "LOG_ENCODING", "LOG_ENABLED", "LOG_LEVEL", "LOG_SHORT_NAMES"),
    *("LOG_FORMAT", "LOG_DATEFORMAT"),
)
_BREAKS = str.maketrans({c: f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"})
"""Line ends for some readers, not escaped by JSON."""

_identity: dict[str, str] = {}
_handler: logging.Handler | None = None
_made_for: dict[str, Any] = {}


class LogAddon:
    """Add-on that installs the log handler before Scrapy's first line.

    It replaces Scrapy's handler, with its fixed formatter, and reads the same settings. A program with its own handlers keeps
    them for a text log, masked.
    """

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        """Install the handler by the settings of the project and the command line. Scrapy calls this before logging anything."""
        in_json = log_format(settings) == "json"
        if settings.getbool("LOG_INSTALL_ROOT_HANDLER"):
            if not in_json:
                _remove()
            if in_json or not logging.root.handlers:
                settings.set("LOG_INSTALL_ROOT_HANDLER", False, priority="cmdline")
                _install(settings)
        mask_root()

    def update_settings(self, settings: BaseSettings) -> None:
        """Apply the settings of a spider."""
        follow(settings)
        mask_root()


def log_format(settings: BaseSettings) -> str:
    """Return ``text`` or ``json``. Raise ValueError for any other setting."""
    name = settings.get("TOPICAL_LOG_FORMAT")
    if name not in ("text", "json"):
        raise ValueError(f"TOPICAL_LOG_FORMAT={name!r}: there is no such format. Set it to text or json")
    return str(name)


def follow(settings: BaseSettings) -> None:
    """Apply a spider's settings to the log: its file and its level. Raise ValueError for a change of format."""
    wanted = log_format(settings)
    begun = _made_for.get("TOPICAL_LOG_FORMAT", "text")
    if wanted != begun and (_handler is not None or settings.getbool("LOG_INSTALL_ROOT_HANDLER")):
        raise ValueError(
            f"TOPICAL_LOG_FORMAT={wanted} comes too late in a spider's custom_settings: the log has begun. "
            f"Use -s TOPICAL_LOG_FORMAT={wanted}, or set it in the project's settings"
        )
    if _handler is not None:
        _install(settings)


def identify(**fields: str) -> None:
    """Set fields of every JSON line from now on (``crawl``, ``topic``, ``worker``, ``job``). An empty value removes a field."""
    _identity.update(fields)
    for name in [name for name, value in _identity.items() if not value]:
        del _identity[name]


class JsonLogFormatter(JsonFormatter):
    """Formatter for one JSON object per line.

    Keys: ``time`` (UTC), ``level``, ``logger``, ``message``, if any ``exception`` and ``stack`` (one string each), the fields
    of :func:`identify`, and ``data``, JSON data logged as ``extra={"data": …}``.

    Strings are masked before encoding. In an encoded line the end of a string can look like the start of a password (``"wrong
    password:", "topic": …``), and masking it would break the JSON.
    """

    def __init__(self) -> None:
        super().__init__(json_ensure_ascii=False)

    def add_fields(self, log_data: dict[str, Any], record: logging.LogRecord, message_dict: dict[str, Any]) -> None:
        log_data["time"] = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        log_data["level"] = record.levelname
        log_data["logger"] = record.name
        log_data["message"] = record.message or str(record.msg)
        for name, key in (("exception", "exc_info"), ("stack", "stack_info")):
            if message_dict.get(key):
                log_data[name] = message_dict[key]
        log_data |= _identity
        if hasattr(record, "data"):
            log_data["data"] = record.data

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        return {name: _all_masked(value) for name, value in log_data.items()}

    def jsonify_log_record(self, log_data: dict[str, Any]) -> str:
        return super().jsonify_log_record(log_data).translate(_BREAKS)


def _all_masked(value: Any) -> Any:
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, dict):
        return {_all_masked(name): _all_masked(part) for name, part in value.items()}
    return [_all_masked(part) for part in value] if isinstance(value, list | tuple) else value


def _install(settings: BaseSettings) -> None:
    """Install a handler with Scrapy's settings. JSON is always in UTF-8."""
    global _handler, _made_for
    made_for = {name: settings.get(name) for name in _READ}
    if _handler is not None and made_for == _made_for:
        return
    begun = _made_for.get("LOG_FILE")
    _remove()
    in_json = log_format(settings) == "json"
    if file := settings.get("LOG_FILE"):
        if file != begun:
            Path(file).open("a" if settings.getbool("LOG_FILE_APPEND") else "w").close()
        encoding, errors = ("utf-8", "backslashreplace") if in_json else (settings.get("LOG_ENCODING"), None)
        # Scrapy closes all handlers on configuring logging; in append mode the file is reopened.
        _handler = logging.FileHandler(file, "a", encoding, delay=True, errors=errors)
    elif settings.getbool("LOG_ENABLED"):
        if in_json and isinstance(sys.stderr, io.TextIOWrapper):
            sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")
        _handler = logging.StreamHandler()
    else:
        _handler = logging.NullHandler()
    text = logging.Formatter(settings.get("LOG_FORMAT"), settings.get("LOG_DATEFORMAT"))
    _handler.setFormatter(JsonLogFormatter() if in_json else MaskingFormatter(text))
    _handler.setLevel(settings.get("LOG_LEVEL"))
    if settings.getbool("LOG_SHORT_NAMES"):
        from scrapy.utils.log import TopLevelFormatter  # here, so that masking alone does not import Scrapy

        _handler.addFilter(TopLevelFormatter(["scrapy"]))
    logging.root.setLevel(logging.NOTSET)
    logging.getLogger("scrapy").setLevel(settings.get("LOG_LEVEL"))  # skips four debug lines per page
    logging.root.addHandler(_handler)
    _made_for = made_for


def _remove() -> None:
    global _handler, _made_for
    if _handler is not None:
        logging.root.removeHandler(_handler)
        _handler.close()
        logging.getLogger("scrapy").setLevel(logging.NOTSET)
    _handler, _made_for = None, {}
