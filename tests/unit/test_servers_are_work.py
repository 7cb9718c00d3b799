"""Model servers are work that `aistack` knows: listed, asked why, waited for, and part of what is
ready. The words of what keeps one from serving are those of public reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest

from aistack.cancel import cancel
from aistack.errors import VerbError
from aistack.events import Event
from aistack.find import Found, find_job
from aistack.listing import list_jobs
from aistack.members import Member, members_of
from aistack.shell import member_for
from aistack.status.readiness import ray, servers
from aistack.wait import reached
from aistack.why.look import look
from aistack.why.verdict import Verdict, verdict
from kube.jobs import State
from kube.kinds import DEPLOYMENT, POD, RAY_CLUSTER, REPLICA_SET
from kube.objects import JsonObject
from tests.unit.status_samples import record
from tests.unit.status_samples import snapshot as status_of
from tests.unit.test_hand_over import Answering
from tests.unit.why_samples import NOW, snapshot

SERVES = {"ai.gke.io/inference-server": "vllm", "app": "chat"}


def deployment(name: str = "chat", *, ready: int = 0, serves: bool = True) -> JsonObject:
    labels = SERVES if serves else {"app": name}
    limits = {"nvidia.com/gpu": 2}
    pod = {"containers": [{"name": "inference-server", "resources": {"limits": limits}}]}
    return {
        "kind": "Deployment",
        "metadata": {
            "name": name,
            "namespace": "default",
            "uid": "chat-uid",
            "generation": 1,
            "creationTimestamp": "2026-11-23T11:50:00Z",
        },
        "spec": {
            "replicas": 1,
            "selector": {"matchLabels": {"app": name}},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        },
        "status": {"observedGeneration": 1, "updatedReplicas": 1, "readyReplicas": ready},
    }


def server_pod(*, ready: bool = False, **state: Any) -> JsonObject:
    status = {"name": "inference-server", "ready": ready, "restartCount": 3, **state}
    return {
        "kind": "Pod",
        "metadata": {
            "name": "chat-6d4f-x2x",
            "namespace": "default",
            "annotations": {},
            "creationTimestamp": "2026-11-23T11:50:00Z",
        },
        "spec": {"nodeName": "a", "containers": [{"name": "inference-server"}]},
        "status": {"phase": "Running", "conditions": [], "containerStatuses": [status]},
    }


CRASHED = {
    "state": {"waiting": {"reason": "CrashLoopBackOff"}},
    "lastState": {"terminated": {"exitCode": 1, "reason": "Error"}},
}
HUB = "huggingface_hub.utils._errors."
# By cause: what a public report shows as the server's last words (sources in server_rules.py).
REPORTED: dict[str, tuple[str, str, str]] = {
    "gated, by its address": (
        "model-gated",
        "Cannot access gated repo for url https://huggingface.co/meta-llama/Llama-2-7b-chat-hf/"
        "resolve/main/config.json.",
        "meta-llama/Llama-2-7b-chat-hf",
    ),
    "gated, by the error alone": ("model-gated", f"{HUB}GatedRepoError: 401 Client Error.", ""),
    "no such model": (
        "model-missing",
        "  Value error, Invalid repository ID or local directory specified: "
        "'orkungedik/recruitment-docs-7b-extractor'.",
        "orkungedik/recruitment-docs-7b-extractor",
    ),
    "a mistyped model": (
        "model-missing",
        f"{HUB}HFValidationError: Repo id must be in the form 'repo_name' or "
        "'namespace/repo_name': '/mnt/c/models/Qwen1.5-0.5B'. Use `repo_type` argument if needed.",
        "/mnt/c/models/Qwen1.5-0.5B",
    ),
    "a revision that is gone": (
        "model-revision-missing",
        f"{HUB}RevisionNotFoundError: 404 Client Error. Revision Not Found for url: "
        "https://huggingface.co/Qwen/Qwen2-7B/resolve/0a1b/config.json.",
        "",
    ),
    "a model that is newer than the engine": (
        "model-unknown",
        "ValueError: The checkpoint you are trying to load has model type `qwen3_5` but "
        "Transformers does not recognize this architecture. This could be because of an issue "
        "with the checkpoint, or because your version of Transformers is out of date.",
        "does not know: qwen3_5",
    ),
    "too many requests": (
        "too-many-requests",
        "requests.exceptions.HTTPError: 429 Client Error: Too Many Requests for URL: "
        "https://huggingface.co/meta-llama/Meta-Llama-3-8B/resolve/main/config.json",
        "",
    ),
    "too many requests of Text Generation Inference": (
        "too-many-requests",
        "Download failed: request error: HTTP status client error (429 Too Many Requests) for url "
        "(https://huggingface.co/Alibaba-NLP/gte-Qwen2-7B-instruct/resolve/a8d0/config.json",
        "",
    ),
    "no room for the cache of one request": (
        "no-room-for-cache",
        "ValueError: The model's max seq len (4096) is larger than the maximum number of tokens "
        "that can be stored in KV cache (3664). Try increasing `gpu_memory_utilization`",
        "3664",
    ),
    "no room for the cache of one request, in GiB": (
        "no-room-for-cache",
        "ERROR 04-05 01:12:55 [core.py:390] ValueError: To serve at least one request with the "
        "models's max seq len (1048576), (24.00 GiB KV cache is needed, which is larger than the "
        "available KV cache memory (9.97 GiB). Try increasing `gpu_memory_utilization`",
        "A request of 1048576 tokens needs 24.00 GiB for its cache, and the GPUs have 9.97 GiB",
    ),
    "no room for the cache of one request, and how long one may be": (
        "no-room-for-cache",
        "(EngineCore_DP0 pid=1094) ValueError: To serve at least one request with the models's max "
        "seq len (262144), (24.0 GiB KV cache is needed, which is larger than the available KV "
        "cache memory (3.18 GiB). Based on the available memory, the estimated maximum model "
        "length is 34736. Try increasing `gpu_memory_utilization`",
        "`max_model_len` to 34736 at most",
    ),
    "no room for what Text Generation Inference tries first": (
        "no-room-for-cache",
        'Error: Warmup(Generation("Not enough memory to handle 4096 prefill tokens. You need to '
        'decrease `--max-batch-prefill-tokens`"))',
        "no memory for 4096 tokens at once",
    ),
    "no room for all tokens of Text Generation Inference": (
        "no-room-for-cache",
        'Error: Warmup(Generation("Not enough memory to handle 16000 total tokens with 2 prefill '
        "tokens. You need to decrease `--max-batch-total-tokens` or "
        '`--max-batch-prefill-tokens`"))',
        "no memory for 16000 tokens at once",
    ),
    "no room for the weights in Text Generation Inference": (
        "gpu-memory-full",
        "thread 'main' panicked at 'Unable to warmup model: Generation(\"Allocation on device 0 "
        "would exceed allowed memory. (out of memory)\\nCurrently allocated     : 16.08 GiB",
        "does not fit the memory of its GPUs",
    ),
    "no room for any cache": (
        "no-room-for-cache",
        "ValueError: No available memory for the cache blocks. Try increasing "
        "`gpu_memory_utilization` when initializing the engine.",
        "",
    ),
    "no such revision": (
        "model-revision-missing",
        "huggingface_hub.errors.RevisionNotFoundError: 404 Client Error. (Request ID: Root=1-6)",
        "",
    ),
    "no room for all requests at once": (
        "gpu-memory-full",
        "RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests"
        ". Please try lowering `max_num_seqs` or `gpu_memory_utilization`",
        "1024 requests",
    ),
    "a GPU that another process has": (
        "gpu-memory-full",
        "(EngineCore_0 pid=18) ERROR 09-03 11:03:37 [core.py:712] ValueError: Free memory on "
        "device (7.34/139.72 GiB) on startup is less than desired GPU memory utilization "
        "(0.9, 125.75 GiB).",
        "7.34 of 139.72 GiB were free",
    ),
    "no room for the weights": (
        "gpu-memory-full",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.96 GiB.",
        "",
    ),
    "heads of the model that its GPUs cannot share": (
        "model-not-split",
        "ValueError: Total number of attention heads (52) must be divisible by tensor parallel "
        "size (8).",
        "52 attention heads of its model cannot be shared out evenly to 8 GPUs",
    ),
    "longer requests than its model takes": (
        "model-too-short",
        "  Value error, User-specified max_model_len (131072) is greater than the derived "
        "max_model_len (max_position_embeddings=32768.0 or model_max_length=None in model's "
        "config.json). To allow overriding this maximum, set VLLM_ALLOW_LONG_MAX_MODEL_LEN=1.",
        "32768 at the most",
    ),
    # vllm-project/vllm vllm/config/model.py names the key that it found in the model's config.
    "longer requests than a model of another kind takes": (
        "model-too-short",
        "ValueError: User-specified max_model_len (4096) is greater than the derived "
        "max_model_len (n_positions=2048 or model_max_length=None in model's config.json).",
        "2048 at the most",
    ),
    "an old driver": (
        "driver-too-old",
        "RuntimeError: The NVIDIA driver on your system is too old (found version 12020).",
        "",
    ),
}


@pytest.mark.parametrize("name", REPORTED)
def test_a_server_that_cannot_serve_says_why(name: str) -> None:
    cause, line, named = REPORTED[name]
    member = Member(server_pod(**CRASHED), "0")
    told = verdict(
        snapshot(Found(DEPLOYMENT, deployment()), member, logs={member.name: ["INFO", line, "end"]})
    )
    assert told.reason is not None
    assert told.reason.cause == cause
    assert named in told.sentence + told.reason.advice


TOO_MANY = "WARNING 429 Client Error: Too Many Requests for url: https://huggingface.co/x; retry"
WRAPPER = "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above."
BFLOAT = "ValueError: Bfloat16 is only supported on GPUs with compute capability of at least 8.0."


def told_of(lines: Sequence[str], *events: Event, **state: Any) -> Verdict:
    member = Member(server_pod(**state), "0")
    found = Found(DEPLOYMENT, deployment())
    return verdict(snapshot(found, member, events=events, logs={member.name: lines}))


def test_a_refusal_that_was_tried_again_is_not_why_a_server_ended() -> None:
    """vllm-project/vllm issue 1157 of 2023-09-23, after a download that was tried again."""
    told = told_of([TOO_MANY, "INFO downloaded", BFLOAT, WRAPPER], **CRASHED)
    assert told.reason is not None
    assert (told.reason.cause, BFLOAT in told.sentence) == ("program-failed", True)
    assert WRAPPER not in told.sentence


def test_a_server_that_the_kernel_killed_is_short_of_its_own_memory() -> None:
    """Whatever its log says of other things, and also while it loads again."""
    killed = {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}
    for state in ({"waiting": {"reason": "CrashLoopBackOff"}}, {"running": {}}):
        told = told_of([TOO_MANY, "INFO loading"], state=state, lastState=killed)
        assert told.reason is not None
        assert told.reason.cause == "out-of-memory"
        assert "servers.NAME.requests.memory_gib" in told.reason.advice


def of_server(reason: str, message: str, *, minutes: int = 1) -> Event:
    return Event(
        at=NOW - timedelta(minutes=minutes),
        warns=reason != "Killing",
        about="Pod/chat-6d4f-x2x",
        reason=reason,
        message=message,
    )


UNREACHED = 'Startup probe failed: Get "http://10.1.0.2:8000/health": connection refused'


def stopped(probe: str) -> Event:
    said = f"Container inference-server failed {probe} probe, will be restarted"
    return of_server("Killing", said)


@pytest.mark.parametrize("code", [0, 137, 143])
def test_a_server_that_its_probe_stopped_is_told_by_the_probe(code: int) -> None:
    """vllm-project/vllm issue 17386 of 2025-04-29 and llm-d/llm-d-inference-sim issue 45 of
    2025-06-03: whatever exit code the program makes of the signal."""
    ended = {"exitCode": code, "finishedAt": (NOW - timedelta(seconds=30)).isoformat()}
    state = {"state": {"running": {}}, "lastState": {"terminated": ended}}
    late = told_of(
        ["KeyboardInterrupt: terminated"],
        of_server("Unhealthy", UNREACHED),
        stopped("startup"),
        **state,
    )
    assert late.reason is not None
    assert (late.reason.cause, UNREACHED in late.sentence) == ("not-started-in-time", True)
    assert "more `minutes`" in late.reason.advice
    assert "aistack logs chat --rank 0 --previous" in late.reason.advice
    hung = told_of([], stopped("liveness"), **state)
    assert hung.reason is not None
    assert hung.reason.cause == "stopped-answering"


def test_a_probe_that_stopped_an_earlier_try_is_history() -> None:
    ended = {"exitCode": 1, "finishedAt": NOW.isoformat()}
    state = {"state": {"waiting": {}}, "lastState": {"terminated": ended}}
    said = "Container inference-server failed startup probe, will be restarted"
    told = told_of([BFLOAT], of_server("Killing", said, minutes=40), **state)
    assert told.reason is not None
    assert told.reason.cause == "program-failed"


def evicted_pod() -> JsonObject:
    pod = server_pod()
    pod["metadata"]["name"] = "chat-6d4f-a0b"
    why = {"reason": "Evicted", "message": "The node was low on resource: memory. "}
    pod["status"] = {"phase": "Failed", **why}
    return pod


def test_a_pod_that_ended_and_has_another_in_its_place_is_history() -> None:
    """A ReplicaSet leaves pods that have ended to Kubernetes' collector, whose default lets 12500
    be (kubernetes/kubernetes v1.35.4 pkg/controller/podgc/config/v1alpha1/defaults.go)."""
    now = server_pod(ready=True, state={"running": {}})
    now["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    before = Member(evicted_pod(), "0")
    found = Found(DEPLOYMENT, deployment(ready=1))
    told = verdict(snapshot(found, before, Member(now, "1")))
    assert (told.reason, told.sentence) == (None, "It runs, with 1 of 1 pods ready.")
    loads = Found(DEPLOYMENT, deployment())
    told = verdict(snapshot(loads, before, Member(server_pod(**CRASHED), "1"), logs={}))
    assert told.reason is not None
    assert told.reason.cause == "program-failed"
    told = verdict(snapshot(loads, before))
    assert told.reason is not None
    assert told.reason.cause == "evicted"


def test_a_shell_is_in_whichever_pod_of_a_server_runs() -> None:
    """They are alike."""
    found = Found(DEPLOYMENT, deployment())
    pods = [Member(evicted_pod(), "0"), Member(server_pod(), "1")]
    assert member_for(found, pods, None).role == "1"
    with pytest.raises(VerbError, match="0 of chat does not run"):
        member_for(found, pods, "0")
    with pytest.raises(VerbError, match="0 of chat does not run"):
        member_for(found, pods[:1], None)


def test_a_server_that_loads_its_model_is_not_called_unready() -> None:
    """kubeai-project/kubeai issue 499 of 2025-04-09."""
    told = told_of([], of_server("Unhealthy", UNREACHED), state={"running": {}})
    assert (told.reason, told.sentence) == (None, "It starts: 0 of 1 pods are ready.")


def test_a_pod_of_the_config_before_does_not_count_for_the_present_one() -> None:
    """It answers until one of the present config does, which may never be."""
    rolls = deployment(ready=1)
    rolls["status"] |= {"replicas": 2}
    before = server_pod(ready=True, state={"running": {}})
    before["metadata"]["name"] = "chat-5c1b-old"
    before["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    new = Member(server_pod(**CRASHED), "1")
    full = {new.name: ["torch.OutOfMemoryError: CUDA out of memory."]}
    found = Found(DEPLOYMENT, rolls)
    assert found.job.state is State.STARTING
    told = verdict(snapshot(found, Member(before, "0"), new, logs=full))
    assert told.reason is not None
    assert told.reason.cause == "gpu-memory-full"
    assert told.sentence.endswith("1 of its 2 pods answers meanwhile.")


class Speaking(Answering):
    """Says of each container what its present try and the one before it printed."""

    def log(self, namespace: str, pod: str, container: str, **how: Any) -> Iterator[str]:
        yield f"2026-11-23T11:59:00Z {BFLOAT if how.get('previous') else 'INFO loading'}"


def test_the_last_words_of_a_try_are_not_those_of_the_next() -> None:
    state = {"state": {"running": {}}, "lastState": CRASHED["lastState"]}
    pod = {**server_pod(**state), "kind": POD.name}
    told = verdict(look(Speaking(deployment(), pod), Found(DEPLOYMENT, deployment())))
    assert told.reason is not None
    assert BFLOAT in told.sentence
    again = {**server_pod(**CRASHED), "kind": POD.name}
    told = verdict(look(Speaking(deployment(), again), Found(DEPLOYMENT, deployment())))
    assert "INFO loading" in told.sentence


def test_a_driver_that_the_container_runtime_refuses_is_told() -> None:
    said = (
        "failed to create containerd task: nvidia-container-cli: requirement error: unsatisfied "
        "condition: cuda>=12.6, please update your driver to a newer version"
    )
    state = {"waiting": {"reason": "RunContainerError", "message": said}}
    member = Member(server_pod(state=state), "0")
    told = verdict(snapshot(Found(DEPLOYMENT, deployment()), member))
    assert told.reason is not None
    assert (told.reason.cause, "CUDA 12.6" in told.sentence) == ("driver-too-old", True)


@pytest.mark.parametrize("name", REPORTED)
def test_what_a_server_said_before_it_came_back_is_history(name: str) -> None:
    state = {"state": {"running": {}}, "lastState": CRASHED["lastState"]}
    pod = server_pod(ready=True, **state)
    pod["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    member = Member(pod, "0")
    found = Found(DEPLOYMENT, deployment(ready=1))
    told = verdict(snapshot(found, member, logs={member.name: [REPORTED[name][1]]}))
    assert told.reason is None


def test_a_server_that_nobody_asks_is_not_called_silent() -> None:
    pod = server_pod(ready=True, state={"running": {}})
    pod["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    member = Member(pod, "0")
    lines = [NOW - timedelta(hours=5, minutes=minutes) for minutes in range(20, 0, -1)]
    found = Found(DEPLOYMENT, deployment(ready=1))
    assert verdict(snapshot(found, member, line_times={member.name: lines})).reason is None


def test_servers_are_listed_and_found_and_other_deployments_are_not() -> None:
    cluster = Answering(deployment(), deployment("web", serves=False))
    (job,) = list_jobs(cluster, ["default"]).jobs
    assert (job.name, job.state, job.pods, job.accelerators) == ("chat", State.STARTING, 1, 2)
    assert find_job(cluster, ["default"], "chat").kind == DEPLOYMENT
    assert find_job(cluster, ["default"], "default/deployment/chat").kind == DEPLOYMENT
    with pytest.raises(VerbError, match="there is no such job; nearest: chat"):
        find_job(cluster, ["default"], "web")


def test_the_pods_of_a_server_and_what_made_them_are_its_members() -> None:
    owned = {
        "kind": REPLICA_SET.name,
        "metadata": {"name": "chat-6d4f", "ownerReferences": [{"uid": "chat-uid"}]},
    }
    cluster = Answering(deployment(), owned, {**server_pod(), "kind": POD.name})
    found = members_of(cluster, Found(DEPLOYMENT, deployment()))
    assert [(it.role, it.name) for it in found.pods] == [("0", "chat-6d4f-x2x")]
    assert [kind for kind, _ in found.made] == [REPLICA_SET]


def test_a_server_is_waited_for_until_it_can_be_used() -> None:
    found = Found(DEPLOYMENT, deployment())
    assert not reached(found, State.STARTING)
    assert reached(found, State.RUNNING)
    assert not reached(Found(RAY_CLUSTER, {}), State.RUNNING)


def test_a_server_is_not_cancelled_as_a_job() -> None:
    with pytest.raises(VerbError, match="chat is a model server, and no job"):
        cancel(Answering(deployment()), Found(DEPLOYMENT, deployment()))


def test_an_old_config_of_a_server_is_not_the_one_that_is_wanted() -> None:
    changed = deployment(ready=1)
    changed["metadata"]["generation"] = 2
    assert Found(DEPLOYMENT, changed).job.state is State.STARTING


RAY = {"metadata": {"name": "lab", "namespace": "default"}, "spec": {}}


def test_status_says_which_servers_and_ray_clusters_cannot_be_used() -> None:
    made = (
        record("kubernetes:apps/v1:Deployment", deployment(), "chat"),
        record("kubernetes:apps/v1:Deployment", deployment("web", serves=False), "web"),
        record("kubernetes:ray.io/v1:RayCluster", RAY, "lab"),
    )
    head = [{"type": "HeadPodReady", "status": "True"}]
    up = {**RAY, "status": {"conditions": head, "desiredWorkerReplicas": 1}}
    cases: list[tuple[list[JsonObject], list[JsonObject], list[str], list[str]]] = [
        ([deployment(ready=1)], [{**up, "status": {"conditions": head}}], [], []),
        (
            [deployment()],
            [up],
            [
                "The model server default/chat is starting, with 0 of 1 servers ready; "
                "`aistack why default/Deployment/chat` says why."
            ],
            [
                "The Ray cluster default/lab is starting; `aistack why default/RayCluster/lab` "
                "says why."
            ],
        ),
        (
            [],
            [],
            ["The model server default/chat is not there."],
            ["The Ray cluster default/lab is not there."],
        ),
    ]
    for deployments, clusters, of_servers, of_ray in cases:
        seen = status_of(*made, seen={DEPLOYMENT: deployments, RAY_CLUSTER: clusters})
        assert (list(servers(seen)), list(ray(seen))) == (of_servers, of_ray)
