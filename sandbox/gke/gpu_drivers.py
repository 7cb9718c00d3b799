"""NVIDIA's driver on a node, and whether it runs the programs of a pod's image.

What happens where it does not: rapidsai/deployment issue #656 of 2026-02-04, vllm-project/vllm pull
request #33992 ("The NVIDIA driver on your system is too old"). Left out: drivers that somebody
else installs, of which nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from catalog import Catalog, GkeVersion, GpuDriver, MachineType
from kube.objects import dig, maps
from sandbox.cloud.resource import Resource
from sandbox.cloud.view import View

GPU = "nvidia.com/gpu"
DRIVER_LABEL = "cloud.google.com/gke-gpu-driver-version"
# What pods and ComputeClasses of Autopilot may ask for, as a node pool has it.
ASKED = {"default": "DEFAULT", "latest": "LATEST", "autoinstall-disabled": "INSTALLATION_DISABLED"}
_WORDS = {it.api_value: it for it in GpuDriver}


def driver_of(pool: Resource, machine: MachineType, cluster: Resource, cloud: View) -> int:
    """The branch that GKE installs on nodes of the pool; 0 where it installs none."""
    accelerator = machine.accelerator
    (gpus,) = (dig(pool["nodeConfig"] or {}, "guestAccelerators") or [{}])[:1]
    word = _WORDS.get(dig(gpus, "gpuDriverInstallationConfig", "gpuDriverVersion") or "")
    if accelerator is None or accelerator.kind != "gpu" or word is None:
        return 0
    version = GkeVersion.parse(cluster.outputs["masterVersion"])
    return cloud.catalog.gpu_drivers.least_installed(word, version, accelerator.type) or 0


def is_without_driver(pool: Resource) -> bool:
    """Whether GKE is told to install none: its device plug-in then waits for one, and the kubelet
    knows of no GPU (GoogleCloudPlatform/container-engine-accelerators issues 402 and 407)."""
    (gpus,) = (dig(pool["nodeConfig"] or {}, "guestAccelerators") or [{}])[:1]
    word = dig(gpus, "gpuDriverInstallationConfig", "gpuDriverVersion")
    return word == GpuDriver.DISABLED.api_value


def crashes(spec: Mapping[str, Any], driver: int) -> Iterator[str]:
    """Containers of a pod that end, for their CUDA is newer than the driver."""
    for container in maps(spec.get("containers")):
        needed = needs(container)
        if 0 < driver < needed:
            yield (
                f'back-off restarting failed container "{container["name"]}": the NVIDIA driver '
                f"on your system is too old: {driver}, and {container['image']} needs {needed}"
            )


def needs(container: Mapping[str, Any]) -> int:
    """The oldest driver that runs a container's image, as far as its CUDA is known; else 0."""
    if not any((dig(container, "resources", it) or {}).get(GPU) for it in ("limits", "requests")):
        return 0
    cuda = _facts().cuda_of(container.get("image") or "")
    return 0 if cuda is None else _facts().gpu_drivers.needed(cuda) or 0


@cache
def _facts() -> Catalog:
    return Catalog.load()
