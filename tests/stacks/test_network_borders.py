"""Who reaches whom over the network, as np-guard's netpol-analyzer reads the rendered manifests.

It evaluates Kubernetes' definition of a NetworkPolicy. Whether a data plane enforces one is not
shown: no packet flows in the sandbox.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.project import stack_names
from cli.pulumi_cli import BUILT
from components.base.pod_access import CLIENT_LABEL
from components.jobs.job_set_manifest import NAME_LABEL
from components.ray.manifest import CLUSTER_LABEL
from components.servers.manifest import server_selector
from kube.objects import JsonObject
from stacks.config import validate
from stacks.plan import Plan
from tests.conftest import Recording, changed, stack_config
from tests.parts.existing_samples import ON_PLATFORM, Simulated, built
from tests.programs import WITH_TOKEN, registered
from tests.unit.team_stack import planned

pytestmark = pytest.mark.thorough

EVALUATOR = BUILT / "bin" / "netpolicy"
TEAMS = ("red", "blue")
# Pods by what they are called in the table: their namespace and labels.
Pods = Mapping[str, tuple[str, Mapping[str, str]]]
Reached = set[tuple[str, str]]


def rendered(recording: Recording) -> list[JsonObject]:
    """Namespaces and network policies, as an API server has them."""
    return [
        {"apiVersion": it.inputs["apiVersion"], "kind": it.inputs["kind"], **_body(it.inputs)}
        for it in recording.of_type(":NetworkPolicy") + recording.of_type(":Namespace")
    ]


def _body(inputs: Mapping[str, Any]) -> JsonObject:
    return {key: inputs[key] for key in ("metadata", "spec") if key in inputs}


def pods_of(plan: Plan) -> Pods:
    """Of everything that the stack runs, one pod that serves and one beside it."""
    inside = plan.stack.namespace
    pods: dict[str, tuple[str, Mapping[str, str]]] = {}
    for name in plan.stack.ray:
        pods[f"ray {name}"] = (inside, {CLUSTER_LABEL: name})
        pods[f"worker of ray {name}"] = (inside, {CLUSTER_LABEL: name, "worker": "yes"})
    for name in plan.scripts:
        pods[f"script {name}"] = (inside, {NAME_LABEL: name})
    for name in plan.servers:
        pods[f"server {name}"] = (inside, server_selector(name))
        pods[f"client of server {name}"] = (inside, {CLIENT_LABEL: name})
    return pods


def evaluated(folder: Path, manifests: Sequence[JsonObject], pods: Pods) -> Reached:
    """Pairs of pods of which the first reaches the second on some port."""
    names = {name: f"p{index}" for index, name in enumerate(pods)}
    objects = [*manifests, *_namespaces(manifests, pods)]
    for name, (namespace, labels) in pods.items():
        metadata = {"name": names[name], "namespace": namespace, "labels": dict(labels)}
        spec = {"containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 8000}]}]}
        objects.append({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})
    folder.mkdir()
    (folder / "objects.yaml").write_text(yaml.safe_dump_all(objects))
    assert EVALUATOR.exists(), f"{EVALUATOR} is not built; nearest: make .tools/bin/netpolicy"
    words = (EVALUATOR, "list", "--dirpath", folder, "--output", "json", "--quiet")
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    shown = {f"{pods[name][0]}/{pod}[Pod]": name for name, pod in names.items()}
    pairs = [(it["src"], it["dst"]) for it in json.loads(done.stdout)]
    return {(shown[a], shown[b]) for a, b in pairs if a in shown and b in shown}


def _namespaces(manifests: Iterable[JsonObject], pods: Pods) -> Iterable[JsonObject]:
    """Those that every cluster has, with the label that an API server gives each."""
    known = {it["metadata"]["name"] for it in manifests if it["kind"] == "Namespace"}
    for it in manifests:
        if it["kind"] == "Namespace":
            name = it["metadata"]["name"]
            it["metadata"].setdefault("labels", {})["kubernetes.io/metadata.name"] = name
    for name in sorted({namespace for namespace, _ in pods.values()} - known):
        metadata = {"name": name, "labels": {"kubernetes.io/metadata.name": name}}
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}


STRANGERS: Pods = {
    "red": ("red", {"app": "job"}),
    "red's other": ("red", {"app": "other"}),
    "blue": ("blue", {"app": "job"}),
    "default": ("default", {"app": "anything"}),
    "operator": ("kube-system", {"app": "operator"}),
}


def wanted(pods: Pods) -> dict[tuple[str, str], bool]:
    """Whether the first reaches the second: the borders that the docs promise."""
    table = {
        ("red", "red's other"): True,
        ("red", "blue"): False,
        ("blue", "red"): False,
        ("default", "red"): False,
        ("operator", "red"): True,
    }
    for name in pods:
        kind, _, key = name.partition(" ")
        if kind in ("ray", "script"):
            table |= {
                ("red", name): False,
                ("blue", name): False,
                ("default", name): False,
                ("operator", name): True,
            }
        if kind == "ray":
            table[f"worker of ray {key}", name] = True
        if kind == "server":
            # Servers are for teams.
            table |= {
                ("red", name): True,
                ("default", name): False,
                (f"client of server {key}", name): True,
            }
    return table


def judged(folder: Path, manifests: Sequence[JsonObject], plan: Plan) -> dict[Any, bool]:
    """What is not as wanted, with how it is."""
    pods = {**STRANGERS, **pods_of(plan)}
    reached = evaluated(folder, manifests, pods)
    return {
        pair: pair in reached for pair, open_ in wanted(pods).items() if open_ != (pair in reached)
    }


def with_teams(stack: str) -> Plan:
    return validate(
        changed(stack_config(stack), teams={name: {} for name in TEAMS}), secrets_set=WITH_TOKEN
    )


@pytest.mark.parametrize("stack", stack_names())
def test_two_teams_on_a_stack_reach_what_is_theirs_and_what_is_for_them(
    tmp_path: Path, stack: str
) -> None:
    plan = with_teams(stack)
    assert judged(tmp_path / "all", rendered(registered(plan)), plan) == {}


def test_namespaces_of_others_queues_reach_what_those_of_teams_reach(tmp_path: Path) -> None:
    doors = [{"name": it, "cluster_queue": it} for it in ("research", "serving")]
    config = changed(
        stack_config("lab"),
        teams=None,
        queues__namespaces=list(TEAMS),
        queues__local_queues=doors,
    )
    plan = validate(config, secrets_set=WITH_TOKEN)
    assert judged(tmp_path / "all", rendered(registered(plan)), plan) == {}


def test_teams_of_a_platform_reach_nothing_of_a_stack_that_is_on_it(tmp_path: Path) -> None:
    """Neither stack's config names the other's teams or workloads."""
    platform = rendered(registered(planned(teams={name: {} for name in TEAMS}, queues=None)))
    config = changed(ON_PLATFORM, namespace="work")
    plan = validate(config, secrets_set=WITH_TOKEN)
    workload = rendered(built(config, Simulated(tmp_path)))
    assert "ray work" in pods_of(plan)
    assert judged(tmp_path / "both", [*platform, *workload], plan) == {}


def test_a_border_falls_with_the_policy_that_holds_it(tmp_path: Path) -> None:
    plan = with_teams("lab")
    manifests = rendered(registered(plan))
    policies = [it for it in manifests if it["kind"] == "NetworkPolicy"]
    assert len(policies) > len(TEAMS)
    for index, policy in enumerate(policies):
        rest = [it for it in manifests if it is not policy]
        assert judged(tmp_path / str(index), rest, plan), policy["metadata"]["name"]
