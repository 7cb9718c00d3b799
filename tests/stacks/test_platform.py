"""A platform with a cluster, and a workload that has its pools and its work there: two stacks, each
with its own preview, up and destroy, through the real engine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cli.errors import UserError
from cli.urns import name_of
from sandbox.run_result import RunResult
from tests.stacks.config_sandbox import config_sandbox
from tests.stacks.conftest import Sandbox, changed

pytestmark = pytest.mark.thorough

_SMALL = {"cpu": 1, "memory_gib": 4}
PLATFORM: dict[str, Any] = {
    "name": "platform",
    "deletion_protection": False,
    "cluster": {"ray_operator": "helm"},
    "pools": {"cpu": {"machine_type": "e2-standard-8", "nodes": 2}},
    "queues": {
        "flavors": {"shared": {"pool": "cpu"}},
        "cluster_queues": {"shared": {}},
        "local_queues": [{"name": "shared", "cluster_queue": "shared"}],
    },
}
WORKLOAD: dict[str, Any] = {
    "name": "work",
    "deletion_protection": False,
    "namespace": "work",
    "cluster": {"stack": "organization/gke-ai-stacks/platform", "ray_operator": "helm"},
    "pools": {
        "cpu": {"machine_type": "e2-standard-8", "nodes": 1},
        "gpu": {"machine_type": "g2-standard-8", "nodes": 1},
    },
    "queues": {
        "flavors": {"l4": {"pool": "gpu"}, "heads": {"pool": "cpu"}},
        "cluster_queues": {"work": {}},
        "local_queues": [{"name": "work", "cluster_queue": "work"}],
    },
    "ray": {
        "work": {
            "queue": "work",
            "head": {"requests": _SMALL},
            "workers": {"gpu": {"requests": {"cpu": 4, "memory_gib": 16}}},
        }
    },
}


@pytest.fixture
def stacks(tmp_path: Path) -> tuple[Sandbox, Sandbox]:
    return config_sandbox(tmp_path, **PLATFORM), config_sandbox(tmp_path, **WORKLOAD)


def installed(result: RunResult) -> set[str]:
    names = {name_of(one.urn) for one in result.report.resources}
    return names & {"kuberay-release", "kueue-release", "jobset-release"}


def test_a_workload_comes_and_goes_on_a_platform_that_outlives_it(
    stacks: tuple[Sandbox, Sandbox],
) -> None:
    platform, work = stacks
    made = platform.succeed("up")
    assert made.outputs["operators"] == ["kuberay", "kueue"]
    assert installed(made) == {"kuberay-release", "kueue-release"}
    before = platform.cloud.inventory("platform")

    ours = work.succeed("up")
    assert installed(ours) == set()
    assert ours.outputs["cluster_name"] == "platform"
    assert ours.outputs["operators"] == ["kuberay", "kueue"]
    assert changed(work.succeed("preview")) == {}
    assert changed(platform.succeed("preview")) == {}
    (pods,) = [[it for it in work.pods() if it.namespace == "work"]]
    assert pods
    assert {it.phase for it in pods} == {"Running"}

    with pytest.raises(UserError, match="nearest: `aistack sandbox destroy --stack work "):
        platform.run("destroy")

    work.succeed("destroy")
    assert work.cloud.inventory("work") == {}
    assert platform.cloud.inventory("platform") == before
    assert platform.succeed("destroy").cloud == {}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            "cluster.release_channel=RAPID",
            "RayCluster work/work, of the stack work, with 1 accelerator: is interrupted when GKE "
            "upgrades the nodes of",
        ),
        (
            "queues.version=0.18.6",
            "RayCluster work/work, of the stack work, with 1 accelerator: is looked after by",
        ),
    ],
)
def test_a_platforms_change_names_the_work_of_its_workloads(
    stacks: tuple[Sandbox, Sandbox], change: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    platform, work = stacks
    platform.succeed("up")
    work.succeed("up")
    for verb in ("preview", "up"):
        capsys.readouterr()
        platform.succeed(verb, change)
        told = capsys.readouterr().out
        assert "what other stacks have in the cluster, and this reaches:" in told
        assert said in told


def test_a_platform_keeps_kueue_while_a_workload_has_queues(
    stacks: tuple[Sandbox, Sandbox],
) -> None:
    platform, work = stacks
    platform.succeed("up")
    work.succeed("up")
    before = platform.state()
    for verb in ("preview", "up"):
        refused = platform.run(verb, "queues=")
        assert not refused.ok
        said = "\n".join(refused.report.diagnostics)
        assert "of other stacks in the cluster would not end with this" in said
        assert "RayCluster work/work, of the stack work, with 1 accelerator: needs" in said
        assert "ClusterQueue work, of the stack work: needs the operator kueue, which goes" in said
        assert "kubectl delete" not in said
        assert "sandbox destroy --stack work --folder" in said
    assert platform.state() == before
    work.succeed("destroy")
    platform.succeed("up", "queues=")


def test_a_workload_before_its_platform_is_refused_in_the_preview(
    stacks: tuple[Sandbox, Sandbox],
) -> None:
    _, work = stacks
    result = work.run("preview")
    assert not result.ok
    said = " ".join(" ".join(result.report.diagnostics).split())
    assert 'cluster.stack: "organization/gke-ai-stacks/platform" is not there; nearest: ' in said
