"""A script that the user brings, and its launcher on a RayCluster. No Pulumi import."""

import hashlib
import json
import re
import shlex
from collections.abc import Collection, Mapping
from typing import Annotated, Literal

from pydantic import Field

from catalog.text_check import like
from components.jobs.job_set_manifest import OWN_VARIABLES
from components.ray.manifest import LAUNCHER_DIR
from stacks.parts.jobs.command_words import FILES_VARIABLE
from stacks.secret_references import NamedSecret, SecretReference, named_secret
from stacks.types import (
    Block,
    Gpus,
    GraceSeconds,
    ImageReference,
    MemoryGiB,
    Minutes,
    NodeCount,
    ObjectName,
    PoolKey,
    QueueName,
    RayClusterName,
    RelativePath,
    Resources,
    Retries,
    StorageGiB,
)

# The variable of every pod that says where the server is that it calls; its key is in another
# (stacks/tokens.py).
SERVER_VARIABLE = "SERVER_URL"
_NAMED = re.compile(r"\$\(([A-Za-z_]\w*)\)")
# Ray's own word to a job's driver of what its workers are to have (ray-project/ray 2.56.0
# python/ray/dashboard/modules/job/job_supervisor.py, _get_driver_env_vars): with a folder of the
# head as `working_dir` the driver uploads it, and Ray unpacks it on every node that runs a part of
# the job, where it is the working folder and the first place to import from
# (python/ray/_private/runtime_env/working_dir.py). What the program itself says in `ray.init` goes
# before it (python/ray/_private/worker.py, _merge_runtime_env), which Ray refuses by default.
_JOB_CONFIG = "RAY_JOB_CONFIG_JSON_ENV_VAR"
_WITH_FILES = f"""
import json, os, sys
job = json.loads(os.environ["{_JOB_CONFIG}"])
own = job.get("runtime_env") or {{}}
variables = {{"{FILES_VARIABLE}": ".", **(own.get("env_vars") or {{}})}}
job["runtime_env"] = {{"working_dir": sys.argv[1], **own, "env_vars": variables}}
print(json.dumps(job))
"""

VariableName = Annotated[str, like(r"[A-Za-z_]\w*", "the name of a variable", "EPOCHS")]


class ScriptRequests(Resources, frozen=True):
    """What a pod gets beside its GPUs, and no more."""

    ephemeral_storage_gib: StorageGiB = 10
    """Room on the node's disk."""


class Script(Block, frozen=True):
    """Runs your own command and files, on a RayCluster or as a JobSet. Files are text of 1 MiB
    together, without folders of their own; a changed file runs the job again."""

    type: Literal["script"]
    """Which job it is."""
    file: RelativePath | None = None
    """File to bring, below the project's folder; none that Git ignores."""
    folder: RelativePath | None = None
    """Folder whose files to bring, below the project's folder, without those that Git ignores."""
    command: tuple[str, ...] = Field(min_length=1)
    """Words to run, without a shell; `$(SCRIPT_DIR)` is where the files are, `$(NAME)` a variable
    of `environment`."""
    environment: dict[VariableName, str] = Field(default_factory=dict)
    """Variables of the command. Pods of a JobSet have those of torchrun, SCRIPT_DIR and
    JAX_COORDINATOR_ADDRESS besides."""
    secrets: tuple[SecretReference, ...] = ()
    """Secrets of its namespace, made by others, as variables: `NAME`, `NAME=KEY` or
    `NAME=KEY:VARIABLE`. On a RayCluster that one's `secrets` count."""
    install_requirements: bool = True
    """Install a `requirements.txt` among the files before the command runs."""
    ray: RayClusterName | None = None
    """RayCluster to run on; without, the job is a JobSet."""
    image: ImageReference | None = None
    """Image of a JobSet's pods."""
    requests: ScriptRequests | None = None
    """What each of a JobSet's pods gets beside its GPUs."""
    gpus: Gpus | None = None
    """GPUs of each pod; by default all that a machine of `pool` has."""
    nodes: NodeCount = 1
    """Pods of a JobSet, each on a node of its own."""
    pool: PoolKey | None = None
    """Pool whose nodes it runs on; by default the only one that fits."""
    pools: tuple[PoolKey, ...] = ()
    """Pools that are alike, in place of `pool`; the queue picks one for all pods."""
    mounts: tuple[str, ...] | None = None
    """Names of buckets, and `lustre`, to mount; by default all that the stack has."""
    shm_gib: MemoryGiB | None = None
    """GiB of /dev/shm, part of the memory; by default half of it with GPUs."""
    server: ObjectName | None = None
    """Server that its pods call, at their variable SERVER_URL."""
    queue: QueueName | None = None
    """LocalQueue in which it waits until all its pods can start."""
    priority: ObjectName | None = None
    """Priority class of its pods."""
    workload_priority: ObjectName | None = None
    """Priority in the queue, before `priority`."""
    minutes: Minutes | None = None
    """Minutes that a run may take, with the wait for nodes and image."""
    grace_seconds: GraceSeconds = 60
    """Seconds from SIGTERM to the end of its pods; on spot nodes 15 less than
    `pools.NAME.capacity.grace_seconds` at most."""
    retries: Retries = 0
    """How often it starts again after it failed, without lost machines."""

    @property
    def after_loss(self) -> str:
        return (
            f"does what its command does, and after a failure again, retries ({self.retries}) times"
        )

    @property
    def resumes(self) -> str:
        """From where one goes on that is made anew."""
        return "from the beginning, or from what its command finds of its own"

    @property
    def named_secrets(self) -> list[NamedSecret]:
        return [named_secret(it) for it in self.secrets]

    @property
    def has_whole_secret(self) -> bool:
        """Whether pods have all keys of a Secret as variables, whose names its user knows alone."""
        return any(it.key is None for it in self.named_secrets)

    def variables(self, *, with_files: bool, of_stack: Collection[str]) -> set[str]:
        """Names that `$(NAME)` in the command may have. `of_stack` are those of its secrets."""
        files = {FILES_VARIABLE} if with_files or self.ray is not None else set[str]()
        keys = {it.variable for it in self.named_secrets if it.variable is not None}
        if self.ray is not None:
            return {*files, *keys, *self.environment}
        server = {SERVER_VARIABLE} if self.server is not None else set[str]()
        return {*OWN_VARIABLES, *of_stack, *files, *server, *keys, *self.environment}


