"""Which pods a taint keeps away."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from kube.objects import Taint


def is_evicted(tolerations: Iterable[Mapping[str, Any]], taint: Taint) -> bool:
    """Whether a pod that runs leaves a node which gets the taint: now, or when the seconds of its
    toleration are over (Kubernetes documentation, "Taints and Tolerations", 2026-11-26)."""
    lasting = (it for it in tolerations if it.get("tolerationSeconds") is None)
    return taint.effect == "NoExecute" and not any(tolerates(it, taint) for it in lasting)


def tolerates(toleration: Mapping[str, Any], taint: Taint) -> bool:
    key, effect = toleration.get("key") or "", toleration.get("effect") or ""
    if effect and effect != taint.effect:
        return False
    if key and key != taint.key:
        return False
    if (toleration.get("operator") or "Equal") == "Exists":
        return True
    return bool(key) and (toleration.get("value") or "") == taint.value
