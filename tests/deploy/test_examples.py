"""The examples of a deployment are real: servers load them, and they keep out what they say."""

import configparser
import contextlib
import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
import pytest
import redis
import yaml
from packaging_tools import ROOT
from postgres_tools import PostgresServer, own_server, programs
from redis_tools import RedisServer, cluster_node, program
from scrapy.settings import Settings
from wait_tools import HANGS, wait_for

from topical_crawler import config
from topical_crawler.corpus.record import Record
from topical_crawler.corpus.store import CorpusStore
from topical_crawler.frontier.base import Entry
from topical_crawler.frontier.redis import RedisFrontier
from topical_crawler.logs import secret
from topical_crawler.settings import check_names

__all__ = ["own_server"]  # a fixture

DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
WORKERS = yaml.safe_load((DEPLOY / "workers.yaml").read_text(encoding="utf-8"))
CLUSTER = yaml.safe_load((DEPLOY / "cluster.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of secrets, made as the documentation says."""
    folder = tmp_path_factory.mktemp("deployment") / "secrets"
    subprocess.run([sys.executable, DEPLOY / "make_secrets.py", folder], check=True, capture_output=True)
    return folder


def read(folder: Path, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8").strip()


def test_secrets_are_new_and_belong_together(made: Path) -> None:
    address, corpus = urlsplit(read(made, "redis_url")), urlsplit(read(made, "corpus_url"))
    others = [read(made, name) for name in ("postgres_admin", "scrapyd_password", "redis_cluster")]
    passwords = [address.password, corpus.password, *others]
    assert len(set(passwords)) == 5 and all(len(p or "") >= 32 for p in passwords)
    assert corpus.password == read(made, "postgres_topical")
    for name, password in (("topical", address.password or ""), ("cluster", read(made, "redis_cluster"))):
        assert f"user {name} on #{hashlib.sha256(password.encode()).hexdigest()} " in read(made, "users.acl")
    assert read(made, "scrapyd.env").endswith(f"SCRAPYD_PASSWORD={read(made, 'scrapyd_password')}")
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    again = subprocess.run([sys.executable, DEPLOY / "make_secrets.py", made], capture_output=True, encoding="utf-8", check=False)
    assert again.returncode == 2 and "Remedy" in again.stderr, "secrets that are in use are not overwritten"
    assert urlsplit(read(made, "redis_url")) == address


# -- Redis


class GuardedRedis(RedisServer):
    """A Redis server with ``deploy/redis.conf`` and the accounts of ``make_secrets.py``."""

    def __init__(self, folder: Path, secrets: Path) -> None:
        text = (DEPLOY / "redis.conf").read_text(encoding="utf-8")
        lines = [line.partition(" ")[::2] for line in text.splitlines() if line.strip() and not line.startswith("#")]
        given = {name: value.strip('"') for name, value in lines}
        super().__init__(folder, **given | {"aclfile": str(secrets / "users.acl"), "bind": "127.0.0.1"})
        self.config["port"] = str(self.port)
        self._password = urlsplit(read(secrets, "redis_url")).password

    @property
    def url(self) -> str:
        return f"redis://topical:{self._password}@127.0.0.1:{self.port}/0"


@pytest.fixture(scope="module")
def guarded(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GuardedRedis]:
    with GuardedRedis(tmp_path_factory.mktemp("redis"), made) as server:
        yield server


def test_a_frontier_works_with_the_rights_of_its_account(guarded: GuardedRedis) -> None:
    with guarded.client() as client:
        frontier = RedisFrontier(client, "party")
        assert frontier.push([Entry(bytes([n]) * 16, f"http://a.cn/{n}", "a.cn", float(n)) for n in range(5)]).new == 5
        entry = frontier.pop(0.0)
        assert entry is not None and entry.priority == 4.0
        frontier.requeue(entry.key)
        frontier.journal.save("control", {"paused": True})
        assert frontier.journal.load("control") == {"paused": True}
        assert frontier.journal.claim("robots a.cn", 5.0) and not frontier.journal.claim("robots a.cn", 5.0)
        assert len(frontier.waiting(10)) == 5
        assert frontier.status().details
        assert client.unlink(*client.scan_iter(match="topical:{party}:*")) > 0
        frontier.close()


ALLOWED = """
PING; TIME; SELECT 0; INFO; SCAN 0; MULTI; DISCARD; SCRIPT LOAD return(1); MEMORY USAGE topical:a; SET topical:a 1 EX 10 NX;
GET topical:a; EXISTS topical:a; EXPIRE topical:a 9; TYPE topical:a; HSET topical:h f 1; HGET topical:h f; HMGET topical:h f;
HINCRBY topical:h f 1; HLEN topical:h; HSCAN topical:h 0; HGETALL topical:h; HDEL topical:h f; ZADD topical:z 1 m;
ZRANGE topical:z 0 1; ZRANGEBYSCORE topical:z 0 1; ZCARD topical:z; ZSCORE topical:z m; ZPOPMIN topical:z; ZREM topical:z m;
RPUSH topical:l x; LRANGE topical:l 0 1; LLEN topical:l; LREM topical:l 0 x; LTRIM topical:l 0 1; SADD topical:s x;
SMEMBERS topical:s; SRANDMEMBER topical:s; SPOP topical:s; SREM topical:s x; DEL topical:a;
UNLINK topical:h topical:z topical:l topical:s
"""
REFUSED = """
FLUSHALL; FLUSHDB; KEYS *; KEYS topical:*; RANDOMKEY; CONFIG GET *; CONFIG SET dir /; ACL LIST; ACL SETUSER x; SET other 1;
GET other; DEL other; MEMORY USAGE other; RENAME topical:a other; COPY topical:a other; SCRIPT FLUSH; SCRIPT KILL;
EVAL return(1) 0; SHUTDOWN; SAVE; BGREWRITEAOF; DEBUG SLEEP 0; MONITOR; CLIENT LIST; CLIENT KILL x; REPLICAOF a 1;
SWAPDB 0 1; MIGRATE a 1 topical:a 0 9; RESTORE topical:a 0 x; SUBSCRIBE topical:a; PUBLISH topical:a x; BLPOP topical:l 1;
MEMORY PURGE; MODULE LIST; SORT topical:l; SLOWLOG GET
"""


def test_the_account_of_the_workers_may_do_its_work_and_nothing_else(guarded: GuardedRedis) -> None:
    with guarded.client() as client, client.client() as one:  # one connection: DISCARD ends what MULTI began
        for command in ALLOWED.split(";"):
            one.execute_command(*command.split())
        for command in REFUSED.split(";"):
            with pytest.raises(redis.exceptions.NoPermissionError):
                pytest.fail(f"{command}: {one.execute_command(*command.split())!r}")
        script = one.script_load("return redis.call('GET', ARGV[1])")
        assert one.evalsha(script, 1, "topical:a", "topical:a") is None
        with pytest.raises(redis.ResponseError, match="access"):
            one.evalsha(script, 1, "topical:a", "other")  # a script has no more rights than who runs it


def test_strangers_are_refused_by_redis(guarded: GuardedRedis) -> None:
    for url in (f"redis://127.0.0.1:{guarded.port}", f"redis://topical:wrong@127.0.0.1:{guarded.port}"):
        with redis.Redis.from_url(url) as client, pytest.raises(redis.AuthenticationError):
            client.ping()
    with guarded.client() as client:
        found = client.info()
    assert (found["maxmemory_policy"], found["maxmemory"], found["aof_enabled"]) == ("noeviction", 2 << 30, 1)


def test_the_health_of_redis_is_seen_without_a_password(guarded: GuardedRedis) -> None:
    cli = Path(program()).with_name("redis-cli")
    if not cli.is_file():
        pytest.skip(f"there is no redis-cli beside {program()}")
    _, check = COMPOSE["services"]["redis"]["healthcheck"]["test"]
    for port, code in ((guarded.port, 0), (1, 1)):
        command = check.replace("redis-cli", f"{cli} -p {port}")
        assert subprocess.run(["sh", "-c", command], capture_output=True, check=False).returncode == code


# -- PostgreSQL


def test_the_roles_of_the_corpus_have_the_rights_that_they_need(made: Path, own_server: PostgresServer, tmp_path: Path) -> None:
    psql = programs(tmp_path) / "psql"
    admin = urlsplit(own_server.url)
    environment = {"CORPUS_PASSWORD_FILE": str(made / "postgres_topical"), "PGPASSWORD": "ge@heim", "PATH": "/usr/bin:/bin"}
    where = ["-h", "127.0.0.1", "-p", str(admin.port), "-U", "postgres", "-d", "postgres"]
    command = [psql, "--no-psqlrc", *where, "-f", DEPLOY / "postgres-roles.sql"]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr

    url = read(made, "corpus_url").replace("@postgres:5432/", f"@127.0.0.1:{admin.port}/")
    with CorpusStore(url) as corpus:  # makes the tables
        assert corpus.put(Record(url="http://a.cn/1", host="a.cn", keep=True, text="主题教育")).order == 1
    for statement in (
        "CREATE DATABASE other",
        "CREATE ROLE other",
        "ALTER ROLE topical SUPERUSER",
        "DROP DATABASE corpus",
        "COPY pages TO PROGRAM 'true'",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT * FROM pg_authid",
    ):
        with pytest.raises(psycopg.Error, match=r"permission|must be"):
            own_server.execute(statement, url)

    own_server.execute("CREATE ROLE reader LOGIN PASSWORD 'r'")
    reader = f"postgresql://reader:r@127.0.0.1:{admin.port}/corpus"
    with pytest.raises(psycopg.OperationalError, match="permission denied"):  # who is in no group
        own_server.execute("SELECT 1", reader)
    own_server.execute("GRANT corpus_readers TO reader")
    assert own_server.execute("SELECT url FROM pages", reader) == [("http://a.cn/1",)]
    for statement in ("DELETE FROM pages", "CREATE TABLE mine (x int)"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            own_server.execute(statement, reader)


@pytest.mark.slow  # six servers, for what changes rarely
def test_the_nodes_of_the_examples_make_a_cluster_and_find_each_other_again(made: Path, tmp_path: Path) -> None:
    """Run redis_cluster.sh on this machine. At the end, give all nodes other addresses, as a restart gives pods."""
    (tmp_path / "redis_users").symlink_to(made / "users.acl")
    (tmp_path / "redis_cluster").symlink_to(made / "redis_cluster")
    ports = [cluster_node(tmp_path).port for _ in range(6)]
    config = (DEPLOY / "redis.conf").read_text(encoding="utf-8") + "cluster-node-timeout 2000\n"
    (tmp_path / "redis.conf").write_text(config, encoding="utf-8")
    common = {
        "PATH": f"{Path(program()).parent}:{os.environ['PATH']}",
        "CREDENTIALS_DIRECTORY": str(tmp_path),
        "REDIS_CONF": str(tmp_path / "redis.conf"),
    }

    def run(stack: contextlib.ExitStack, addresses: list[str]) -> list[str]:
        places = [f"{address}:{port}" for address, port in zip(addresses, ports, strict=True)]
        for address, port in zip(addresses, ports, strict=True):
            folder = tmp_path / str(port)
            folder.mkdir(exist_ok=True)
            own = {"DATA": str(folder), "PORT": str(port), "ADDRESS": address, "PEERS": " ".join(places)}
            line = ["sh", DEPLOY / "redis_cluster.sh", "node"]
            process = subprocess.Popen(line, env=common | own, stdout=subprocess.DEVNULL)
            stack.callback(process.wait)
            stack.callback(process.kill)
        return places

    def frontier(place: str) -> RedisFrontier:
        client = redis.Redis.from_url(read(made, "redis_url").replace("redis:6379", place))

        def is_whole() -> bool:
            """Tell if the node knows masters for all slots, at their present addresses."""
            with contextlib.suppress(redis.RedisError):
                masters = [master[0].decode() for _, _, master, *_ in client.execute_command("CLUSTER SLOTS")]
                return len(masters) == 3 and {address[:9] for address in masters} == {place[:9]}
            return False

        wait_for(is_whole)
        return RedisFrontier(client, "party", patience=HANGS)

    with contextlib.ExitStack() as stack:
        places = run(stack, [f"127.0.0.{n}" for n in range(11, 17)])
        for _ in range(2):  # the second time there is one
            line = ["sh", DEPLOY / "redis_cluster.sh", "create", *places]
            subprocess.run(line, env=common, check=True, capture_output=True)
        crawl = frontier(places[3])
        assert crawl.push([Entry(bytes([n]) * 16, f"http://{n}.cn/", f"{n}.cn", float(n)) for n in range(5)]).new == 5
        assert crawl.status().details["parts"] == 64
        crawl.close()
    with contextlib.ExitStack() as stack:
        crawl = frontier(run(stack, [f"127.0.0.{n}" for n in range(21, 27)])[0])
        assert len(crawl) == 5
        crawl.close()


def test_the_cluster_of_the_compose_file_has_six_nodes_that_know_each_other() -> None:
    nodes = {name: service for name, service in CLUSTER["services"].items() if re.fullmatch(r"redis(-\d)?", name)}
    addresses = [f"{service['networks']['data']['ipv4_address']}:6379" for service in nodes.values()]
    maker = CLUSTER["services"]["redis-cluster"]
    assert maker["command"][2:] == ["create", *addresses] and len(set(addresses)) == 6
    assert set(maker["depends_on"]) == set(nodes)
    assert all(service["command"] == ["sh", "/etc/redis/redis_cluster.sh", "node"] for service in nodes.values())
    assert {volume.partition(":")[0] for name in nodes if name != "redis" for volume in nodes[name]["volumes"]} == set(
        CLUSTER["volumes"]
    )
    assert (DEPLOY / CLUSTER["configs"]["redis_cluster_sh"]["file"]).is_file()


# -- compose.yaml, Dockerfile


def services(compose: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """With what they extend."""
    found = {}
    for name, service in compose["services"].items():
        other = service.get("extends")
        assert other is None or other["file"] == "compose.yaml"
        found[name] = service if other is None else COMPOSE["services"][other["service"]] | service
    return found


FILES = pytest.mark.parametrize("compose", [COMPOSE, WORKERS], ids=["compose.yaml", "workers.yaml"])


def test_the_files_are_as_their_schema_says() -> None:
    check = [Path(sys.executable).with_name("check-jsonschema"), "--builtin-schema", "vendor.compose-spec"]
    files = [DEPLOY / "compose.yaml", DEPLOY / "workers.yaml", DEPLOY / "cluster.yaml"]
    done = subprocess.run([*check, *files], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout) == (0, "ok -- validation done\n"), done.stdout + done.stderr


@FILES
def test_what_the_services_use_is_there(compose: dict[str, Any], made: Path) -> None:
    for service in services(compose).values():
        assert set(service["networks"]) <= set(compose["networks"])
        named = {volume.partition(":")[0] for volume in service["volumes"] if ":" in volume}
        assert named <= set(compose["volumes"])
        assert set(service["secrets"]) <= set(compose["secrets"])
        assert {config["source"] for config in service.get("configs", [])} <= set(compose["configs"])
        assert set(service.get("depends_on", {})) <= set(compose["services"])
        mounted = {f"/run/secrets/{name}" for name in service["secrets"]}
        assert set(re.findall(r"/run/secrets/\w+", str(service))) <= mounted
    assert all((DEPLOY / config["file"]).is_file() for config in compose["configs"].values())
    assert all((made.parent / secret["file"]).is_file() for secret in compose["secrets"].values())
    builds = [service["build"] for service in services(compose).values() if "build" in service]
    assert builds
    for build in builds:
        assert (DEPLOY / build["context"]).resolve() == ROOT
        docker = (ROOT / build["dockerfile"]).read_text(encoding="utf-8")
        copied = [path for line in re.findall(r"^COPY (?!--)(.*) \S+$", docker, re.MULTILINE) for path in line.split()]
        assert copied and all((ROOT / path).exists() for path in copied)
        allowed = (ROOT / f"{build['dockerfile']}.dockerignore").read_text(encoding="utf-8").split()
        assert sorted(allowed) == sorted(["*", *(f"!{path}" for path in copied)])


@FILES
def test_every_service_is_bounded_and_closed(compose: dict[str, Any]) -> None:
    found = services(compose)
    for service in found.values():
        assert {"cpus", "memory"} <= set(service["deploy"]["resources"]["limits"])
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))
        assert not [name for name in service.get("environment", {}) if "PASSWORD" in name and not name.endswith("_FILE")]
    assert compose["networks"]["data"]["internal"] is True
    closed = {name for name, service in found.items() if service["networks"] == ["data"]}
    assert closed == {name for name in found if name.startswith(("redis", "postgres"))}


def test_workers_and_workbench_reach_one_crawl(tmp_path: Path) -> None:
    subprocess.run([sys.executable, DEPLOY / "make_secrets.py", tmp_path / "secrets"], check=True, capture_output=True)
    client = config.redis_client(
        Settings({"REDIS_URL": secret("REDIS_URL", {"REDIS_URL_FILE": str(tmp_path / "secrets/redis_url")})})
    )
    assert client.connection_pool.connection_kwargs["host"] in WORKERS["services"]
    for name in ("worker", "workbench"):
        service = WORKERS["services"][name]
        given = [text.partition("=") for option, text in pairwise(service["command"]) if option == "-s"]
        assert ("TOPICAL_FRONTIER", "=", "redis") in given
        check_names(setting for setting, _, _ in given)
        assert {f"/run/secrets/{file}" for file in ("redis_url", "corpus_url")} <= set(service["environment"].values())
        assert set(service["depends_on"]) == {"redis", "postgres"}
    started, shown = (WORKERS["services"][name]["command"] for name in ("worker", "workbench"))
    assert f"TOPICAL_CRAWL={shown[1]}" in started


def test_scrapyd_is_closed_by_its_configuration() -> None:
    found = configparser.ConfigParser()
    found.read(DEPLOY / "scrapyd.conf")
    assert found["scrapyd"]["bind_address"] == "127.0.0.1"
    assert not {"username", "password"} & set(found["scrapyd"]), "they come from the environment"


# -- systemd


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_is_one(unit: Path, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("there is no systemd here to read its units")
    copy = tmp_path / unit.name.replace("@", "@1")
    # The programs are not installed where the unit has them.
    copy.write_text(re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/sh", unit.read_text(encoding="utf-8")), encoding="utf-8")
    done = subprocess.run([analyze, "verify", "--man=no", copy], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")  # unknown keys are only warned of


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_a_unit_gets_its_secrets_as_files_and_has_bounds(unit: Path, made: Path) -> None:
    text = unit.read_text(encoding="utf-8")
    loaded = dict(re.findall(r"^LoadCredential=(\w+):(\S+)$", text, re.MULTILINE))
    assert loaded and all((made / Path(path).name).is_file() for path in loaded.values())
    if "redis_cluster.sh" in text:
        assert set(loaded) == set(re.findall(r"\$secrets/(\w+)", (DEPLOY / "redis_cluster.sh").read_text(encoding="utf-8")))
    else:
        assert set(re.findall(r"(\w+)_FILE=%d/(\w+)", text)) == {("REDIS_URL", "redis_url"), ("TOPICAL_CORPUS", "corpus_url")}
        assert set(loaded) == {"redis_url", "corpus_url"}
    for key in ("MemoryMax", "CPUQuota", "TasksMax", "TimeoutStopSec", "NoNewPrivileges", "ProtectSystem"):
        assert re.search(rf"^{key}=\S+$", text, re.MULTILINE), key
    assert "KillMode" not in text, "all processes of the unit get SIGTERM: crawls end in order, and only they end their children"
