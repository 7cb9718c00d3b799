"""Helm releases of the charts that the sandbox knows."""

from sandbox.kube.helm.installed import (
    chart_release,
    job_set_controller_runs,
    ray_operator_runs,
)
from sandbox.kube.helm.release import (
    RELEASE,
    refuse_hanging_uninstall,
    release_findings,
    release_inputs,
    release_manifest,
)

__all__ = [
    "RELEASE",
    "chart_release",
    "job_set_controller_runs",
    "ray_operator_runs",
    "refuse_hanging_uninstall",
    "release_findings",
    "release_inputs",
    "release_manifest",
]
