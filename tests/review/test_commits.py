"""Commits with one kind of change each, through the real engine: verbs, causes, dangers, exit code.

All of them are tried with ALL_COMBINATIONS=1; else a sample, another one for each commit.

It shows what the engine and the stand-in providers make of a change; where Google's own provider
decides otherwise, so does its diff.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field

import pytest

from tests.parts.sampling import a_sample
from tests.review.conftest import Edit, Repository

pytestmark = pytest.mark.thorough
SAMPLE = 5
POOL = "components/pools/node_pool.py"
MACHINE = "        machine_type: g2-standard-8"


def config(stack: str, *changes: tuple[str, str]) -> Edit:
    return lambda repository: repository.edit(f"Pulumi.{stack}.yaml", *changes)


def program(name: str, *changes: tuple[str, str]) -> Edit:
    return lambda repository: repository.edit(name, *changes)


@dataclass(frozen=True)
class Case:
    """One commit; `verbs` are some of those expected, `dangers` all of them with their causes."""

    edit: Edit
    stack: str
    code: int
    verbs: dict[str, str] = field(default_factory=dict[str, str])
    dangers: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    status: str = "changed"


RENAMED = ('f"{name}-vpc"', 'f"{name}-main"')
ALIASED = (
    "opts=fixed_name(parent, protect=protect),",
    "opts=pulumi.ResourceOptions.merge(fixed_name(parent, protect=protect), "
    'pulumi.ResourceOptions(aliases=[pulumi.Alias(name=f"{name}-vpc")])),',
)
CASES = {
    "a label": Case(
        config("dev", ("    name: dev\n", "    name: dev\n    labels: {team: research}\n")),
        "dev",
        0,
        {"gke-cluster": "update", "gpu-pool": "update"},
    ),
    "an autoscaling bound": Case(
        config("dev", ("max: 1}", "max: 3}")), "dev", 0, {"gpu-pool": "update"}
    ),
    "a taint": Case(
        program(
            POOL,
            (
                '        config["guest_accelerators"] = [',
                '        config["taints"] = [{"key": "a", "value": "b", "effect": "NO_SCHEDULE"}]\n'
                '        config["guest_accelerators"] = [',
            ),
        ),
        "dev",
        0,
        {"gpu-pool": "update"},
    ),
    "a driver version": Case(
        config("dev", (f"{MACHINE}\n", f"{MACHINE}\n        driver_version: default\n")),
        "dev",
        3,
        {"gpu-pool": "replace"},
        {
            "gpu-pool": [
                "nodeConfig.guestAccelerators[0].gpuDriverInstallationConfig.gpuDriverVersion"
            ]
        },
    ),
    "a machine type": Case(
        config("dev", ("g2-standard-8", "g2-standard-12")), "dev", 0, {"gpu-pool": "update"}
    ),
    "a topology": Case(
        config("tpu-multislice", ("topology: 4x4", "topology: 2x4"), ("tensor: 4", "tensor: 2")),
        "tpu-multislice",
        3,
        {"v6e-16-0-pool": "replace", "v6e-16-1-pool": "replace"},
        {
            "v6e-16-0-pool": ["placementPolicy.tpuTopology"],
            "v6e-16-1-pool": ["placementPolicy.tpuTopology"],
        },
    ),
    "a Lustre tier": Case(
        config(
            "b200-lustre", ("capacity_gib: 9000", "capacity_gib: 18000"), ("tib: 1000", "tib: 500")
        ),
        "b200-lustre",
        3,
        {"lustre-instance": "replace", "volume-volume": "replace"},
        {"lustre-instance": ["perUnitStorageThroughput"]},
    ),
    "a new stack": Case(
        lambda it: _copied(it, "dev", "dev-two"), "dev-two", 0, {"gpu-pool": "create"}, status="new"
    ),
    "a removed stack": Case(
        lambda it: (it.folder / "Pulumi.dev.yaml").unlink(),
        "dev",
        3,
        {"gpu-pool": "delete", "gke-cluster": "delete"},
        {
            name: ["stack removed"]
            for name in (
                "bucket-bucket",
                "gke-cluster",
                "gpu-pool",
                "network-subnet",
                "network-vpc",
            )
        },
        status="removed",
    ),
    "a subnet range": Case(
        config("dev", ("name: dev\n", "name: dev\n    network: {subnet: 10.20.0.0/20}\n")),
        "dev",
        3,
        {"network-subnet": "replace", "gke-cluster": "replace", "gpu-pool": "replace"},
        {
            "network-subnet": ["ipCidrRange"],
            "gke-cluster": ["subnetwork"],
            "gpu-pool": ["cluster", "location"],
        },
    ),
    "a renamed resource with an alias": Case(
        program("components/network/network.py", RENAMED, ALIASED), "dev", 0, status="same"
    ),
    "a renamed resource without an alias": Case(
        program("components/network/network.py", RENAMED),
        "dev",
        3,
        {"network-vpc": "delete", "network-main": "create"},
        {
            "network-vpc": ["removed"],
            "network-subnet": ["network"],
            "gke-cluster": ["subnetwork"],
            "gpu-pool": ["cluster", "location"],
        },
    ),
    "a config that is no YAML": Case(
        config("dev", ("    name: dev\n", "    name: [dev\n")), "dev", 1, status="failed"
    ),
    "a config that is refused": Case(
        config("dev", ("location: zonal", "location: zonel")), "dev", 1, status="failed"
    ),
}


def _copied(repository: Repository, stack: str, new: str) -> None:
    source = repository.folder / f"Pulumi.{stack}.yaml"
    shutil.copyfile(source, repository.folder / f"Pulumi.{new}.yaml")
    repository.edit(f"Pulumi.{new}.yaml", ("name: dev\n", f"name: {new}\n"))


@pytest.mark.parametrize("name", a_sample(list(CASES), SAMPLE))
def test_a_commit_is_reported_as_what_the_engine_does(name: str, repository: Repository) -> None:
    case = CASES[name]
    case.edit(repository)
    repository.commit()
    done = repository.review("HEAD~1", case.stack)
    found = done.stack(case.stack)
    assert (done.code, found["status"]) == (case.code, case.status), done.log
    assert case.verbs.items() <= done.verbs(case.stack).items()
    assert done.dangers(case.stack) == case.dangers
    assert done.markdown.startswith("<!-- gke-ai-stacks-review -->\n")
    assert len(done.markdown) <= 65_536
