"""What a user may say of a pool's nodes: labels that pods pick them by, and taints that keep other
pods away. Pure.

GKE puts both on the nodes that are there, too, without making them anew, and on each that comes
(GKE documentation, "Update Kubernetes node labels and taints for node pools"; hashicorp/
terraform-provider-google-beta google-beta/services/container/node_config.go:4195 and :4383,
93c65b2d60).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

# Kubernetes' effects in the provider's words.
_EFFECTS = {
    "NoSchedule": "NO_SCHEDULE",
    "PreferNoSchedule": "PREFER_NO_SCHEDULE",
    "NoExecute": "NO_EXECUTE",
}
# A kubelet refuses to start with most labels of the first two domains (k8s.io/kubelet 0.35.4,
# pkg/apis/well_known_labels.go; GoogleCloudPlatform/cluster-toolkit,
# modules/compute/gke-node-pool/variables.tf, 104708037). By those of the others GKE and its drivers
# know nodes, and pools here get them from their other arguments.
_RESERVED = ("kubernetes.io", "k8s.io", "cloud.google.com", "gke.io", "google.com", "nvidia.com")
# All labels of a pool written as KEY=VALUE,KEY=VALUE (GKE documentation, "Update Kubernetes node
# labels and taints for node pools").
_LONGEST = 1024
_MOST_IN_PART = 63
_PART = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")
_MOST_IN_DOMAIN = 253


@dataclass(frozen=True, kw_only=True)
class NodeTaintArgs:
    """`effect` is Kubernetes' word: NoSchedule, PreferNoSchedule or NoExecute."""

    key: str
    value: str
    effect: str


def check_node_labels(
    labels: Mapping[str, str], *, beside: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Returns the labels with those `beside`, which the pool has anyway.

    Raises ValueError for a label that GKE or Kubernetes does not take, or keeps for itself.
    """
    for key, value in labels.items():
        check_node_label_key(key)
        check_node_label_value(key, value)
    together = {**(beside or {}), **labels}
    length = len(",".join(f"{key}={value}" for key, value in together.items()))
    if length > _LONGEST:
        raise ValueError(
            f"the {len(together)} node labels take {length} characters as KEY=VALUE,..., and GKE "
            f"takes {_LONGEST}; nearest: shorter or fewer labels"
        )
    return together


def check_node_label_key(key: str) -> None:
    """Raises ValueError, with the nearest key that works, when nodes cannot have it."""
    _check_key("node label", key)


def check_node_label_value(key: str, value: str) -> None:
    """Raises ValueError, with the nearest value that works, when a node label cannot have it."""
    _check_value(f"the node label {key}", value)


def check_node_taint_key(key: str) -> None:
    """Raises ValueError, with the nearest key that works, when a taint cannot have it."""
    _check_key("node taint", key)


def check_node_taint_value(key: str, value: str) -> None:
    """Raises ValueError, with the nearest value that works, when a taint cannot have it."""
    _check_value(f"the node taint {key}", value)


def check_node_taints(taints: Sequence[NodeTaintArgs]) -> tuple[NodeTaintArgs, ...]:
    """Returns the taints. Raises ValueError for one that GKE or Kubernetes does not take, keeps
    for itself or has already."""
    seen: set[tuple[str, str]] = set()
    for taint in taints:
        check_node_taint_key(taint.key)
        check_node_taint_value(taint.key, taint.value)
        if taint.effect not in _EFFECTS:
            raise ValueError(
                f'"{taint.effect}" is not an effect of the node taint {taint.key} '
                f"({', '.join(_EFFECTS)}); nearest: {_nearest_effect(taint.effect)}"
            )
        if (taint.key, taint.effect) in seen:
            raise ValueError(
                f"the node taint {taint.key} is there twice with {taint.effect}, and Kubernetes "
                "takes one of a key and an effect; nearest: one of them"
            )
        seen.add((taint.key, taint.effect))
    return tuple(taints)


def provider_effect(taint: NodeTaintArgs) -> str:
    """The effect as the provider of node pools calls it."""
    return _EFFECTS[taint.effect]


def toleration(taint: NodeTaintArgs) -> dict[str, str]:
    """What a pod says to come onto, and to stay on, nodes with the taint.

    It does not bring the pod there: that takes a node selector, by a label of the same pool.
    """
    return {
        "key": taint.key,
        "operator": "Equal",
        "value": taint.value,
        "effect": taint.effect,
    }


def _nearest_effect(text: str) -> str:
    plain = {effect.lower(): effect for effect in _EFFECTS}
    word = re.sub(r"[^a-z]", "", text.lower())
    return plain[get_close_matches(word, plain, n=1, cutoff=0)[0]]


def _check_key(what: str, key: str) -> None:
    domain, slash, name = key.rpartition("/")
    for reserved in _RESERVED:
        if domain == reserved or domain.endswith(f".{reserved}"):
            raise ValueError(
                f'"{key}" is a {what} of {reserved}, which GKE and Kubernetes keep for themselves; '
                f"nearest: {name or 'team'}"
            )
    good_domain = len(domain) <= _MOST_IN_DOMAIN and bool(_DOMAIN.fullmatch(domain))
    if (slash and not good_domain) or not _is_part(name):
        raise ValueError(
            f'"{key}" is not the key of a {what} (1 to {_MOST_IN_PART} letters, digits, "-", "_" '
            'and ".", a letter or digit first and last, after a domain and "/" or without); '
            f"nearest: {_repaired(name) or 'team'}"
        )


def _check_value(what: str, value: str) -> None:
    if value and not _is_part(value):
        raise ValueError(
            f'"{value}" is not a value of {what} (at most {_MOST_IN_PART} letters, digits, "-", '
            f'"_" and ".", a letter or digit first and last); nearest: "{_repaired(value)}"'
        )


def _is_part(text: str) -> bool:
    return len(text) <= _MOST_IN_PART and bool(_PART.fullmatch(text))


def _repaired(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text)[:_MOST_IN_PART].strip("-_.")
