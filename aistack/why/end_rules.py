"""Errors that a program prints last and that are not errors of its own code: the GPU's memory, a
collective operation, a disk, an accelerator, its driver, a name that DNS does not know. Pure.

The last lines alone count, and of a job that failed the container that failed first: the others
fail because it is gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from aistack.members import Member
from aistack.offered import offered
from aistack.why.ends import WRAPPED, bad_ends, end_of_log, spoken_lines
from aistack.why.saying import BROKEN_NODE, Saying, capital
from aistack.why.snapshot import Reason, Snapshot, pod_words
from components.base.pod_manifest import GCSFUSE
from kube.kinds import DEPLOYMENT
from kube.objects import dig, maps
from stacks.parts.jobs.requirements import NOT_INSTALLED

_NO_CHECKPOINT = re.compile(
    r"checkpoint.*(not found|no such file|does not exist)"
    r"|(not found|no such file|does not exist).*(checkpoint|ckpt)",
    re.IGNORECASE,
)
_ERROR = re.compile(r"(?<![\w.])[\w.]*(Error|Exception)\b|\berror:", re.IGNORECASE)
# pytorch/pytorch issue 108861; NVIDIA/nccl src/misc/shmutils.cc. 135 is 128 and SIGBUS.
_SHARED_MEMORY = re.compile(
    # Of a loader's process the main one says no more than its signal: pytorch/pytorch issue 16979.
    r"is killed by signal: Bus error|"
    # NVIDIA/nccl issue 342 of 2020-06-20, vllm-project/vllm issue 1710 of 2023-11-18.
    r"insufficient shared memory|out of shared memory|shared memory segment (?:/dev/shm|nccl-)"
    r"|ncclShmOpen"
    r"|No space left on device.*/dev/shm|/dev/shm.*No space left on device"
    # huggingface/text-generation-inference issue 446 of 2023-06-13: SIGBUS of its own process.
    r"|was signaled to shutdown with signal 7\b"
)
_BUS_ERROR = 135
_NOT_PERMITTED = re.compile(r"\[Errno 13\] Permission denied: b?'(?P<path>/[^']*)'")


def _ended_by(number: int, name: str, words: str) -> str:
    """How it is said that a signal ended a process, by a launcher, Python or a shell that itself
    ends by an exit code: text-generation-inference launcher/src/main.rs, PyTorch's
    torch/distributed/elastic/multiprocessing/errors/error_handler.py and torch/utils/data/_utils,
    CPython's Lib/subprocess.py."""
    return (
        rf"was signaled to shutdown with signal {number}\b"
        rf"|Signal {number} \({name}\) received by PID|\bdied with <Signals\.{name}: {number}>"
        rf"|is killed by signal: {words}\b"
        rf"|^(?:\S+: line \d+: +\d+ )?{words}(?: +\(core dumped\))?(?: |$)"
    )


