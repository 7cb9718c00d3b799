"""What GKE's webhooks of the sandbox do, as names and figures: seen of pods that they got."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sandbox.gke.agent.tpu_pods import Host, assigned, problem
from sandbox.gke.agent.webhooks import configurations
from sandbox.gke.pod_webhooks import GCSFUSE, GCSFUSE_DRIVER, denial, mutated
from sandbox.kube.objects import JsonObject, dig, labels_of, maps
from sandbox.kube.store import Store

_ANSWERS = ("1", "FALSE", "False", "TRUE", "True", "false", "no", "true", "yes")
_TPU = "google.com/tpu"
_SLICES = {"name": "MEGASCALE_NUM_SLICES", "value": "2"}


def webhook_facts() -> Mapping[str, frozenset[str]]:
    bucket, tpu = _with_bucket(), _with_tpu()
    sidecar, prefetch = maps(bucket["initContainers"])
    hooks = {each["name"]: each for config in configurations("", "") for each in config["webhooks"]}
    mounts = hooks["gcsfuse-sidecar-injector.csi.storage.gke.io"]
    pods = hooks["kuberay-tpu-webhook.ray-system.svc"]
    (namespaces,) = dig(pods, "namespaceSelector", "matchExpressions")
    (term,) = dig(tpu, "spec", "affinity", "podAffinity", _REQUIRED)
    environment = {each["name"]: each["value"] for each in tpu["spec"]["containers"][0]["env"]}
    found = {
        "gcsfuse annotation": [GCSFUSE],
        "gcsfuse answers": [each for each in _ANSWERS if not denial(_pod({GCSFUSE: each}))],
        "gcsfuse containers": [sidecar["name"], prefetch["name"]],
        "gcsfuse driver": [GCSFUSE_DRIVER],
        "gcsfuse environment": [each["name"] for each in maps(sidecar.get("env"))],
        "gcsfuse failure policy": [mounts["failurePolicy"]],
        "gcsfuse restart policy": {sidecar["restartPolicy"], prefetch["restartPolicy"]},
        "gcsfuse seconds": [str(mounts["timeoutSeconds"])],
        "gcsfuse sidecar": _amounts(sidecar),
        "gcsfuse prefetch": _amounts(prefetch),
        "gcsfuse volumes": [each["name"] for each in bucket["volumes"][1:]],
        "tpu environment": environment.keys() - {_SLICES["name"]},
        "tpu megascale port": [environment["MEGASCALE_PORT"]],
        "tpu namespaces": namespaces["values"],
        "tpu pods": dig(pods, "objectSelector", "matchLabels").values(),
        "tpu replica label": labels_of(tpu).keys() - {"ray.io/cluster", "ray.io/group"},
        "tpu resource": [_TPU],
        "tpu together on": [term["topologyKey"]],
        "tpu webhooks": [each.split(".")[0] for each in hooks if each.startswith("raycluster")],
    }
    return {name: frozenset(values) for name, values in found.items()}


_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def _pod(annotations: Mapping[str, str], **spec: Any) -> JsonObject:
    return {"metadata": {"name": "p", "namespace": "n", "annotations": annotations}, "spec": spec}


def _with_bucket() -> JsonObject:
    attributes = {"bucketName": "b", "gcsfuseMetadataPrefetchOnMount": "true"}
    volume = {"name": "data", "csi": {"driver": GCSFUSE_DRIVER, "volumeAttributes": attributes}}
    pod = _pod({GCSFUSE: "true"}, containers=[{"name": "c"}], volumes=[volume])
    return mutated(Store({}), pod)["spec"]


def _with_tpu() -> JsonObject:
    container = {"name": "c", "env": [_SLICES], "resources": {"limits": {_TPU: "4"}}}
    selector = {"cloud.google.com/gke-tpu-topology": "4x4"}
    pod = _pod({}, nodeSelector=selector, containers=[container])
    pod["metadata"]["labels"] = {"ray.io/cluster": "ray", "ray.io/group": "tpus"}
    assert not problem(pod)
    return assigned(pod, Host("n", "ray", "tpus", 0, 0))


def _amounts(container: JsonObject) -> list[str]:
    resources = container["resources"]
    return [
        f"{name}-{kind}={resources[f'{kind}s'].get(name, '0')}"
        for name in resources["requests"]
        for kind in ("request", "limit")
    ]
