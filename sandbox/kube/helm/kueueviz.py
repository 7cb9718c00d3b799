"""KueueViz as Kueue's chart renders it: a page, and the backend that it calls.

Source: kubernetes-sigs/kueue charts/kueue/templates/kueueviz and values.yaml, v0.19.2, with the
images that a release is packed with (hack/helm-chart-package.sh). An Ingress is refused: the
sandbox has nothing that leads into a cluster.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from kube.objects import JsonObject, dig, namespace_of
from kube.text import nearest
from sandbox.kube.helm.chart import Finding, made, values_of

_PORT = 8080
_AMOUNTS = {"cpu": "500m", "memory": "512Mi"}
_RESOURCES = {"limits": _AMOUNTS, "requests": _AMOUNTS}
_ORIGINS = {"name": "KUEUEVIZ_ALLOWED_ORIGINS", "value": "https://frontend.kueueviz.local"}
_POD_SECURITY = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
_SECURITY = {
    "readOnlyRootFilesystem": True,
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
}
_OF_BOTH = {
    "containerSecurityContext",
    "env",
    "image",
    "imagePullSecrets",
    "ingress",
    "nodeSelector",
    "podSecurityContext",
    "priorityClassName",
    "resources",
    "tolerations",
}
_INGRESS = {
    *("annotations", "enabled", "host", "ingressClassName"),
    *("tlsEnabled", "tlsSecretName"),
}
# By its place below `kueueViz`, what a block has.
_KNOWN = {
    "": {"backend", "frontend"},
    "backend": {*_OF_BOTH, "auth"},
    "backend.auth": {"mode", "tokenReviewConfig"},
    "backend.auth.tokenReviewConfig": {"audiences", "cacheTTL", "negativeCacheTTL"},
    "backend.ingress": _INGRESS,
    "frontend": _OF_BOTH,
    "frontend.ingress": _INGRESS,
}
_MODES = ("Disabled", "TokenReview")


def kueueviz_findings(
    version: str, values: Mapping[str, Any], *, guarded: bool
) -> Iterator[Finding]:
    """`guarded` says whether the release reads `auth`."""
    for place, known in _KNOWN.items():
        at = ".".join(filter(None, ("kueueViz", place)))
        there = known if guarded else known - {"auth"}
        for name in dig(values, *at.split(".")) or {}:
            if name not in there:
                yield f"values.{at}.{name}", f"kueue {version} ignores it{nearest(name, there)}"
    if not values.get("enableKueueViz"):
        return
    for side in ("backend", "frontend"):
        # The chart's own value is true.
        if dig(values, "kueueViz", side, "ingress", "enabled") is not False:
            yield (
                f"values.kueueViz.{side}.ingress.enabled",
                "nothing here leads into a cluster; nearest: false",
            )
    mode = _mode(values)
    if mode not in _MODES:
        # The backend would take it as Disabled.
        yield "values.kueueViz.backend.auth.mode", f'"{mode}" is none{nearest(mode, _MODES)}'


def kueueviz_objects(release: Mapping[str, Any], full: str) -> list[JsonObject]:
    values = values_of(release)
    if not values.get("enableKueueViz"):
        return []
    environment, role = f"{full}-kueueviz-frontend-env", f"{full}-kueueviz-backend-read-access"
    api = "rbac.authorization.k8s.io/v1"
    account = {"kind": "ServiceAccount", "name": "default", "namespace": namespace_of(release)}
    objects = [
        made(release, "v1", "ConfigMap", environment, data={"env.js": _environment(values)}),
        *_side(release, full, "backend", _backend_pod(values)),
        *_side(release, full, "frontend", _frontend_pod(values, environment)),
        made(release, api, "ClusterRole", role, rules=_rules(values)),
        made(
            release,
            api,
            "ClusterRoleBinding",
            f"{role}-binding",
            roleRef={"apiGroup": api.partition("/")[0], "kind": "ClusterRole", "name": role},
            subjects=[account],
        ),
    ]
    for each in objects[-2:]:
        # The chart writes one; they are of the whole cluster.
        del each["metadata"]["namespace"]
    return objects


def _side(
    release: Mapping[str, Any], full: str, side: str, template: JsonObject
) -> list[JsonObject]:
    name, labels = f"{full}-kueueviz-{side}", {"app": f"kueueviz-{side}"}
    own = _own(values_of(release), side)
    container = template["spec"]["containers"][0]
    image = own.get("image") or {}
    repository = image.get("repository") or f"registry.k8s.io/kueue/kueueviz-{side}"
    container |= {
        "name": side,
        "image": f"{repository}:{image.get('tag') or 'v' + release['spec']['version']}",
        "imagePullPolicy": image.get("pullPolicy") or "IfNotPresent",
        "resources": own.get("resources") or _RESOURCES,
        "securityContext": own.get("containerSecurityContext") or _SECURITY,
        "ports": [{"containerPort": _PORT}],
    }
    keys = ("imagePullSecrets", "nodeSelector", "priorityClassName", "tolerations")
    template["spec"] |= {key: own[key] for key in keys if own.get(key)}
    template["metadata"] = {**template.get("metadata", {}), "labels": labels}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    ports = [{"port": _PORT, "targetPort": _PORT}]
    service = {"type": "ClusterIP", "ports": ports, "selector": labels}
    return [
        made(release, "apps/v1", "Deployment", name, spec=spec),
        made(release, "v1", "Service", name, spec=service),
    ]


def _backend_pod(values: Mapping[str, Any]) -> JsonObject:
    own = _own(values, "backend")
    environment = list(own.get("env", [_ORIGINS]) or [])
    if _mode(values) == "TokenReview":
        told = dig(own, "auth", "tokenReviewConfig") or {}
        said = {
            "KUEUEVIZ_AUTH_MODE": "TokenReview",
            "KUEUEVIZ_AUTH_TOKEN_REVIEW_AUDIENCES": told.get("audiences"),
            "KUEUEVIZ_AUTH_TOKEN_REVIEW_CACHE_TTL": told.get("cacheTTL") or "60s",
            "KUEUEVIZ_AUTH_TOKEN_REVIEW_NEGATIVE_CACHE_TTL": told.get("negativeCacheTTL") or "5s",
        }
        environment += [{"name": name, "value": value} for name, value in said.items() if value]
    container: JsonObject = {"env": environment} if environment else {}
    security = own.get("podSecurityContext") or _POD_SECURITY
    return {"spec": {"securityContext": security, "containers": [container | _probes("/healthz")]}}


def _frontend_pod(values: Mapping[str, Any], environment: str) -> JsonObject:
    own = _own(values, "frontend")
    mount = {
        "name": "env-config",
        "mountPath": "/app/build/env.js",
        "subPath": "env.js",
        "readOnly": True,
    }
    container: JsonObject = {"volumeMounts": [mount], **_probes("/")}
    if own.get("env"):
        container["env"] = own["env"]
    security = own.get("podSecurityContext") or {**_POD_SECURITY, "runAsUser": 1000}
    # The chart's is of the whole file; what matters is that pods come anew with another address.
    digest = hashlib.sha256(_environment(values).encode()).hexdigest()
    return {
        "metadata": {"annotations": {"charts.kueue.x-k8s.io/config-checksum": digest}},
        "spec": {
            "securityContext": security,
            "containers": [container],
            "volumes": [{"name": "env-config", "configMap": {"name": environment}}],
        },
    }


def _environment(values: Mapping[str, Any]) -> str:
    """What the page knows of its backend."""
    ingress = _own(values, "backend").get("ingress") or {}
    host = ingress.get("host", "backend.kueueviz.local")
    secret = ingress.get("tlsSecretName", "kueueviz-backend-tls")
    tls = ingress.get("tlsEnabled")
    scheme = "wss" if tls or (tls is None and secret) else "ws"
    names = ("VITE_WEBSOCKET_URL", "REACT_APP_WEBSOCKET_URL")
    lines = ",\n".join(f'  {name}: "{scheme}://{host}"' for name in names)
    return f"window.env = {{\n{lines}\n}};\n"


def _rules(values: Mapping[str, Any]) -> list[JsonObject]:
    def rule(group: str, verbs: str, *resources: str) -> JsonObject:
        return {"apiGroups": [group], "resources": [*resources], "verbs": verbs.split()}

    kueue, sees = "kueue.x-k8s.io", "get list watch"
    queues = ("workloads", "clusterqueues", "localqueues", "resourceflavors", "cohorts")
    asks = [rule("authentication.k8s.io", "create", "tokenreviews")]
    return [
        rule(kueue, sees, *queues),
        rule("", sees, "pods", "events", "nodes"),
        rule(kueue, sees, "workloadpriorityclasses"),
        *(asks if _mode(values) != "Disabled" else []),
    ]


def _probes(path: str) -> JsonObject:
    asked = {"httpGet": {"path": path, "port": _PORT}}
    return {
        "livenessProbe": {**asked, "initialDelaySeconds": 15, "periodSeconds": 20},
        "readinessProbe": {**asked, "initialDelaySeconds": 5, "periodSeconds": 10},
    }


def _own(values: Mapping[str, Any], side: str) -> Mapping[str, Any]:
    return dig(values, "kueueViz", side) or {}


def _mode(values: Mapping[str, Any]) -> str:
    return dig(values, "kueueViz", "backend", "auth", "mode") or "Disabled"
