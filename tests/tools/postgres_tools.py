"""A real PostgreSQL server for tests and benchmarks: the programs of the package pgserver, or a server of a person's own by
``TOPICAL_TEST_POSTGRESQL`` (URL of a database in which databases may be made, or the folder of the programs postgres and initdb).
"""

import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self
from uuid import uuid4

import psutil
import psycopg
import pytest
import sqlalchemy as sa
from redis_tools import free_port
from wait_tools import HANGS

_PATIENCE = HANGS
_GIVEN = "TOPICAL_TEST_POSTGRESQL"
_CONFIG = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "60",
    "shared_buffers": "32MB",
    "dynamic_shared_memory_type": "mmap",  # /dev/shm of a container is small
    "fsync": "off",  # a test survives no power failure
}


class GivenServer:
    """A server that runs.

    Args:
        url: of a database from which others are made.
    """

    def __init__(self, url: str) -> None:
        self._base = url
        self._made: list[str] = []

    @property
    def url(self) -> str:
        return self._base

    def new_database(self, options: str = "ENCODING 'UTF8'") -> str:
        """The URL of an empty database of its own; ``options`` as in CREATE DATABASE."""
        name = f"topical_{uuid4().hex[:12]}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE template0 {options}")
        self._made.append(name)
        return sa.make_url(self.url).set(database=name).render_as_string(hide_password=False)

    def execute(self, statement: str, url: str = "") -> list[tuple[Any, ...]]:
        """Run a statement, in a connection of its own, in the database of ``url``; its rows."""
        with self.connect(url) as connection:
            cursor = connection.execute(statement)  # type: ignore[call-overload]
            return cursor.fetchall() if cursor.description else []

    def connect(self, url: str = "") -> psycopg.Connection[tuple[Any, ...]]:
        """A connection of the driver's own, which commits every statement."""
        plain = sa.make_url(url or self.url).set(drivername="postgresql").render_as_string(hide_password=False)
        return psycopg.connect(plain, autocommit=True, connect_timeout=int(_PATIENCE))

    def close(self) -> None:
        """Take away the databases that were made."""
        for name in self._made:
            self.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


class PostgresServer(GivenServer):
    """A server in a process of its own, on a free port of 127.0.0.1, with a password.

    Its data outlive :meth:`kill` and :meth:`stop`, not the end of the ``with`` block. They lie in the system's folder for
    temporary files: PostgreSQL refuses to run as root, so a server that root starts runs as nobody, who cannot enter the
    folders of pytest.

    Args:
        folder: where the server's log is written.
        config: further configuration, e.g. ``fsync="on"``.
    """

    def __init__(self, folder: Path, **config: str) -> None:
        self.port = free_port()
        super().__init__(f"postgresql+psycopg://postgres:ge%40heim@127.0.0.1:{self.port}/postgres")
        folder.mkdir(parents=True, exist_ok=True)
        self.log = folder / "postgresql.log"
        self.config = {**_CONFIG, "port": str(self.port), **config}
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            self._user = {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": []}
        self._folder = Path(tempfile.mkdtemp(prefix="topical-postgresql-"))
        try:
            self._programs = programs(self._folder)
        except RuntimeError:
            self._folder.rmdir()
            raise
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> Self:
        """Start the server and wait until it answers."""
        data = self._folder / "data"
        if not data.exists():
            self._initialise(data)
        deadline = time.monotonic() + _PATIENCE
        while not self._answers():
            if self._process is None or self._process.poll() is not None:  # after a kill, its children may still be ending
                options = [part for name, value in self.config.items() for part in ("-c", f"{name}={value}")]
                self._process = self._run("postgres", "-D", data, *options)
            if time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"PostgreSQL did not start: {self.log.read_text('utf-8', 'replace')[-2000:]}")
            time.sleep(0.05)
        return self

    def kill(self) -> None:
        """SIGKILL: what was not committed is lost, and the next start recovers the rest from the log."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """An orderly end, which cuts off those who are connected."""
        self._end(signal.SIGINT)

    def restart(self) -> None:
        """An orderly end and a new start with the same port and data."""
        self.stop()
        self.start()

    def close(self) -> None:
        self._end(signal.SIGQUIT)  # at once: nothing has to be written
        shutil.rmtree(self._folder, ignore_errors=True)

    def _initialise(self, data: Path) -> None:
        self._folder.chmod(0o755)
        password = self._folder / "password"
        password.write_text("ge@heim\n")
        data.mkdir()
        if self._user:
            shutil.chown(data, self._user["user"], self._user["group"])
        options = ("--username=postgres", f"--pwfile={password}", "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "-N")
        if self._run("initdb", "-D", data, *options).wait():
            raise RuntimeError(f"initdb failed: {self.log.read_text('utf-8', 'replace')[-2000:]}")

    def _run(self, program: str, *arguments: object) -> subprocess.Popen[bytes]:
        command = [str(self._programs / program), *map(str, arguments)]
        with self.log.open("ab") as log:
            return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self._folder, **self._user)

    def _answers(self) -> bool:
        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return self._process is not None

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            # Where it is killed its children answer for a moment: as in a crash of the machine, they are gone with it.
            children = psutil.Process(self._process.pid).children(recursive=True) if how is signal.SIGKILL else []
            self._process.send_signal(how)
            self._process.wait()
            for child in children:
                with contextlib.suppress(psutil.NoSuchProcess):
                    child.kill()
            psutil.wait_procs(children)
            self._process = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()


def programs(folder: Path) -> Path:
    """The folder of the programs postgres and initdb.

    Args:
        folder: for a copy of the package's: what root has installed, nobody may be unable to reach.

    Raises:
        RuntimeError: there are none; the message says how to name some.
    """
    if given := os.environ.get(_GIVEN, ""):
        return Path(given)
    spec = importlib.util.find_spec("pgserver")  # importing it would make folders in the user's home
    if spec is not None and spec.origin is not None:
        package = Path(spec.origin).parent
        if os.geteuid() != 0:
            return package / "pginstall" / "bin"
        for part in ("pgserver", "pgserver.libs"):  # the second where the package was built with libraries of its own
            if (source := package.parent / part).is_dir():
                shutil.copytree(source, folder / part, ignore=shutil.ignore_patterns("include", "__pycache__"))
        return folder / "pgserver" / "pginstall" / "bin"
    if found := shutil.which("postgres"):
        return Path(found).resolve().parent
    raise RuntimeError(
        "no PostgreSQL for the tests: pip has no pgserver for this machine or this Python. Remedy: set "
        f"{_GIVEN} to the URL of a server of your own (postgresql+psycopg://USER:PASSWORD@HOST/DATABASE; the user may make "
        "databases), or to the folder of the programs postgres and initdb"
    )


@contextlib.contextmanager
def server(folder: Path) -> Iterator[GivenServer]:
    """The server that the tests of a session share."""
    given = os.environ.get(_GIVEN, "")
    if "://" in given:
        with contextlib.closing(GivenServer(given)) as running:
            yield running
    else:
        with PostgresServer(folder) as started:
            yield started


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GivenServer]:
    """A running PostgreSQL; a conftest that imports this fixture offers it to its tests."""
    with server(tmp_path_factory.mktemp("postgresql")) as running:
        yield running


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresServer]:
    """A server that the tests of a module may stop and kill; each leaves it running."""
    if "://" in os.environ.get(_GIVEN, ""):
        pytest.skip(f"{_GIVEN} names a server that must not be killed; name the folder of its programs to run this test")
    with PostgresServer(tmp_path_factory.mktemp("postgresql")) as started:
        yield started
