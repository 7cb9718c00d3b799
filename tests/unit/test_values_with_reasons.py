"""Values of stacks that have a reason which no record of them says."""

import json
from functools import cache
from typing import Any, NamedTuple

import pytest

from tests.conftest import changed, stack_config
from tests.parts.preset_samples import AUTOPILOT, CHECKED, ON_AUTOPILOT, PLACED, TEAMS
from tests.unit import goldens
from tests.unit.golden_variants import MEMBERS, PRESETS, VARIANTS

B200, MIXED, TPU = "b200-lustre", "kueue-mixed", "tpu-multislice"
VERL, VERL_AUTOPILOT = "verl-b200", "verl-b200-autopilot"
FLAVOR, THEIRS = "queues-flavor-default-flavor", "queues-cluster-queue-theirs"
SERVER, TUNING = "tgi-gemma-deployment-deployment", "finetune-gemma-l4-job"
NOT_THERE = object()
_B200_RAY, _TPU_RAY, _VERL_RAY = "ray-a4-gpu-spot", "maxtext-tpu-cluster", "b200-ray-cluster"
_HEAD = "spec.headGroupSpec.template.spec"
_WORKERS = "spec.workerGroupSpecs[0]"
_WORKER_OF_TPU = f"{_WORKERS}.template.spec.containers[ray-worker]"
_CPU_LIMIT = "metadata.annotations.gke-gcsfuse/cpu-limit"
_ALONE = {**TEAMS, "queues__cluster_queues__theirs__cohort": None}
_TOLD = {
    **TEAMS,
    "queues__cluster_queues__theirs__preemption": {"reclaim_from_cohort": "Never"},
}
_SECURE_BOOT = "nodeConfig.shieldedInstanceConfig.enableSecureBoot"
_RECLAIM = "spec.preemption.reclaimWithinCohort"
_TOLERATES = "spec.tolerations[0].key"
_SELECTOR = "spec.template.spec.nodeSelector"
_EXCLUSION = "maintenancePolicy.maintenanceExclusions[0].exclusionOptions"


class Row(NamedTuple):
    stack: str
    changes: dict[str, Any]
    resource: str
    path: str
    value: Any
    why: str


