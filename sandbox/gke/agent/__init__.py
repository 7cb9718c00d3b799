"""GKE's own parts of a cluster, beside a real control plane: what is Google's to run, in one place.

Nodes and the cluster autoscaler, Autopilot, GKE's webhooks and definitions, additional networks,
DRANET's devices, queued provisioning. And, as there are no containers, the end of Jobs' pods and
the Ray dashboard. The rules are those of the in-memory Kubernetes (`sandbox.kube`).
"""
