"""What has keys of a Secret as variables, and what starts it again. No Pulumi import.

"If a container already consumes a Secret in an environment variable, a Secret update will not be
seen by the container unless it is restarted" (Kubernetes documentation, "Distribute Credentials
Securely Using Secrets", read 2026-11-27).
"""

import shlex
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from stacks.secret_references import SecretKey
from stacks.workloads import DEPLOYMENT, RAY_CLUSTER

SECRET = "kubernetes:core/v1:Secret"


def keys_read(spec: Any) -> Iterator[SecretKey]:
    """Of all containers anywhere in an object."""
    if isinstance(spec, list):
        for it in spec:
            yield from keys_read(it)
    if not isinstance(spec, Mapping):
        return
    for key, it in spec.items():
        if key in ("secretKeyRef", "secretRef") and isinstance(it, Mapping) and "name" in it:
            yield str(it["name"]), str(it["key"]) if key == "secretKeyRef" else None
        else:
            yield from keys_read(it)


def reads(spec: Any, secret: str, keys: Collection[str]) -> bool:
    return any(name == secret and key in (None, *keys) for name, key in keys_read(spec))


def restart_of(token: str, namespace: str, name: str, kubectl: str, urn: str = "") -> str:
    """The command after which all pods of a workload are new, and what that stops; `kubectl` has
    the options for its cluster, `urn` is of a job."""
    own = f"--namespace={namespace}"
    if token == DEPLOYMENT:
        return f"`{kubectl} {shlex.join([own, 'rollout', 'restart', f'deployment/{name}'])}`"
    if token == RAY_CLUSTER:
        pods = shlex.join([own, "delete", "pod", f"--selector=ray.io/cluster={name}"])
        return f"`{kubectl} {pods}`, which stops what runs there"
    stack = urn.partition("::")[0].removeprefix("urn:pulumi:")
    anew = ["pulumi", "up", "--stack", stack, "--replace", urn]
    return f"`{shlex.join(anew)}`, which begins it anew"
