"""Mistakes in the Autopilot stack's config, one a line, and how the message about each ends."""

from typing import Any

_POOL = {"machine_type": "a4-highgpu-8g", "nodes": 2, "capacity": {"mode": "spot"}}

# (what is set in verl-b200-autopilot, by path; the field that is named; the end of the message)
BAD_AUTOPILOT: list[tuple[dict[str, Any], str, str]] = [
    (
        {"gpu_pool": _POOL},
        "stack.gpu_pool",
        "nearest: gpu_nodes with machine_type, nodes and capacity",
    ),
    ({"cpu_pool": {}}, "stack.cpu_pool", "from what pods ask for; nearest: leave it out"),
    (
        {"extra_gpu_pools": {"more": _POOL}},
        "stack.extra_gpu_pools",
        "nearest: more nodes in gpu_nodes",
    ),
    (
        {"cluster": {"mode": "autopilot", "location": "zonal"}},
        "stack.cluster.location",
        "always regional; nearest: regional",
    ),
    ({"cluster": {"mode": "autopilot", "verson": "1"}}, "stack.cluster.verson", "nearest: version"),
    ({"gpu_nodes": None}, "stack.gpu_nodes", "it needs a block with machine_type, nodes"),
    (
        {"gpu_nodes__autoscaling": {"min": 0, "max": 2}},
        "stack.gpu_nodes.autoscaling",
        "there is no such key; nearest: capacity",
    ),
    *(
        (
            {"gpu_nodes__capacity": {"mode": mode}},
            "stack.gpu_nodes.capacity.mode",
            f"nearest: {near}",
        )
        for mode, near in (
            ("flex-start", "spot, reservation"),
            ("queued", "spot, reservation"),
            ("any-reservation", "spot, reservation"),
            ("on-demand", "spot, reservation"),
        )
    ),
    ({"zone": "us-central1-f"}, "stack.gpu_nodes.machine_type", 'under "catalog.zones"'),
    (
        {"cluster": {"mode": "autopilot", "version": "1.30.1-gke.1000000"}},
        "stack.cluster.version",
        "is older than multi_network_autopilot needs; nearest: 1.32.2-gke.1475000",
    ),
    (
        {"ray__head__requests__cpu": 30},
        "stack.ray.head.requests.cpu",
        "more than a node of c2-standard-30 leaves to pods; nearest: 29",
    ),
    (
        {"nccl_test": {}, "gpu_nodes__nodes": 1},
        "stack.nccl_test",
        "there is one; nearest: nodes 2",
    ),
]