_ON_RAY = (
    "type",
    "file",
    "folder",
    "command",
    "environment",
    "install_requirements",
    "ray",
    "retries",
    "secrets",
)
# What a job on a RayCluster has of the cluster instead.
OF_A_JOB_SET = tuple(it for it in Script.model_fields if it not in _ON_RAY)


def stored(files: Mapping[str, str]) -> dict[str, str]:
    """Files by the names that they have among those of all jobs of the cluster: other content is
    another name, and a job never finds the files of the one before."""
    return {_stored_name(files, name): content for name, content in files.items()}


def launcher(script: Script, files: Mapping[str, str]) -> str:
    """A bash script that gives the files their own names again, and becomes the command."""
    known = script.variables(with_files=True, of_stack=())
    links = [
        f'cp {LAUNCHER_DIR}/{_stored_name(files, name)} "${FILES_VARIABLE}"/{name}'
        for name in sorted(files)
    ]
    return "\n".join(
        [
            "set -euo pipefail",
            f"{FILES_VARIABLE}=$(mktemp -d)",
            f"export {FILES_VARIABLE}",
            *links,
            *([f'chmod +x "${FILES_VARIABLE}"/*', *_for_workers()] if files else []),
            "exec " + " ".join(_word(it, known) for it in script.command),
            "",
        ]
    )


def _for_workers() -> list[str]:
    return [
        f'if [ -n "${{{_JOB_CONFIG}-}}" ]; then',
        f'  {_JOB_CONFIG}=$(python3 -I -c {shlex.quote(_WITH_FILES)} "${FILES_VARIABLE}")',
        f"  export {_JOB_CONFIG} RAY_OVERRIDE_JOB_RUNTIME_ENV=1",
        "fi",
    ]


def _stored_name(files: Mapping[str, str], name: str) -> str:
    together = json.dumps(dict(files), sort_keys=True)
    return f"{hashlib.sha256(together.encode()).hexdigest()[:8]}-{name}"


def _word(word: str, known: set[str]) -> str:
    """Nothing of it means anything to the shell but `$(NAME)`, as the kubelet has it."""
    parts: list[str] = []
    at = 0
    for found in _NAMED.finditer(word):
        if found[1] in known:
            parts += [_quoted(word[at : found.start()]), f'"${found[1]}"']
            at = found.end()
    return "".join([*parts, _quoted(word[at:])]) or "''"


def _quoted(text: str) -> str:
    return shlex.quote(text) if text else ""