# The order is from the hardware to the program: an ECC error ends a collective operation too.
_ENDS = (
    # huggingface/trl issue 4149 of 2025-09-26; vllm-project/vllm issue 5222 of 2024-06-03;
    # NVIDIA's XID numbers 48, 79, 94, 95.
    Saying(
        "accelerator-broken",
        re.compile(
            r"uncorrectable ECC error|GPU has fallen off the bus|GPU is lost|cudaErrorECCUnc"
            r"|unspecified launch failure.*XID|NVRM: Xid"
        ),
        "a GPU of its node is broken",
        f"Submit the job again on another node: cordon this one. {BROKEN_NODE}",
    ),
    # huggingface/huggingface_hub issue 4134 of 2026-04-23;
    # aws-samples/aws-deep-learning-ami-ubuntu-dcv-desktop issue 33 of 2025-07-17.
    Saying(
        "accelerator-broken",
        re.compile(r"system not yet initialized|cudaErrorSystemNotReady"),
        "the GPUs of its node are not ready, for NVIDIA's Fabric Manager has not joined them",
        "Submit the job again on another node: cordon this one, where it stays so.",
    ),
    # weecology/DeepForest issue 1090 of 2025-07-03; Comfy-Org/ComfyUI pull 16438 of 2026-09-20 has
    # which GPUs builds of PyTorch are for.
    Saying(
        "gpu-not-supported",
        re.compile(r"no kernel image is available for execution on the device"),
        "its program, or a library of it, is not built for the GPU of its node",
        "Take an image whose PyTorch, and whose libraries with code for GPUs, are built for that "
        "GPU; for a B200 that is CUDA 12.8 or newer.",
    ),
    # keras-team/kinetic issue 269 of 2026-06-12; scverse/scvi-tools pull 3799 of 2026-05-06;
    # llm-d/llm-d issue 1063 of 2026-04-02 (a linker reads LIBRARY_PATH).
    Saying(
        "driver-not-found",
        re.compile(
            r"Found no NVIDIA driver on your system|libcuda\.so\.1: cannot open shared"
            r"|cannot find -l:?(lib)?cuda(\.so\.1)?\b"
        ),
        "it finds no NVIDIA driver, which GKE mounts at /usr/local/nvidia",
        "Give the job `gpus`; for an image that lacks the path, set LD_LIBRARY_PATH to "
        "/usr/local/nvidia/lib64, and LIBRARY_PATH too where it is a compiler that looks for it.",
    ),
    # keras-team/kinetic issue 269 of 2026-06-12 and vllm-project/vllm issue 17187 of 2025-04 (both:
    # LD_LIBRARY_PATH was it); vllm-project/vllm issues 23935 of 2025-08 and 21979 of 2025-07-30 (an
    # image's own libcuda goes before the driver's); PyTorch's
    # torch/serialization.py and torch/cuda/__init__.py; JAX's xla_bridge.py.
    Saying(
        "gpu-not-seen",
        re.compile(
            r"Device string must not be empty|NVML Shared Library Not Found"
            r"|torch\.cuda\.is_available\(\) (is )?False|Torch not compiled with CUDA enabled"
            r"|No CUDA GPUs are available|Unable to initialize backend 'cuda'"
            r"|unsupported display driver / cuda driver combination"
        ),
        "its program sees no GPU",
        "Give the job `gpus`. Where it has them, let LD_LIBRARY_PATH name /usr/local/nvidia/lib64, "
        "where GKE mounts the driver, and take a build of the program's library that has CUDA.",
    ),
    # PyTorch's c10/cuda/CUDAFunctions.cpp; NVIDIA's CUDA compatibility guide.
    Saying(
        "driver-too-old",
        re.compile(
            r"NVIDIA driver on your system is too old|CUDA driver version is insufficient"
            r"|the provided PTX was compiled with an unsupported toolchain"
        ),
        "the driver of its node is older than the CUDA of its image",
        "Take an image with an older CUDA, or have the pool's driver version changed to latest.",
    ),
    # marin-community/marin issue 2618 of 2026-02-02; google/gvisor issue 11545 of 2025-03-12.
    Saying(
        "accelerator-busy",
        re.compile(
            r"open\(/dev/(vfio|accel)[^)]*\): Device or resource busy"
            r"|The TPU is already in use by process|libtpu\.so is already in use"
            r"|all CUDA-capable devices are busy"
        ),
        "another process of the node has its accelerator open",
        "Let one process of the pod open the accelerator; where none does, submit the job again "
        "on another node.",
    ),
    # InternLM/InternLM issue 186 of 2023-08-08; jax's RESOURCE_EXHAUSTED of XLA.
    Saying(
        "accelerator-memory",
        re.compile(
            r"CUDA out of memory|CUDA error: out of memory"
            r"|RESOURCE_EXHAUSTED: .*(out of memory|hbm|allocat)",
            re.IGNORECASE,
        ),
        "the memory of the accelerator is full",
        "Take a smaller batch or shorter sequences, shard the model over more accelerators, or "
        "take one with more memory: more memory of the pod does not help.",
    ),
    # foundation-model-stack/fms-hf-tuning issue 217 of 2024-06-27; databrickslabs/dolly issue 139;
    # ray-project/ray issue 49173 of 2024-12-09.
    Saying(
        "disk-full",
        re.compile(
            r"\[Errno 28\]|No space left on device|\[Errno 122\]|Disk quota exceeded|OutOfDiskError"
        ),
        "the disk that it writes to is full",
        "Write to a mount with room, delete old checkpoints there, or ask for more "
        "`ephemeral_storage_gib` where it writes to the container itself.",
    ),
    # ray-project/ray issue 11594 of 2020-10-24.
    Saying(
        "shared-memory",
        re.compile(r"ObjectStoreFullError"),
        "Ray's object store, which is in /dev/shm, is full of objects that are still in use",
        "Keep fewer objects at once, or give the pods of the Ray cluster more `shm_gib`.",
    ),
    # Unakar/Logic-RL issue 30 of 2025-02-12.
    Saying(
        "ray-not-alike",
        re.compile(r"Version mismatch: The cluster was started with"),
        "its Ray or its Python is not that of the Ray cluster that it is to join",
        "Leave ray out of requirements.txt, and start the program with the Python of the cluster's "
        "own image; another Ray is `ray.NAME.image` of the stack's config.",
    ),
    # kubeflow/katib issue 1588 of 2021-07-26, kubeflow/kale issue 31 of 2020-01-06. Roles for
    # objects have no storage.buckets.get (Google's documentation, "IAM roles for Cloud Storage").
    Saying(
        "bucket-denied",
        re.compile(r"does not have (?P<what>storage\.[\w.]+) access"),
        "its account may not do {what} on a bucket",
        "Use a bucket of the stack's that is among the job's `mounts`: its pods' account may read "
        "and write what is in it. That is no storage.buckets.get: `client.bucket` asks for "
        "nothing, where `client.get_bucket` does.",
    ),
    # Visual-AI/3DRS issue 7 of 2025-08-01: a process of the container alone was killed.
    Saying(
        "out-of-memory",
        re.compile(r"DataLoader worker \(pid[^)]*\) is killed by signal: Killed"),
        "one of its loader processes was killed, as the kernel does when memory runs out",
        "Use fewer loader processes, or give the job more memory.",
    ),
    # bmaltais/kohya_ss issue 1065 of 2023-06-25, Deep-MI/FastSurfer issue 615 of 2024-12-06: the
    # kernel kills a process, and the container's first one lives.
    Saying(
        "out-of-memory",
        re.compile(_ended_by(9, "SIGKILL", "Killed")),
        "one of its processes was killed, as the kernel does when memory runs out",
        "Give it more memory, or let it use less: fewer processes, a model loaded in parts.",
    ),
    # huggingface/text-generation-inference issues 2238 of 2024-07-22 and 908, dragonflydb/dragonfly
    # issue 296 of 2022-09-14 (exit code 132).
    Saying(
        "illegal-instruction",
        re.compile(_ended_by(4, "SIGILL", "Illegal instruction")),
        "it uses instructions that the processor of its node does not have, such as AVX",
        "Take a machine with a newer processor, or an image that is built for the one that it has.",
    ),
    # huggingface/text-generation-inference issue 2293 of 2024-07-24.
    Saying(
        "native-fault",
        re.compile(_ended_by(11, "SIGSEGV", "Segmentation fault")),
        "a fault in native code ended one of its processes",
        "Take another version of the image, or of the library whose lines stand before this one: "
        "`{logs}`. More memory does not help.",
    ),
    # marin-community/marin issues 6940 of 2026-07-04 and 7018, NVIDIA/nccl issue 1837 of
    # 2025-09-08.
    Saying(
        "nccl-interface",
        re.compile(
            r"Bootstrap : no (?:NCCL_SOCKET_IFNAME |socket )?interface found"
            r"|ncclSocketInit: connecting to address .* is neither AF_INET"
        ),
        "NCCL finds no network interface among those that it may use",
        "Take NCCL_SOCKET_IFNAME out of the job's variables, or name an interface that the pod has "
        "and that reaches the others: eth0 on GKE.",
    ),
    # Lightning-AI/pytorch-lightning issue 20244, huggingface/transformers issue 28204 of
    # 2025-01-09.
    Saying(
        "slice-incomplete",
        re.compile(
            r"slice_builder_worker_addresses specified\. Expected (?P<hosts>\d+) worker addresses, "
            r"got (?P<got>\d+)"
        ),
        "its TPU slice has {hosts} hosts and it was given the addresses of {got}",
        "Run as many pods as the topology has hosts, each with the same subdomain; a program that "
        "is to use the chips of its own host alone takes TPU_PROCESS_ADDRESSES out of its "
        "variables first.",
    ),
    # NVIDIA/nccl issue 2076 of 2026-03-29; gloo's words, pytorch/pytorch issue 75512 of 2022-04-08.
    Saying(
        "peer-lost",
        re.compile(
            r"ncclRemoteError|remote process exited or there was a network error"
            r"|gloo/transport/.* Connection (?:closed|reset) by peer"
            r"|NET/IB ?: Got completion from peer .* with (error|status)"
        ),
        "another rank ended, or the network to it broke",
        "See which rank ended first, `{logs}`; where none did, see the network of the nodes.",
    ),
    # pytorch/pytorch issues 118369 of 2024-02-17 and 163546: torch's watchdog of NCCL.
    Saying(
        "collective-timeout",
        re.compile(
            r"Watchdog caught collective operation timeout"
            r"|watchdog got stuck for \d+ seconds"
            r"|Timed out waiting \d+ms for (recv|send) operation to complete"
            r"|The client socket has timed out after"
            r"|Barrier timed out"
            # jax-ml/jax issue 23599 of 2024-10-10; pytorch/pytorch issues 80772 of 2022-07-01 and
            # 128970 of 2024-06-18.
            r"|heartbeat timeout. This indicates that the remote task has failed"
            r"|Rendezvous(Timeout|Connection)Error"
        ),
        "it waited for another rank, for longer than its timeout",
        "The rank that did not answer is the cause: compare the last lines of all ranks, `{logs}`.",
    ),
    # ray-project/kuberay issue 4760 of 2026-04-23: the launcher comes before the head answers.
    Saying(
        "ray-not-reached",
        re.compile(r"Failed to connect to Ray at address|Failed to connect to GCS"),
        "it could not reach the head of its Ray cluster",
        "See whether the head runs, and what it prints: `{logs}`.",
    ),
    # What NCCL says to PyTorch in place of its own warning: xorbitsai/inference issue 2836 of
    # 2025-03-13 (/dev/shm), vllm-project/vllm issues 19613 of 2025-06-19 (a variable of NCCL) and
    # 7800 of 2024-08-23.
    Saying(
        "nccl-failed",
        re.compile(r"NCCL[_ ]\w*error\b.*unhandled (?:system|cuda) error", re.IGNORECASE),
        "NCCL failed and does not say why",
        "Run it with NCCL_DEBUG=WARN among its variables: the line before this one then says what "
        "failed. On one node it is mostly /dev/shm, `shm_gib`; between nodes a variable of NCCL's "
        "that does not fit them.",
    ),
    # kubernetes/kubernetes docs "Debugging DNS Resolution"; glibc's EAI_AGAIN and EAI_NONAME.
    Saying(
        "name-not-resolved",
        re.compile(
            r"Temporary failure in name resolution|Name or service not known"
            r"|nodename nor servname provided|getaddrinfo failed"
        ),
        "DNS does not know a name that it asks for",
        "See the name in its last lines: that of another pod is known once that pod runs, and one "
        "outside the cluster where the stack lets pods reach the internet.",
    ),
    # ShishirPatil/gorilla issue 1161 of 2025-09-05 (no way out), and, in the same words,
    # intel/intel-extension-for-pytorch issue 655 of 2024-06-12 (a model that is gated).
    Saying(
        "hub-not-reached",
        re.compile(
            r"We couldn't connect to 'https://huggingface\.co|LocalEntryNotFoundError"
            r"|cannot find the requested files in the (?:local|disk) cache"
        ),
        "it got nothing from Hugging Face",
        "See whether the pods reach the internet, which network policies and a stack without NAT "
        "forbid; else whether its token may see the model, for a refusal is told in the same "
        "words. A model in a bucket needs neither.",
    ),
    # containerd/containerd issue 12243 of 2025-08-28.
    Saying(
        "image",
        re.compile(r"exec format error"),
        "its image is made for other processors than the node's",
        "Name an image that is made for the node's processors too.",
    ),
)


