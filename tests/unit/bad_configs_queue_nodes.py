"""Mistakes in kueue-mixed about checks before a workload starts and where nodes stand, one a line,
and how the message about each ends."""

from tests.unit.bad_configs_queues import Bad
from tests.unit.config_keys_queues import AUTOPILOT, CHECKED, PLACED

_L4S = {"machine_type": "g2-standard-24", "nodes": 1}
_HOSTNAME = "kubernetes.io/hostname"
_BLOCK = "cloud.google.com/gce-topology-block"
_CHECKS = "kueue__cluster_queues__cluster-queue__admission_checks"
_TOPOLOGY = "kueue__flavors__default-flavor__topology"
_FIELD = "stack.kueue.flavors.default-flavor.topology"
# Checks before a workload starts, and where nodes stand.
BAD_QUEUE_NODES: Bad = [
    (
        {**CHECKED, _CHECKS: ["dsw"]},
        "stack.kueue.cluster_queues.cluster-queue.admission_checks[0]",
        '"dsw" is not in kueue.admission_checks; nearest: dws',
    ),
    (
        {_CHECKS: ["dws"]},
        "stack.kueue.cluster_queues.cluster-queue.admission_checks[0]",
        '"dws" is not in kueue.admission_checks; nearest: leave it out, or add that key there',
    ),
    (
        {_CHECKS: ["dws"], "kueue__admission_checks": {"dws": {}}},
        "stack.kueue.cluster_queues.cluster-queue.admission_checks",
        "cluster-queue gives out no queued machines, which alone come by a request; "
        "nearest: leave it out, or capacity mode queued",
    ),
    (
        {**CHECKED, _CHECKS: ["dws", "other"]},
        "stack.kueue.cluster_queues.cluster-queue.admission_checks",
        "each of them would ask for all machines of a workload; nearest: [dws]",
    ),
    (
        {"kueue__admission_checks": {"dws": {"retries": 337}}},
        "stack.kueue.admission_checks.dws.retries",
        "337 is more than a week has time for; nearest: 336",
    ),
    (
        {"kueue__admission_checks": {"dws": {}}},
        "stack.kueue.admission_checks.dws",
        "no cluster queue has it; nearest: leave it out, or name it in one's admission_checks",
    ),
    (
        {**CHECKED, "kueue__cluster_queues__second__admission_checks": []},
        "stack.gpu_pool.capacity.mode",
        "nearest: flex-start, or one of kueue.admission_checks in each of its queues",
    ),
    (
        {**PLACED, _TOPOLOGY: "node"},
        _FIELD,
        '"node" is not in kueue.topologies; nearest: nodes',
    ),
    (
        {_TOPOLOGY: "node"},
        _FIELD,
        '"node" is not in kueue.topologies; nearest: leave it out, or add that key there',
    ),
    (
        {**PLACED, "kueue__topologies__nodes__levels": [_HOSTNAME, _BLOCK]},
        "stack.kueue.topologies.nodes.levels",
        "levels go from the widest to the narrowest, each of them once; "
        f"nearest: {_BLOCK}, {_HOSTNAME}",
    ),
    (
        {**PLACED, "kueue__topologies__nodes__levels": [_HOSTNAME, _HOSTNAME]},
        "stack.kueue.topologies.nodes.levels",
        f"nearest: {_HOSTNAME}",
    ),
    (
        {**PLACED, "kueue__topologies__nodes__levels": [_BLOCK, _HOSTNAME]},
        _FIELD,
        f"g2-standard-24 has {_BLOCK} only where it is placed compactly; "
        f"nearest: a topology of {_HOSTNAME} alone",
    ),
    (
        {**PLACED, "gpu_pool__autoscaling": {"min": 1, "max": 3}},
        _FIELD,
        "Kueue looks for room on nodes that are there, and the pool has 1 to 3; "
        "nearest: leave it out, or a pool without autoscaling",
    ),
    (
        {
            **PLACED,
            "extra_gpu_pools": {"more": _L4S},
            "kueue__flavors__more__pool": "extra_gpu_pools.more",
        },
        "stack.kueue.cluster_queues.cluster-queue.flavors",
        "of its flavors more is without a topology, and what does not ask for one would never get "
        "the others; nearest: a topology for each, or for none",
    ),
    (
        {**AUTOPILOT, **PLACED},
        _FIELD,
        "Autopilot makes nodes for pods that wait for none yet; nearest: leave it out",
    ),
]
