"""Stacks in which fields of the config have an effect: each has what a few of them need."""

import shutil
from pathlib import Path
from typing import Any

from tests.conftest import ROOT, changed
from tests.parts.claim_samples import CLAIMED
from tests.parts.samples import (
    AUTOPILOT,
    BARE,
    CLASSIFIER,
    DEV,
    HARDENED,
    KEPT,
    MIRRORED,
    RL,
    SERVE,
    SERVE_ALONE,
    TPU,
    VERL,
)
from tests.unit.bucket_samples import RULED
from tests.unit.effect_queues import CPUS, EITHER, QUEUE_OF_CPUS, QUEUED, QUEUES, QUEUES_OF_CHIPS
from tests.unit.script_samples import CHAT, JOB_SET, ON_RAY, RAY, STACK
from tests.unit.team_stack import LAB

_OWN_SCRIPTS = Path("workloads", "datasets")
_START, _END = "2027-03-06T02:00:00Z", "2027-03-06T08:00:00Z"
_WINDOW = {"start": _START, "end": _END}
_RESERVED = {"mode": "reservation", "name": "mine", "block": "b", "sub_block": "s"}


def _on_pools(ray: dict[str, Any], **pools: str) -> dict[str, Any]:
    """The RayCluster under several names, each with its workers on one pool."""
    (group,) = ray["workers"]
    key = f"workers__{group}__pools"
    return {name: changed(ray, **{key: pool}) for name, pool in pools.items()}