ROWS = [
    Row(B200, {}, "cpu-pool", "nodeConfig.spot", False, "Ray's head outlives spot machines"),
    *(
        Row(B200, {}, it, _SECURE_BOOT, False, "the driver of Lustre is not one of Google's own")
        for it in ("cpu-pool", "gpu-pool")
    ),
    Row(B200, {}, "gpu-pool", "placementPolicy.type", "COMPACT", "as the codelab's tool does"),
    Row(
        *(B200, {}, "gke-cluster", f"{_EXCLUSION}.scope", "NO_MINOR_OR_NODE_UPGRADES"),
        "nodes are not upgraded under a training",
    ),
    Row(
        *(B200, {}, "gke-cluster", f"{_EXCLUSION}.endTimeBehavior", "UNTIL_END_OF_SUPPORT"),
        "an exclusion without it ends under a training",
    ),
    *(
        Row(
            *(MIXED, {}, f"priorities-{it}", "preemptionPolicy", "Never"),
            # Kueue takes quota back by the value.
            "a scheduler that preempts takes the place of a pod that Kueue has just started",
        )
        for it in (
            *("default-priority-nonpreempting", "low-priority-preempting"),
            "high-priority-preempting",
        )
    ),
    *(
        Row(
            *(MIXED, {}, it, _SELECTOR, {"cloud.google.com/gke-accelerator": "nvidia-l4"}),
            "any node with these GPUs will do",
        )
        for it in (SERVER, TUNING)
    ),
    *(
        Row(
            *(MIXED, changes, FLAVOR, _TOLERATES, "nvidia.com/gpu"),
            "pods of a flavor of GPU nodes tolerate their taint, for GPUs asked for or not",
        )
        for changes in ({}, AUTOPILOT, PLACED)
    ),
    Row(MIXED, TEAMS, THEIRS, _RECLAIM, "Any", "what others borrowed comes back"),
    Row(MIXED, _TOLD, THEIRS, _RECLAIM, "Never", "its config says so"),
    Row(MIXED, _ALONE, THEIRS, _RECLAIM, "LowerPriority", "nobody is there who could borrow"),
    *(
        Row(
            *(MIXED, {**TEAMS, **MEMBERS}, "queues-local-queue-vision-default", path, value),
            "Kueue gives it work of the team that names no queue",
        )
        for path, value in (("metadata.name", "default"), ("spec.clusterQueue", "ours"))
    ),
    Row(
        *(MIXED, AUTOPILOT, "kueue-release", "values.controllerManager", NOT_THERE),
        "Kueue asks for no machine of its own where Google makes the nodes",
    ),
    *(
        Row(
            *(TPU, {"pools__v6e-16__interfaces": "own"}, f"net-{it}-internal", "sourceRanges"),
            [f"10.{4 + it}0.0.0/16"],
            "a network between slices lets in its own range alone",
        )
        for it in (1, 2)
    ),
    Row(
        *(TPU, {}, f"{_TPU_RAY}-cluster", f"{_WORKERS}.rayStartParams.metrics-export-port"),
        # It declares 8080, whatever Ray is told.
        *(NOT_THERE, "KubeRay says where the metrics of Ray are"),
    ),
    Row(
        *(TPU, {}, f"{_TPU_RAY}-cluster", f"{_WORKER_OF_TPU}.resources.limits.cpu", NOT_THERE),
        "a worker may use every core of its host",
    ),
    Row(
        *(TPU, ON_AUTOPILOT, f"{_TPU_RAY}-cluster", f"{_WORKERS}.template.{_CPU_LIMIT}", "1500m"),
        "a host writes six files of a checkpoint, and each has the CPU of one sidecar",
    ),
    *(
        Row(
            *(it, {}, f"{ray}-cluster", f"{_WORKERS}.template.{_CPU_LIMIT}", "2000m"),
            "the sidecar of a worker holds what its eight ranks save at once",
        )
        for it, ray in ((VERL, _VERL_RAY), (VERL_AUTOPILOT, _VERL_RAY))
    ),
    Row(
        *(VERL, {}, f"{_VERL_RAY}-cluster", "spec.headGroupSpec.rayStartParams.num-cpus", "0"),
        "no work goes onto Ray's head",
    ),
    Row(TPU, {}, "gke-cluster", "minMasterVersion", "1.35", "the first version that has DRANET"),
    *(
        Row(
            *(VERL, {"network": {"mtu": 1460}}, it, "mtu", mtu),
            "a smaller MTU leaves RDMA at what its driver expects",
        )
        for it, mtu in (("network-vpc", 1460), ("gvnic-1-vpc", 1460), ("rdma-vpc", 8896))
    ),
    Row(
        *(VERL, {}, "gvnic-1-internal", "sourceRanges", ["192.168.0.0/16"]),
        "the one firewall is for the whole range",
    ),
    *(
        Row(
            *(it, {}, "bucket-bucket", "hierarchicalNamespace.enabled", False),
            "real folders, which the scenario's bucket has, would stay and keep it",
        )
        for it in (VERL, VERL_AUTOPILOT)
    ),
    *(
        Row(
            *(VERL_AUTOPILOT, {}, "gke-cluster", it, NOT_THERE),
            "an Autopilot cluster is told only what it does not decide itself",
        )
        for it in ("nodeConfig", "removeDefaultNodePool", "initialNodeCount", "datapathProvider")
    ),
    Row(
        *(VERL_AUTOPILOT, {}, "nccl-daemon-set", "metadata.namespace", "rdma-system"),
        "on Autopilot it goes onto the nodes of Google's own installer",
    ),
    *(
        Row(*(TPU, {}, it, _SECURE_BOOT, True), "no kernel module has to load")
        for it in ("cpu-pool", "v6e-16-0-pool")
    ),
    *(
        Row(*(stack, {}, it, f"upgradeSettings.{path}", value), "scarce machines have no spare one")
        for stack, it in ((B200, "gpu-pool"), (TPU, "v6e-16-0-pool"))
        for path, value in (("maxSurge", 0), ("maxUnavailable", 1))
    ),
    Row(
        *(MIXED, CHECKED, "gpu-pool", "upgradeSettings", NOT_THERE),
        "how machines on request are upgraded is left to GKE",
    ),
    Row(
        *(MIXED, CHECKED, "gpu-pool", "management.autoRepair", False),
        "GKE does not take it for machines on request",
    ),
    Row(
        *(TPU, {}, "v6e-16-0-pool", "nodeConfig.taints", NOT_THERE),
        "GKE taints nodes with TPUs itself",
    ),
    *(
        Row(
            *(B200, {}, "gke-cluster", f"rbacBindingConfig.enableInsecureBinding{it}", False),
            "nobody is bound to a role by a group that everybody is in",
        )
        for it in ("SystemAuthenticated", "SystemUnauthenticated")
    ),
    *(
        Row(
            *(B200, {}, "gke-cluster", it, NOT_THERE),
            # Even a false.
            "it conflicts with what only Standard clusters have",
        )
        for it in ("enableAutopilot", "clusterAutoscaling")
    ),
    *(
        Row(
            *(B200, {}, "network-nat", it, value),
            "a node gets more ports when it opens many connections, which the other excludes",
        )
        for it, value in (
            ("enableDynamicPortAllocation", True),
            ("enableEndpointIndependentMapping", False),
        )
    ),
    *(
        Row(
            *(stack, {}, it, "spec.persistentVolumeReclaimPolicy", "Retain"),
            "a volume that goes takes no data along",
        )
        for stack, it in ((B200, "volume-volume"), (VERL, "bucket-volume-volume"))
    ),
    *(
        Row(*(stack, {}, it, path, value), "volume and claim are made anew, the old ones first")
        for stack, name in ((B200, "volume"), (VERL, "bucket-volume"))
        for it in (f"{name}-volume", f"{name}-claim")
        for path, value in (("(replace_on_changes)", ["spec"]), ("(delete_before_replace)", True))
    ),
    Row(
        *(B200, {}, "apis-compute", "disableOnDestroy", False),
        "what else is in the project uses it, too",
    ),
    Row(
        *(MIXED, {}, "finetune-gemma-l4-service", "spec.publishNotReadyAddresses", True),
        "pods find each other before they are ready",
    ),
    Row(
        *(B200, {}, f"{_B200_RAY}-cluster", f"{_HEAD}.volumes[launcher].configMap.optional", True),
        "a cluster without a job has no launcher",
    ),
    *(
        Row(
            *(MIXED, {}, it, f"spec.template.spec.containers[{name}].securityContext"),
            {"allowPrivilegeEscalation": False, "capabilities.drop": ["NET_RAW"]},
            "without RDMA it sends no raw packets, and gets no more privileges than it starts with",
        )
        for it, name in ((SERVER, "inference-server"), (TUNING, "fine-tune"))
    ),
]