_ELSE_IN_IMAGE = "take an image that has the packages, and submit with --no-requirements."
# What pip says, what it means, and what to do; the cause stands before what follows from it: an
# index that is not reached has no version either.
_OF_PIP = (
    # numerai/numerai-cli issue 60 of 2023-02-01; pypa/pip issue 7849 of 2020-03-12.
    (
        re.compile(r"Retrying \(Retry\(total=.*after connection broken by"),
        ", for the index of the packages cannot be reached",
        "See whether the stack lets its pods reach the index, name a mirror that they reach by a "
        f"line --index-url in requirements.txt, or {_ELSE_IN_IMAGE}",
    ),
    # threat9/routersploit issue 553 of 2018-11-22.
    (
        re.compile(r"No module named pip\b"),
        ", for the Python of its image has no pip",
        f"Take an image with pip, or {_ELSE_IN_IMAGE}",
    ),
    (
        re.compile(r"\[Errno 28\]|No space left on device"),
        ", for the pod's disk is full",
        "Give the job more `requests.ephemeral_storage_gib`, or " + _ELSE_IN_IMAGE,
    ),
    # hystax/optscale issue 290 of 2024-05-27.
    (
        re.compile(r"Could not find a version that satisfies the requirement"),
        ", for the index has no such package or version for the Python of its image",
        "See the name and the version, and which Python the image has.",
    ),
    (re.compile(r"^\s*(ERROR|error):"), "", f"Change requirements.txt, or {_ELSE_IN_IMAGE}"),
)
# What a rank says of another one.
_OF_OTHERS = {"collective-timeout", "peer-lost"}
# Ray ends a task before the kernel ends the container: real-stanford/flingbot issue 11 of
# 2024-01-02, OpenRLHF/OpenRLHF issue 911 of 2025-03-24.
_ENDS_ON_RAY = (
    Saying(
        "out-of-memory",
        re.compile(r"Task was killed due to the node running low on memory"),
        "a pod of the Ray cluster is short of memory, and Ray ended a task for it",
        "Give the workers of the Ray cluster more `requests.memory_gib`, or run fewer tasks in "
        "one pod: more CPUs for each.",
    ),
)