PLAIN = changed(
    BARE,
    cluster={
        "maintenance": {**_WINDOW, "exclusions": [{"name": "launch", **_WINDOW}]},
        "authorized_networks": [{"name": "office", "cidr": "192.0.2.0/24"}],
    },
    pools={
        "cpu": {
            **CPUS,
            "autoscaling": {"min": 1, "max": 5},
        },
        "gpu": {
            "machine_type": "g2-standard-8",
            "nodes": 2,
            "taints": [{"key": "team", "value": "a"}],
        },
    },
)
TEAMS = changed(
    LAB,
    teams__audio__buckets={"runs": "objectUser"},
    queues__local_queues=[{"name": "lq", "cluster_queue": "gpus"}],
    queues__priorities=[{"name": "first", "value": 20}],
)
LIMITED = changed(
    CLASSIFIER,
    cluster__ray_operator=None,
    pools__cpu={"machine_type": "e2-standard-8", "nodes": 1},
    pools__other={"machine_type": "e2-standard-8", "nodes": 1},
    buckets__more={"mount_path": "/more"},
    queues={
        "flavors": {"l4": {"pool": "gpu"}, "cpu": {"pool": "cpu"}},
        "cluster_queues": {"gpus": {}},
        "local_queues": [{"name": "lq", "cluster_queue": "gpus"}],
    },
    ray__classifier__image="registry/name:1.2.3",
    ray__classifier__version="2.54.0",
    ray__classifier__autoscaling={},
    ray__classifier__head__limits={"cpu": 3, "memory_gib": 8, "ephemeral_storage_gib": 20},
    ray__classifier__workers__gpu__limits={
        "cpu": 5,
        "memory_gib": 17,
        "ephemeral_storage_gib": 20,
    },
)
TWO_CLASSIFIERS = changed(
    CLASSIFIER,
    pools__cpu={"machine_type": "e2-standard-8", "nodes": 2},
    pools__more=CLASSIFIER["pools"]["gpu"],
    buckets__more={"mount_path": "/more"},
    ray=_on_pools(CLASSIFIER["ray"]["classifier"], classifier="gpu", second="more"),
    jobs__images__ray="classifier",
    jobs__images__storage="data",
)
CACHED = changed(
    DEV,
    buckets__bucket__mount={
        "uid": 1000,
        "gid": 100,
        "file_cache_mib": 64,
        "metadata_ttl_s": 60,
        "sidecar": {"cpu": 0.2, "memory_gib": 1, "ephemeral_storage_gib": 5},
    },
    buckets__bucket__force_destroy=None,
)
VLLM = changed(
    SERVE,
    pools__more={"machine_type": "g2-standard-24", "nodes": 3},
    queues__flavors={"l4": {"pool": "gpu"}, "more": {"pool": "more"}},
    queues__local_queues=[{"name": name, "cluster_queue": "gpus"} for name in ("lq", "other")],
    queues__workload_priorities=[{"name": "soon", "value": 10}],
    servers__gemma__pool="gpu",
    servers__gemma__engine="vllm",
    servers__gemma__autoscaling={"min": 1, "max": 2},
    pools__gpu__nodes=4,
    buckets__more={"mount_path": "/more"},
    jobs__tune__pool="gpu",
    jobs__tune__queue="lq",
    jobs__tune__storage="models",
    jobs__tune__requests={"cpu": 4, "memory_gib": 40, "ephemeral_storage_gib": 40},
)
_L4S = {"machine_type": "g2-standard-24", "nodes": 2}
SCRIPTS = changed(
    STACK,
    **{f"pools__{it}": _L4S for it in ("small", "second", "more")},
    ray=_on_pools(RAY, small="small", second="second"),
    buckets={"data": {"mount_path": "/data"}, "logs": {"mount_path": "/logs"}},
    jobs__tune=ON_RAY,
    queues={
        "frameworks": ["batch/job", "pod", "ray.io/raycluster", "jobset.x-k8s.io/jobset"],
        "priorities": [{"name": "first", "value": 20}],
        "workload_priorities": [{"name": "soon", "value": 10}],
    },
)
# Two RayClusters, and a job of either.
TWO_VERLS = changed(
    VERL,
    pools__more={**VERL["pools"]["gpu"], "capacity": {"mode": "reservation", "name": "others"}},
    pools__cpu={"machine_type": "c2-standard-16", "nodes": 3, "disk": {"size_gb": 200}},
    buckets={"data": {}, "other": {"mount_path": "/other"}},
    ray=_on_pools(
        changed(VERL["ray"]["verl"], workers__gpu__requests__cpu=200), verl="gpu", second="more"
    ),
    jobs__grpo__ray="verl",
    jobs__grpo__storage="data",
)
RL_AND_BUCKET = changed(
    RL,
    buckets={"data": {"mount_path": "/bucket"}},
    pools__more=RL["pools"]["gpu"],
    pools__cpu__nodes=3,
    ray=_on_pools(
        changed(
            RL["ray"]["rl"],
            head__requests__ephemeral_storage_gib=9,
            workers__gpu__requests__ephemeral_storage_gib=20,
        ),
        rl="gpu",
        second="more",
    ),
    jobs__grpo__ray="rl",
    jobs__grpo__storage="lustre",
    jobs__grpo__parallelism={"tensor": 4, "pipeline": 4},
)
BARE_TPU = changed(
    TPU,
    jobs=None,
    ray=None,
    network={"dcn": [{"name": f"net-{at}", "range": f"10.{at}0.0.0/16"} for at in (5, 6)]},
)
TWO_TPUS = changed(
    TPU,
    pools__more=TPU["pools"]["tpu"],
    pools__cpu__nodes=2,
    buckets__more={"mount_path": "/more"},
    ray=_on_pools(
        changed(
            TPU["ray"]["tpu"],
            head__requests={"cpu": 6, "memory_gib": 16, "ephemeral_storage_gib": 9},
            workers__tpu__requests__ephemeral_storage_gib=9,
        ),
        tpu="tpu",
        second="more",
    ),
    jobs__maxtext__ray="tpu",
    jobs__maxtext__storage="data",
)
# A machine type of one's own, of which a queue has all.
OWN = changed(
    QUEUES,
    catalog={
        "machine_types": {
            "z9-standard-8": {
                "vcpus": 96,
                "memory_gib": 512,
                "accelerator": {
                    "kind": "gpu",
                    "type": "nvidia-z9",
                    "count": 8,
                    "memory_gib": 80,
                },
                "local_ssd": {"count": 4, "gib_each": 375},
                "boot_disk_types": ["pd-ssd", "pd-balanced"],
                "nics": [
                    {"kind": "gvnic", "count": 1, "role": "host"},
                    {"kind": "gvnic", "count": 4, "role": "accelerator"},
                ],
                "capacity": ["on-demand"],
            }
        },
        "zones": {"us-central1-a": {"offers": ["z9-standard-8"]}},
    },
    pools={"cpu": CPUS, "gpu": {"machine_type": "z9-standard-8", "nodes": 2}},
    queues={},
)
# The same with interfaces for RDMA, and a job that uses them.
OWN_RDMA = changed(
    OWN,
    **{
        "catalog__machine_types__z9-standard-8__nccl": "a4",
        "catalog__machine_types__z9-standard-8__nics__1__kind": "rdma",
    },
    zone="us-central1-b",
    catalog__zones={"us-central1-b": {"offers": ["z9-standard-8"]}},
    jobs={"train": JOB_SET},
)


