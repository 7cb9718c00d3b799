"""The rules for labels and taints that a pool puts on its nodes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from kube.names import label_findings
from sandbox.cloud.resource import Inputs
from sandbox.errors import CloudError

# A kubelet takes no other labels of these two domains (k8s.io/kubelet 0.35.4,
# pkg/apis/well_known_labels.go; its set of single names is what cloud providers give).
_KUBERNETES = ("kubernetes.io", "k8s.io")
_KUBELETS = ("kubelet.kubernetes.io", "node.kubernetes.io")
# GKE documentation, "Update Kubernetes node labels and taints for node pools", read 2026-11-23.
_LONGEST_LABELS = 1024


def check_scheduling(node: Inputs) -> None:
    """Refuse labels that no kubelet starts with, and taints that no node can have."""
    labels: Mapping[str, str] = node.get("labels") or {}
    for key in labels:
        if _is_of(key, _KUBERNETES) and not _is_of(key, _KUBELETS):
            raise _refused(f'node label "{key}" is of a domain that is Kubernetes\' own')
    if len(",".join(f"{key}={value}" for key, value in labels.items())) > _LONGEST_LABELS:
        raise _refused(f"node labels are longer than {_LONGEST_LABELS} characters")
    taints: list[dict[str, Any]] = node.get("taints") or []
    keys = {taint["key"]: taint["value"] for taint in taints}
    # kubernetes/kubernetes pkg/apis/core/validation/validation.go, v1.35.4; taints, too.
    for words in (labels, keys):
        for path, text in label_findings({"metadata": {"labels": dict(words)}}, "nodeConfig"):
            raise _refused(f"{path}: {text}")
    twice = Counter((taint["key"], taint["effect"]) for taint in taints)
    for (key, effect), times in twice.items():
        if times > 1:
            raise _refused(f"node taint {key} is there {times} times with effect {effect}")


def _is_of(key: str, domains: tuple[str, ...]) -> bool:
    domain = key.rpartition("/")[0]
    return any(domain == one or domain.endswith(f".{one}") for one in domains)


def _refused(text: str) -> CloudError:
    return CloudError("INVALID_ARGUMENT", text)
