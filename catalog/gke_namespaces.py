"""Namespaces that GKE has in clusters."""

# Where GKE's own pods are, which a webhook would refuse while it is away. Sources, read
# 2026-11-21: the Google Cloud CLI's list for Developer Connect (2025), OpenTelemetry's for GKE, and
# for gmp-public the documentation of Managed Service for Prometheus.
GKE_NAMESPACES = (
    "kube-system",
    "kube-node-lease",
    "gke-gmp-system",
    "gke-managed-checkpointing",
    "gke-managed-cim",
    "gke-managed-filestorecsi",
    "gke-managed-lustrecsi",
    "gke-managed-metrics-server",
    "gke-managed-networking-dra-driver",
    "gke-managed-parallelstorecsi",
    "gke-managed-system",
    "gke-managed-volumepopulator",
    "gke-system",
    "gmp-public",
    "gmp-system",
)
