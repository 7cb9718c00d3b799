"""The chart of JobSet: its controller with ServiceAccount, configuration, certificate and webhooks.

Source: kubernetes-sigs/jobset charts/jobset, v0.12.0 (read 2026-11-22). Its definition stands in
crds/, which Helm installs once and leaves behind. Left out: roles, metrics and cert-manager.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from kube.objects import JsonObject, name_of
from sandbox.kube.helm.chart import (
    WEBHOOK_PORT,
    Chart,
    controller_objects,
    deployment_spec,
    full_name,
    values_of,
)

_RESOURCES = {
    "requests": {"cpu": "500m", "memory": "128Mi"},
    "limits": {"cpu": "2", "memory": "4Gi"},
}
_CONTROLLER_VALUES = frozenset(
    {
        "affinity",
        "annotations",
        "clientConnection",
        "env",
        "envFrom",
        "hostNetwork",
        "leaderElection",
        "nodeSelector",
        "podAnnotations",
        "podDisruptionBudget",
        "podSecurityContext",
        "replicas",
        "resources",
        "securityContext",
        "tolerations",
        "volumeMounts",
        "volumes",
    }
)


class JobSetChart(Chart):
    name = "jobset"
    component = "jobset"
    keeps_definitions = True
    below = ("controller", _CONTROLLER_VALUES)
    values = frozenset(
        {
            "certManager",
            "commonLabels",
            "controller",
            "fullnameOverride",
            "image",
            "nameOverride",
            "prometheus",
        }
    )

    def objects(self, release: Mapping[str, Any]) -> list[JsonObject]:
        full = full_name(release, self.name)
        controller, webhook = f"{full}-controller", f"{full}-webhook"
        config = f"{controller}-config"
        return controller_objects(
            release,
            controller,
            # Which is YAML, too.
            configuration=(config, json.dumps(configuration(release), indent=2)),
            webhook=webhook,
            selector=_labels(release),
            webhook_prefix=self.name,
            deployment=_deployment(release, controller, config, f"{webhook}-server-cert"),
        )


def configuration(release: Mapping[str, Any]) -> JsonObject:
    """What the chart tells the controller."""
    values = values_of(release).get("controller") or {}
    elected = (values.get("leaderElection") or {}).get("enable", True)
    webhook = f"{full_name(release, JobSetChart.name)}-webhook"
    return {
        "apiVersion": "config.jobset.x-k8s.io/v1alpha1",
        "kind": "Configuration",
        "leaderElection": {"leaderElect": elected},
        "clientConnection": {"qps": 500, "burst": 500, **(values.get("clientConnection") or {})},
        "internalCertManagement": {
            "enable": True,
            "webhookServiceName": f"{webhook}-service",
            "webhookSecretName": f"{webhook}-server-cert",
        },
    }


def _labels(release: Mapping[str, Any]) -> dict[str, str]:
    return {
        "app.kubernetes.io/name": values_of(release).get("nameOverride") or "jobset",
        "app.kubernetes.io/instance": name_of(release),
    }


def _deployment(
    release: Mapping[str, Any], account: str, config: str, certificate: str
) -> JsonObject:
    values = values_of(release).get("controller") or {}
    labels = {**_labels(release), "app.kubernetes.io/component": "controller"}
    container = {
        "name": "controller",
        "image": f"registry.k8s.io/jobset/jobset:v{release['spec']['version']}",
        "command": ["/manager"],
        "resources": values.get("resources") or _RESOURCES,
        "ports": [{"name": "webhook", "containerPort": WEBHOOK_PORT}],
    }
    pod: JsonObject = {
        "serviceAccountName": account,
        "containers": [container],
        "volumes": [
            {"name": "manager-config", "configMap": {"name": config}},
            {"name": "webhook-cert", "secret": {"secretName": certificate}},
        ],
    }
    return deployment_spec(values, labels, pod)
