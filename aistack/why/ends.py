"""How containers ended, and what their logs say last. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from aistack.members import Member
from aistack.why.snapshot import Snapshot, statuses
from kube.objects import JsonObject, dig

# A launcher prints a report of its processes after the program's error.
_END_LINES = 40
# NVIDIA/Megatron-LM megatron/training/checkpointing.py, AI-Hypercomputer/maxtext checkpointing.py,
# and huggingface/transformers trainer.py, which prints its line before it writes.
_CHECKPOINTS = (
    (
        re.compile(
            r"successfully saved checkpoint from iteration\s+(?P<step>\d+) to (?P<path>\S+)"
        ),
        "Its log says that iteration {step} is saved in {path}.",
    ),
    (
        re.compile(r"[Ss]aved a checkpoint at step (?P<step>\d+)"),
        "Its log says that a checkpoint of step {step} is saved.",
    ),
    (
        re.compile(r"Saving model checkpoint to (?P<path>\S+)"),
        "The last checkpoint that its log begins is {path}.",
    ),
)
# What stands before each line of a process: of PyTorch (pytorch/pytorch v2.3.0
# torch/distributed/distributed_c10d.py, `_distributed_excepthook`), of torchrun's --tee, and of Ray
# and vLLM (vllm-project/vllm issue 23192 of 2025-08-19).
_HEAD = re.compile(
    r"^(?:\x1b\[[\d;]*m|\[(?:rank|default)\d+\]: ?|\([\w.]+ pid=\d+(?:, ip=[^)]*)?\) ?"
    r"|ERROR \S+ \S+ \[[^\]]*\] ?)+"
)
# A line that begins with an error of Python's.
_OWN_ERROR = re.compile(r"^(?P<error>[\w.]*(?:Error|Exception)\b(?::.*)?)$")
# What launchers print about a process that failed, after its own error: torchrun, accelerate,
# PyTorch, vLLM (v1/engine/utils.py), text-generation-inference (launcher/src/main.rs).
WRAPPED = re.compile(
    r"torch\.distributed\.(elastic\.multiprocessing|DistBackendError)|ChildFailedError"
    r"|subprocess\.CalledProcess|Engine core initialization failed"
    r"|Error: (?:ShardCannotStart|DownloadError|WebserverFailed)"
)
# A container without a time of its end sorts after the others.
_LATEST = "9999"


def containers(it: Snapshot) -> Iterator[tuple[Member, JsonObject]]:
    """Containers of the newest pod of each rank, with their statuses."""
    for member in it.pods:
        for status in statuses(member.pod):
            yield member, status


def bad_ends(it: Snapshot) -> Sequence[tuple[Member, JsonObject, JsonObject]]:
    """Containers that failed and do not run again, with their statuses and ends. The first to fail
    stands first: when one rank fails, the others fail after it."""
    ends = [
        (member, status, ended)
        for member, status in containers(it)
        if (ended := last_end(status)) is not None and was_bad(ended)
    ]
    return sorted(ends, key=lambda end: str(end[2].get("finishedAt") or _LATEST))


def end_of_log(it: Snapshot, member: Member) -> Sequence[str]:
    return spoken_lines(it.logs.get(member.name, ()))[-_END_LINES:]


def spoken_lines(lines: Iterable[str]) -> list[str]:
    """Lines with words, without what a launcher puts before each."""
    bare = (_HEAD.sub("", line.strip()).strip() for line in lines)
    return [line for line in bare if line]


def own_error(lines: Sequence[str]) -> str:
    """The newest error that a program itself printed; empty where none is among its last lines, or
    among all where a launcher speaks there."""
    spoken = spoken_lines(lines)
    end = spoken[-_END_LINES:]
    heard = spoken if any(WRAPPED.search(line) for line in end) else end
    for line in reversed(heard):
        said = _OWN_ERROR.match(line)
        if said is not None and not WRAPPED.search(line):
            return said["error"]
    return ""


def last_checkpoint(it: Snapshot) -> str:
    """The newest checkpoint that a log names, as a sentence; empty where none does."""
    for lines in it.logs.values():
        for line in reversed(lines):
            for words, sentence in _CHECKPOINTS:
                if (match := words.search(line)) is not None:
                    return sentence.format(**match.groupdict())
    return ""


def last_end(status: JsonObject) -> JsonObject | None:
    """The end of a container, unless the container runs again."""
    if dig(status, "state", "running") is not None and status.get("ready"):
        return None
    return any_end(status)


def any_end(status: JsonObject) -> JsonObject | None:
    return dig(status, "state", "terminated") or dig(status, "lastState", "terminated")


def runs_again(member: Member) -> bool:
    """Whether the pod's own container is at another try and not ready: what it says now is not what
    the try before it ended with."""
    return any(
        status["name"] == member.container
        and dig(status, "state", "running") is not None
        and not status.get("ready")
        for status in statuses(member.pod)
    )


def was_bad(ended: JsonObject) -> bool:
    return ended.get("exitCode") != 0


def is_oom(ended: JsonObject) -> bool:
    """runc says of a limit that its own first process does not fit into that the container could
    not start (GoogleCloudPlatform/gcs-fuse-csi-driver issue 314 of 2024-07-18)."""
    said = str(ended.get("message") or "")
    return ended.get("reason") == "OOMKilled" or "container init was OOM-killed" in said
