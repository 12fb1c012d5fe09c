"""No log shows a password, however it came into the line; and passwords come in by variables and files."""

import ast
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pythonjsonlogger.json import JsonFormatter
from rich.console import Console
from rich.logging import RichHandler

from topical_crawler.logs import check_address, mask, mask_root, masked, secret

PASSWORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1).map(lambda text: f"Zq{text}qZ")
"""Any text, with a beginning and an end that nothing else has."""
WORDS = st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"], exclude_characters="\"'\\"), min_size=1).map(
    lambda text: f"Zq{text}qZ"
)
"""Printable ASCII without spaces, quotation marks and backslashes: what a person types into a URL and forgets to encode."""
SCHEMES = st.sampled_from(("redis", "rediss", "postgresql", "postgresql+psycopg", "unix", "amqp", "http", "https", "HTTP"))


@given(SCHEMES, PASSWORDS, st.sampled_from(("", "user", "user.name", "me@corp.example")))
def test_an_encoded_password_of_an_address_is_masked(scheme: str, password: str, user: str) -> None:
    line = "open {}://{}:{}@db.example:5432/corpus?x=1#y, then @ again"
    assert masked(line.format(scheme, user, quote(password, safe=""))) == line.format(scheme, user, "***")


@given(WORDS)
def test_so_is_one_that_should_have_been_encoded(password: str) -> None:
    assert masked(f"REDIS_URL=redis://:{password}@h:6379/0 given") == "REDIS_URL=redis://:***@h:6379/0 given"


@given(PASSWORDS)
def test_an_encoded_password_is_masked_in_json_and_in_lists(password: str) -> None:
    values = [f"redis://:{quote(password)}@h/0", f"postgresql+psycopg://u:{quote(password)}@h/db", "a@b"]
    hidden = ["redis://:***@h/0", "postgresql+psycopg://u:***@h/db", "a@b"]
    if "/" not in password:  # which quote leaves as it is
        assert json.loads(masked(json.dumps(values, separators=(",", ":")))) == hidden
        assert masked(repr(values)) == repr(hidden)
    assert "Zq" not in masked(" ".join(values)) + masked(json.dumps(json.dumps(values)))


@pytest.mark.parametrize("name", ["password", "PASSWORD", "passwd", "FTP_PASSWORD", "MAIL_PASS", "passphrase"])
@given(password=PASSWORDS)
def test_a_field_that_is_called_a_password_is_masked(name: str, password: str) -> None:
    given, hidden = {"host": "h", name: password, "db": 1}, {"host": "h", name: "***", "db": 1}
    assert ast.literal_eval(masked(str([given, given]))) == [hidden, hidden]
    assert json.loads(masked(json.dumps(given))) == hidden
    assert masked(f"/?{name}={quote(password, safe='')}&db=1") == f"/?{name}=***&db=1"


@given(WORDS)
def test_a_field_without_quotation_marks_is_masked_to_the_end_of_its_word(password: str) -> None:
    if "&" not in password:
        assert masked(f"host=h password={password} dbname=x") == "host=h password=*** dbname=x"
        assert masked(f"Telnet Password: {password}") == "Telnet Password: ***"
    assert masked(json.dumps(json.dumps({"password": password, "db": 1}))) == json.dumps(json.dumps({"password": "***", "db": 1}))


@given(st.text())
def test_masking_again_changes_nothing(text: str) -> None:
    for line in (text, f"redis://u:{text}@h password={text}", f"{{'password': '{text}'"):
        assert masked(masked(line)) == masked(line)


HOSTS = st.text(st.characters(categories=["L", "N"]), min_size=1)


@given(
    HOSTS, st.text(st.characters(exclude_characters="=")).filter(lambda rest: "://" not in rest and "pass" not in rest.lower())
)
def test_addresses_of_pages_stay_as_they_are(host: str, rest: str) -> None:
    """Whatever stands behind their host: ``:`` and ``@`` are letters there."""
    for line in (f"http://{host}/{rest}@x:y@z", f"https://{host}:8080/x:{rest}@y", f"http://{host}?{rest}a:b@c#d:e@f"):
        assert masked(line) == line


@pytest.mark.parametrize(
    "line",
    [
        "",
        "DEBUG: Crawled (200) <GET http://a.cn:80/@me/x:y@z?q=1:2@3> (referer: https://b.cn/#a:b@c)",
        "3 passes over compass=1, bypass: no, passwords 3, _passed=1",
        "postgresql://reader@db.example/corpus and redis://127.0.0.1:6379/0 me@example.org",
        'FATAL:  password authentication failed for user "topical"',
        "REDIS_URL_FILE=/run/secrets/redis_url",
    ],
)
def test_a_line_without_a_password_comes_back(line: str) -> None:
    assert masked(line) == line


@pytest.fixture
def logger() -> Iterator[logging.Logger]:
    """A logger of one's own, whose handlers are closed after the test."""
    logger = logging.Logger("masked")
    yield logger
    for handler in logger.handlers:
        handler.close()


