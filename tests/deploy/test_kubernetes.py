"""The examples for Kubernetes: fields that exist, references that lead somewhere, and the crawl of workers.yaml."""

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from packaging_tools import ROOT

from topical_crawler.settings import check_names

DEPLOY = ROOT / "deploy"
TEXT, CLUSTER = ((DEPLOY / name).read_text(encoding="utf-8") for name in ("kubernetes.yaml", "kubernetes-cluster.yaml"))
OBJECTS: list[dict[str, Any]] = [*yaml.safe_load_all(TEXT), *yaml.safe_load_all(CLUSTER)]
ONE = {(o["kind"], o["metadata"]["name"]): o for o in yaml.safe_load_all(TEXT)}
APPLIED = ONE | {(o["kind"], o["metadata"]["name"]): o for o in yaml.safe_load_all(CLUSTER)}
SETS = pytest.mark.parametrize("objects", [list(ONE.values()), list(APPLIED.values())], ids=["one server", "cluster"])
SCHEMA = yaml.safe_load((Path(__file__).parent / "kubernetes_schema.yaml").read_text(encoding="utf-8"))
WORKERS = yaml.safe_load((DEPLOY / "workers.yaml").read_text(encoding="utf-8"))["services"]
OWNERS = [o for o in OBJECTS if "template" in o["spec"]]
POD = pytest.mark.parametrize("owner", OWNERS, ids=lambda o: f"{o['metadata']['name']}-{len(o['spec']['template']['spec'])}")


def container(owner: dict[str, Any]) -> dict[str, Any]:
    [only] = owner["spec"]["template"]["spec"]["containers"]
    return dict(only)


def owner_of(objects: list[dict[str, Any]], name: str) -> dict[str, Any]:
    [owner] = [o for o in objects if o["metadata"]["name"] == name and "template" in o["spec"]]
    return owner


@pytest.mark.parametrize("described", OBJECTS, ids=lambda o: f"{o['kind']}-{o['metadata']['name']}")
def test_an_object_has_the_fields_of_its_kind(described: dict[str, Any]) -> None:
    validator = Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{described['kind']}"})
    assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(described)] == []


@POD
def test_what_a_pod_mounts_is_there(owner: dict[str, Any], tmp_path: Path) -> None:
    subprocess.run([sys.executable, DEPLOY / "make_secrets.py", tmp_path / "secrets"], check=True, capture_output=True)
    name, pod = owner["metadata"]["name"], owner["spec"]["template"]["spec"]
    labels = owner["spec"]["template"]["metadata"]["labels"]
    assert labels == {"app": name} and owner["spec"].get("selector", {"matchLabels": labels})["matchLabels"] == labels
    claimed = {claim["metadata"]["name"] for claim in owner["spec"].get("volumeClaimTemplates", [])}
    assert {mount["name"] for mount in container(owner)["volumeMounts"]} == {v["name"] for v in pod["volumes"]} | claimed
    given = set()
    for volume in pod["volumes"]:
        for item in volume.get("secret", {}).get("items", []):
            assert (tmp_path / "secrets" / item["key"]).is_file()
            given.add(f"/run/secrets/{item['path']}")
        for item in volume.get("configMap", {}).get("items", []):
            assert (DEPLOY / item["key"]).is_file() and f"--from-file=deploy/{item['key']}" in TEXT
        if "persistentVolumeClaim" in volume:
            claims = [o["metadata"]["name"] for o in OBJECTS if o["kind"] == "PersistentVolumeClaim"]
            assert volume["persistentVolumeClaim"]["claimName"] in claims
    used = set(re.findall(r"/run/secrets/[\w.]+", str(container(owner))))
    if "redis_cluster.sh" in str(container(owner)):
        used.add("/run/secrets/redis_cluster")
        used |= {"/run/secrets/redis_users"} if "node" in container(owner)["args"] else set()
    read_by_itself = {"/run/secrets/postgres_topical"} if name == "postgres" else set()  # postgres-roles.sql
    assert used | read_by_itself == given


@SETS
def test_services_and_policies_lead_to_pods(objects: list[dict[str, Any]]) -> None:
    for service in (o for o in objects if o["kind"] == "Service"):
        served = container(owner_of(objects, service["spec"]["selector"]["app"]))
        assert [p["port"] for p in service["spec"]["ports"]] == [p["containerPort"] for p in served["ports"]]
        assert "type" not in service["spec"], "reached from inside the cluster alone"
    policies = [o["spec"] for o in objects if o["kind"] == "NetworkPolicy"]
    pods = {o["metadata"]["name"] for o in objects if "template" in o["spec"]}
    assert set(re.findall(r"'app': '([\w-]+)'", str(policies))) == pods
    closed = {p["podSelector"]["matchLabels"]["app"]: p for p in policies if "Egress" in p["policyTypes"]}
    assert set(closed) == {"redis", "postgres"}
    reached = {str(to) for p in closed.values() for rule in p.get("egress", []) for to in rule.get("to", [])}
    assert reached <= {str({"podSelector": {"matchLabels": {"app": "redis"}}})}, "nothing outside"


@POD
def test_every_pod_is_bounded_and_has_no_rights(owner: dict[str, Any]) -> None:
    pod, running = owner["spec"]["template"]["spec"], container(owner)
    assert {"cpu", "memory"} == set(running["resources"]["limits"])
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert running["securityContext"]["allowPrivilegeEscalation"] is False
    assert running["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert not [e for e in running.get("env", []) if "PASSWORD" in e["name"] and not e["name"].endswith("_FILE")]


def test_it_is_the_crawl_of_the_compose_file() -> None:
    crawl = list(ONE.values())
    assert container(owner_of(crawl, "worker"))["args"] == WORKERS["worker"]["command"]
    for name in ("worker", "workbench"):
        running = container(owner_of(crawl, name))
        assert {e["name"]: e["value"] for e in running["env"]} == WORKERS[name]["environment"]
        given = [text.partition("=")[0] for option, text in pairwise(running["args"]) if option == "-s"]
        check_names(given)
    bound = [word for word in WORKERS["workbench"]["command"] if word not in ("--bind", "0.0.0.0")]
    assert container(owner_of(crawl, "workbench"))["args"] == bound
    assert owner_of(crawl, "redis")["spec"]["replicas"] == 1
    user = owner_of(crawl, "worker")["spec"]["template"]["spec"]["securityContext"]["runAsUser"]
    assert f"useradd --uid {user} " in (DEPLOY / "Dockerfile.worker").read_text(encoding="utf-8")


def test_the_job_makes_a_cluster_of_the_nodes() -> None:
    objects = list(APPLIED.values())
    nodes, job = owner_of(objects, "redis"), container(owner_of(objects, "redis-cluster"))
    addresses = [f"redis-{number}.redis:6379" for number in range(nodes["spec"]["replicas"])]
    assert job["args"] == ["sh", "/etc/redis/redis_cluster.sh", "create", *addresses] and len(addresses) == 6
    assert {e["name"]: e.get("value") for e in container(nodes)["env"]} == {"ADDRESS": None, "PEERS": " ".join(addresses)}
    assert nodes["spec"]["serviceName"] == "redis" and ONE["Service", "redis"]["spec"]["clusterIP"] == "None"
    unchanged = ("serviceName", "selector", "volumeClaimTemplates")  # Kubernetes refuses to change these
    assert all(nodes["spec"][field] == ONE["StatefulSet", "redis"]["spec"][field] for field in unchanged)
    assert container(nodes)["image"] == container(ONE["StatefulSet", "redis"])["image"]
