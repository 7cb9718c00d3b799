"""Cloud and Kubernetes names: what each kind allows, and how derived names are made. Pure.

Names are deterministic. A name that a user gave is never shortened, only refused; a name that we
derive may be shortened where its limit is tight, and then ends in a hash of the whole.
"""

import hashlib
import re
from dataclasses import dataclass
from enum import Enum
from functools import partial

from .arguments import checked

_LETTER_FIRST = re.compile(r"[a-z](?:[a-z0-9-]*[a-z0-9])?")
_LETTER_OR_DIGIT_FIRST = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_HASH_LENGTH = 6


@dataclass(frozen=True)
class NameRule:
    """What a kind of name may look like; `shorten` marks the kinds that only we make up."""

    what: str
    longest: int
    shortest: int = 1
    digit_first: bool = False
    shorten: bool = False

    @property
    def letters(self) -> str:
        first = "a letter or digit" if self.digit_first else "a letter"
        return (
            f'{self.shortest} to {self.longest} of a-z, 0-9 and "-", {first} first, no hyphen last'
        )

    def pattern(self) -> re.Pattern[str]:
        return _LETTER_OR_DIGIT_FIRST if self.digit_first else _LETTER_FIRST


class NameKind(Enum):
    """Kinds of names with Google's, Kubernetes', KubeRay's or JobSet's limit."""

    PROJECT = NameRule("a project ID", 30, shortest=6)
    # Parts of a stack by names of the user's, of which names of resources are made.
    POOL_KEY = NameRule("a short name for a pool", 30)
    BUCKET_KEY = NameRule("a short name for a bucket", 30)
    NETWORK_KEY = NameRule("a short name for a network", 20)
    SERVICE_ACCOUNT = NameRule("a service account ID", 30, shortest=6, shorten=True)
    CLUSTER = NameRule("a GKE cluster name", 40)
    # Its cluster has it, and accounts of its nodes are NAME-cpu or longer.
    STACK = NameRule("a stack name", 40, shortest=2)
    NODE_POOL = NameRule("a node pool name", 40, shorten=True)
    NETWORK = NameRule("a network name", 63, shorten=True)
    SUBNETWORK = NameRule("a subnetwork name", 63, shorten=True)
    FIREWALL = NameRule("a firewall rule name", 63, shorten=True)
    ADDRESS = NameRule("an address name", 63, shorten=True)
    RESOURCE_POLICY = NameRule("a resource policy's name", 63, shorten=True)
    ROUTER = NameRule("a router name", 63)
    NAT = NameRule("a NAT name", 63)
    BUCKET = NameRule("a bucket name", 63, shortest=3, digit_first=True)
    LUSTRE = NameRule("a Lustre instance name", 63)
    # The provider takes no name of a single letter (hashicorp/terraform-provider-google-beta
    # resource_redis_instance.go:193, 93c65b2d60), the API none of more than 40 (its reference,
    # projects.locations.instances.create).
    REDIS = NameRule("a Redis instance name", 40, shortest=2)
    REPOSITORY = NameRule("a repository name", 63, shorten=True)
    NAMESPACE = NameRule("a namespace name", 63, digit_first=True)
    # Pods select its nodes by a label, whose value has 63 characters at most.
    COMPUTE_CLASS = NameRule("a ComputeClass name", 63, shorten=True)
    # Its pods have it in a label, whose value has 63 characters at most.
    DAEMON_SET = NameRule("a DaemonSet name", 63, digit_first=True, shorten=True)
    KUBERNETES = NameRule("a Kubernetes object name", 253, digit_first=True)
    # The name is part of a socket's path on the node (GKE documentation, "Set up multi-network
    # support for Pods").
    DEVICE_NETWORK = NameRule("a device network name", 41, digit_first=True, shorten=True)
    # KubeRay refuses longer ones, so that the names of services and pods fit 63 (kuberay
    # ray-operator utils/constant.go: 53, and 6 less for a RayJob).
    RAY_CLUSTER = NameRule("a RayCluster name", 53)
    RAY_JOB = NameRule("a RayJob name", 47)
    # It is in a label of the pods, whose value has 63 characters at most (kuberay ray-operator
    # controllers/ray/common/pod.go, ray.io/group).
    WORKER_GROUP = NameRule("a worker group's name", 63, digit_first=True)
    # JobSet refuses what leaves no room in 63 for a pod's name: "-node-0-", four digits of a
    # number, "-" and five letters (kubernetes-sigs/jobset pkg/webhooks/jobset_webhook.go, v0.12.0).
    JOB_SET = NameRule("a JobSet name", 45)