def _with_key(stack: dict[str, Any]) -> dict[str, Any]:
    """Encrypted with a key that the simulated project has."""
    region = stack["region"]
    return {**stack, "cmek": HARDENED["cmek"].replace("us-central1", region)}


BASES: dict[str, dict[str, Any]] = {
    "plain": PLAIN,
    "reserved": changed(VERL, pools__gpu__capacity=_RESERVED),
    "flex": changed(
        BARE,
        pools__gpu__capacity={"mode": "flex-start"},
        pools__gpu__autoscaling={"min": 0, "max": 1},
    ),
    "queues": QUEUES,
    "queue of cpus": QUEUE_OF_CPUS,
    "either": EITHER,
    "queued": QUEUED,
    "teams": TEAMS,
    "queues of chips": QUEUES_OF_CHIPS,
    "server": SERVE_ALONE,
    "team on tpus": changed(TPU, teams={"audio": {"quota": {"chips": 8}}}),
    "limited": LIMITED,
    "cached": CACHED,
    "dev": DEV,
    "rl": RL,
    "slower rl": changed(RL, lustre__capacity_gib=18000),
    "keyed rl": _with_key(RL),
    "two rl": RL_AND_BUCKET,
    "bare ray": changed(RL_AND_BUCKET, jobs=None, ray__second=None),
    "tested rl": changed(RL, ray__rl__nccl_test={}),
    "claimed": changed(CLAIMED, ray__app__workers__gpu__gpus=8, jobs=None, servers=None),
    "kept": KEPT,
    "keyed kept": _with_key(KEPT),
    "mirrored": MIRRORED,
    "verl": VERL,
    "prepared verl": changed(
        VERL, jobs__grpo__preparation={"cpu": 2, "memory_gib": 8, "scratch_gib": 20}
    ),
    "unprepared verl": {
        **VERL,
        "jobs": {"grpo": {**VERL["jobs"]["grpo"], "preparation": None}},
    },
    "two verl": TWO_VERLS,
    "autopilot": AUTOPILOT,
    "tpu": TPU,
    "bare tpu": BARE_TPU,
    "flagged tpu": changed(
        TPU, pools__tpu__libtpu_flags=[{"name": "xla_enable_async_all_gather", "value": "1"}]
    ),
    "elastic tpu": changed(TPU, jobs__maxtext__elastic={}),
    "two tpu": TWO_TPUS,
    "tgi": SERVE,
    "vllm": VLLM,
    "classifier": CLASSIFIER,
    "two classifiers": TWO_CLASSIFIERS,
    "scripts": SCRIPTS,
    "script and server": changed(STACK, **CHAT),
    "queued script": changed(SCRIPTS, jobs__train__queue="lq"),
    "script on cpus": SCRIPTS,
    "own": OWN,
    "own with rdma": OWN_RDMA,
    "ruled": RULED,
}


def bring_scripts(folder: Path) -> None:
    """The files that scripts of these stacks and of the presets run."""
    shutil.copytree(ROOT / _OWN_SCRIPTS, folder / _OWN_SCRIPTS)
    for name in ("train.py", "more/train.py", "code/tune.py", "more/tune.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"print({name!r})\n")
    (folder / "code" / "requirements.txt").write_text("einops==0.8.1\n")
