"""Labels by which GKE and its drivers know a pool's nodes. Pure."""

_GKE = "cloud.google.com"
# What GKE labels the nodes of each pool by.
POOL_LABEL = f"{_GKE}/gke-nodepool"
# What GKE labels nodes with GPUs by, of whichever pool.
GKE_ACCELERATOR = f"{_GKE}/gke-accelerator"

# GKE's own driver, which gives pods their node's further interfaces as they claim them
# (AI-Hypercomputer/xpk src/xpk/core/nodepool.py:343-347, f2dd7d71).
DRANET_LABEL = {"cloud.google.com/gke-networking-dra-driver": "true"}
# No device plug-in of GKE's, which would have the same GPUs as another (GKE documentation, "Manage
# the GPU Stack with the NVIDIA GPU Operator", read 2026-11-29).
NO_PLUGIN_LABEL = {"gke-no-default-nvidia-gpu-device-plugin": "true"}


def slice_labels(accelerator: str, topology: str) -> dict[str, str]:
    """Those of hosts of all TPU slices of one kind and shape, without which GKE takes no pod that
    asks for TPUs (GKE documentation, "Plan TPUs in GKE")."""
    return {f"{_GKE}/gke-tpu-accelerator": accelerator, f"{_GKE}/gke-tpu-topology": topology}
