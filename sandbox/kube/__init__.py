"""An in-memory Kubernetes API: validation, admission, binding, scheduling, small controllers."""

from sandbox.kube.admission import check
from sandbox.kube.claims import DEVICE_CLASSES
from sandbox.kube.compute_classes import Wish, wishes
from sandbox.kube.errors import KubeError
from sandbox.kube.helm import release_inputs, release_manifest
from sandbox.kube.immutability import replaced_by
from sandbox.kube.kueue.queue_view import QueueView
from sandbox.kube.memory import MemoryKube
from sandbox.kube.networks import networks_asked
from sandbox.kube.objects import Mounts, Node, PodView, Provision, Readiness, Ref, Taint
from sandbox.kube.scheduler import fits, requests_of
from sandbox.kube.secrets import DIGESTS

__all__ = [
    "DEVICE_CLASSES",
    "DIGESTS",
    "KubeError",
    "MemoryKube",
    "Mounts",
    "Node",
    "PodView",
    "Provision",
    "QueueView",
    "Readiness",
    "Ref",
    "Taint",
    "Wish",
    "check",
    "fits",
    "networks_asked",
    "release_inputs",
    "release_manifest",
    "replaced_by",
    "requests_of",
    "wishes",
]
