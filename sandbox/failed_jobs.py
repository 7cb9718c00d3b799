"""Jobs that have failed for good, by a fault rule: as their controllers leave them when no retry is
left. Their machines are still there.

Sources: ray-project/kuberay v1.4.2 rayjob_types.go; kubernetes-sigs/jobset v0.12.0
pkg/controllers/failure_policy.go.
"""

from __future__ import annotations

from typing import Any

from cli.errors import UserError
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import Clusters

_WHY = "the simulated job was told to fail"
_FAILED: dict[tuple[str, str], dict[str, Any]] = {
    ("ray.io/v1", "RayJob"): {
        "jobDeploymentStatus": "Failed",
        "jobStatus": "FAILED",
        "reason": "AppFailed",
        "message": _WHY,
    },
    ("jobset.x-k8s.io/v1alpha2", "JobSet"): {
        "conditions": [
            {
                "type": "Failed",
                "status": "True",
                "reason": "FailedJobs",
                "message": _WHY,
                "lastTransitionTime": "2026-01-01T00:00:00Z",
            }
        ],
        "terminalState": "Failed",
    },
}


def fail_jobs(clusters: Clusters, names: list[str]) -> None:
    """Raises UserError for a name that no RayJob and no JobSet has."""
    kubes = [clusters.kube(it) for it in clusters.cloud.find(Cluster.token)] if names else []
    for name in names:
        failed = [
            kube.set_status(ref, status)
            for kube in kubes
            for (api_version, kind), status in _FAILED.items()
            for ref in kube.named(api_version, kind, name)
        ]
        if not failed:
            raise UserError(f"--fault: fail-job: no RayJob and no JobSet is called {name}")
    clusters.cloud.save()
