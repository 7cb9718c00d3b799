"""Helm releases of the charts that the sandbox knows."""

from sandbox.kube.helm.installed import chart_release, operator_pods_run, ray_operator_runs
from sandbox.kube.helm.release import RELEASE, release_findings, release_inputs, release_manifest

__all__ = [
    "RELEASE",
    "chart_release",
    "operator_pods_run",
    "ray_operator_runs",
    "release_findings",
    "release_inputs",
    "release_manifest",
]
