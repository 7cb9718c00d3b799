"""Pools of a combination, in a zone that has their machines."""

from typing import Any

from catalog import Catalog, MachineType
from tests.parts.drawing import Draw, Drawn, maybe, one_of

_FACTS = Catalog.load()
_GPUS = (
    *("g2-standard-8", "g2-standard-24", "g2-standard-48"),
    *("a3-highgpu-8g", "a3-megagpu-8g", "a3-ultragpu-8g", "a4-highgpu-8g"),
)
# Work over several of them is refused.
_ALONE = ("a3-highgpu-8g", "a3-megagpu-8g")
_TPUS = (
    *("ct6e-standard-4t", "ct6e-standard-1t", "ct6e-standard-8t"),
    *("ct5lp-hightpu-4t", "ct5lp-hightpu-1t", "ct5p-hightpu-4t"),
)
_CPUS = ("e2-standard-8", "e2-standard-16", "n2-standard-16", "c2-standard-16", "n1-standard-16")
_TOPOLOGIES = ("1x1", "2x2", "2x4", "4x4", "2x2x1", "2x2x2")
_AUTOPILOT_MODES = ("on-demand", "spot", "reservation")


def place(draw: Draw) -> Drawn:
    """A zone that has the first machine."""
    autopilot = maybe(draw, 4)
    machine = one_of(draw, (*_GPUS, *_TPUS))
    zones = _FACTS.zones_offering(machine)
    with_lustre = [it for it in zones if _FACTS.zones[it].lustre]
    zone = one_of(draw, with_lustre if with_lustre and maybe(draw, 2) else zones)
    raw: dict[str, Any] = {
        "name": "combined",
        "project": "my-project",
        "region": _FACTS.region_of(zone),
        "zone": zone,
        "deletion_protection": maybe(draw, 2),
        "pools": {},
    }
    if maybe(draw, 3):
        raw["namespace"] = "team-a"
    if maybe(draw, 4):
        raw["labels"] = {"purpose": "demo"}
    if maybe(draw, 4):
        raw["service_account"] = "reader"
    if maybe(draw, 4):
        raw["monitoring"] = {"dashboard": False}
    return Drawn(draw, raw, _FACTS, autopilot, machine)


def pools(drawn: Drawn) -> None:
    draw, zone = drawn.draw, drawn.raw["zone"]
    here = [it for it in (*_GPUS, *_TPUS) if _FACTS.offers(zone, it)]
    more = [one_of(draw, here) for _ in range(one_of(draw, (0, 0, 1, 1, 2)))]
    pools: dict[str, Any] = drawn.raw["pools"]
    if not drawn.autopilot and maybe(draw, 2):
        pools[one_of(draw, ("cpu", "system"))] = _cpu_pool(draw, zone)
    for number, name in enumerate((drawn.first, *more)):
        machine = _FACTS.machine(name)
        tpu = machine.accelerator is not None and machine.accelerator.kind == "tpu"
        key = f"{'tpu' if tpu else 'gpu'}{'' if number == 0 else number}"
        pools[key] = (_tpu_pool if tpu else _gpu_pool)(drawn, machine)
    _one_driver(pools)


def _one_driver(pools: dict[str, Any]) -> None:
    """Network objects may have interfaces of GPUs, beside which pods claim none."""
    machines = {key: _FACTS.machine(it["machine_type"]) for key, it in pools.items()}
    if any(it.nccl or it.family == "a3" for it in machines.values()):
        for key, machine in machines.items():
            if key.startswith("tpu") and machine.additional_interfaces:
                pools[key]["interfaces"] = "none"


def _cpu_pool(draw: Draw, zone: str) -> dict[str, Any]:
    here = [it for it in _CPUS if _FACTS.offers(zone, it)]
    pool: dict[str, Any] = {"machine_type": one_of(draw, here), "nodes": one_of(draw, (1, 2, 3))}
    pool["disk"] = {"size_gb": 200}
    if maybe(draw, 3):
        pool["autoscaling"] = {"min": 1, "max": 5}
    return pool | _around(draw)


def _around(draw: Draw) -> dict[str, Any]:
    """What a pool of any machines may have in a Standard cluster."""
    found: dict[str, Any] = {}
    if maybe(draw, 5):
        found["labels"] = {"team": "a"}
    if maybe(draw, 5):
        found["taints"] = [{"key": "team", "value": "a", "effect": "NoSchedule"}]
    if maybe(draw, 5):
        found["max_pods_per_node"] = one_of(draw, (32, 64))
    return found


def _capacity(draw: Draw, machine: str, modes: tuple[str, ...]) -> dict[str, Any]:
    mode = one_of(draw, modes)
    if mode == "reservation":
        return {"mode": mode, "name": f"bought-{machine}"}
    if mode in ("flex-start", "queued") and maybe(draw, 2):
        return {"mode": mode, "max_run_hours": 24}
    return {"mode": mode}


def _gpu_pool(drawn: Drawn, machine: MachineType) -> dict[str, Any]:
    draw = drawn.draw
    pool: dict[str, Any] = {"machine_type": machine.name, "nodes": one_of(draw, (1, 2, 4))}
    if machine.name in _ALONE:
        pool["nodes"] = 1
    modes = machine.capacity_modes
    if drawn.autopilot:
        pool["capacity"] = _capacity(
            draw, machine.name, tuple(it for it in _AUTOPILOT_MODES if it in modes)
        )
        return pool
    pool["capacity"] = _capacity(draw, machine.name, modes)
    mode = pool["capacity"]["mode"]
    if mode in ("flex-start", "queued"):
        pool["autoscaling"] = {"min": 0, "max": pool["nodes"]}
    elif maybe(draw, 3):
        more = 0 if machine.name in _ALONE else 1
        pool["autoscaling"] = {"min": one_of(draw, (0, 1)), "max": pool["nodes"] + more}
    compact = machine.compact_placement and mode not in machine.not_compact_on
    if compact and mode in ("on-demand", "spot") and maybe(draw, 3):
        pool["compact_placement"] = True
    if mode not in ("flex-start", "queued") and maybe(draw, 4):
        pool["when"] = "just-in-time"
    if maybe(draw, 4):
        pool["driver_version"] = "default"
    pool["disk"] = {"size_gb": one_of(draw, (200, 300))}
    return pool | _around(draw)


def _tpu_pool(drawn: Drawn, machine: MachineType) -> dict[str, Any]:
    draw = drawn.draw
    known = [it for it in _FACTS.topologies(machine.name) if it in _TOPOLOGIES]
    if drawn.autopilot:
        modes = tuple(
            it for it in machine.capacity_modes if it not in ("queued", "any-reservation")
        )
        around: dict[str, Any] = {}
    else:
        modes = tuple(it for it in machine.capacity_modes if it != "queued")
        around = _around(draw)
    return {
        "machine_type": machine.name,
        "topology": one_of(draw, known),
        "slices": one_of(draw, (1, 2, 2, [1], [0, 2])),
        "capacity": _capacity(draw, machine.name, modes),
        **around,
    }
