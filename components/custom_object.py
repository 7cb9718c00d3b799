"""Access to what every Kubernetes object has at run time but not every class declares."""

from typing import Any

import pulumi

_METADATA = "metadata"


def object_name(resource: pulumi.CustomResource) -> pulumi.Output[str]:
    """The object's name, known once it exists and is ready."""
    metadata: pulumi.Output[Any] = getattr(resource, _METADATA)
    return metadata.apply(lambda meta: meta["name"])
