"""Presets that are recorded whole, and stacks near them that are recorded by what differs."""

from typing import Any, NamedTuple

from tests.conftest import changed, stack_config
from tests.parts.claim_samples import CLAIMED
from tests.parts.machine_samples import FALCON, IRONWOOD
from tests.parts.preset_samples import AUTOPILOT, CHECKED, ON_AUTOPILOT, PLACED, TEAMS
from tests.programs import WITH_TOKEN
from tests.unit.team_stack import LAB

_B200, _MIXED, _TPU, _VERL = "b200-lustre", "kueue-mixed", "tpu-multislice", "verl-b200-autopilot"
_SLICES = "pools__v6e-16"
_OWN_SLICES = {f"{_SLICES}__interfaces": "own"}
_SIDECAR = "buckets__bucket__mount__sidecar"
_TPU_WORKERS = "ray__maxtext-tpu-cluster__workers__tpu-group"
_B200_WORKERS = "ray__ray-a4-gpu-spot__workers__gpu-worker-group"
_FLAGS = [
    {"name": "xla_enable_async_all_gather"},
    {"name": "xla_tpu_scoped_vmem_limit_kib", "value": 65536},
    {"name": "xla_tpu_overlap_compute_collective_tc", "value": False},
]
_RESERVATION = {
    "mode": "reservation",
    "name": "r",
    "project": "shared-project",
    "block": "b",
    "sub_block": "s",
}
_QUEUED = {"mode": "queued", "max_run_hours": 24}
_SCRIPT = {
    "type": "script",
    "command": ["python3", "-c", "print(1)"],
    "image": "python:3.12",
    "requests": {"cpu": 8, "memory_gib": 32, "ephemeral_storage_gib": 10},
    "pool": "gpu",
    "nodes": 2,
}
_IN_IRONWOODS_ZONE = {
    key.replace("tpu__", "v6e-16__").replace("maxtext__", "maxtext-llama3-8b__"): it
    for key, it in IRONWOOD.items()
}
_ONE_HOST = {
    f"{_SLICES}__topology": "2x2x1",
    "jobs__maxtext-llama3-8b__ici": {"fsdp": -1},
    "jobs__maxtext-llama3-8b__per_device_batch_size": 1,
}
# Beside the pool whose GPUs Ray's workers have.
_CLAIMED = {
    f"{_B200_WORKERS}__pools": "gpu",
    "pools__gpu__gpus_by": "claim",
    "pools__more": CLAIMED["pools"]["gpu"],
    "jobs__tune": {**CLAIMED["jobs"]["tune"], "pool": "more"},
    "servers": {"chat": {**CLAIMED["servers"]["chat"], "pool": "more"}},
}
_OLDER = {
    "pools__gpu__interfaces": "own",
    "cluster__version": "1.33.2-gke.1111000",
    "lustre__throughput_mbps_per_tib": 250,
    "lustre__capacity_gib": 36000,
}
_VISION, _AUDIO = LAB["teams"]["vision"], LAB["teams"]["audio"]
MEMBERS = {
    "cluster__security_group": LAB["cluster"]["security_group"],
    "buckets__data": {},
    "buckets__runs": {"mount_path": "/runs"},
    "teams": {
        "vision": {**_VISION, "queue": "ours"},
        "audio": {**_AUDIO, "quota": {"cpu": 2.5, "memory_gib": 4, "pods": 3}},
    },
}
MOUNT = {
    "sidecar": {"cpu": 0.5, "memory_gib": 20, "ephemeral_storage_gib": 8},
    "metadata_prefetch": True,
    "metadata_ttl_s": 60,
    "skip_access_check": False,
}
# With the secrets that its user has set.
PRESETS: dict[str, frozenset[str]] = {
    _B200: WITH_TOKEN,
    _MIXED: WITH_TOKEN,
    _TPU: frozenset(),
    _VERL: frozenset(),
}


class Variant(NamedTuple):
    """Of the preset `stack`; what differs is said against `near`, a preset or another of these."""

    near: str
    stack: str
    changes: dict[str, Any]

    @property
    def config(self) -> dict[str, Any]:
        return changed(stack_config(self.stack), **self.changes)

    @property
    def secrets_set(self) -> frozenset[str]:
        return PRESETS[self.near] if self.near in PRESETS else VARIANTS[self.near].secrets_set


