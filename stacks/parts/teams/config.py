"""A team that shares the cluster with others. No Pulumi import."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from components.base.members import check_email
from stacks.secret_references import SecretReference
from stacks.types import (
    AccountName,
    Block,
    BucketKey,
    NamespaceName,
    ObjectName,
    PodQuota,
    QueueCpus,
    QueueGiB,
    QueueGpus,
    QueueName,
)
from stacks.value_checks import whole_millicores

TeamName = NamespaceName
Email = Annotated[str, AfterValidator(check_email)]
PodSecurity = Literal["baseline", "privileged"]


class TeamBucketRole(StrEnum):
    """What a team's pods may do: read objects, write them, too, or set their access control
    lists, too."""

    OBJECT_VIEWER = "objectViewer"
    OBJECT_USER = "objectUser"
    OBJECT_ADMIN = "objectAdmin"

    @property
    def iam_role(self) -> str:
        return f"roles/storage.{self.value}"


class Members(Block, frozen=True):
    """Who is in a team, by e-mail."""

    view: tuple[Email, ...] = ()
    """Those who look at what is in the namespace."""
    edit: tuple[Email, ...] = ()
    """Those who change it."""


class TeamQuota(Block, frozen=True):
    """What the team's pods may ask for at once. What is left out has no limit, but for accelerators
    that the stack's queues give out: of these a team without a queue has none unless it says so."""

    cpu: Annotated[QueueCpus, AfterValidator(whole_millicores)] | None = None
    """CPUs."""
    memory_gib: QueueGiB | None = None
    """Memory in GiB."""
    gpus: QueueGpus | None = None
    """GPUs of any kind."""
    chips: QueueGpus | None = None
    """TPU chips of any kind."""
    pods: PodQuota | None = None
    """Pods."""


class StackTeam(Block, frozen=True):
    """A namespace of the team's name, and what the team may do there."""

    groups: Members = Members()
    """Google groups in the team, which the cluster knows by `cluster.security_group`."""
    users: Members = Members()
    """People in the team."""
    quota: TeamQuota | None = None
    """Past it Kubernetes refuses the team's pods."""
    queue: QueueName | None = None
    """Cluster queue in which all work of the team's namespace waits."""
    priorities: tuple[ObjectName, ...] = ()
    """Priorities that the team's work may name; by default those that go before nobody."""
    buckets: dict[BucketKey, TeamBucketRole] = Field(default_factory=dict)
    """Roles that the team's pods have on buckets of the stack."""
    service_account: AccountName = "team"
    """Kubernetes service account of pods that use the buckets."""
    secrets: tuple[SecretReference, ...] = ()
    """Secrets of the namespace, as variables of jobs of `aistack submit --team`, written as a job's
    `secrets`."""
    pod_security: PodSecurity = "baseline"
    """What pods may ask of their nodes; `privileged` adds the folders of Google's NCCL plug-in."""
    load_balancers: bool = False
    """Let the team publish Services of type LoadBalancer or NodePort."""
    storage_gib: QueueGiB = 0
    """GiB that all PersistentVolumeClaims of the namespace request together."""
