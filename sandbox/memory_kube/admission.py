"""What happens to a manifest before it is stored: kind, schema, defaults, rules, references.

Source: kubernetes/kubernetes pkg/apis/core/validation/validation.go:1936-2211, :2465, :6593,
pkg/apis/{apps,autoscaling,batch,scheduling}/validation and staging/src/k8s.io/apiserver
pkg/registry/rest, pkg/admission/plugin/webhook, v1.35.4.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from kube import paths, quantity
from kube.errors import KubeError, invalid
from kube.names import label_findings, name_findings
from kube.objects import (
    JsonObject,
    annotations_of,
    dig,
    labels_of,
    matches_labels,
    name_of,
    normalized,
    pod_templates,
)
from sandbox.gke import pod_webhooks as gke_webhooks
from sandbox.gke.compute_class_rules import compute_class_findings
from sandbox.gke.monitoring_rules import port_findings
from sandbox.gke.provisioning_rules import provisioning_findings
from sandbox.kube import registry, schemas, secrets, waits
from sandbox.kube.claim_rules import template_claim_findings
from sandbox.kube.helm import RELEASE, release_findings
from sandbox.kube.pod_rules import count_findings, template_findings
from sandbox.kube.store import Store
from sandbox.memory_kube.amount_rules import limit_range_findings, quota_findings
from sandbox.memory_kube.defaults import with_defaults
from sandbox.memory_kube.job_set_rules import job_set_findings
from sandbox.memory_kube.kueue.rules import KUEUE_RULES
from sandbox.memory_kube.ray_rules import ray_findings
from sandbox.memory_kube.references import refuse_missing

Finding = tuple[str, str]
_SERVICE_PORTS_OPTIONAL = ("ExternalName",)
_SPEC_REQUIRED = {
    "DaemonSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "Job",
    "LimitRange",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Pod",
    "ResourceClaimTemplate",
    "Service",
}


def admit(manifest: Mapping[str, Any], store: Store) -> JsonObject:
    """The manifest with server defaults; KubeError with every problem that was found."""
    registry.lookup(manifest.get("apiVersion"), manifest.get("kind"), store)
    obj = check(manifest)
    refuse_missing(obj, store)
    return obj


def check(manifest: Mapping[str, Any]) -> JsonObject:
    """The same, as far as it can be said of a manifest alone, whatever the cluster serves."""
    kind = registry.lookup(manifest.get("apiVersion"), manifest.get("kind"))
    manifest = normalized(manifest)
    metadata = manifest.get("metadata")
    shape_problems = [*_metadata_shape(metadata), *_null_items(manifest)]
    if shape_problems:
        raise _refusal(kind.kind, manifest, shape_problems)
    # Before the defaults: they would hide a missing field or trip over a wrong type.
    if kind.kind != RELEASE["kind"] and (problems := schemas.findings(manifest)):
        raise _refusal(kind.kind, manifest, problems)
    obj = with_defaults(manifest, namespaced=kind.namespaced)
    problems = [*name_findings(kind.kind, name_of(obj)), *label_findings(obj), *_rules(obj)]
    if not kind.namespaced and metadata and metadata.get("namespace"):
        problems.append(("metadata.namespace", f"a {kind.kind} belongs to no namespace"))
    if problems:
        raise _refusal(kind.kind, manifest, problems)
    obj.pop("status", None)
    if (webhook := _WEBHOOKS.get(kind.kind)) and (why := webhook(obj)):
        raise KubeError(why, reason="Forbidden")
    if wait := annotations_of(obj).get("pulumi.com/waitFor"):
        waits.expressions(wait)
    return obj


def _metadata_shape(metadata: Any) -> Iterator[Finding]:
    if not isinstance(metadata, Mapping) or not metadata.get("name"):
        yield "metadata.name", "required value"
    elif not isinstance(metadata["name"], str):
        yield "metadata.name", f"must be string, not {schemas.json_type(metadata['name'])}"
    elif not isinstance(metadata.get("namespace", ""), str | None):
        yield "metadata.namespace", "must be string"


def _null_items(value: Any, path: str = "") -> Iterator[Finding]:
    """The published schemas let list items be null; an API server does not."""
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield from _null_items(item, paths.join(path, str(name)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            at = paths.join(path, index)
            if item is None:
                yield at, "must not be null"
            yield from _null_items(item, at)


def _refusal(kind: str, manifest: Mapping[str, Any], problems: list[Finding]) -> KubeError:
    texts = [f"{path}: {text}" if path else text for path, text in problems]
    return invalid(kind, str(dig(manifest, "metadata", "name") or ""), texts)


def _rules(obj: JsonObject) -> Iterator[Finding]:
    kind = obj["kind"]
    if kind in _SPEC_REQUIRED and not obj.get("spec"):
        yield "spec", "required value"
        return
    yield from _counts(obj)
    for path, template in pod_templates(obj):
        yield from template_findings(kind, template, path)
        if path:
            yield from label_findings(template, f"{path}.metadata")
    if rule := _KIND_RULES.get(kind):
        yield from rule(obj)


def _counts(obj: JsonObject) -> Iterator[Finding]:
    for field in ("replicas", "parallelism", "completions"):
        count = dig(obj, "spec", field)
        if isinstance(count, int):
            yield from count_findings(count, f"spec.{field}")


def _secret(obj: JsonObject) -> Iterator[Finding]:
    for key in secrets.bad_base64(obj.get("data")):
        yield f"data.{key}", "is not base64 (stringData takes plain text)"


def _selector(obj: JsonObject) -> Iterator[Finding]:
    labels = labels_of(dig(obj, "spec", "template") or {})
    selector = dig(obj, "spec", "selector")
    if not selector:
        yield "spec.selector", "required value"
    elif not matches_labels(selector, labels):
        yield "spec.template.metadata.labels", "do not match spec.selector"


def _service(obj: JsonObject) -> Iterator[Finding]:
    spec = obj["spec"]
    headless = spec.get("clusterIP") == "None"
    if not spec.get("ports") and spec["type"] not in _SERVICE_PORTS_OPTIONAL and not headless:
        yield "spec.ports", "required value"
    names = [port.get("name") for port in spec.get("ports") or []]
    if len(names) > 1 and (None in names or len(set(names)) < len(names)):
        yield "spec.ports", "each needs a name of its own where there is more than one"
    if headless and spec["type"] in ("NodePort", "LoadBalancer"):
        yield "spec.clusterIP", f"may not be None for a {spec['type']}"


_PV_OPTIONS = {
    "accessModes",
    "capacity",
    "claimRef",
    "mountOptions",
    "nodeAffinity",
    "persistentVolumeReclaimPolicy",
    "storageClassName",
    "volumeAttributesClassName",
    "volumeMode",
}


def _volume(obj: JsonObject) -> Iterator[Finding]:
    spec = obj["spec"]
    if not spec.get("accessModes"):
        yield "spec.accessModes", "required value"
    yield from _storage(dig(spec, "capacity", "storage"), "spec.capacity.storage")
    sources = [key for key, value in spec.items() if key not in _PV_OPTIONS and value is not None]
    if not sources:
        yield "spec", "must specify a volume type such as csi"
    elif len(sources) > 1:
        yield "spec", "may not specify more than one volume type: " + ", ".join(sorted(sources))


def _claim(obj: JsonObject) -> Iterator[Finding]:
    spec = obj["spec"]
    if not spec.get("accessModes"):
        yield "spec.accessModes", "required value"
    amount = dig(spec, "resources", "requests", "storage")
    yield from _storage(amount, "spec.resources.requests.storage")


def _storage(amount: Any, path: str) -> Iterator[Finding]:
    if amount is None:
        yield path, "required value"
        return
    try:
        if quantity.parse(amount) <= 0:
            yield path, f'"{amount}" must be greater than zero'
    except KubeError as error:
        yield path, error.message


def _priority(obj: JsonObject) -> Iterator[Finding]:
    if obj.get("value", 0) > 1_000_000_000:
        yield "value", "above 1000000000 is kept for system classes"
    if name_of(obj).startswith("system-"):
        yield "metadata.name", "names that start with system- are kept for system classes"


def _job(obj: JsonObject) -> Iterator[Finding]:
    spec = obj["spec"]
    if spec["completionMode"] == "Indexed" and spec.get("completions") is None:
        yield "spec.completions", "required value when completion mode is Indexed"


def _autoscaler(obj: JsonObject) -> Iterator[Finding]:
    spec = obj["spec"]
    low, high = spec["minReplicas"], spec["maxReplicas"]
    if low < 1:
        yield "spec.minReplicas", f"{low} must be greater than or equal to 1"
    if high < 1:
        yield "spec.maxReplicas", f"{high} must be greater than 0"
    if high < low:
        yield "spec.maxReplicas", f"{high} must be greater than or equal to minReplicas {low}"


_WEBHOOKS: dict[str, Callable[[JsonObject], str]] = {
    "Pod": gke_webhooks.denial,
}
_KIND_RULES: dict[str, Callable[[JsonObject], Iterable[Finding]]] = {
    **KUEUE_RULES,
    "ComputeClass": compute_class_findings,
    "DaemonSet": _selector,
    "Deployment": _selector,
    "HorizontalPodAutoscaler": _autoscaler,
    "Job": _job,
    "JobSet": job_set_findings,
    "LimitRange": limit_range_findings,
    "PersistentVolume": _volume,
    "PersistentVolumeClaim": _claim,
    "PodMonitoring": port_findings,
    "PriorityClass": _priority,
    "ProvisioningRequest": provisioning_findings,
    "RayCluster": ray_findings,
    "RayJob": ray_findings,
    "Release": release_findings,
    "ResourceQuota": quota_findings,
    "ResourceClaimTemplate": template_claim_findings,
    "Secret": _secret,
    "Service": _service,
}