def _built(stack: str, changes: dict[str, Any]) -> dict[str, Any]:
    """Of a stack that is recorded what its own test has made, too."""
    if stack in PRESETS and not changes:
        return goldens.record_of_preset(stack)
    for name, it in VARIANTS.items():
        if (it.stack, it.changes) == (stack, changes):
            return goldens.record_of_variant(name)
    return _built_for_a_row(stack, json.dumps(changes))


@cache
def _built_for_a_row(stack: str, changes: str) -> dict[str, Any]:
    secrets = PRESETS.get(stack, frozenset())
    config = changed(stack_config(stack), **json.loads(changes))
    return goldens.record_of(config, None, stack=stack, secrets_set=secrets)


def _found(block: dict[str, Any], path: str) -> Any:
    """A block where the path ends at one."""
    leaves = goldens.leaves_by_name({"it": block})["it"]
    inner = {it[len(path) + 1 :]: leaves[it] for it in leaves if it.startswith(f"{path}.")}
    return inner or leaves.get(path, NOT_THERE)


@pytest.mark.parametrize(
    "number", range(len(ROWS)), ids=lambda at: f"{ROWS[at].resource} {ROWS[at].path}"
)
def test_a_value_is_what_its_reason_asks_for(number: int) -> None:
    row = ROWS[number]
    block = _built(row.stack, row.changes)[row.resource]
    assert _found(block, row.path) == row.value, row.why
    around = row.path.rpartition(".")[0]
    assert not around or _found(block, around) is not NOT_THERE
