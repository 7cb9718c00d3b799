"""What an API server refuses in a pod although its schema allows it.

Source: kubernetes/kubernetes pkg/apis/core/validation/validation.go:479-810, :3115-3121, :7429,
:7868-7873, :8118 and pkg/apis/{apps,batch}/validation, v1.35.4.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube import quantity
from kube.errors import KubeError
from kube.names import is_label_1123
from kube.objects import JsonObject, dig, maps
from kube.pod_requests import is_extended
from sandbox.kube.claim_rules import pod_claim_findings

Finding = tuple[str, str]
MAX_PODS = 2000


def pod_findings(spec: Mapping[str, Any], path: str) -> Iterator[Finding]:
    volumes = {volume.get("name") for volume in maps(spec.get("volumes"))}
    if not spec.get("containers"):
        yield f"{path}.containers", "required value"
    names: set[object] = set()
    for field in ("initContainers", "containers"):
        for index, container in enumerate(maps(spec.get(field))):
            at, name = f"{path}.{field}[{index}]", container.get("name")
            if name in names:
                yield f"{at}.name", f'duplicate value "{name}"'
            names.add(name)
            yield from _container_findings(container, volumes, at)
    yield from _volume_findings(maps(spec.get("volumes")), f"{path}.volumes")
    yield from pod_claim_findings(spec, path)


def _container_findings(container: JsonObject, volumes: set[Any], path: str) -> Iterator[Finding]:
    name = container.get("name")
    if isinstance(name, str) and not is_label_1123(name):
        yield f"{path}.name", f'"{name}" must be at most 63 lower-case letters, digits or -'
    if not container.get("image"):
        yield f"{path}.image", "required value"
    mounts = maps(container.get("volumeMounts"))
    for index, mount in enumerate(mounts):
        if mount.get("name") not in volumes:
            yield f"{path}.volumeMounts[{index}].name", f'no volume "{mount.get("name")}"'
        if mount.get("mountPath") in [other.get("mountPath") for other in mounts[:index]]:
            yield f"{path}.volumeMounts[{index}].mountPath", "must be unique"
    yield from resource_findings(container.get("resources") or {}, f"{path}.resources")


def resource_findings(resources: Mapping[str, Any], path: str) -> Iterator[Finding]:
    requests = dict(resources.get("requests") or {})
    limits = dict(resources.get("limits") or {})
    bad: set[tuple[str, str]] = set()
    for field, values in (("requests", requests), ("limits", limits)):
        for name, value in values.items():
            for text in _amount_findings(name, value):
                bad.add((field, name))
                yield f"{path}.{field}.{name}", text
    for name, value in requests.items():
        if {("requests", name), ("limits", name)} & bad:
            continue
        limit = limits.get(name)
        if limit is None:
            if is_extended(name):
                yield f"{path}.limits.{name}", "limit must be set for a resource that is not shared"
        elif is_extended(name) and quantity.parse(value) != quantity.parse(limit):
            yield f"{path}.requests.{name}", f'"{value}" must be equal to {name} limit of {limit}'
        elif quantity.parse(value) > quantity.parse(limit):
            text = f'"{value}" must be less than or equal to {name} limit of {limit}'
            yield f"{path}.requests.{name}", text


def _amount_findings(name: str, value: Any) -> Iterator[str]:
    try:
        amount = quantity.parse(value)
    except KubeError as error:
        yield error.message
        return
    if amount < 0:
        yield f'"{value}" must not be negative'
    if is_extended(name) and amount.denominator != 1:
        yield f'"{value}" must be an integer'
    if is_extended(name) and "/" not in name and name != "pods":
        yield "is not a resource of Kubernetes; devices are named vendor/device"


def _volume_findings(volumes: list[JsonObject], path: str) -> Iterator[Finding]:
    seen: set[Any] = set()
    for index, volume in enumerate(volumes):
        name, sources = (
            volume.get("name"),
            [k for k, v in volume.items() if k != "name" and v is not None],
        )
        if name in seen:
            yield f"{path}[{index}].name", f'duplicate value "{name}"'
        seen.add(name)
        if len(sources) > 1:
            yield f"{path}[{index}]", "may not have more than one source: " + ", ".join(sources)


def count_findings(count: int, path: str) -> Iterator[Finding]:
    if count < 0:
        yield path, f"{count} must not be negative"
    elif count > MAX_PODS:
        yield path, f"{count} is more than the {MAX_PODS} pods of one owner that the sandbox runs"


def template_findings(kind: str, template: Mapping[str, Any], path: str) -> Iterator[Finding]:
    spec: Any = template.get("spec") or {}
    base = f"{path}.spec" if path else "spec"
    yield from pod_findings(spec, base)
    policy = dig(spec, "restartPolicy")
    # KubeRay's submitter becomes a Job's pod, and no restart policy is set in a given template.
    is_job = kind == "Job" or path.endswith("submitterPodTemplate")
    if is_job and policy not in ("Never", "OnFailure"):
        yield f"{base}.restartPolicy", "must be Never or OnFailure in a Job"
    if kind in ("Deployment", "DaemonSet") and policy not in (None, "Always"):
        yield f"{base}.restartPolicy", f"must be Always in a {kind}"
