"""The chart of the KubeRay operator: its Deployment and its ServiceAccount.

Source: ray-project/kuberay helm-chart/kuberay-operator, v1.4.2 and v1.6.2 (read 2026-11-21). Its
definitions stand in crds/, which Helm installs once and leaves behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kube.objects import JsonObject, name_of
from sandbox.kube.helm.chart import Chart, deployment_spec, made, values_of

_RESOURCES = {"limits": {"cpu": "100m", "memory": "512Mi"}}


class KubeRayChart(Chart):
    name = "kuberay-operator"
    component = "kuberay"
    keeps_definitions = True
    values = frozenset(
        {
            "affinity",
            "annotations",
            "batchScheduler",
            "componentOverride",
            "configuration",
            "crNamespacedRbacEnable",
            "env",
            "featureGates",
            "fullnameOverride",
            "image",
            "imagePullSecrets",
            "kubeClient",
            "labels",
            "leaderElectionEnabled",
            "livenessProbe",
            "logging",
            "metrics",
            "nameOverride",
            "nodeSelector",
            "operatorCommand",
            "podSecurityContext",
            "priorityClassName",
            "rbacEnable",
            "readinessProbe",
            "reconcileConcurrency",
            "replicas",
            "resources",
            "securityContext",
            "service",
            "serviceAccount",
            "singleNamespaceInstall",
            "tolerations",
            "watchNamespace",
        }
    )

    def objects(self, release: Mapping[str, Any]) -> list[JsonObject]:
        values = values_of(release)
        name = values.get("fullnameOverride") or self.name
        labels = {
            "app.kubernetes.io/name": self.name,
            "app.kubernetes.io/instance": name_of(release),
        }
        container = {
            "name": self.name,
            "image": f"quay.io/kuberay/operator:v{release['spec']['version']}",
            "command": ["/manager"],
            "resources": values.get("resources") or _RESOURCES,
        }
        pod: JsonObject = {"serviceAccountName": name, "containers": [container]}
        spec = {**deployment_spec(values, labels, pod), "replicas": 1}
        return [
            made(release, "v1", "ServiceAccount", name),
            made(release, "apps/v1", "Deployment", name, spec=spec),
        ]
