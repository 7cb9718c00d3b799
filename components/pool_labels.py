"""Labels by which GKE and its drivers know a pool's nodes. Pure."""

# GKE's own driver, which gives pods their node's further interfaces as they claim them
# (AI-Hypercomputer/xpk src/xpk/core/nodepool.py:343-347, f2dd7d71).
DRANET_LABEL = {"cloud.google.com/gke-networking-dra-driver": "true"}
# No device plug-in of GKE's, which would have the same GPUs as another (GKE documentation, "Manage
# the GPU Stack with the NVIDIA GPU Operator", read 2026-11-29).
NO_PLUGIN_LABEL = {"gke-no-default-nvidia-gpu-device-plugin": "true"}
