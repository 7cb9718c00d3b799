"""Queues of a combination, and what waits in them."""

from typing import Any

from tests.parts.drawing import Draw, Drawn, maybe, one_of


def queues(drawn: Drawn) -> dict[str, Any]:
    draw, raw = drawn.draw, drawn.raw
    pools = [it for it in raw["pools"] if it.startswith("gpu")] or list(raw["pools"])
    used = pools if maybe(draw, 2) else pools[:1]
    flavors: dict[str, Any] = {f"of-{it}": {"pool": it} for it in used}
    cpu = [it for it in raw["pools"] if it in ("cpu", "system")]
    if not drawn.autopilot:
        flavors["of-cpu"] = {"pool": cpu[0] if cpu else "cpu"}
    queues: dict[str, Any] = {"flavors": flavors, "cluster_queues": {"shared": {}}}
    queues["local_queues"] = [{"name": "door", "cluster_queue": "shared"}]
    if maybe(draw, 3):
        queues["cluster_queues"] = {it: {"cohort": "everyone"} for it in ("shared", "spare")}
    if maybe(draw, 3):
        queues["namespaces"] = ["team-b"]
        queues["local_queues"].append(
            {"name": "door", "cluster_queue": "shared", "namespace": "team-b"}
        )
    _priorities(draw, queues)
    if maybe(draw, 3):
        queues["workload_priorities"] = [{"name": "soon", "value": 5}]
    fixed = [it for it in used if "autoscaling" not in raw["pools"][it]]
    if fixed and not drawn.autopilot and maybe(draw, 4):
        queues["topologies"] = {"nodes": {}}
        for it in fixed:
            flavors[f"of-{it}"]["topology"] = "nodes"
    _checks(drawn, queues, used)
    return queues


def _priorities(draw: Draw, queues: dict[str, Any]) -> None:
    if maybe(draw, 2):
        queues["priorities"] = [
            {"name": "low", "value": 10, "preempts": False, "default": True},
            {"name": "high", "value": 30},
        ]


def _checks(drawn: Drawn, queues: dict[str, Any], used: list[str]) -> None:
    modes = [drawn.raw["pools"][it].get("capacity", {}).get("mode") for it in used]
    if "queued" in modes and maybe(drawn.draw, 2):
        queues["admission_checks"] = {"machines": {"retries": 2}}
        for one in queues["cluster_queues"].values():
            one["admission_checks"] = ["machines"]


def into_queues(drawn: Drawn) -> None:
    """Workloads wait in the queue, or have a class, some of the time."""
    draw, raw = drawn.draw, drawn.raw
    for cluster in raw["ray"].values():
        on_gpus = all(
            it.startswith("gpu") for group in cluster["workers"].values() for it in group["pools"]
        )
        if on_gpus and maybe(draw, 2):
            cluster["queue"] = "door"
    tuning = raw["jobs"].get("tuning")
    for one in (*raw["servers"].values(), *([tuning] if tuning else [])):
        if maybe(draw, 2):
            one["queue"] = "door"
        if "priorities" in raw["queues"] and maybe(draw, 2):
            one["priority"] = one_of(draw, ("low", "high"))
        if "workload_priorities" in raw["queues"] and "queue" in one and maybe(draw, 2):
            one["workload_priority"] = "soon"
