"""Access to custom Kubernetes objects that the SDK has at run time but does not declare."""

from typing import Any

import pulumi
import pulumi_kubernetes as k8s

_METADATA = "metadata"


def object_name(resource: k8s.apiextensions.CustomResource) -> pulumi.Output[str]:
    """The object's name, known once it exists and is ready."""
    metadata: pulumi.Output[Any] = getattr(resource, _METADATA)
    return metadata.apply(lambda meta: meta["name"])
