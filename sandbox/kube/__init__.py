"""An in-memory Kubernetes API: validation, admission, binding, scheduling, small controllers."""

from sandbox.kube.errors import KubeError
from sandbox.kube.immutability import replaced_by
from sandbox.kube.memory import MemoryKube
from sandbox.kube.networks import networks_asked
from sandbox.kube.objects import Node, PodView, Provision, Readiness, Ref, Taint
from sandbox.kube.scheduler import fits
from sandbox.kube.secrets import DIGESTS

__all__ = [
    "DIGESTS",
    "KubeError",
    "MemoryKube",
    "Node",
    "PodView",
    "Provision",
    "Readiness",
    "Ref",
    "Taint",
    "fits",
    "networks_asked",
    "replaced_by",
]
