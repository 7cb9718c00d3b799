"""People's work in a stack that is destroyed or changed, by the real engine, in memory.

What Kueue and the other controllers do with it is tried in `tests/kube/test_work_of_others.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.errors import UserError
from kube.objects import Ref
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.cloud.kinds.firewall import Firewall
from sandbox.cloud.kinds.network import Network
from sandbox.faults import Fail, Faults
from stacks.refusal import OF_DESTROY_BEFORE, of_destroy
from tests.conftest import ROOT
from tests.parts.bystanders import ADAS, Bystanders
from tests.parts.people_samples import cluster_queue, deployment, job
from tests.parts.plain_engine import alone, on_record, plain_destroy
from tests.stacks.config_sandbox import config_sandbox
from tests.stacks.conftest import CANARY, Sandbox, changed

STACK = "dev"
QUEUE = "queues-cluster-queue-gpus"
SandboxOf = Callable[[str], Sandbox]


def test_a_destroy_names_the_work_that_would_be_lost_and_deletes_nothing(
    brought_up: SandboxOf,
) -> None:
    sandbox = brought_up(STACK)
    others = Bystanders(sandbox, queued=True)
    others.come()
    before = sandbox.state()
    with pytest.raises(UserError) as caught:
        sandbox.run("destroy")
    said = str(caught.value)
    assert "4 objects of people in the cluster would not end with this" in said
    assert f"Job {ADAS}/job, with 1 accelerator: is in the ClusterQueue " in said
    for kind, name in (
        ("Deployment", "deployment"),
        ("PersistentVolumeClaim", "claim"),
        ("Service", "service"),
    ):
        assert f"{kind} {ADAS}/{name}: would be lost with the cluster" in said
        assert f"/{name} --namespace {ADAS}" in said
    assert sandbox.state() == before
    assert others.stand()
    others.leave()
    assert sandbox.succeed("destroy").cloud == {}


def test_a_destroy_names_what_no_stack_made_in_its_network_and_deletes_nothing(
    brought_up: SandboxOf,
) -> None:
    """decisionbox-io/decisionbox-platform issue 87 of 2026-03-19: a rule of GKE's for a Service."""
    sandbox = brought_up(STACK)
    cloud = sandbox.workspace.cloud()
    (network,) = cloud.find(Network.token)
    rule = {
        "name": "k8s-fw-a1b2c3",
        "project": network["project"],
        "network": network.id,
        "allows": [{"protocol": "tcp"}],
        "sourceRanges": ["0.0.0.0/0"],
    }
    cloud.add_existing(Firewall.token, rule)
    cloud.save()
    before = sandbox.state()
    with pytest.raises(UserError) as caught:
        sandbox.run("destroy")
    said = str(caught.value)
    assert "1 resource that no stack made would hold up the stack's VPC network" in said
    assert f"gcloud compute firewall-rules delete k8s-fw-a1b2c3 --project={rule['project']}" in said
    assert sandbox.state() == before
    cloud = sandbox.workspace.cloud()
    (made,) = (it for it in cloud.find(Firewall.token) if it["name"] == rule["name"])
    cloud.drop(made)
    assert sandbox.succeed("destroy").cloud == {}


def test_the_refusal_is_an_error_of_one_command_and_no_traceback(
    brought_up: SandboxOf,
) -> None:
    sandbox = brought_up(STACK)
    Bystanders(sandbox).come()
    folder = sandbox.workspace.root
    words = ["-m", "sandbox", "destroy", "--stack", STACK, "--folder", str(folder)]
    done = subprocess.run(
        [sys.executable, *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "HUGGING_FACE_TOKEN": CANARY},
    )
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: --stack: {STACK}: 3 objects of people")
    assert "Traceback" not in done.stderr


