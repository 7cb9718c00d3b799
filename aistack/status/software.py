"""What runs the cluster, and in which version: as the cluster says it. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from aistack.status.snapshot import Record, Snapshot
from catalog.image_name import ImageName
from kube.kinds import DEPLOYMENT, NODE
from kube.objects import JsonObject, dig, maps
from stacks.parts.cluster.config import Operator
from stacks.refusal import CLUSTER

# The ends of their images' names, wherever the images are taken from: charts of kueue v0.19.2,
# kuberay v1.4.2 and jobset v0.12.0.
_IMAGES = {
    "kueue/kueue": Operator.KUEUE,
    "kuberay/operator": Operator.KUBERAY,
    "jobset/jobset": Operator.JOBSET,
}

_ADDON = "GKE's add-on"


def controllers(it: Snapshot) -> Mapping[Operator, JsonObject]:
    """Deployments of operators. That of GKE's Ray add-on runs where nobody sees it, so nobody
    knows its version either."""
    found = ((_operator(_image(one)), one) for one in it.seen(DEPLOYMENT))
    return {operator: one for operator, one in found if operator is not None}


def versions(it: Snapshot) -> Mapping[str, str]:
    """By name; of nodes each version that there is."""
    kubelets = {dig(node, "status", "nodeInfo", "kubeletVersion") for node in it.seen(NODE)}
    nodes = ", ".join(sorted(filter(None, kubelets)))
    found = {"kubernetes": it.kubernetes, "nodes": nodes}
    if any(map(_has_ray_addon, it.made(CLUSTER))):
        found[Operator.KUBERAY.value] = _ADDON
    found |= {operator.value: _tag(_image(one)) for operator, one in controllers(it).items()}
    return {name: version for name, version in found.items() if version}


def _has_ray_addon(cluster: Record) -> bool:
    operators = dig(cluster.inputs, "addonsConfig", "rayOperatorConfigs")
    return any(one.get("enabled") for one in maps(operators))


def _operator(image: str) -> Operator | None:
    name = ImageName.parse(image).repository
    return next((one for end, one in _IMAGES.items() if name.endswith(f"/{end}")), None)


def _tag(image: str) -> str:
    """The version; of an image that is named by its digest alone, the digest."""
    name = ImageName.parse(image)
    return name.tag or name.digest


def _image(deployment: JsonObject) -> str:
    containers = maps(dig(deployment, "spec", "template", "spec", "containers"))
    return next((it["image"] for it in containers if _operator(it["image"])), "")
