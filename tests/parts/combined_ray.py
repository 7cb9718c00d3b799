"""RayClusters of a combination with their jobs, and what runs on the pools that they leave."""

from typing import Any

from tests.parts.combined_workloads import fine_tuning, job_on, server
from tests.parts.drawing import Drawn, maybe, one_of


def workloads(drawn: Drawn) -> None:
    """RayClusters on pools of their own, with their jobs; servers and fine-tunings on others, and
    sometimes beside them."""
    draw, raw = drawn.draw, drawn.raw
    free = [it for it in raw["pools"] if it.startswith(("gpu", "tpu"))]
    raw["ray"], raw["jobs"], raw["servers"] = {}, {}, {}
    for name in ("first", "second")[: one_of(draw, (0, 1, 1, 2))]:
        if free:
            _ray_cluster(drawn, name, free)
    gpus = [it for it in raw["pools"] if it.startswith("gpu")]
    places = [it for it in free if it in gpus]
    for name in ("chat", "code")[: one_of(draw, (0, 0, 1, 1, 2))]:
        if places:
            raw["servers"][name] = server(drawn, one_of(draw, places))
    places = [it for it in places if not drawn.facts.machine(drawn.pool(it)).additional_interfaces]
    if places and raw["buckets"] and maybe(draw, 3):
        raw["jobs"]["tuning"] = fine_tuning(drawn, one_of(draw, places))
        drawn.queued = True


def _ray_cluster(drawn: Drawn, name: str, free: list[str]) -> None:
    draw, raw = drawn.draw, drawn.raw
    pool = one_of(draw, free)
    alike = [it for it in free if raw["pools"][it] == raw["pools"][pool]]
    pools = alike if maybe(draw, 2) else [pool]
    groups = {"main": pools}
    others = [it for it in free if it not in pools and it.startswith("gpu")]
    if pool.startswith("gpu") and others and maybe(draw, 4):
        groups["more"] = [one_of(draw, others)]
    for used in groups.values():
        for one in used:
            free.remove(one)
    cluster: dict[str, Any] = {
        "head": {"requests": {"cpu": 1, "memory_gib": 4, "ephemeral_storage_gib": 10}},
        "workers": {group: _workers(drawn, used) for group, used in groups.items()},
    }
    modes = [raw["pools"][one]["capacity"]["mode"] for used in groups.values() for one in used]
    if pool.startswith("gpu") and "queued" not in modes and maybe(draw, 3):
        cluster["autoscaling"] = {"idle_seconds": 120}
    everything = [*(["lustre"] if "lustre" in raw else []), *raw["buckets"]]
    if everything and maybe(draw, 3):
        cluster["mounts"] = everything[:1]
    rdma = drawn.facts.machine(drawn.pool(pool)).rdma_nics
    if rdma and raw["pools"][pool].get("nodes", 0) > 1 and maybe(draw, 3):
        cluster["nccl_test"] = {"minimum_bus_bandwidth_gbps": 100}
    raw["ray"][name] = cluster
    if everything and len(groups) == 1 and maybe(draw, 1):
        job = job_on(drawn, name, pools)
        if job is not None:
            raw["jobs"][f"{name}-job"] = job
            if job["type"] not in ("nemo-rl", "verl"):
                cluster.pop("nccl_test", None)


def _workers(drawn: Drawn, pools: list[str]) -> dict[str, Any]:
    """Half of a node."""
    # TPU pools have one thread of each core by default.
    threads = 1 if pools[0].startswith("tpu") and not drawn.autopilot else 2
    has = drawn.facts.allocatable(drawn.pool(pools[0]), threads_per_core=threads)
    cpu, memory = has.cpu_millicores // 2000, has.memory_mib // 2048
    requests = {"cpu": max(1, cpu), "memory_gib": memory, "ephemeral_storage_gib": 20}
    found: dict[str, Any] = {"requests": requests, "pools": pools}
    if maybe(drawn.draw, 4):
        found["limits"] = {**requests, "memory_gib": memory + 1}
    return found
