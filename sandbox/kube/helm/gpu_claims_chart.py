"""The chart of NVIDIA's driver for claims of GPUs, and of channels of NVLink domains: its kubelet
plug-in on nodes with its label, and the controller of domains.

Source: kubernetes-sigs/dra-driver-nvidia-gpu deployments/helm/dra-driver-nvidia-gpu, v0.4.1 (read
2026-11-24). Left out: roles, admission policies and the webhook.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kube.objects import JsonObject, name_of
from sandbox.kube.claims import API, CHANNEL_CLASS, GPU_CLAIMS_CHART, GPU_CLASS, classes_of
from sandbox.kube.helm.chart import Chart, Finding, deployment_spec, full_name, made, values_of

# On nodes of whoever has no feature discovery.
PRESENT = "nvidia.com/gpu.present"
_DOMAIN_DRIVER = "compute-domain.nvidia.com"
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
        found = [
            made(release, "v1", "ServiceAccount", account),
            made(release, "apps/v1", "DaemonSet", plugin, spec=_plugin(release, plugin, account)),
        ]
        if CHANNEL_CLASS not in classes_of(values_of(release)):
            return found
        account = f"{full_name(release, self.name)}-service-account-controller"
        name = f"{full_name(release, self.name)}-controller"
        spec = _controller(release, name, account)
        return [
            *found,
            made(release, "v1", "ServiceAccount", account),
            made(release, "apps/v1", "Deployment", name, spec=spec),
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


def channel_class() -> JsonObject:
    """The class that the chart brings for a domain's channel."""
    device = f"device.attributes['{_DOMAIN_DRIVER}']"
    expression = (
        f"device.driver == '{_DOMAIN_DRIVER}' && {device}.type == 'channel' && {device}.id == 0"
    )
    return {
        "apiVersion": API,
        "kind": "DeviceClass",
        "metadata": {"name": CHANNEL_CLASS},
        "spec": {"selectors": [{"cel": {"expression": expression}}]},
    }


def classes(values: Mapping[str, Any]) -> list[JsonObject]:
    """Those of a release with these values."""
    made_by = {GPU_CLASS: gpu_class, CHANNEL_CLASS: channel_class}
    return [made_by[name]() for name in classes_of(values)]


def _has_gpus(values: Mapping[str, Any]) -> bool:
    return GPU_CLASS in classes_of(values)


def _image(release: Mapping[str, Any]) -> str:
    version = release["spec"]["version"]
    return f"registry.k8s.io/dra-driver-nvidia/dra-driver-nvidia-gpu:v{version}"


def _controller(release: Mapping[str, Any], name: str, account: str) -> JsonObject:
    values = values_of(release).get("controller") or {}
    labels = {"app.kubernetes.io/instance": name_of(release), "component": name}
    pod: JsonObject = {
        "serviceAccountName": account,
        "containers": [{"name": "compute-domain", "image": _image(release)}],
    }
    if affinity := values.get("affinity"):
        pod["affinity"] = affinity
    return deployment_spec(values, labels, pod)


def _plugin(release: Mapping[str, Any], name: str, account: str) -> JsonObject:
    values = values_of(release).get("kubeletPlugin") or {}
    labels = {"app.kubernetes.io/instance": name_of(release), "component": name}
    chosen = {"key": PRESENT, "operator": "In", "values": ["true"]}
    terms = {"nodeSelectorTerms": [{"matchExpressions": [chosen]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": terms}}
    parts = {GPU_CLASS: "gpus", CHANNEL_CLASS: "compute-domains"}
    pod: JsonObject = {
        "serviceAccountName": account,
        "affinity": values.get("affinity") or affinity,
        "tolerations": values.get("tolerations") or [],
        "containers": [
            {
                "name": parts[one],
                "image": _image(release),
                "securityContext": {"privileged": True},
            }
            for one in classes_of(values_of(release))
        ],
    }
    return {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod},
    }
