"""Stacks that stand on parts which exist already (those of tests/stacks/on_existing.py), and what
a program is told of them."""

from collections.abc import Iterable
from copy import deepcopy
from pathlib import Path
from typing import Any

from pulumi.runtime import mocks

from catalog import Catalog
from sandbox.cloud.reservations import ExistingResource
from sandbox.cloud_store import cloud_at
from sandbox.existing import add_existing
from stacks.config import validate
from tests.conftest import Answers, Recording
from tests.parts.samples import BARE
from tests.programs import WITH_TOKEN, registered
from tests.stacks.on_existing import EXISTING, HOST, REGION, ZONE, P
from tests.unit.existing_parts import answer_of

PLATFORM = "organization/gke-ai-stacks/platform"
NETWORK: dict[str, Any] = {
    "network": "shared",
    "subnetwork": "nodes",
    "pods_range": "gke-pods",
    "services_range": "gke-services",
    "project": HOST,
}
STORAGE: dict[str, Any] = {
    "lustre": {"existing": "fast"},
    "buckets": {"data": {"existing": "platform-data", "hierarchical_namespace": False}},
}
_SMALL = {"cpu": 1, "memory_gib": 4, "ephemeral_storage_gib": 20}
_WORK: dict[str, Any] = {
    "project": P,
    "region": REGION,
    "zone": ZONE,
    "deletion_protection": False,
    "pools": {
        "cpu": {"machine_type": "e2-standard-8", "nodes": 1},
        "gpu": {"machine_type": "g2-standard-24", "nodes": 1},
    },
    "ray": {"work": {"head": {"requests": _SMALL}, "workers": {"gpu": {"requests": _SMALL}}}},
}
# A cluster of its own on somebody's network.
ON_NETWORK: dict[str, Any] = {
    **_WORK,
    "name": "on-network",
    "network": {"existing": NETWORK, "control_plane": "10.10.5.0/28"},
    **STORAGE,
}
# Pools in somebody's cluster, which has no Ray operator of GKE's.
IN_CLUSTER: dict[str, Any] = {
    **_WORK,
    "name": "in-cluster",
    "cluster": {
        "existing": {"name": "platform", "location": REGION},
        "ray_operator": "helm",
    },
    **STORAGE,
}
# The same, with what its owner has installed told by the owner's stack.
ON_PLATFORM: dict[str, Any] = {
    **IN_CLUSTER,
    "name": "on-platform",
    "cluster": {"stack": PLATFORM, "ray_operator": "helm"},
    "queues": {
        "flavors": {"l4": {}, "cpu": {"pool": "cpu"}},
        "cluster_queues": {"gpus": {}},
        "local_queues": [{"name": "lq", "cluster_queue": "gpus"}],
    },
}
# Somebody's cluster on Autopilot.
ON_THEIRS: dict[str, Any] = {
    **BARE,
    "cluster": {"mode": "autopilot", "existing": IN_CLUSTER["cluster"]["existing"]},
    "servers": {"chat": {"model": "google/gemma-2-9b-it", "gpus": 2, "engine": "vllm"}},
}
PLATFORM_OUTPUTS: dict[str, Any] = {
    "project": P,
    "cluster_name": "platform",
    "cluster_location": REGION,
    "operators": ["jobset", "kuberay", "kueue"],
}
PARTS = {one["type"] for one in EXISTING}


class Simulated(Answers):
    """The provider's functions answer of a simulated project with `existing` in it, and the engine
    of a platform with the outputs."""

    def __init__(
        self,
        folder: Path,
        existing: Iterable[dict[str, Any]] = EXISTING,
        outputs: dict[str, Any] = PLATFORM_OUTPUTS,  # type: ignore[assignment]
    ) -> None:
        self.cloud = cloud_at(folder / "cloud.json", Catalog.load())
        self.outputs = outputs
        add_existing(self.cloud, [ExistingResource.model_validate(it) for it in existing])

    def call(self, args: mocks.MockCallArgs) -> Any:
        if args.token == "pulumi:pulumi:readStackOutputs":
            name = args.args["name"]
            return {"name": name, "outputs": self.outputs, "secretOutputNames": []}
        return answer_of(self.cloud, args, {"project": P, "region": REGION, "zone": ZONE})


def built(config: dict[str, Any], answers: Simulated) -> Recording:
    """Raises pulumi.RunError where the parts are not there or do not fit."""
    plan = validate(config, secrets_set=WITH_TOKEN)
    return registered(plan, stack=config["name"], answers=answers)


def parts(token: str, **inputs: Any) -> list[dict[str, Any]]:
    """The parts, one of them with other inputs."""
    return [
        {**one, "inputs": {**one["inputs"], **inputs}} if one["type"] == f"gcp:{token}" else one
        for one in deepcopy(EXISTING)
    ]
