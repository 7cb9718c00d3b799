"""Who runs KubeRay. No Pulumi import."""

import json
from enum import StrEnum
from typing import Any

from stacks.config_errors import nearest


class RayOperator(StrEnum):
    """Who runs KubeRay: GKE, by its add-on, or the stack, by KubeRay's own Helm chart."""

    ADDON = "addon"
    HELM = "helm"


def one_operator(value: Any) -> Any:
    """Says of a list of both that it is one of them."""
    known = list(RayOperator)
    if value in known:
        return value
    raise ValueError(
        f"{json.dumps(value)} is not who runs KubeRay: one of them, never both; "
        f"nearest: {nearest(str(value), known)}"
    )
