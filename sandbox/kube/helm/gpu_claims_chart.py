"""The chart of NVIDIA's driver for claims of GPUs: its kubelet plug-in on nodes with its label.

Source: kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm/dra-driver-nvidia-gpu, v0.4.1 (read
2026-11-24). Left out: roles, admission policies, the webhook, and all of ComputeDomains.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from sandbox.kube.claims import API, GPU_CLAIMS_CHART, GPU_CLASS
from sandbox.kube.helm.chart import Chart, Finding, full_name, made, values_of
from sandbox.kube.objects import JsonObject, name_of

# On nodes of whoever has no feature discovery.
PRESENT = "nvidia.com/gpu.present"
_PLUGIN_VALUES = frozenset(
    {
        "affinity",
        "containers",
        "kubeletPluginsDirectoryPath",
        "kubeletRegistrarDirectoryPath",
        "nodeSelector",
        "podAnnotations",
        "podSecurityContext",
        "priorityClassName",
        "tolerations",
        "updateStrategy",
    }
)


class GpuClaimsChart(Chart):
    name = GPU_CLAIMS_CHART
    component = "gpu_claim_driver"
    keeps_definitions = True
    below = ("kubeletPlugin", _PLUGIN_VALUES)
    values = frozenset(
        {
            "allowDefaultNamespace",
            "controller",
            "featureGates",
            "fullnameOverride",
            "gpuResourcesEnabledOverride",
            "image",
            "kubeletPlugin",
            "logVerbosity",
            "nameOverride",
            "nvidiaDriverRoot",
            "resourceApiVersion",
            "resources",
            "webhook",
        }
    )

    def findings(self, version: str, values: Mapping[str, Any]) -> Iterator[Finding]:
        """The chart's own check, too (templates/validation.yaml)."""
        yield from super().findings(version, values)
        if _has_gpus(values) and not values.get("gpuResourcesEnabledOverride"):
            yield (
                "values.resources.gpus.enabled",
                "beside a device plug-in the same GPUs would be given twice: who has none says so; "
                "nearest: gpuResourcesEnabledOverride true",
            )

    def objects(self, release: Mapping[str, Any]) -> list[JsonObject]:
        account = f"{full_name(release, self.name)}-service-account-kubeletplugin"
        plugin = f"{full_name(release, self.name)}-kubelet-plugin"
        return [
            made(release, "v1", "ServiceAccount", account),
            made(release, "apps/v1", "DaemonSet", plugin, spec=_plugin(release, plugin, account)),
        ]


def gpu_class() -> JsonObject:
    """The class that the chart brings for whole GPUs."""
    expression = f"device.driver == '{GPU_CLASS}' && device.attributes['{GPU_CLASS}'].type == 'gpu'"
    return {
        "apiVersion": API,
        "kind": "DeviceClass",
        "metadata": {"name": GPU_CLASS},
        "spec": {"selectors": [{"cel": {"expression": expression}}]},
    }


def _has_gpus(values: Mapping[str, Any]) -> bool:
    gpus = (values.get("resources") or {}).get("gpus") or {}
    return bool(gpus.get("enabled", True))


def _plugin(release: Mapping[str, Any], name: str, account: str) -> JsonObject:
    values = values_of(release).get("kubeletPlugin") or {}
    labels = {"app.kubernetes.io/instance": name_of(release), "component": name}
    chosen = {"key": PRESENT, "operator": "In", "values": ["true"]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [chosen]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    version = release["spec"]["version"]
    pod: JsonObject = {
        "serviceAccountName": account,
        "affinity": values.get("affinity") or affinity,
        "tolerations": values.get("tolerations") or [],
        "containers": [
            {
                "name": "gpus",
                "image": f"registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v{version}",
                "securityContext": {"privileged": True},
            }
        ],
    }
    return {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod},
    }
