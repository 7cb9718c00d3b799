"""A queued pool, a request for its machines, and pods that consume it, for tests."""

from dataclasses import replace
from typing import Any

from components.queues.provisioning_manifest import (
    QUEUED_TOLERATION,
    consuming_annotations,
    provisioning_request_spec,
)
from kube.objects import Node, Ref, Taint
from sandbox.memory_kube.memory import MemoryKube
from tests.unit.memory_kube_samples import (
    TOLERATION,
    asking,
    changed,
    container,
    gpu_nodes,
    make,
    pod,
    ref,
)

API = "autoscaling.x-k8s.io/v1"
TAINT = Taint(key="cloud.google.com/gke-queued", value="true")
TOLERATIONS = [TOLERATION, QUEUED_TOLERATION]
GPUS = asking(cpu="100", memory="1000Gi", gpu="8")


def queued_nodes(count: int = 2, pool: str = "a4") -> list[Node]:
    return [
        replace(node, name=f"{pool}-{index}", pool=pool, taints=(*node.taints, TAINT))
        for index, node in enumerate(gpu_nodes(count))
    ]


def template(name: str = "workers", **fields: Any) -> dict[str, Any]:
    main = container(resources=GPUS, **fields)
    return make("PodTemplate", name, template={"spec": {"containers": [main], **tolerating()}})


def tolerating() -> dict[str, Any]:
    return {"tolerations": [TOLERATION]}


def request(name: str = "workers", pods: int = 2, **values: Any) -> dict[str, Any]:
    spec = provisioning_request_spec(pods=pods, template_name="workers", max_run_seconds=3600)
    return make("ProvisioningRequest", name, API, spec={**spec, **values})


def request_ref(name: str = "workers") -> Ref:
    return ref("ProvisioningRequest", name, api_version=API)


def consuming(name: str = "p", request_name: str = "workers", **spec: Any) -> dict[str, Any]:
    wanted = pod(name, spec={"tolerations": TOLERATIONS, **spec}, resources=GPUS)
    return changed(wanted, consuming_annotations(request_name), "metadata", "annotations")


def provisioned(nodes: list[Node], *, pods: int = 2) -> MemoryKube:
    kube = MemoryKube({}, nodes)
    kube.apply(template())
    kube.apply(request(pods=pods))
    return kube


def conditions(kube: MemoryKube, name: str = "workers") -> dict[str, tuple[str, str]]:
    live = kube.get(request_ref(name))
    assert live is not None
    return {it["type"]: (it["status"], it["reason"]) for it in live["status"]["conditions"]}


def pod_named(kube: MemoryKube, name: str = "p") -> Any:
    (found,) = [it for it in kube.pods() if it.name == name]
    return found
