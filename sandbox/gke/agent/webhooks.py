"""GKE's admission webhooks: what each refuses and changes, and where the API server calls it.

The texts and changes are those of the in-memory Kubernetes; a real API server wants an image in
each container that is added.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from kube.objects import JsonObject, annotations_of, labels_of, maps, name_of
from kube.pod_networks import networks_of
from sandbox.gke import tpu_webhook
from sandbox.gke.agent.live import Live
from sandbox.gke.agent.mounts import CLAIM, VOLUME, waiting
from sandbox.gke.agent.networks import NETWORK, PARAMS
from sandbox.gke.agent.provisioning import REQUEST
from sandbox.gke.agent.tpu_pods import Host, assigned, hosts_taken, next_host, problem
from sandbox.gke.networks import pods_on
from sandbox.gke.pod_webhooks import GCSFUSE, denial, mutated
from sandbox.gke.queued_machines import CONSUME
from sandbox.live_kube.api import Api, Kind

Review = Mapping[str, Any]
# The object as the webhook leaves it, or why it refuses.
Verdict = JsonObject | str
_POD: Kind = ("v1", "Pod")
# GoogleCloudPlatform/gcs-fuse-csi-driver deploy/base/node/node.yaml; GKE chooses the version.
_IMAGES = {
    "gke-gcsfuse-sidecar": "gke.gcr.io/gcs-fuse-csi-driver-sidecar-mounter",
    "gke-gcsfuse-metadata-prefetch": "gke.gcr.io/gcs-fuse-csi-driver-metadata-prefetch",
}
_NETWORKS = "networking.gke.io"
_SIDECARS = "gcsfuse-sidecar-injector.csi.storage.gke.io"
_TPU_PODS = "kuberay-tpu-webhook.ray-system.svc"
_RAY_CLUSTERS = "raycluster-kuberay-tpu-webhook.ray-system.svc"
_DENIED = "denied the request: "
# For so long an admitted pod may be unknown to the API server; the real webhook waits as long.
_UNSEEN_SECONDS = 1.0


class Webhooks:
    """`ray_addon` says whether GKE's add-on for Ray is on, which brings the webhook for TPUs."""

    def __init__(self, api: Api, live: Live, ray_addon: Callable[[], bool]) -> None:
        self._api = api
        self._ray_addon = ray_addon
        self._live = live
        self._lock = threading.Lock()
        self._unseen: list[tuple[float, Host]] = []
        self.handlers: dict[str, Callable[[Review], Verdict]] = {
            "/pods": self._pod,
            "/gcsfuse": self._sidecars,
            "/tpu-pods": self._tpu_pod,
            "/ray-clusters": self._ray_cluster,
            "/networks": self._network,
        }

    def _pod(self, review: Review) -> Verdict:
        pod = _object(review)
        self._live.refresh(*_read_for(pod))
        if why := _denied_by(_NETWORKS, pod):
            return why
        return waiting(with_images(pod, without_repeats(mutated(self._live.store(), pod))))

    def _sidecars(self, review: Review) -> Verdict:
        """Refuses only: the pod has its sidecar by now."""
        pod = _object(review)
        return _denied_by(_SIDECARS, pod) or pod

    def _tpu_pod(self, review: Review) -> Verdict:
        pod = _object(review)
        if not self._ray_addon():
            return pod
        if why := problem(pod):
            return why
        if not tpu_webhook.chips_of(pod["spec"]):
            return pod
        with self._lock:
            labels = labels_of(pod)
            selector = ",".join(
                f"{key}={labels[key]}" for key in (tpu_webhook.CLUSTER, tpu_webhook.GROUP)
            )
            pods, _ = self._api.list(_POD, selector)
            now = time.monotonic()
            self._unseen = [(at, host) for at, host in self._unseen if now - at < _UNSEEN_SECONDS]
            taken = {*hosts_taken(pods), *(host for _, host in self._unseen)}
            host = next_host(pod, [*taken])
            if not review.get("dryRun"):
                self._unseen.append((now, host))
        return assigned(pod, host)

    def _ray_cluster(self, review: Review) -> Verdict:
        cluster = _object(review)
        if not self._ray_addon():
            return cluster
        return tpu_webhook.denial(cluster).partition(_DENIED)[2] or cluster

    def _network(self, review: Review) -> Verdict:
        """A Network in use (annotation networking.gke.io/in-use) is not deleted."""
        network: JsonObject = dict(review["oldObject"])
        users = pods_on(self._live.store(), network)
        names = ", ".join(f"{pod['metadata']['namespace']}/{name_of(pod)}" for pod in users)
        return f"Network {name_of(network)} is used by pods {names}" if users else network


def _denied_by(webhook: str, pod: Mapping[str, Any]) -> str:
    """Why this webhook refuses: the API server says which one it was."""
    said, _, why = denial(pod).partition(_DENIED)
    return why if f'"{webhook}"' in said else ""