def requirements_not_installed(it: Snapshot) -> Reason | None:
    """What a script's pod says where pip fails before the program starts."""
    for member, _, _ in bad_ends(it):
        lines = end_of_log(it, member)
        if not lines or not lines[-1].startswith(NOT_INSTALLED):
            continue
        for words, sentence, advice in _OF_PIP:
            said = next((line for line in reversed(lines[:-1]) if words.search(line)), None)
            if said is not None:
                return Reason(
                    "packages-not-installed",
                    f"pip cannot install the requirements.txt of {pod_words(member)}"
                    f'{sentence}: "{said[:300]}". Its program has not started.',
                    advice,
                )
        return Reason(
            "packages-not-installed",
            f"pip cannot install the requirements.txt of {pod_words(member)}, and no rule knows "
            f'its words: "{" ".join(lines[-3:])[:300]}".',
            f"See all of them: `{offered('logs', it.job.name)}`.",
        )
    return None


def no_checkpoint(it: Snapshot) -> Reason | None:
    for member, _, _ in bad_ends(it):
        line = _error_at_the_end(it, member)
        if line and _NO_CHECKPOINT.search(line):
            return Reason(
                "no-checkpoint",
                f'{capital(pod_words(member))} found no checkpoint to go on from: "{line}".',
                f"See `{offered('checkpoints', it.job.name)}`; without one it has to begin anew.",
            )
    return None