def speak(logger: logging.Logger) -> None:
    """Lets a password out in every way that a record has."""
    url = "redis://:Zqhidden@h:6379/0"
    logger.warning("plain redis://:Zqhidden@h/0")
    logger.warning("argument %s, %r", url, {"REDIS_PARAMS": {"password": "Zqhidden"}}, stack_info=True, extra={"address": url})
    try:
        try:
            raise ConnectionError(f"cannot reach {url}")
        except ConnectionError as error:
            raise ValueError("bad conninfo host=h password=Zqhidden") from error
    except ValueError:
        logger.exception("lost %s", ValueError(url))


@pytest.mark.parametrize("kind", ["plain", "json", "rich"])
def test_no_handler_shows_a_password_of_a_record(logger: logging.Logger, kind: str) -> None:
    out = io.StringIO()
    handler: logging.Handler = logging.StreamHandler(out)
    if kind == "rich":
        handler = RichHandler(console=Console(file=out, width=300))
    elif kind == "json":
        handler.setFormatter(JsonFormatter())
    mask(handler)
    logger.addHandler(handler)
    speak(logger)
    said = out.getvalue()
    assert "Zqhidden" not in said
    assert said.count("***") >= 7
    assert "cannot reach redis://:***@h:6379/0" in said and "Traceback" in said and "Stack" in said
    if kind == "json":
        lines = [json.loads(line) for line in said.splitlines()]
        assert [line["message"].split()[0] for line in lines] == ["plain", "argument", "lost"]
        assert lines[1]["address"] == "redis://:***@h:6379/0"
        assert "cannot reach redis://:***@h:6379/0" in lines[2]["exc_info"]


def test_masking_a_handler_twice_is_masking_it_once(logger: logging.Logger) -> None:
    handler = logging.StreamHandler(io.StringIO())
    mask(handler)
    once = handler.formatter
    mask(handler)
    assert handler.formatter is once


def test_a_program_with_handlers_of_its_own_shows_no_password(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one that has none at all: what Python prints then is masked as well."""
    out = io.StringIO()
    last = logging.StreamHandler(out)
    monkeypatch.setattr(logging, "lastResort", last)
    own = logging.StreamHandler(out)
    monkeypatch.setattr(logging.root, "handlers", [own])
    mask_root()
    speak(logging.getLogger("somebody.else"))
    logging.root.handlers.clear()
    speak(logging.getLogger("somebody.else"))
    assert "Zqhidden" not in out.getvalue() and out.getvalue().count("Traceback") == 4


def test_a_secret_comes_from_a_variable_or_a_file(tmp_path: Path) -> None:
    url = "redis://worker:p%40ss@h/0"
    file = tmp_path / "redis_url"
    file.write_text(url + "\n", encoding="utf-8")
    assert secret("REDIS_URL", {}) == ""
    assert secret("REDIS_URL", {"REDIS_URL": url}) == url
    assert secret("REDIS_URL", {"REDIS_URL_FILE": str(file)}) == url
    assert secret("TOPICAL_CORPUS", {"TOPICAL_CORPUS": "data/all texts.sqlite"}) == "data/all texts.sqlite"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "No such file or directory. Name a file"),
        (b"\n", "empty. Write one line"),
        (b"\xff\xfeZq", "UTF-8. Write one line"),
        (b"redis://:Zq x@h", "cannot be read. Write it as"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path: Path, content: bytes | None, said: str) -> None:
    file = tmp_path / "redis_url"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ValueError, match=said) as error:
        secret("REDIS_URL", {"REDIS_URL_FILE": str(file)})
    assert "REDIS_URL" in str(error.value) and "Zq" not in str(error.value)


def test_a_variable_and_a_file_of_one_name_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="both REDIS_URL and REDIS_URL_FILE"):
        secret("REDIS_URL", {"REDIS_URL": "redis://:Zq@h", "REDIS_URL_FILE": str(tmp_path / "x")})


@pytest.mark.parametrize(
    "url", ["redis://:Zq/x@h:1/0", "redis://u:12/Zq@h", "redis://:Zq", "redis://:Zq x@h", "redis://u:Zq#x@h"]
)
def test_an_address_that_cannot_be_taken_apart_is_refused_without_being_shown(url: str) -> None:
    with pytest.raises(ValueError, match="REDIS_URL: this address cannot be read") as error:
        check_address("REDIS_URL", url)
    assert "Zq" not in str(error.value)


@pytest.mark.parametrize(
    "url",
    [
        "redis://:p%40ss@h:6379/0?ssl_ca_certs=/etc/ca.pem",
        "unix://:pw@/run/redis.sock?db=0",
        "postgresql+psycopg://u:p@/db?host=/run/pg",
        "rediss://u:p@[::1]:6379",
        "sqlite:///C:/me@home/corpus.sqlite",
        "data/me@home.sqlite",
    ],
)
def test_an_address_in_order_passes(url: str) -> None:
    check_address("REDIS_URL", url)
