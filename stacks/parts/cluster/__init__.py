"""The GKE cluster."""
