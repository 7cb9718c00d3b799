"""What a namespace lets pods ask of their node: the level `baseline` of the Pod Security Standards.

Source of rules and words: k8s.io/pod-security-admission 0.35.4, policy. Left out: capabilities,
seccomp, SELinux, AppArmor, sysctls and what is for Windows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube.errors import KubeError
from kube.objects import JsonObject, dig, maps, name_of, namespace_of
from sandbox.kube.store import Store

_ENFORCE = "pod-security.kubernetes.io/enforce"
_BASELINE = "baseline"
_NAMESPACES = ("hostNetwork", "hostPID", "hostIPC")


def refuse_unsafe(store: Store, pod: Mapping[str, Any]) -> None:
    """Raises KubeError for a new pod that its namespace takes for too powerful."""
    labels = store.namespace_labels(namespace_of(pod))
    if labels.get(_ENFORCE) != _BASELINE:
        return
    if found := ", ".join(f"{what} ({detail})" for what, detail in past_baseline(pod["spec"])):
        version = labels.get(f"{_ENFORCE}-version", "latest")
        text = f'violates PodSecurity "{_BASELINE}:{version}": {found}'
        raise KubeError(f'pods "{name_of(pod)}" is forbidden: {text}', reason="Forbidden")


def past_baseline(spec: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What is too much, in the order in which an API server names it."""
    if shared := [f"{field}=true" for field in _NAMESPACES if spec.get(field)]:
        yield "host namespaces", ", ".join(shared)
    if mounted := [each["name"] for each in maps(spec.get("volumes")) if each.get("hostPath")]:
        yield "hostPath volumes", f"{_counted('volume', mounted)} {_quoted(mounted)}"
    containers = [*maps(spec.get("initContainers")), *maps(spec.get("containers"))]
    if names := [each["name"] for each in containers if _host_ports(each)]:
        taken = sorted({port for each in containers for port in _host_ports(each)})
        uses = "uses" if len(names) == 1 else "use"
        yield (
            "hostPort",
            f"{_counted('container', names)} {_quoted(names)} {uses} "
            f"{_counted('hostPort', taken)} {', '.join(taken)}",
        )
    if powerful := [e["name"] for e in containers if dig(e, "securityContext", "privileged")]:
        yield (
            "privileged",
            f"{_counted('container', powerful)} {_quoted(powerful)} must not set "
            "securityContext.privileged=true",
        )


def _host_ports(container: JsonObject) -> list[str]:
    return [str(port["hostPort"]) for port in maps(container.get("ports")) if port.get("hostPort")]


def _counted(word: str, items: Sequence[str]) -> str:
    return word if len(items) == 1 else f"{word}s"


def _quoted(items: Sequence[str]) -> str:
    return ", ".join(f'"{item}"' for item in items)
