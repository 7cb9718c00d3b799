"""Why a model server cannot serve: its model, its memory, its driver. Pure.

The words, with public reports that have them: gated, huggingface/optimum-neuron issue 535 and
ray-project/ray issue 54812 (huggingface/huggingface_hub src/huggingface_hub/utils/_http.py);
mistyped, vllm-project/vllm issues 22043 of 2025-07-31 and 9656 of 2024-10-24; a revision that is
gone, runpod-workers/worker-vllm pull request 343 of 2026-09-21; too many requests,
huggingface/Google-Cloud-Containers issue 145 of 2025-03-28 and huggingface/transformers issue 34841
of 2024-11-21; the cache, vllm-project/vllm issue 2418 of 2024-01-11 and vllm
v1/core/kv_cache_utils.py; the driver, NVIDIA/nvidia-container-toolkit issue 152 of 2023-11-17,
ggml-org/llama.cpp issue 9665.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aistack.members import Member
from aistack.why.ends import is_oom, own_error, was_bad
from aistack.why.saying import Saying, first_said
from aistack.why.snapshot import Reason, Rule, Snapshot, is_ready, statuses
from kube.kinds import DEPLOYMENT
from kube.objects import dig

_MODEL = r"(?P<model>[\w.-]+/[\w.-]+?)"
_CORRECT_MODEL = (
    "Correct `model` of the server in the stack's config, or set a `hugging_face_token` that may "
    "see it."
)

_SAYINGS = (
    Saying(
        "model-gated",
        re.compile(
            rf"Cannot access gated repo for url https://huggingface\.co/(?:api/models/)?{_MODEL}(?=[/.\s]|$)"
        ),
        "Its model {model} is given out to those alone who have accepted its licence, and the "
        "token is of nobody who has.",
        "Accept the licence at https://huggingface.co/{model} with the account of the stack's "
        "`hugging_face_token`, or set the token of one that has, and restart the server.",
    ),
    Saying(
        "model-gated",
        re.compile(
            r"GatedRepoError|is gated\. You must be authenticated|Access to model \S+ is restricted"
        ),
        "Its model is given out to those alone who have accepted its licence, and the token is of "
        "nobody who has.",
        "Accept the licence on the model's page with the account of the stack's "
        "`hugging_face_token`, or set the token of one that has, and restart the server.",
    ),
    Saying(
        "too-many-requests",
        re.compile(
            r"429 (?:Client Error|Too Many Requests)|client error \(429 Too Many Requests\)"
            r"|rate limit your IP"
        ),
        "Hugging Face answers no more requests for now: too many came with its token, or from its "
        "address.",
        "Wait, the server tries again; with a `hugging_face_token` more are answered, and a model "
        "in a bucket needs none.",
    ),
    Saying(
        "model-revision-missing",
        re.compile(r"RevisionNotFoundError|Revision Not Found for url"),
        "Its model has no such revision.",
        "Correct the server's `revision` in the stack's config: a branch or commit of the model.",
    ),
    Saying(
        "model-missing",
        re.compile(r"Invalid repository ID or local directory specified: '(?P<model>[^']+)'"),
        "Hugging Face has no model {model} that its token may see.",
        _CORRECT_MODEL,
    ),
    Saying(
        "model-missing",
        re.compile(r"(?P<model>\S+) is not a local folder and is not a valid model identifier"),
        "Hugging Face has no model {model} that its token may see.",
        _CORRECT_MODEL,
    ),
    Saying(
        "model-missing",
        re.compile(
            r"Repo id must be in the form 'repo_name' or 'namespace/repo_name': '(?P<model>[^']+)'"
        ),
        "{model} is no name of a model on Hugging Face, and no folder of the pod.",
        "Correct `model` of the server in the stack's config: OWNER/NAME.",
    ),
    Saying(
        "model-missing",
        re.compile(
            rf"Repository Not Found for url: https://huggingface\.co/(?:api/models/)?{_MODEL}(?=[/.\s]|$)"
        ),
        "Hugging Face has no model {model} that its token may see.",
        _CORRECT_MODEL,
    ),
    Saying(
        "no-room-for-cache",
        re.compile(r"max seq len \((?P<wanted>\d+)\).*?stored in KV cache \((?P<most>\d+)\)"),
        "The GPUs have room for the cache of {most} tokens beside the weights, and requests may "
        "have {wanted}.",
        "Set the server's `max_model_len` to {most} at most, or give it more `gpus`.",
    ),
    # vllm-project/vllm issue 34076 of 2026-02-08.
    Saying(
        "no-room-for-cache",
        re.compile(
            r"max seq len \((?P<wanted>\d+)\), .*GiB KV cache is needed.*"
            r"estimated maximum model length is (?P<most>[1-9]\d*)"
        ),
        "The GPUs have room for the cache of {most} tokens beside the weights, and requests may "
        "have {wanted}.",
        "Set the server's `max_model_len` to {most} at most, or give it more `gpus`.",
    ),
    # vllm-project/vllm issue 16118 of 2025-04-06.
    Saying(
        "no-room-for-cache",
        re.compile(
            r"max seq len \((?P<wanted>\d+)\), \(?(?P<needed>[\d.]+) GiB KV cache is needed, which "
            r"is larger than the available KV cache memory \((?P<left>-?[\d.]+) GiB\)"
        ),
        "A request of {wanted} tokens needs {needed} GiB for its cache, and the GPUs have {left} "
        "GiB beside the weights.",
        "Set the server's `max_model_len` lower, or give it more `gpus`.",
    ),
    Saying(
        "no-room-for-cache",
        re.compile(r"No available memory for the cache blocks"),
        "The weights leave no memory of the GPUs for the cache of requests.",
        "Give the server more `gpus`, a smaller model, or more of `gpu_memory_utilization`.",
    ),
    # huggingface/text-generation-inference issues 755 of 2023-08-01 and 710 of 2023-07-27.
    Saying(
        "no-room-for-cache",
        re.compile(r"Not enough memory to handle (?P<tokens>\d+) (?:prefill|total) tokens"),
        "The weights leave the GPUs no memory for {tokens} tokens at once, which Text Generation "
        "Inference tries before it serves.",
        "Give the server more `gpus` or a smaller model, or let vLLM serve it, `engine: vllm`, "
        "which takes a lower `max_model_len`.",
    ),
    # vllm-project/vllm issues 2652 of 2024-01-29 and 4232 of 2024-04-21.
    Saying(
        "model-not-split",
        re.compile(
            r"Total number of attention heads \((?P<heads>\d+)\) must be divisible by tensor "
            r"parallel size \((?P<gpus>\d+)\)"
        ),
        "The {heads} attention heads of its model cannot be shared out evenly to {gpus} GPUs.",
        "Give the server a number of `gpus` that divides {heads}.",
    ),
    # EvolvingLMMs-Lab/LongVT issue 9 of 2025-12-20.
    Saying(
        "model-too-short",
        re.compile(
            r"User-specified max_model_len \((?P<wanted>\d+)\) is greater than the derived "
            r"max_model_len \((?:\w+=)?(?P<most>\d+)"
        ),
        "Requests may have {wanted} tokens by its config, and its model takes {most} at the most.",
        "Set the server's `max_model_len` to {most} at most, or leave it out.",
    ),
    # vllm-project/vllm issues 6071 of 2024-07-02 and 36217 of 2026-03-06.
    Saying(
        "model-unknown",
        re.compile(
            r"has model type `(?P<type>[^`]+)` but Transformers does not recognize"
            r"|Model architectures \['(?P<kind>\w+)'\] are not supported"
        ),
        "Its image is older than its model, whose kind it does not know: {type}{kind}.",
        "Set the server's `image` to a newer release of its engine, or take another `model`.",
    ),
    # vllm-project/vllm vllm/v1/worker/gpu_model_runner.py, and issues 17618 and 23192 of 2025.
    Saying(
        "gpu-memory-full",
        re.compile(r"CUDA out of memory occurred when warming up \w+ with (?P<many>\d+) dummy"),
        "The model fits the memory of its GPUs, and {many} requests at once do not.",
        "Give the server more `gpus`, or a lower `gpu_memory_utilization`.",
    ),
    Saying(
        "gpu-memory-full",
        re.compile(
            r"Free memory on device.* \((?P<free>[\d.]+)/(?P<all>[\d.]+) GiB\) on startup is less"
        ),
        "Another process has its GPU: {free} of {all} GiB were free when the server started.",
        "See what else runs on the node; where nothing does, delete the pod: an earlier server may "
        "not have given the memory back.",
    ),
    Saying(
        "gpu-memory-full",
        # huggingface/text-generation-inference issue 563 of 2023-07-07.
        re.compile(
            r"(?:torch\.)?(?:cuda\.)?OutOfMemoryError|CUDA out of memory"
            r"|Allocation on device \d+ would exceed allowed memory"
        ),
        "The model does not fit the memory of its GPUs.",
        "Give the server more `gpus` or a smaller model; vLLM also takes a lower `max_model_len`.",
    ),
)
_DRIVER = (
    Saying(
        "driver-too-old",
        re.compile(r"unsatisfied condition: cuda\s*>=\s*(?P<cuda>[\d.]+)"),
        "Its image needs CUDA {cuda}, and the node's driver is older.",
        "Take an image with an older CUDA, or the pool's newest driver.",
    ),
)


def model_or_memory(it: Snapshot) -> Reason | None:
    """What a server said at its end."""
    if it.found.kind != DEPLOYMENT:
        return None
    found = (_last_said(it.logs.get(member.name, ())) for member in _failed_members(it))
    return next((reason for reason in found if reason is not None), None)


def _last_said(lines: Sequence[str]) -> Reason | None:
    """By the newest line that a rule knows. One before the program's own last error is history: a
    request that was refused and tried again, or a warning."""
    last = own_error(lines)
    for line in reversed(lines):
        known = first_said(_SAYINGS, [line])
        if known is not None:
            return known
        if last and line.strip().endswith(last):
            return None
    return None


def meanwhile(it: Snapshot) -> str:
    """Of a server that is not whole, who answers; empty where nobody does."""
    ready = sum(is_ready(member.pod) for member in it.pods)
    if it.found.kind != DEPLOYMENT or not ready:
        return ""
    return f" {ready} of its {len(it.pods)} pods answers meanwhile."


def driver_too_old(it: Snapshot) -> Reason | None:
    """By the container runtime, before the program begins; what programs say of it is in
    `end_rules`."""
    return first_said(_DRIVER, _from_the_runtime(it))


def _failed_members(it: Snapshot) -> Iterator[Member]:
    """Pods that are not ready since a container ended, and not by the memory of the pod."""
    for member in it.pods:
        if any(_failed(one) for one in statuses(member.pod)):
            yield member


def _from_the_runtime(it: Snapshot) -> Iterator[str]:
    for member in it.pods:
        for status in statuses(member.pod):
            for at in ("waiting", "terminated"):
                yield str(dig(status, "state", at, "message") or "")
            if not status.get("ready"):
                yield str(dig(status, "lastState", "terminated", "message") or "")


def _failed(status: object) -> bool:
    ended = dig(status, "state", "terminated") or dig(status, "lastState", "terminated")
    is_back = dig(status, "ready")
    return ended is not None and was_bad(ended) and not is_oom(ended) and not is_back


RULES: tuple[Rule, ...] = (driver_too_old, model_or_memory)
