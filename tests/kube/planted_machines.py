"""A job whose queue asks for its machines by flex-start, of which there are none."""

from __future__ import annotations

from collections.abc import Mapping

from components.queues.provisioning_manifest import admission_check_spec, provisioning_config_spec
from tests.kube.planted_causes import Manifest, Planted, job, queue

_KUEUE = "kueue.x-k8s.io/v1beta2"
_NAME = "flex-start"


def _whole(kind: str, spec: Manifest) -> Manifest:
    return {"apiVersion": _KUEUE, "kind": kind, "metadata": {"name": _NAME}, "spec": spec}


def _config() -> Manifest:
    """As that of a stack, but for whom it is: here for all that is asked for."""
    spec = provisioning_config_spec(max_run_seconds=3600, retries=1)
    return _whole("ProvisioningRequestConfig", {**spec, "managedResources": []})


_CHECKS = {"admissionChecks": [{"name": _NAME, "onFlavors": []}]}
MACHINE_CAUSES: Mapping[str, Planted] = {
    "waits-for-machines": Planted(
        source="kubernetes/autoscaler 9805 of 2026-06-11",
        beside=(
            _config(),
            _whole("AdmissionCheck", admission_check_spec(_NAME)),
            *queue(_NAME, admissionChecksStrategy=_CHECKS),
        ),
        job=job("waits-for-machines", queue=_NAME),
    )
}
