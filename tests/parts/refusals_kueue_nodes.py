"""Mistakes in checks before a workload starts and in where nodes stand, one a line."""

from tests.parts.preset_samples import AUTOPILOT, CHECKED, MIXED, PLACED
from tests.parts.refusals import Refused

_CHECKS = "queues__cluster_queues__cluster-queue__admission_checks"
_CHECKS_FIELD = "queues.cluster_queues.cluster-queue.admission_checks"
_TOPOLOGY_FIELD = "queues.flavors.default-flavor.topology"

KUEUE_NODES = [
    Refused(
        MIXED,
        {**CHECKED, _CHECKS: ["dsw"]},
        f"{_CHECKS_FIELD}[0]",
        '"dsw" is not in queues.admission_checks; nearest: dws',
    ),
    Refused(
        MIXED,
        {_CHECKS: ["dws"]},
        f"{_CHECKS_FIELD}[0]",
        '"dws" is not in queues.admission_checks; nearest: leave it out, or add that key there',
    ),
    Refused(
        MIXED,
        {_CHECKS: ["dws"], "queues__admission_checks": {"dws": {}}},
        _CHECKS_FIELD,
        "cluster-queue gives out no queued machines, which alone come by a "
        "request; nearest: leave it out, or capacity mode queued",
    ),
    Refused(
        MIXED,
        {**CHECKED, _CHECKS: ["dws", "other"]},
        _CHECKS_FIELD,
        "each of them would ask for all machines of a workload; nearest: [dws]",
    ),
    Refused(
        MIXED,
        {"queues__admission_checks": {"dws": {}}},
        "queues.admission_checks.dws",
        "no cluster queue has it; nearest: leave it out, or name it in one's admission_checks",
    ),
    Refused(
        MIXED,
        {**PLACED, "queues__flavors__default-flavor__topology": "node"},
        _TOPOLOGY_FIELD,
        '"node" is not in queues.topologies; nearest: nodes',
    ),
    Refused(
        MIXED,
        {"queues__flavors__default-flavor__topology": "node"},
        _TOPOLOGY_FIELD,
        '"node" is not in queues.topologies; nearest: leave it out, or add that key there',
    ),
    Refused(
        MIXED,
        {
            **PLACED,
            "queues__topologies__nodes__levels": [
                "kubernetes.io/hostname",
                "cloud.google.com/gce-topology-block",
            ],
        },
        "queues.topologies.nodes.levels",
        "levels go from the widest to the narrowest, each of them once; nearest: "
        "[cloud.google.com/gce-topology-block, kubernetes.io/hostname]",
    ),
    Refused(
        MIXED,
        {
            **PLACED,
            "queues__topologies__nodes__levels": [
                "kubernetes.io/hostname",
                "kubernetes.io/hostname",
            ],
        },
        "queues.topologies.nodes.levels[1]",
        "kubernetes.io/hostname is there twice; nearest: leave it out",
    ),
    Refused(
        MIXED,
        {
            **PLACED,
            "queues__topologies__nodes__levels": [
                "cloud.google.com/gce-topology-block",
                "kubernetes.io/hostname",
            ],
        },
        _TOPOLOGY_FIELD,
        "g2-standard-24 has cloud.google.com/gce-topology-block only where it is "
        "placed compactly; nearest: a topology of kubernetes.io/hostname alone",
    ),
    Refused(
        MIXED,
        {**PLACED, "pools__gpu__capacity": {"mode": "flex-start"}},
        "queues.flavors.default-flavor.topology",
        "the pool has 0 to 3; nearest: leave it out, or pools.gpu.capacity.mode on-demand or spot",
    ),
    Refused(
        MIXED,
        {**PLACED, "pools__gpu__autoscaling": {"min": 1, "max": 3}},
        _TOPOLOGY_FIELD,
        "Kueue looks for room on nodes that are there, and the pool has 1 to 3; "
        "nearest: leave it out, or a pool without autoscaling",
    ),
    Refused(
        MIXED,
        {
            **PLACED,
            "queues__flavors__more__pool": "more",
            "pools__more": {"machine_type": "g2-standard-24", "nodes": 1},
        },
        "queues.cluster_queues.cluster-queue.flavors",
        "of its flavors more is without a topology, and what does not ask for one "
        "would never get the others; nearest: a topology for each, or for none",
    ),
    Refused(
        MIXED,
        {**AUTOPILOT, **PLACED},
        _TOPOLOGY_FIELD,
        "Autopilot makes nodes for pods that wait for none yet; nearest: leave it out",
    ),
]
