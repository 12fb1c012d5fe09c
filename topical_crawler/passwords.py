"""Passwords: they come in by the environment, where nobody sees them, and no log shows one.

>>> masked("cannot reach redis://worker:s3cret@10.0.0.5:6379/0")
'cannot reach redis://worker:***@10.0.0.5:6379/0'
"""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

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
