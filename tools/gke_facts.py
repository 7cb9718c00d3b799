"""What GKE's webhooks and controllers do here, as names and figures, seen of what they got."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kube.objects import JsonObject, dig, labels_of, maps
from sandbox.gke.agent.tpu_pods import Host, assigned, problem
from sandbox.gke.agent.webhooks import configurations
from sandbox.gke.networks import PARAMS_KIND, network_problem, params_problem
from sandbox.gke.pod_webhooks import GCSFUSE, GCSFUSE_DRIVER, denial, mutated
from sandbox.gke.provisioning_rules import QUEUED_CLASS, provisioning_findings
from sandbox.kube.store import Store

_ANSWERS = ("1", "FALSE", "False", "TRUE", "True", "false", "no", "true", "yes")
_RUN = "maxRunDurationSeconds"
_TPU = "google.com/tpu"
_SLICES = {"name": "MEGASCALE_NUM_SLICES", "value": "2"}


def gke_facts() -> Mapping[str, frozenset[str]]:
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
    found |= {
        "network reasons": [*_network_reasons()],
        "queued class": [QUEUED_CLASS],
        "queued parameter": [_RUN] if _takes(3600) else [],
        "flex-start run": [_span(it) for it in (600, 604800) if _takes(it) and not _is_inside(it)],
    }
    return {name: frozenset(values) for name, values in found.items()}


def _is_inside(seconds: int) -> bool:
    return _takes(seconds - 1) and _takes(seconds + 1)


def _span(seconds: int) -> str:
    return f"{seconds // 86400} days" if seconds >= 86400 else f"{seconds // 60} minutes"


def _takes(seconds: int) -> bool:
    spec = {"podSets": [], "parameters": {_RUN: str(seconds)}}
    return not [*provisioning_findings({"spec": spec})]


def _network_reasons() -> Iterator[str]:
    place, ranges = {"vpc": "v", "vpcSubnet": "s"}, {"podIPv4Ranges": {"rangeNames": ["r"]}}
    device = {**place, "deviceMode": "RDMA"}
    for kind, spec in (
        ("Device", {}),
        ("Device", place),
        ("Device", {**device, **ranges}),
        ("Device", {**device, "vpc": "a/b"}),
        ("Device", {**device, "vpcSubnet": "a/b"}),
        ("Device", device),
        ("Device", {**place, **ranges}),
        ("Device", {"networkAttachment": "a"}),
        ("L3", device),
    ):
        store = Store({})
        for name in ("other", "mine"):
            store.add(_of_networks(PARAMS_KIND, name, spec))
        reference = {"kind": PARAMS_KIND, "name": "other"}
        network = _of_networks("Network", "n", {"type": kind, "parametersRef": reference})
        store.add(network)
        mine = _of_networks(PARAMS_KIND, "mine", spec)
        problems = (params_problem(store, mine), network_problem(store, network))
        yield from (it[0] for it in problems if it and it[0] != "GNPParamsNotReady")


def _of_networks(kind: str, name: str, spec: JsonObject) -> JsonObject:
    metadata = {"name": name}
    return {"apiVersion": "networking.gke.io/v1", "kind": kind, "metadata": metadata, "spec": spec}


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
