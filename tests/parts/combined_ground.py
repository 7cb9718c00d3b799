"""What the pools of a combination stand on: network, cluster, storage."""

from typing import Any

from tests.parts.drawing import Draw, Drawn, maybe, one_of


def network(drawn: Drawn) -> dict[str, Any]:
    draw, found = drawn.draw, dict[str, Any]()
    if maybe(draw, 4):
        found |= {"subnet": "172.24.0.0/20", "pods": "172.20.0.0/16", "mtu": 1460}
    if maybe(draw, 4):
        found |= {"peering": "10.20.0.0/23", "peering_on_destroy": "abandon"}
    if maybe(draw, 4):
        found["accelerators"] = {"range": "192.168.0.0/17", "prefix_length": 25}
    tpus = drawn.tpus()
    if tpus and not drawn.autopilot:
        fewest = min(len(it.additional_interfaces) for it in tpus)
        names = ("net-1", "net-2")[: one_of(draw, range(min(2, fewest) + 1))]
        found["dcn"] = [
            {"name": name, "range": f"10.{50 + place}.0.0/16"} for place, name in enumerate(names)
        ]
    return {"network": found} if found else {}


def cluster(drawn: Drawn) -> dict[str, Any]:
    draw = drawn.draw
    found: dict[str, Any] = {"mode": "autopilot"} if drawn.autopilot else {}
    if not drawn.autopilot and maybe(draw, 2):
        found["location"] = "zonal"
    if maybe(draw, 2):
        found["release_channel"] = one_of(draw, ("RAPID", "REGULAR", "STABLE"))
    if not drawn.tpus() and maybe(draw, 4):
        found["ray_operator"] = "helm"
    if maybe(draw, 5):
        found["endpoint"] = one_of(draw, ("public", "private", "dns"))
    if found.get("endpoint") != "dns" and maybe(draw, 5):
        found["authorized_networks"] = [{"name": "office", "cidr": "203.0.113.0/24"}]
    if maybe(draw, 5):
        found["maintenance"] = {"start": "2026-01-03T02:00:00Z", "end": "2026-01-03T08:00:00Z"}
    return {"cluster": found} if found else {}


def lustre(drawn: Drawn) -> dict[str, Any]:
    sizes = ((9000, 1000), (18000, 500), (36000, 250))
    capacity, speed = one_of(drawn.draw, sizes)
    return {"name": "fast", "capacity_gib": capacity, "throughput_mbps_per_tib": speed}


def redis(drawn: Drawn) -> None:
    """The head of a RayCluster outside of queues keeps its state."""
    draw, free = drawn.draw, [it for it in drawn.raw["ray"].values() if "queue" not in it]
    if free and not drawn.autopilot and maybe(draw, 2):
        one_of(draw, free)["head"]["redis"] = True
        tier = one_of(draw, ("BASIC", "STANDARD_HA"))
        drawn.raw["redis"] = {"tier": tier, "memory_gib": one_of(draw, (1, 5))}


def bucket(draw: Draw, key: str) -> dict[str, Any]:
    found: dict[str, Any] = {"mount_path": f"/{key}"}
    if maybe(draw, 2):
        found |= {"hierarchical_namespace": False, "force_destroy": True}
    if maybe(draw, 4):
        found["claim_gib"] = 100
    if maybe(draw, 4):
        found["mount"] = {"uid": 1000, "gid": 100, "log_severity": "warning"}
    if maybe(draw, 4):
        found["role"] = "objectAdmin"
    if maybe(draw, 4):
        found["lifecycle"] = [{"action": "delete", "age_days": 30, "prefixes": ["old/"]}]
    return found