VARIANTS: dict[str, Variant] = {
    "b200-lustre in networks of its own": Variant(_B200, _B200, {"pools__gpu__interfaces": "own"}),
    "b200-lustre on older nodes with a slow Lustre": Variant(
        "b200-lustre in networks of its own", _B200, _OLDER
    ),
    "b200-lustre on queued machines": Variant(
        _B200, _B200, {"pools__gpu__capacity": _QUEUED, "pools__gpu__compact_placement": None}
    ),
    "b200-lustre with GPUs by claims": Variant(_B200, _B200, _CLAIMED),
    "kueue-mixed on autopilot": Variant(_MIXED, _MIXED, AUTOPILOT),
    "kueue-mixed on queued machines": Variant(_MIXED, _MIXED, CHECKED),
    "kueue-mixed with a script on both nodes": Variant(_MIXED, _MIXED, {"jobs__train": _SCRIPT}),
    "kueue-mixed on chosen nodes": Variant(_MIXED, _MIXED, PLACED),
    "kueue-mixed of two teams": Variant(_MIXED, _MIXED, TEAMS),
    "kueue-mixed of two teams with members": Variant(
        "kueue-mixed of two teams", _MIXED, {**TEAMS, **MEMBERS}
    ),
    "kueue-mixed with a script in a Falcon network": Variant(
        *("kueue-mixed with a script on both nodes", _MIXED),
        {"jobs__train": {**_SCRIPT, "pool": "h4d"}, "pools__h4d": FALCON["pools"]["h4d"]},
    ),
    "kueue-mixed with a mount": Variant(_MIXED, _MIXED, {"buckets__bucket__mount": MOUNT}),
    "tpu-multislice on autopilot": Variant(_TPU, _TPU, ON_AUTOPILOT),
    "tpu-multislice on autopilot with limits": Variant(
        "tpu-multislice on autopilot", _TPU, {**ON_AUTOPILOT, f"{_SIDECAR}__cpu": 0.5}
    ),
    **{
        f"tpu-multislice on autopilot in {it}": Variant(
            "tpu-multislice on autopilot", _TPU, {**ON_AUTOPILOT, f"{_SLICES}__capacity": capacity}
        )
        for it, capacity in (
            ("a reservation", {"mode": "reservation", "name": "r"}),
            ("a block of others", _RESERVATION),
            ("what comes on request", {"mode": "flex-start", "max_run_hours": 24}),
        )
    },
    "tpu-multislice in networks of its own": Variant(_TPU, _TPU, _OWN_SLICES),
    "tpu-multislice of Ironwood": Variant(_TPU, _TPU, _IN_IRONWOODS_ZONE),
    "tpu-multislice of Ironwood on hosts by themselves": Variant(
        "tpu-multislice of Ironwood", _TPU, {**_IN_IRONWOODS_ZONE, **_ONE_HOST}
    ),
    "tpu-multislice with one network": Variant(
        _TPU, _TPU, {"network": {"dcn": [{"name": "net-1", "range": "10.50.0.0/16"}]}}
    ),
    "tpu-multislice without networks": Variant(_TPU, _TPU, {"network": {"dcn": []}}),
    "tpu-multislice with flags": Variant(
        _TPU, _TPU, {"network": {"dcn": []}, f"{_SLICES}__libtpu_flags": _FLAGS}
    ),
    "tpu-multislice with limits": Variant(
        _TPU,
        _TPU,
        {
            f"{_SIDECAR}__memory_gib": 4,
            f"{_TPU_WORKERS}__limits": {"cpu": 80, "memory_gib": 186},
        },
    ),
    "tpu-elastic": Variant(_TPU, "tpu-elastic", {}),
    "tpu-elastic in networks of its own": Variant("tpu-elastic", "tpu-elastic", _OWN_SLICES),
    "verl-b200-autopilot in a reservation": Variant(
        _VERL, _VERL, {"pools__gpu__capacity": _RESERVATION}
    ),
    "verl-b200-autopilot on managed interfaces": Variant(
        _VERL, _VERL, {"pools__gpu__interfaces": "managed"}
    ),
    "verl-b200": Variant(_VERL, "verl-b200", {}),
    "verl-b200 with smaller packets": Variant("verl-b200", "verl-b200", {"network": {"mtu": 1460}}),
    "verl-b200 in a bucket filled by hand": Variant(
        *("verl-b200", "verl-b200"),
        {"jobs": {"verl-grpo": {"type": "verl", "preparation": None}}},
    ),
    "verl-b200 without a job": Variant("verl-b200", "verl-b200", {"jobs": None}),
    "verl-h200": Variant("verl-b200", "verl-h200", {}),
    "gcsfuse-checkpoint": Variant(_MIXED, "gcsfuse-checkpoint", {}),
    "dev": Variant("gcsfuse-checkpoint", "dev", {}),
}