def mount_not_writable(it: Snapshot) -> Reason | None:
    """GoogleCloudPlatform/gcs-fuse-csi-driver issue 400 of 2024-12-04; gcsfuse says so of whoever
    is not the owner that it was told, and of an account that may only read."""
    for member, _, _ in bad_ends(it):
        line = _error_at_the_end(it, member)
        said = _NOT_PERMITTED.search(line)
        mount = said and _bucket_at(member, said["path"])
        if said and mount:
            return Reason(
                "mount-not-writable",
                f"{capital(pod_words(member))} may not write into its bucket, which is mounted at "
                f'{mount}: "{line[:300]}".',
                "Set `mount.uid` and `mount.gid` of the bucket to whom its image runs as, which "
                "`id` prints in it; where they are that already, let the pod's account write to "
                "the bucket.",
            )
    return None


def _bucket_at(member: Member, path: str) -> str:
    """Where the bucket is mounted that the path is in; empty where it is in none."""
    spec = member.pod["spec"]
    buckets = {
        volume["name"]
        for volume in maps(spec.get("volumes"))
        if dig(volume, "csi", "driver") == GCSFUSE
    }
    mounts = [
        str(mount["mountPath"]).rstrip("/")
        for container in spec["containers"]
        for mount in maps(container.get("volumeMounts"))
        if mount["name"] in buckets
    ]
    return next((it for it in mounts if path == it or path.startswith(f"{it}/")), "")


