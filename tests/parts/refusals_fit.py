"""Jobs that their accelerators cannot hold or connect, one a line."""

from typing import Any

from tests.conftest import changed
from tests.parts.preset_samples import MIXED
from tests.parts.refusals import Refused
from tests.parts.samples import BARE, TPU, VERL
from tests.parts.test_taints import STACK as L4S
from tests.unit.effect_queues import EITHER

_TUNING = "jobs__finetune-gemma-l4"
_PODS = {"requests": {"cpu": 10, "memory_gib": 40, "ephemeral_storage_gib": 200}}
_SCRIPT: dict[str, Any] = {
    "type": "script",
    "command": ["true"],
    "image": "python:3.12-slim",
    "nodes": 2,
    "gpus": 8,
    "requests": {"cpu": 1, "memory_gib": 4},
}
# Machines whose way of NCCL's is not made.
_MEGA = changed(
    BARE,
    zone="us-central1-c",
    pools={"gpu": {"machine_type": "a3-megagpu-8g", "nodes": 2, "capacity": {"mode": "spot"}}},
)
_PLAIN_TCP = "which are not made here, and without it NCCL is plain TCP; nearest: one machine"

FITS = [
    Refused(
        MIXED,
        {
            f"{_TUNING}__model": "google/gemma-2-27b",
            f"{_TUNING}__pods": 1,
            f"{_TUNING}__gpus": 1,
            "buckets__bucket__mount__sidecar__memory_gib": 30,
        },
        "jobs.finetune-gemma-l4.model",
        "needs 51.2 GiB of a GPU that has 22.49 in training, on 1 GPUs: 50.7 of frozen weights, "
        "0.2 of layers' inputs, 0.2 of logits; nearest: google/gemma-2-9b, or more GPUs",
    ),
    Refused(
        L4S,
        {"jobs__grpo__model": "Qwen/Qwen2.5-7B-Instruct"},
        "jobs.grpo",
        "28.4 of weights, optimizer, gradients, 12.2 of layers' inputs, 18.6 of logits; nearest: "
        "leave it out",
    ),
    Refused(
        TPU,
        {"jobs__maxtext__ici": {"data": 16}},
        "jobs.maxtext.ici",
        "needs at least 123.7 GiB of a chip that has 31.25: 89.7 of weights and optimizer, 4.0 of "
        "layers' inputs, 29.9 of gradients; weights are cut over 1 chips. `aistack fit` compiles "
        "what is nearest; nearest: {fsdp: -1, tensor: 1, data: 1}",
    ),
    Refused(
        TPU,
        {"jobs__maxtext__ici": {"data": 16}, "jobs__maxtext__per_device_batch_size": 64},
        "jobs.maxtext.ici",
        "64.0 of layers' inputs, 62.6 of logits; weights are cut over 1 chips. `aistack fit` "
        "compiles what is nearest; nearest: {fsdp: -1, tensor: 1, data: 1} with "
        "per_device_batch_size 8",
    ),
    Refused(
        TPU,
        {"jobs__maxtext__model": "llama3-70b"},
        "pools.tpu.topology",
        "20.0 of layers' inputs, 16.4 of gradients; weights are cut over 16 chips. `aistack fit` "
        "compiles what is nearest; nearest: 8x8 with ici {fsdp: -1, tensor: 4} and "
        "per_device_batch_size 1",
    ),
    Refused(
        TPU,
        {"jobs__maxtext__max_target_length": 2**17},
        "jobs.maxtext.max_target_length",
        "128.0 of layers' inputs, 125.2 of logits; weights are cut over 16 chips. `aistack fit` "
        "compiles what is nearest; nearest: 8192",
    ),
    Refused(
        TPU,
        {
            "pools__tpu__topology": "16x16",
            "jobs__maxtext__model": "llama3-70b",
            "jobs__maxtext__ici": {"data": 256},
            "jobs__maxtext__max_target_length": 2**20,
            "jobs__maxtext__elastic": {},
        },
        "jobs.maxtext.model",
        "weights are cut over 1 chips, and no larger slice holds it; nearest: larger machines",
    ),
    Refused(
        VERL,
        {
            "ray__verl__nccl_test": {},
            "pools__gpu__nodes": 1,
            "pools__gpu__autoscaling": {"min": 1, "max": 1},
        },
        "ray.verl.nccl_test",
        "the test runs between two nodes, and there is one; nearest: nodes 2, or leave it out",
    ),
    Refused(
        EITHER,
        {"ray__either__workers": {"head": EITHER["ray"]["either"]["workers"]["gpu"]}},
        "ray.either.workers.head",
        "head: Kueue has the head's pods by this name; nearest: another name",
    ),
    Refused(_MEGA, {"jobs": {"all": _SCRIPT}}, "pools.gpu.machine_type", _PLAIN_TCP),
    Refused(
        _MEGA,
        {"pools__gpu__compact_placement": True},
        "pools.gpu.compact_placement",
        "a3-megagpu-8g on spot is not placed compactly; nearest: false",
    ),
    # NVIDIA/JAX-Toolbox pull request 1609, AI-Hypercomputer/xpk pull request 1130.
    Refused(
        _MEGA,
        {
            "pools__gpu__compact_placement": True,
            "pools__gpu__capacity": {"mode": "reservation", "name": "mega"},
        },
        "pools.gpu.compact_placement",
        "a reservation of a3-megagpu-8g has the placement that it was made with, and nodes with "
        "another are not made from it; nearest: false",
    ),
    Refused(
        changed(_MEGA, ray={"all": {"head": _PODS, "workers": {"gpu": _PODS}}}),
        {
            "buckets": {"data": {"mount": {"uid": 1000, "gid": 100}}},
            "jobs": {"train": {"type": "image-classifier"}},
        },
        "pools.gpu.machine_type",
        _PLAIN_TCP,
    ),
]
