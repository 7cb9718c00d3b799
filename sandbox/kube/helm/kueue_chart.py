"""The chart of Kueue: its manager with ServiceAccount, configuration, certificate and webhooks.

Source: kubernetes-sigs/kueue charts/kueue, v0.19.2 (read 2026-11-21). The definitions are templates
of the chart and so go with the release. Left out: roles, metrics, the visibility server and
KueueViz.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kube.objects import JsonObject, name_of
from sandbox.kube.helm.chart import (
    Chart,
    Finding,
    controller_objects,
    deployment_spec,
    full_name,
    values_of,
)
from sandbox.kube.kueue_configuration import config_findings, config_text

_RESOURCES = {
    "limits": {"cpu": "2", "memory": "512Mi"},
    "requests": {"cpu": "500m", "memory": "512Mi"},
}
_MANAGER_VALUES = frozenset(
    {
        "dnsPolicy",
        "featureGates",
        "hostNetwork",
        "imagePullSecrets",
        "kubeRbacProxy",
        "livenessProbe",
        "manager",
        "nodeSelector",
        "podDisruptionBudget",
        "readinessProbe",
        "replicas",
        "strategy",
        "tolerations",
        "topologySpreadConstraints",
    }
)


class KueueChart(Chart):
    name = "kueue"
    component = "kueue"
    keeps_definitions = False
    below = ("controllerManager", _MANAGER_VALUES)
    gathered_roles = ("batch-admin-role", "batch-user-role")
    values = frozenset(
        {
            "certManager",
            "controllerManager",
            "enableCertManager",
            "enableKueueViz",
            "enableMutatingAdmissionPolicy",
            "enablePrometheus",
            "enableVisibilityAPF",
            "enableVisibilityAuthReaderRoleBinding",
            "fullnameOverride",
            "kubernetesClusterDomain",
            "kueueViz",
            "managerConfig",
            "metrics",
            "metricsService",
            "mutatingWebhook",
            "nameOverride",
            "webhookService",
        }
    )

    def findings(self, version: str, values: Mapping[str, Any]) -> Iterator[Finding]:
        yield from super().findings(version, values)
        yield from config_findings(config_text(values), version)

    def _served(self, version: str) -> Mapping[str, Sequence[str]]:
        # The lock lists the kinds that stacks make; Kueue makes its own beside them.
        listed = super()._served(version)
        return {**listed, "Workload": listed["LocalQueue"]}

    def objects(self, release: Mapping[str, Any]) -> list[JsonObject]:
        full = full_name(release, self.name)
        manager, webhook = f"{full}-controller-manager", f"{full}-webhook"
        config = f"{full}-manager-config"
        return controller_objects(
            release,
            manager,
            configuration=(config, config_text(values_of(release))),
            webhook=webhook,
            selector=_labels(release),
            webhook_prefix=full,
            deployment=_deployment(release, manager, config, f"{webhook}-server-cert"),
        )


def _labels(release: Mapping[str, Any]) -> dict[str, str]:
    return {
        "app.kubernetes.io/name": "kueue",
        "app.kubernetes.io/instance": name_of(release),
        "control-plane": "controller-manager",
    }


def _deployment(
    release: Mapping[str, Any], account: str, config: str, certificate: str
) -> JsonObject:
    values = values_of(release).get("controllerManager") or {}
    manager = values.get("manager") or {}
    container = {
        "name": "manager",
        "image": f"registry.k8s.io/kueue/kueue:v{release['spec']['version']}",
        "command": ["/manager"],
        "resources": manager.get("resources") or _RESOURCES,
        "volumeMounts": [
            {"name": "cert", "mountPath": "/tmp/k8s-webhook-server/serving-certs"},
            {"name": "manager-config", "mountPath": "/controller_manager_config.yaml"},
        ],
    }
    pod: JsonObject = {
        "serviceAccountName": account,
        "containers": [container],
        "volumes": [
            {"name": "cert", "secret": {"secretName": certificate}},
            {"name": "manager-config", "configMap": {"name": config}},
        ],
    }
    if manager.get("priorityClassName"):
        pod["priorityClassName"] = manager["priorityClassName"]
    return deployment_spec(values, _labels(release), pod)