def more_shared_memory(it: Snapshot) -> str:
    """The field that makes /dev/shm larger."""
    if it.found.kind == DEPLOYMENT:
        return "Give the server more `shm_gib`, in the stack's config."
    return "Give the job more `shm_gib`: with `submit` by --set shm_gib=8."


def shared_memory_full(it: Snapshot) -> Reason | None:
    for member, _, ended in bad_ends(it):
        lines = end_of_log(it, member)
        said = _last_error(lines, _SHARED_MEMORY)
        if said or ended.get("exitCode") == _BUS_ERROR:
            words = f', and says: "{said}"' if said else f", exit code {_BUS_ERROR} (bus error)"
            return Reason(
                "shared-memory",
                f"/dev/shm of {pod_words(member)} is too small for what the program keeps "
                f"there{words}.",
                more_shared_memory(it),
            )
    return None


def end_of_ray_job(message: str) -> tuple[str, str, str] | None:
    """The cause, what it means and what to do, of the last error in a RayJob's message, which is
    the end of its driver's log."""
    lines = spoken_lines(message.splitlines())
    for saying in (*_ENDS_ON_RAY, *_ENDS):
        if line := _last_error(lines, saying.words):
            return saying.cause, _filled(saying, line), saying.advice
    return None


def known_end(it: Snapshot) -> Reason | None:
    """A known error among the last lines of a container that failed."""
    for saying, member, line in _known(it):
        return Reason(
            saying.cause,
            f'{capital(pod_words(member))} failed, for {_filled(saying, line)}: "{line[:300]}".',
            saying.advice.format(logs=offered("logs", it.job.name)),
        )
    return None


def _filled(saying: Saying, line: str) -> str:
    return saying.sentence.format(**(saying.groups(line) or {}))


def _known(it: Snapshot) -> Iterator[tuple[Saying, Member, str]]:
    """Known errors, in the order of `_ENDS` before that of the containers. A timeout of one that
    waited is no cause while another rank failed by an error of its own."""
    ends = [(member, end_of_log(it, member)) for member, _, _ in bad_ends(it)]
    for saying in _ENDS:
        said = [(member, _last_error(lines, saying.words)) for member, lines in ends]
        own_errors = [
            lines
            for (_, lines), (_, line) in zip(ends, said, strict=True)
            if not line and _has_own_error(lines)
        ]
        if saying.cause in _OF_OTHERS and own_errors:
            continue
        for member, line in said:
            if line:
                yield saying, member, line


def _last_error(lines: Sequence[str], words: re.Pattern[str]) -> str:
    """The line with the words, unless another error follows: a program may print one and go on."""
    for line in reversed(lines):
        if words.search(line):
            return line
        if _is_error(line):
            return ""
    return ""


def _is_error(line: str) -> bool:
    return _ERROR.match(line) is not None and WRAPPED.search(line) is None


def _is_of_another(line: str) -> bool:
    return any(saying.words.search(line) for saying in _ENDS if saying.cause in _OF_OTHERS)


def _has_own_error(lines: Sequence[str]) -> bool:
    """Whether a rank names an error that is not of another rank."""
    return any(_is_error(line) and not _is_of_another(line) for line in lines)


def only_follows(lines: Sequence[str]) -> bool:
    """Whether a rank speaks of another one and names no error of its own."""
    return any(map(_is_of_another, lines)) and not _has_own_error(lines)


def _error_at_the_end(it: Snapshot, member: Member) -> str:
    """The last line that names an error, and where none does the last line."""
    lines = end_of_log(it, member)
    named = [line for line in lines if _ERROR.search(line)]
    return named[-1] if named else (lines[-1] if lines else "")