def check_name(kind: NameKind, name: str) -> str:
    """Returns `name`. Raises ValueError, with the nearest name that works, when it is not legal."""
    rule = kind.value
    if len(name) > rule.longest:
        raise ValueError(
            f'"{name}" has {len(name)} characters, and {rule.what} has at most {rule.longest}; '
            f"nearest: {_shortened(name, rule)}"
        )
    if len(name) < rule.shortest:
        raise ValueError(
            f'"{name}" has {len(name)} characters, and {rule.what} has at least {rule.shortest}; '
            f"nearest: {_repaired(name, rule)}"
        )
    if not rule.pattern().fullmatch(name):
        raise ValueError(
            f'"{name}" is not {rule.what} ({rule.letters}); nearest: {_repaired(name, rule)}'
        )
    return name


def name_is(argument: str, kind: NameKind, name: str) -> None:
    """Refuses an argument that is no legal name of this kind."""
    checked(argument, partial(check_name, kind), name)


def names_are_of(argument: str, kind: NameKind, *parts: str) -> None:
    """Refuses an argument of which no legal name of this kind can be made."""
    checked(argument, lambda all_parts: cloud_name(kind, *all_parts), parts)


def check_bucket_name(name: str) -> str:
    """Returns `name`. Raises ValueError when Cloud Storage keeps such names for Google."""
    if name.startswith("goog") or "google" in name:
        nearest = name.replace("google", "my").replace("goog", "my")
        raise ValueError(
            f'"{name}" is a bucket name that only Google may take ("goog" at the start, "google" '
            f"anywhere); nearest: {nearest}"
        )
    return name


def cloud_name(kind: NameKind, *parts: str) -> str:
    """The parts joined by hyphens, as a legal name of this kind.

    Raises ValueError when it is not legal and the kind is not one that may be shortened.
    """
    name = "-".join(parts)
    rule = kind.value
    if rule.shorten and len(name) > rule.longest:
        name = _shortened(name, rule)
    return check_name(kind, name)


def network_name(*parts: str) -> str:
    """A VPC's: the stack's name first, then what tells its networks apart."""
    return cloud_name(NameKind.NETWORK, *parts, "net")


def _shortened(name: str, rule: NameRule) -> str:
    digest = hashlib.sha256(name.encode()).hexdigest()[:_HASH_LENGTH]
    head = _repaired(name, rule)[: rule.longest - _HASH_LENGTH - 1].rstrip("-")
    return f"{head}-{digest}"


def _repaired(name: str, rule: NameRule) -> str:
    clean = re.sub(r"[^a-z0-9-]+", "-", name.lower()).strip("-")
    if not rule.digit_first:
        clean = clean.lstrip("-0123456789")
    clean = (clean or "name")[: rule.longest].rstrip("-")
    return clean if len(clean) >= rule.shortest else f"{clean}-stack"


# Kubernetes makes one of this name in every namespace, and pods that name none run as it.
GIVEN_ACCOUNT = "default"


def check_own_account(name: str) -> str:
    """Returns the name. Raises ValueError for the one that pods have which name none: a role that
    is bound to it is every pod's of the namespace."""
    if name == GIVEN_ACCOUNT:
        raise ValueError(
            f'"{name}": Kubernetes makes one of this name in every namespace, for pods that name '
            "none; nearest: pods"
        )
    return name
