"""The manager's configuration as the chart's values give it, and what Kueue refuses in it.

Kueue decodes it strictly: with an unknown field or framework its manager exits, and the release
never becomes ready; here it is refused at once. Source: kubernetes-sigs/kueue apis/config and
pkg/config, v0.10.0, v0.15.0 and v0.19.0 (read 2026-11-21).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import yaml

from catalog.strict_yaml import YamlError, load_yaml
from components.queues.frameworks import FRAMEWORKS
from kube.objects import JsonObject, dig, matches_labels
from kube.text import nearest

Finding = tuple[str, str]
FIELD = "values.managerConfig.controllerManagerConfigYaml"
_GROUP = "config.kueue.x-k8s.io"
_BOTH = {
    "admissionFairSharing",
    "apiVersion",
    "clientConnection",
    "controller",
    "fairSharing",
    "featureGates",
    "health",
    "integrations",
    "internalCertManagement",
    "kind",
    "leaderElection",
    "manageJobsWithoutQueueName",
    "managedJobsNamespaceSelector",
    "metrics",
    "multiKueue",
    "namespace",
    "objectRetentionPolicies",
    "pprofBindAddress",
    "resources",
    "tls",
    "waitForPodsReady",
    "webhook",
}
_FIELDS = {"v1beta1": _BOTH | {"queueVisibility"}, "v1beta2": _BOTH | {"visibilityServer"}}
_INTEGRATIONS = {"externalFrameworks", "frameworks", "labelKeysToCopy"}
_WAIT = {"blockAdmission", "recoveryTimeout", "requeuingStrategy", "timeout"}
_WAIT_AT = "waitForPodsReady."
_SYSTEM = "kube-system"
# From this release on the options of the pod integration are read and dropped.
_POD_OPTIONS_UNTIL = (0, 15)
_READY_ALWAYS_FROM = (0, 19)
_ELASTIC_FROM = (0, 18)
_READY_DEFAULT = "30m"
_NAME = "kubernetes.io/metadata.name"
_DEFAULT: JsonObject = {
    "apiVersion": f"{_GROUP}/v1beta2",
    "kind": "Configuration",
    "integrations": {"frameworks": ["batch/job", "ray.io/rayjob", "ray.io/raycluster", "pod"]},
}


@dataclass(frozen=True, kw_only=True)
class Configuration:
    """What decides which objects the manager takes care of. `pod_options` are None where the
    release does not read them. What is not ready after `ready_timeout` is stopped; empty where it
    is not. With `elastic` a job may say that its pods come and go."""

    frameworks: frozenset[str]
    namespaces: Mapping[str, Any]
    pod_options: Mapping[str, Any] | None
    ready_timeout: str
    elastic: bool

    def takes_pods_of(self, namespace: Mapping[str, str]) -> bool:
        options = self.pod_options or {}
        chosen = options.get("namespaceSelector", {})
        return matches_labels(self.namespaces, namespace) and matches_labels(chosen, namespace)

    def takes_pod(self, labels: Mapping[str, str]) -> bool:
        return matches_labels((self.pod_options or {}).get("podSelector", {}), labels)


def config_text(values: Mapping[str, Any]) -> str:
    given = dig(values, "managerConfig", "controllerManagerConfigYaml")
    return given if given is not None else yaml.safe_dump(_DEFAULT)


def read_configuration(release: Mapping[str, Any]) -> Configuration:
    """The configuration of an installed release."""
    spec = release["spec"]
    config = _parsed(config_text(spec.get("values") or {})) or {}
    integrations = config.get("integrations") or {}
    out = [_SYSTEM, release["metadata"]["namespace"]]
    everywhere_else = {"matchExpressions": [{"key": _NAME, "operator": "NotIn", "values": out}]}
    return Configuration(
        frameworks=frozenset(integrations.get("frameworks") or ["batch/job"]),
        namespaces=config.get("managedJobsNamespaceSelector") or everywhere_else,
        pod_options=_pod_options(integrations, spec["version"]),
        ready_timeout=_ready_timeout(config, spec["version"]),
        elastic=bool(
            (config.get("featureGates") or {}).get(
                "ElasticJobsViaWorkloadSlices", _release(spec["version"]) >= _ELASTIC_FROM
            )
        ),
    )


def _ready_timeout(config: JsonObject, version: str) -> str:
    """PR #11855: since 0.19 there is one whether the configuration has it or not."""
    given = dig(config, "waitForPodsReady", "timeout")
    always = _release(version) >= _READY_ALWAYS_FROM
    return str(given or (_READY_DEFAULT if always else ""))


def _release(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")[:2]))


def _pod_options(integrations: JsonObject, version: str) -> Mapping[str, Any] | None:
    reads = _release(version) < _POD_OPTIONS_UNTIL
    return integrations.get("podOptions") if reads else None


@lru_cache(maxsize=16)
def _parsed(text: str) -> JsonObject | None:

    try:
        found = load_yaml(text)
    except YamlError:
        return None
    return found if isinstance(found, dict) else None


def config_findings(text: str, version: str) -> Iterator[Finding]:
    config = _parsed(text)
    if config is None:
        yield FIELD, "is not a YAML mapping"
        return
    group, _, api = str(config.get("apiVersion") or "").partition("/")
    if group != _GROUP or api not in _FIELDS:
        known = [f"{_GROUP}/{each}" for each in _FIELDS]
        yield _at("apiVersion"), f'"{group}/{api}" is not known{nearest(f"{group}/{api}", known)}'
        return
    yield from _unknown(config, _FIELDS[api], "")
    integrations = config.get("integrations") or {}
    options = {"podOptions"} if api == "v1beta1" else set[str]()
    yield from _unknown(integrations, _INTEGRATIONS | options, "integrations.")
    frameworks = integrations.get("frameworks") or []
    for name in frameworks:
        if name not in FRAMEWORKS:
            text = f'"{name}" is no framework of Kueue{nearest(str(name), FRAMEWORKS)}'
            yield _at("integrations.frameworks"), text
    wait = config.get("waitForPodsReady")
    if wait is not None:
        yield from _unknown(wait, _WAIT | ({"enable"} if api == "v1beta1" else set()), _WAIT_AT)
    if config.get("manageJobsWithoutQueueName"):
        yield _at("manageJobsWithoutQueueName"), "is not simulated; nearest: false"
    yield from _selector_findings(config, "pod" in frameworks)
    if integrations.get("podOptions") and _pod_options(integrations, version) is None:
        text = f"Kueue {version} ignores it; nearest: managedJobsNamespaceSelector"
        yield _at("integrations.podOptions"), text


def _unknown(given: Mapping[str, Any], known: set[str], path: str) -> Iterator[Finding]:
    for name in given:
        if name not in known:
            yield _at(f"{path}{name}"), f'unknown field "{path}{name}"{nearest(name, known)}'


def _selector_findings(config: JsonObject, pods: bool) -> Iterator[Finding]:
    selector = config.get("managedJobsNamespaceSelector")
    if pods and selector is not None and matches_labels(selector, {_NAME: _SYSTEM}):
        yield _at("managedJobsNamespaceSelector"), f'should not match the "{_SYSTEM}" namespace'


def _at(path: str) -> str:
    return f"{FIELD}: {path}"
