"""Mistakes in pools of which Kueue chooses one, in their order, one a line."""

from typing import Any

from tests.conftest import changed
from tests.parts.claim_samples import CLAIMED
from tests.parts.refusals import Refused
from tests.parts.samples import AUTOPILOT, TWO_ZONES
from tests.unit.effect_queues import EITHER

_GPUS = "queues__cluster_queues__gpus"
_WORKERS = "ray__either__workers__gpu"
_CHECK: dict[str, Any] = {"queues__admission_checks": {"dws": {}}}
_QUEUED = {"mode": "queued"}
_SMALL = {"requests": {"cpu": 1, "memory_gib": 4, "ephemeral_storage_gib": 20}}
_CPUS = {"machine_type": "e2-standard-4", "nodes": 2}
_JOB_SETS = "jobset.x-k8s.io/jobset"
_ZONES = ["first", "second"]
CHOICE = [
    Refused(EITHER, {f"{_GPUS}__order": ["sopt"]}, "queues.cluster_queues.gpus.order[0]", "spot"),
    Refused(
        EITHER,
        {f"{_GPUS}__order": ["spot", "reserved", "spot"]},
        "queues.cluster_queues.gpus.order[2]",
        '"spot" is there twice; nearest: leave it out',
    ),
    Refused(
        EITHER,
        {f"{_GPUS}__fungibility": {"when_can_borrow": "TryNextFlavor"}, f"{_GPUS}__cohort": None},
        "queues.cluster_queues.gpus.fungibility.when_can_borrow",
        "gpus has no cohort, so it would change nothing; nearest: MayStopSearch",
    ),
    Refused(
        changed(EITHER, ray=None),
        {
            f"{_GPUS}__flavors": {"spot": {}},
            f"{_GPUS}__fungibility": {"when_can_preempt": "MayStopSearch"},
        },
        "queues.cluster_queues.gpus.fungibility.when_can_preempt",
        "gpus has one flavor alone, so it would change nothing; nearest: TryNextFlavor",
    ),
    Refused(
        EITHER,
        {f"{_GPUS}__flavors": {"cpu": {}, "spot": {}}},
        "ray.either.queue",
        '"lq" gives out spot, cpu, and this runs on reserved, so it would wait for ever',
    ),
    Refused(
        EITHER,
        {
            f"{_GPUS}__cohort": None,
            f"{_GPUS}__flavors": {"cpu": {}, "spot": {"gpus": 2}, "reserved": {}},
        },
        "ray.either.queue",
        "for what gpus never has of spot: 4 of 2 GPUs; nearest: a larger quota",
    ),
    Refused(
        EITHER,
        {"ray__either__autoscaling": {}},
        "ray.either.workers.gpu.pools",
        "and these run on 2; nearest: [reserved], or leave out ray.either.autoscaling",
    ),
    Refused(
        EITHER,
        {"pools__spot__capacity": _QUEUED, "pools__spot__autoscaling": {"min": 0, "max": 4}},
        "pools.spot.capacity.mode",
        "nearest: flex-start, or one of queues.admission_checks in each of its queues",
    ),
    Refused(
        changed(
            EITHER,
            **_CHECK,
            pools__spot__capacity=_QUEUED,
            pools__spot__autoscaling={"min": 0, "max": 4},
            queues__cluster_queues__gpus__admission_checks=["dws"],
        ),
        {f"{_WORKERS}__pools": ["spot"]},
        "queues.cluster_queues.gpus.admission_checks",
        "and Kueue would ask once more; nearest: leave it out, or leave out ray.either.queue",
    ),
    Refused(
        EITHER,
        {"pools__spot__machine_type": "g2-standard-48"},
        "ray.either.workers.gpu.pools[1]",
        "spot has g2-standard-48, and workers of one group are cut to a g2-standard-24",
    ),
    Refused(
        changed(EITHER, pools__reserved=_CPUS, pools__spot={**_CPUS, "capacity": {"mode": "spot"}}),
        {
            f"{_WORKERS}__requests__ephemeral_storage_gib": 40,
            "pools__spot__disk": {"size_gb": 50},
        },
        "ray.either.workers.gpu.requests.ephemeral_storage_gib",
        "40 GiB are more than a node of e2-standard-4 leaves to pods",
    ),
    Refused(
        TWO_ZONES,
        {"ray__both": {"head": _SMALL, "workers": {"gpu": {**_SMALL, "pools": _ZONES}}}},
        "ray.both.workers.gpu.pools[1]",
        "ask for those of first, own in us-west3-b; nearest: a group of its own",
    ),
    Refused(
        EITHER,
        {"jobs__train__pools": ["reserved", "spto"]},
        "jobs.train.pools[1]",
        '"spto" is no pool of this stack; nearest: spot',
    ),
    Refused(
        EITHER,
        {"jobs__train__pools": ["reserved", "reserved"]},
        "jobs.train.pools[1]",
        '"reserved" is there twice; nearest: leave it out',
    ),
    Refused(
        EITHER,
        {"jobs__train__pool": "spot"},
        "jobs.train.pool",
        "there are pools, too; nearest: leave it out",
    ),
    Refused(
        EITHER,
        {"jobs__train__queue": None},
        "jobs.train.pools",
        "without a queue nobody chooses one; nearest: leave it out, with pool: reserved",
    ),
    Refused(
        EITHER,
        {"jobs__train__pools": ["reserved", "cpu"]},
        "jobs.train.pools[1]",
        "cpu has e2-standard-4, and pods of one job are cut to a g2-standard-24; nearest: leave it",
    ),
    Refused(
        EITHER,
        {"jobs__train__nodes": 3},
        "jobs.train.nodes",
        "3 are more than reserved can ever have; nearest: 2",
    ),
    Refused(
        {**AUTOPILOT, "ray": {}, "queues": {"frameworks": [_JOB_SETS]}},
        {"jobs": {"train": {**EITHER["jobs"]["train"], "pools": ["gpu"], "nodes": 1}}},
        "jobs.train.pools",
        "Autopilot makes machines for pods that know which; nearest: pool: gpu",
    ),
    Refused(
        CLAIMED,
        {
            "pools__more": {**CLAIMED["pools"]["gpu"], "gpus_by": "device-plugin"},
            "ray__app__workers__gpu__gpus": 8,
            "ray__app__workers__gpu__pools": ["gpu", "more"],
            "jobs": {},
            "servers": {},
        },
        "ray.app.workers.gpu.pools[1]",
        "more has gpus_by device-plugin, and workers of one group have theirs by claim; nearest",
    ),
]
