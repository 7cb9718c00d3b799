"""What an API server refuses in a ResourceClaimTemplate of resource.k8s.io/v1, and in pods' claims,
although their schemas allow it.

Source: kubernetes/kubernetes pkg/apis/resource/validation/validation.go:228-273 and
pkg/apis/core/validation/validation.go:3235-3244, v1.35.4.

Left out, and so refused: alternatives (`firstAvailable`), and claims that pods share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kube.names import is_label_1123
from kube.objects import JsonObject, dig, maps

Finding = tuple[str, str]
MODES = ("ExactCount", "All")


def template_claim_findings(template: JsonObject) -> Iterator[Finding]:
    path = "spec.spec.devices.requests"
    names: set[object] = set()
    for index, request in enumerate(requests_in(template["spec"])):
        at, name = f"{path}[{index}]", request["name"]
        if not is_label_1123(name):
            yield f"{at}.name", f'"{name}" must be at most 63 lower-case letters, digits or -'
        if name in names:
            yield f"{at}.name", f'duplicate value "{name}"'
        names.add(name)
        if request.get("firstAvailable"):
            yield f"{at}.firstAvailable", "the sandbox knows no alternatives; nearest: exactly"
        elif not request.get("exactly"):
            yield at, "exactly one of `exactly` or `firstAvailable` is required"
        else:
            yield from _exactly(request["exactly"], f"{at}.exactly")


def pod_claim_findings(spec: Mapping[str, Any], path: str) -> Iterator[Finding]:
    known: set[object] = set()
    for index, claim in enumerate(maps(spec.get("resourceClaims"))):
        at, name = f"{path}.resourceClaims[{index}]", claim["name"]
        if name in known:
            yield f"{at}.name", f'duplicate value "{name}"'
        known.add(name)
        sources = [claim.get(key) for key in ("resourceClaimName", "resourceClaimTemplateName")]
        if len([source for source in sources if source]) != 1:
            yield at, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
    for field in ("initContainers", "containers"):
        for index, container in enumerate(maps(spec.get(field))):
            for place, claim in enumerate(maps(dig(container, "resources", "claims"))):
                if claim["name"] not in known:
                    at = f"{path}.{field}[{index}].resources.claims[{place}].name"
                    yield at, f'"{claim["name"]}" must be one of the names in {path}.resourceClaims'


def requests_in(spec: Mapping[str, Any]) -> list[JsonObject]:
    """The requests in the spec of a template."""
    return maps(dig(spec, "spec", "devices", "requests"))


def _exactly(exactly: JsonObject, path: str) -> Iterator[Finding]:
    mode, count = exactly["allocationMode"], exactly.get("count")
    if not exactly.get("deviceClassName"):
        yield f"{path}.deviceClassName", "required value"
    if mode not in MODES:
        yield f"{path}.allocationMode", f'"{mode}" must be one of {", ".join(MODES)}'
    elif mode == "All" and count is not None:
        yield f"{path}.count", "must not be specified when allocationMode is 'All'"
    elif mode == "ExactCount" and (count or 0) <= 0:
        yield f"{path}.count", f"{count} must be greater than zero"