def test_a_protected_stack_refuses_in_its_own_words_and_names_the_work_first(
    brought_up: SandboxOf, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox = brought_up(STACK)
    sandbox.succeed("up", "deletion_protection=true", "namespace=elsewhere")
    Bystanders(sandbox, "elsewhere").come()
    refused = sandbox.run("destroy")
    assert not refused.ok
    said = " ".join(refused.report.diagnostics)
    assert "deletion_protection is on" in said
    assert f"`aistack work --stack {STACK}` lists what people have there" in said
    told = capsys.readouterr().out
    assert "Deployment elsewhere/deployment: goes with the namespace elsewhere" in told


@pytest.mark.thorough
def test_a_change_that_reaches_no_work_of_others_says_nothing_of_it(
    brought_up: SandboxOf, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox = brought_up(STACK)
    others = Bystanders(sandbox)
    others.come()
    sandbox.succeed("preview", "labels.purpose=other")
    assert changed(sandbox.succeed("up", "labels.purpose=other"))
    assert "what people have" not in capsys.readouterr().out
    assert others.stand()


@pytest.mark.thorough
@pytest.mark.parametrize("module", ["index", "namespace"])
def test_a_namespace_that_is_replaced_takes_its_work_along_and_the_preview_says_so(
    brought_up: SandboxOf, capsys: pytest.CaptureFixture[str], module: str
) -> None:
    """Also in a state of an earlier release, whose components have other tokens."""
    sandbox = brought_up(STACK)
    sandbox.succeed("up", "namespace=elsewhere")
    (file,) = sandbox.workspace.state_files()
    text = file.read_text()
    assert ":index:KubeNamespace" in text
    file.write_text(text.replace(":index:KubeNamespace", f":{module}:KubeNamespace"))
    Bystanders(sandbox, "elsewhere").come()
    capsys.readouterr()
    for verb in ("preview", "up"):
        sandbox.succeed(verb, "namespace=other")
        told = capsys.readouterr().out
        assert "Deployment elsewhere/deployment: goes with the namespace elsewhere" in told


_RENAMED = of_destroy("its-old-name", jobs=["gone"], teams=["gone"])


@pytest.mark.thorough
@pytest.mark.parametrize(
    "earlier", [*OF_DESTROY_BEFORE, _RENAMED], ids=[*range(len(OF_DESTROY_BEFORE)), "renamed"]
)
def test_a_protected_stack_of_an_earlier_release_or_name_refuses_a_destroy_and_takes_an_up(
    earlier: str, brought_up: SandboxOf
) -> None:
    sandbox = brought_up(STACK)
    protected, now = "deletion_protection=true", of_destroy(STACK, jobs=(), teams=())
    sandbox.succeed("up", protected)
    (file,) = sandbox.workspace.state_files()
    assert now in file.read_text()
    file.write_text(file.read_text().replace(now, earlier))
    refused = sandbox.run("destroy")
    assert earlier in " ".join(refused.report.diagnostics)
    sandbox.succeed("up", protected)
    assert now in file.read_text()
    file.write_text(file.read_text().replace(now, earlier))
    sandbox.succeed("up")
    assert earlier not in file.read_text()


@pytest.mark.thorough
def test_a_destroy_that_nobody_looks_at_first_ends_with_a_queue_that_is_in_use(
    brought_up: SandboxOf,
) -> None:
    """Kueue and its objects go with the cluster, and with nothing less."""
    sandbox = brought_up(STACK)
    put(sandbox, job("default", "lq"))
    alone_first = plain_destroy(sandbox, alone(sandbox, QUEUE))
    assert not alone_first.ok
    assert QUEUE in on_record(sandbox)
    done = plain_destroy(sandbox)
    assert done.ok, done.report.diagnostics
    assert done.cloud == {}


_QUEUE_KINDS = ("ClusterQueue", "ResourceFlavor")


@pytest.mark.thorough
def test_a_destroy_that_was_cut_off_before_the_cluster_goes_on_or_is_taken_back_by_hand(
    brought_up: SandboxOf,
) -> None:
    """As docs/clean-up.md says it."""
    sandbox = brought_up(STACK)
    cut = Fail(kind="fail", type="gcp:container/cluster:Cluster", operation="delete")
    for _ in range(2):
        assert not plain_destroy(sandbox, faults=Faults(rules=(cut,))).ok
        assert {"kueue-release", QUEUE}.isdisjoint(on_record(sandbox))
    refused = sandbox.run("up")
    assert not refused.ok
    assert "Namespace kueue-system already exists" in " ".join(refused.report.diagnostics)

    clusters = sandbox.clusters
    (cluster,) = clusters.cloud.find(Cluster.token)
    kube, version = clusters.kube(cluster), "kueue.x-k8s.io/v1beta2"
    stacks = [it for kind in _QUEUE_KINDS for it in kube.listed(version, kind)]
    assert {it["metadata"]["labels"]["stack"] for it in stacks} == {STACK}
    release = Ref(api_version="helm.sh/v3", kind="Release", namespace="kueue-system", name="kueue")
    namespace = Ref(api_version="v1", kind="Namespace", name="kueue-system")
    for ref in (*map(Ref.of, stacks), release, namespace):
        kube.delete(ref)
    clusters.cloud.save()
    sandbox.succeed("up")
    assert sandbox.succeed("destroy").cloud == {}


def test_somebodys_queue_on_a_flavor_of_the_stack_is_named_before_the_first_deletion(
    brought_up: SandboxOf,
) -> None:
    sandbox = brought_up(STACK)
    put(sandbox, cluster_queue("l4"))
    before = sandbox.state()
    with pytest.raises(UserError) as caught:
        sandbox.run("destroy")
    said = str(caught.value)
    assert "ClusterQueue theirs: uses the ResourceFlavor l4, which cannot go" in said
    assert "  kubectl delete clusterqueue.kueue.x-k8s.io/theirs" in said.splitlines()
    assert sandbox.state() == before


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("change", "what"),
    [
        (
            "pools.cpu.disk.size_gb=200",
            "is interrupted: the nodes of cpu-pool are made anew, one after the other",
        ),
        (
            "cluster.release_channel=RAPID",
            "is interrupted when GKE upgrades the nodes of cpu-pool, one after the other",
        ),
    ],
    ids=["a pool in place", "an upgrade"],
)
def test_work_on_nodes_that_are_made_anew_is_named_and_the_change_is_not_refused(
    change: str, what: str, brought_up: SandboxOf, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox = brought_up(STACK)
    Bystanders(sandbox).come()
    for verb in ("preview", "up"):
        capsys.readouterr()
        sandbox.succeed(verb, change)
        assert f"Deployment {ADAS}/deployment: {what}" in capsys.readouterr().out


@pytest.mark.thorough
def test_work_on_a_pool_that_gets_fewer_nodes_is_named_and_the_change_is_not_refused(
    brought_up: SandboxOf, capsys: pytest.CaptureFixture[str]
) -> None:
    sandbox = brought_up(STACK)
    sandbox.succeed("up", "pools.cpu.nodes=2")
    Bystanders(sandbox).come()
    said = f"Deployment {ADAS}/deployment: may lose nodes of cpu-pool, which get fewer"
    capsys.readouterr()
    sandbox.succeed("preview", "pools.cpu.nodes=3")
    assert said not in capsys.readouterr().out
    sandbox.succeed("preview")
    assert said in capsys.readouterr().out


@pytest.mark.thorough
def test_work_on_nodes_that_get_a_taint_in_place_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    big = {"machine_type": "e2-standard-16", "nodes": 1}
    config: dict[str, Any] = {
        "name": "tainted",
        "deletion_protection": False,
        "cluster": {"location": "zonal"},
        "pools": {"cpu": {"machine_type": "e2-standard-4", "nodes": 2}, "big": big},
    }
    sandbox = config_sandbox(tmp_path, **config)
    sandbox.succeed("up")
    work = deployment("default")
    selector = {"cloud.google.com/gke-nodepool": "big-pool"}
    work["spec"]["template"]["spec"]["nodeSelector"] = selector
    put(sandbox, work)
    sandbox.succeed("refresh")
    taint = {"key": "team", "value": "x", "effect": "NoExecute"}
    config["pools"]["big"] = {**big, "taints": [taint]}
    config_sandbox(tmp_path, **config)
    what = "is evicted from the nodes of big-pool: it does not tolerate team=x:NoExecute"
    for verb in ("preview", "up"):
        capsys.readouterr()
        sandbox.succeed(verb)
        assert f"Deployment default/deployment: {what}" in capsys.readouterr().out


def put(sandbox: Sandbox, obj: dict[str, Any]) -> None:
    """By hand, as a person does."""
    clusters = sandbox.clusters
    (cluster,) = clusters.cloud.find(Cluster.token)
    clusters.kube(cluster).apply(obj)
    clusters.cloud.save()


@pytest.mark.thorough
def test_a_local_queue_of_an_older_release_stays_the_one_that_it_is(
    brought_up: SandboxOf,
) -> None:
    """It was a child of the queues, and has a component of its own now."""
    sandbox = brought_up(STACK)
    (file,) = sandbox.workspace.state_files()
    new = "gke-ai:index:LocalQueues$"
    assert new in file.read_text()
    file.write_text(file.read_text().replace(new, "gke-ai-stacks:kueue_queues:KueueQueues$"))
    assert changed(sandbox.succeed("up")).get("queues-local-queue-default-lq") in (None, "same")
    assert new in file.read_text()
