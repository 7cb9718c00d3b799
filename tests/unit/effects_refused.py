"""Fields that are in nothing that is made, each with a stack that is right and a value of the field
by which it is wrong: what they decide."""

from typing import Any, NamedTuple

from tests.conftest import changed
from tests.parts.samples import DEV, RL, SERVE, TPU, VERL
from tests.unit.effect_stacks import BASES

_OWN = "catalog__machine_types__z9-standard-8"
_RESERVED = {"mode": "reservation", "name": "mine"}
_NIGHTLY = "rayproject/ray:nightly-py311"


_SERVED = changed(
    BASES["own"],
    queues=None,
    servers={
        "qwen": {
            "model": "Qwen/Qwen2.5-7B-Instruct",
            "gpus": 1,
            "requests": {"cpu": 4, "memory_gib": 30, "ephemeral_storage_gib": 30},
        }
    },
)


class Decides(NamedTuple):
    """`change` makes the `right` config wrong, and `said` is in what is said of it."""

    right: dict[str, Any]
    change: dict[str, Any]
    said: str


DECIDES = {
    "pools.capacity[reservation].machine_type": Decides(
        changed(VERL, pools__gpu__capacity={**_RESERVED, "machine_type": "a4-highgpu-8g"}),
        {"pools__gpu__capacity__machine_type": "a3-ultragpu-8g"},
        "a3-ultragpu-8g",
    ),
    "pools.capacity[reservation].ends": Decides(
        changed(VERL, pools__gpu__capacity={**_RESERVED, "ends": "2099-01-01T00:00:00Z"}),
        {"pools__gpu__capacity__ends": "2026-01-01T00:00:00Z"},
        "the reservation mine ended",
    ),
    "pools.capacity[reservation].zone": Decides(
        changed(VERL, pools__gpu__capacity={**_RESERVED, "zone": VERL["zone"]}),
        {"pools__gpu__capacity__zone": "us-central1-a"},
        "us-central1-a",
    ),
    "jobs[maxtext].finished_runs": Decides(
        changed(TPU, jobs__maxtext__run_name="first"),
        {"jobs__maxtext__finished_runs": ["first"]},
        "first-2",
    ),
    "ray.nightly": Decides(
        changed(DEV, ray__dev__image=_NIGHTLY, ray__dev__nightly=True),
        {"ray__dev__nightly": False},
        "every night",
    ),
    "ray.workers.gpus": Decides(DEV, {"ray__dev__workers__gpu__gpus": 2}, "2 GPUs"),
    "servers.shards": Decides(SERVE, {"servers__gemma__shards": 3}, "3 shards"),
    "catalog.machine_types.accelerator.kind": Decides(
        BASES["own"], {f"{_OWN}__accelerator__kind": "tpu"}, "topology"
    ),
    "catalog.machine_types.accelerator.memory_gib": Decides(
        _SERVED, {f"{_OWN}__accelerator__memory_gib": 4}, "4 GiB"
    ),
    "catalog.machine_types.capacity": Decides(
        BASES["own"], {f"{_OWN}__capacity": ["spot"]}, "spot"
    ),
    "catalog.machine_types.compact_placement": Decides(
        changed(
            BASES["own"], **{f"{_OWN}__compact_placement": True}, pools__gpu__compact_placement=True
        ),
        {f"{_OWN}__compact_placement": False},
        "cannot be placed compactly",
    ),
    "catalog.machine_types.not_compact_on": Decides(
        changed(
            BASES["own"], **{f"{_OWN}__compact_placement": True}, pools__gpu__compact_placement=True
        ),
        {f"{_OWN}__not_compact_on": ["on-demand"]},
        "z9-standard-8 on on-demand is not placed compactly",
    ),
    "catalog.machine_types.sub_block_machines": Decides(
        changed(
            BASES["own"],
            **{f"{_OWN}__capacity": ["reservation"]},
            pools__gpu__nodes=2,
            pools__gpu__capacity={**_RESERVED, "block": "b", "sub_block": "s"},
        ),
        {f"{_OWN}__sub_block_machines": 1},
        "2 machines are more than the 1 of the sub-block s; nearest: 1",
    ),
    "catalog.machine_types.minimum_gke": Decides(
        changed(BASES["own"], cluster__version="1.34.1"),
        {f"{_OWN}__minimum_gke": "1.35.0"},
        "1.35.0",
    ),
    "catalog.machine_types.nics.role": Decides(
        BASES["own"],
        {f"{_OWN}__nics__0__role": "accelerator"},
        "nics starts with gvnic/accelerator",
    ),
    "catalog.zones.lustre": Decides(
        changed(
            RL,
            region="us-east5",
            zone="us-east5-c",
            catalog={"zones": {"us-east5-c": {"offers": ["a4-highgpu-8g"], "lustre": True}}},
        ),
        {"catalog__zones__us-east5-c__lustre": False},
        "Lustre",
    ),
    "catalog.zones.offers": Decides(
        BASES["own"], {"catalog__zones__us-central1-a__offers": []}, "z9-standard-8"
    ),
}