def _object(review: Review) -> JsonObject:
    obj: JsonObject = dict(review["object"])
    metadata = {**obj["metadata"]}
    if review.get("namespace"):
        metadata["namespace"] = review["namespace"]
    return {**obj, "metadata": metadata}


def _read_for(pod: Mapping[str, Any]) -> Iterator[Kind]:
    annotations = annotations_of(pod)
    if networks_of(annotations):
        yield from (PARAMS, NETWORK)
    if GCSFUSE in annotations:
        yield from (CLAIM, VOLUME)
    if CONSUME in annotations:
        yield REQUEST


def with_images(pod: Mapping[str, Any], changed: JsonObject) -> JsonObject:
    """The added sidecars with an image: the user's own choice, or GKE's."""
    spec = pod["spec"]
    own = {
        each["name"]: each.get("image")
        for each in (*maps(spec.get("initContainers")), *maps(spec.get("containers")))
    }
    made = changed["spec"]
    if "initContainers" not in made:
        return changed
    containers = [
        each if each.get("image") else {**each, "image": _image(each["name"], own)}
        for each in maps(made["initContainers"])
    ]
    return {**changed, "spec": {**made, "initContainers": containers}}


def _image(name: str, own: Mapping[str, str | None]) -> str | None:
    return own.get(name) or _IMAGES.get(name)


def without_repeats(pod: JsonObject) -> JsonObject:
    """Tolerations once each: the API server adds that of TPUs by itself."""
    found: list[JsonObject] = []
    for toleration in maps(pod["spec"].get("tolerations")):
        if toleration not in found:
            found.append(toleration)
    return {**pod, "spec": {**pod["spec"], "tolerations": found}} if found else pod


def answer(review: Review, verdict: Verdict) -> JsonObject:
    """The AdmissionReview's response."""
    response: JsonObject = {"uid": review["uid"], "allowed": not isinstance(verdict, str)}
    if isinstance(verdict, str):
        response["status"] = {"message": verdict, "code": 403}
    elif review.get("object") is not None:
        response |= _patch(review["object"], verdict)
    return response


def _patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> JsonObject:
    changes: list[JsonObject] = []
    if after.get("spec") != before.get("spec"):
        changes.append({"op": "replace", "path": "/spec", "value": after["spec"]})
    if labels_of(after) != labels_of(before):
        changes.append({"op": "add", "path": "/metadata/labels", "value": labels_of(after)})
    return {"patchType": "JSONPatch", "patch": changes} if changes else {}


def configurations(url: str, bundle: str) -> Sequence[JsonObject]:
    """The objects that tell the API server of the webhooks; `bundle` is base64 PEM."""

    def webhook(name: str, path: str, group: str, plural: str, **more: Any) -> JsonObject:
        return {
            "name": name,
            "clientConfig": {"url": f"{url}{path}", "caBundle": bundle},
            "rules": [_rule(group, plural, more.pop("operation", "CREATE"))],
            "admissionReviewVersions": ["v1"],
            "sideEffects": "NoneOnDryRun",
            # GKE's own for buckets is ignored where it fails, after 3 s (GoogleCloudPlatform/
            # gcs-fuse-csi-driver deploy/base/webhook, 5fcdc04a); the sandbox's faults have to show.
            "failurePolicy": "Fail",
            "timeoutSeconds": 10,
            **more,
        }

    outside: JsonObject = {
        "namespaceSelector": {
            "matchExpressions": [
                {
                    "key": "kubernetes.io/metadata.name",
                    "operator": "NotIn",
                    "values": ["kube-system", "kube-node-lease"],
                }
            ]
        }
    }
    of_ray = {"objectSelector": {"matchLabels": {"app.kubernetes.io/name": "kuberay"}}}
    with_buckets = {
        "matchConditions": [
            {
                "name": "bucket",
                "expression": (
                    "has(object.metadata.annotations) && "
                    f"'{GCSFUSE}' in object.metadata.annotations"
                ),
            }
        ]
    }
    return [
        _configuration(
            "MutatingWebhookConfiguration",
            webhook(_NETWORKS, "/pods", "", "pods", **outside),
            webhook(_SIDECARS, "/gcsfuse", "", "pods", **outside, **with_buckets),
            webhook(_TPU_PODS, "/tpu-pods", "", "pods", **outside, **of_ray),
        ),
        _configuration(
            "ValidatingWebhookConfiguration",
            webhook(_RAY_CLUSTERS, "/ray-clusters", "ray.io", "rayclusters", **outside),
            webhook(
                "networks.networking.gke.io",
                "/networks",
                "networking.gke.io",
                "networks",
                operation="DELETE",
            ),
        ),
    ]


def _configuration(kind: str, *webhooks: JsonObject) -> JsonObject:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": "gke"},
        "webhooks": list(webhooks),
    }


def _rule(group: str, plural: str, operation: str) -> JsonObject:
    return {
        "apiGroups": [group],
        "apiVersions": ["v1"],
        "operations": [operation],
        "resources": [plural],
    }
