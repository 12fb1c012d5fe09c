"""The example for Kubernetes: fields that exist, references that lead somewhere, and what workers.yaml says too."""

from __future__ import annotations

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
TEXT = (DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")
OBJECTS: list[dict[str, Any]] = list(yaml.safe_load_all(TEXT))
SCHEMA = yaml.safe_load((Path(__file__).parent / "kubernetes_schema.yaml").read_text(encoding="utf-8"))
WORKERS = yaml.safe_load((DEPLOY / "workers.yaml").read_text(encoding="utf-8"))["services"]
PODS = {o["metadata"]["name"]: o["spec"]["template"]["spec"] for o in OBJECTS if "template" in o["spec"]}
POD = pytest.mark.parametrize("name", PODS)


def container(name: str) -> dict[str, Any]:
    [only] = PODS[name]["containers"]
    return dict(only)


@pytest.mark.parametrize("described", OBJECTS, ids=lambda o: f"{o['kind']}-{o['metadata']['name']}")
def test_an_object_has_the_fields_of_its_kind(described: dict[str, Any]) -> None:
    validator = Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{described['kind']}"})
    assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(described)] == []


SLIPS = [
    ("replicas:", "replica:"),
    ("volumeMounts:", "volumeMount:"),
    ("apps/v1", "apps/v2"),
    ("cpu:", "cpus:"),
    ("Gi }", "GB }"),
]


@pytest.mark.parametrize(("right", "wrong"), SLIPS)
def test_a_slip_of_the_pen_is_found(right: str, wrong: str) -> None:
    slipped = yaml.safe_load_all(TEXT.replace(right, wrong))
    assert any(not Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{o['kind']}"}).is_valid(o) for o in slipped)


@POD
def test_what_a_pod_mounts_is_there(name: str, tmp_path: Path) -> None:
    subprocess.run([sys.executable, DEPLOY / "make_secrets.py", tmp_path / "secrets"], check=True, capture_output=True)
    pod, [owner] = PODS[name], [o for o in OBJECTS if o["metadata"]["name"] == name and "template" in o["spec"]]
    labels = owner["spec"]["template"]["metadata"]["labels"]
    assert owner["spec"]["selector"]["matchLabels"] == labels == {"app": name}
    claimed = {claim["metadata"]["name"] for claim in owner["spec"].get("volumeClaimTemplates", [])}
    assert {mount["name"] for mount in container(name)["volumeMounts"]} == {v["name"] for v in pod["volumes"]} | claimed
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
    used = set(re.findall(r"/run/secrets/[\w.]+", str(container(name))))
    read_by_itself = {"/run/secrets/postgres_topical"} if name == "postgres" else set()  # postgres-roles.sql
    assert used | read_by_itself == given


def test_services_and_policies_lead_to_pods() -> None:
    for service in (o for o in OBJECTS if o["kind"] == "Service"):
        served = container(service["spec"]["selector"]["app"])
        assert [p["port"] for p in service["spec"]["ports"]] == [p["containerPort"] for p in served["ports"]]
        assert "type" not in service["spec"], "reached from inside the cluster alone"
    policies = [o["spec"] for o in OBJECTS if o["kind"] == "NetworkPolicy"]
    assert set(re.findall(r"'app': '(\w+)'", str(policies))) == set(PODS)
    closed = {p["podSelector"]["matchLabels"]["app"]: p for p in policies if "Egress" in p["policyTypes"]}
    assert set(closed) == {"redis", "postgres"} and not any("egress" in p for p in closed.values())


@POD
def test_every_pod_is_bounded_and_has_no_rights(name: str) -> None:
    pod, running = PODS[name], container(name)
    assert {"cpu", "memory"} == set(running["resources"]["limits"])
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert running["securityContext"]["allowPrivilegeEscalation"] is False
    assert running["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert not [e for e in running.get("env", []) if "PASSWORD" in e["name"] and not e["name"].endswith("_FILE")]


def test_it_is_the_crawl_of_the_compose_file() -> None:
    assert container("worker")["args"] == WORKERS["worker"]["command"]
    for name in ("worker", "workbench"):
        assert {e["name"]: e["value"] for e in container(name)["env"]} == WORKERS[name]["environment"]
        given = [text.partition("=")[0] for option, text in pairwise(container(name)["args"]) if option == "-s"]
        check_names(given)
    bound = [word for word in WORKERS["workbench"]["command"] if word not in ("--bind", "0.0.0.0")]
    assert container("workbench")["args"] == bound
    [redis] = [o for o in OBJECTS if o["kind"] == "StatefulSet" and o["metadata"]["name"] == "redis"]
    assert redis["spec"]["replicas"] == 1
    user = PODS["worker"]["securityContext"]["runAsUser"]
    assert f"useradd --uid {user} " in (DEPLOY / "Dockerfile.worker").read_text(encoding="utf-8")
