"""What the charts of Kueue, KubeRay and JobSet install, of what `make kube-tools` keeps."""

from sandbox.live_kube.operators.jobset import job_set_configuration, job_set_objects
from sandbox.live_kube.operators.kuberay import ray_objects
from sandbox.live_kube.operators.kueue import kueue_objects
from sandbox.live_kube.operators.kueue_configuration import (
    kueue_configuration,
    release_configuration,
)
from sandbox.live_kube.operators.webhook_authority import webhook_authority

__all__ = [
    "job_set_configuration",
    "job_set_objects",
    "kueue_configuration",
    "kueue_objects",
    "ray_objects",
    "release_configuration",
    "webhook_authority",
]
