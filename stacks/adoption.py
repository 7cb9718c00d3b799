"""The parts that exist already: all of them read and judged before the first resource.

Nothing here is registered, so the engine has no step for any of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import pulumi
import pulumi_gcp as gcp

from components.base.existing_facts import ClusterFacts
from components.base.labels import STACK, owner_of, stack_labels
from components.buckets.existing import ExistingBucket, ExistingBucketArgs, existing_bucket
from components.cluster.existing import ExistingClusterArgs, read_cluster
from components.images.existing_disk import ExistingDiskImageArgs, existing_disk_image
from components.images.existing_repository import ExistingRepositoryArgs, existing_repository
from components.lustre.existing import ExistingLustre, ExistingLustreArgs, existing_lustre
from components.network.existing import ExistingNetwork, ExistingNetworkArgs, existing_network
from stacks.beside import owner_problems
from stacks.moving import entering
from stacks.needs import (
    bucket_needs,
    cluster_needs,
    lustre_needs,
    network_needs,
    operator_problems,
    repository_needs,
)
from stacks.on_record import Record
from stacks.one_run import PROVIDER
from stacks.parts.buckets.existing_rules import bucket_advice, bucket_problems
from stacks.parts.cluster.existing_rules import cluster_advice, cluster_problems
from stacks.parts.images.existing_rules import (
    disk_advice,
    disk_problems,
    format_problems,
    repository_advice,
    repository_problems,
)
from stacks.parts.lustre.existing_rules import lustre_advice, lustre_problems
from stacks.parts.network.existing_rules import network_advice, network_problems
from stacks.plan import Plan
from stacks.problems import Problem, under
from stacks.reference import ReferredStack, cluster_of, refer
from stacks.refusal import BUCKET, CLUSTER, LUSTRE
from stacks.site import Adopted
from stacks.survey import Survey
from stacks.two_runs import forget

AT = "cluster.stack"
REPOSITORY = "gcp:artifactregistry/repository:Repository"


def read(plan: Plan, provider: gcp.Provider, record: Record | None) -> Adopted:
    """Raises pulumi.RunError with all that is not there, and all that does not fit; else where the
    stack on record is in another cluster."""
    if not plan.stack.stands_on_others and not plan.images.named:
        return Adopted()
    survey = Survey()
    reading = _Reading(plan, provider, survey, record)
    platform = reading.platform()
    network = reading.network()
    cluster, operators = reading.cluster(platform, network)
    found = Adopted(
        network=network,
        cluster=cluster,
        operators=operators,
        lustre=reading.lustre(network, cluster),
        buckets=reading.buckets(),
    )
    reading.repositories()
    reading.named_repositories()
    reading.disk_images()
    unread = cluster is None and not plan.stack.cluster.is_made
    survey.close(_way_out() if unread and record is not None and record.of_type(PROVIDER) else "")
    if cluster is not None and record is not None:
        for moved in entering(cluster, record):
            raise pulumi.RunError(str(moved.refusal(record, pulumi.get_stack())))
    return found


@dataclass(frozen=True)
class _Reading:
    plan: Plan
    provider: gcp.Provider
    survey: Survey
    record: Record | None = None

    def platform(self) -> ReferredStack | None:
        name = self.plan.stack.cluster.stack
        if name is None:
            return None
        return self.survey.read("cluster.stack", partial(refer, "cluster.stack", name))

    def cluster(
        self, platform: ReferredStack | None, network: ExistingNetwork | None
    ) -> tuple[ClusterFacts | None, tuple[str, ...]]:
        """The cluster and the operators in it; its owner is judged where it is no platform's."""
        stack, named = self.plan.stack, self.plan.stack.cluster.existing
        names, operators = {"cluster.existing.cluster": "cluster.existing.name"}, ()
        if platform is not None:
            names = dict.fromkeys((f"cluster.existing.{it}" for it in ("cluster", "location")), AT)
            args = self.survey.read(AT, partial(cluster_of, platform))
            operators = self.survey.read(AT, partial(platform.texts, "operators")) or ()
        elif named is not None:
            args = ExistingClusterArgs(
                project=stack.project, location=named.location, cluster=named.name
            )
            operators = named.operators
        else:
            return None, ()
        if args is None:
            return None, operators
        if args.project != stack.project:
            self.survey.judge([_elsewhere(args.project)])
            return None, operators
        found = self.survey.read(
            "cluster.existing", partial(read_cluster, args, self.provider), names
        )
        if found is None:
            return None, operators
        network_id = None if network is None else network.found.network_id
        needs = cluster_needs(self.plan, found, operators, network_id)
        self.survey.judge(
            under(names, cluster_problems(found, needs, self.plan.facts)),
            under(names, cluster_advice(found, needs)),
        )
        self.survey.judge(operator_problems(self.plan, operators))
        if named is not None:
            self._judge_owner(
                "cluster.existing.name", f"the cluster {found.name}", found.labels, CLUSTER
            )
        return found, operators

    def network(self) -> ExistingNetwork | None:
        stack, named = self.plan.stack, self.plan.stack.network.existing
        if named is None:
            return None
        args = ExistingNetworkArgs(
            project=named.project or stack.project,
            region=stack.region,
            network=named.network,
            subnetwork=named.subnetwork,
        )
        network = self.survey.read(
            "network.existing", partial(existing_network, args, self.provider)
        )
        if network is not None:
            found, needs = network.found, network_needs(self.plan, named)
            self.survey.judge(network_problems(found, needs), network_advice(found, needs))
        return network

    def lustre(
        self, network: ExistingNetwork | None, cluster: ClusterFacts | None
    ) -> ExistingLustre | None:
        stack, wanted = self.plan.stack, self.plan.stack.lustre
        if wanted is None or wanted.existing is None:
            return None
        names = {"lustre.existing.instance": "lustre.existing"}
        args = ExistingLustreArgs(project=stack.project, zone=stack.zone, instance=wanted.existing)
        lustre = self.survey.read(
            "lustre.existing", partial(existing_lustre, args, self.provider), names
        )
        legacy_port = self.plan.lustre_legacy_port
        network_id = None if network is None else network.found.network_id
        if cluster is not None:
            network_id, legacy_port = cluster.network_id, cluster.lustre_legacy_port
        if lustre is not None and network_id is not None:
            needs = lustre_needs(self.plan, wanted, network_id=network_id, legacy_port=legacy_port)
            found = lustre_problems(lustre.found, needs, self.plan.facts)
            # A platform has made the rule with the instance.
            advice = lustre_advice(lustre.found, needs, self.plan.facts)
            platforms = self._is_platforms(lustre.found.labels)
            self.survey.judge(under(names, found), () if platforms else advice)
        if lustre is not None:
            what = f"the instance {wanted.existing}"
            self._judge_owner("lustre.existing", what, lustre.found.labels, LUSTRE)
        return lustre

    def buckets(self) -> dict[str, ExistingBucket]:
        found: dict[str, ExistingBucket] = {}
        for key, planned in self.plan.buckets.items():
            if planned.config.existing is None:
                continue
            field = planned.name_field
            names = {
                "bucket.existing.bucket": field,
                f"{field}.bucket": field,
                "bucket": planned.field,
            }
            args = ExistingBucketArgs(project=self.plan.stack.project, bucket=planned.name)
            bucket = self.survey.read(field, partial(existing_bucket, args, self.provider), names)
            if bucket is None:
                continue
            needs = bucket_needs(self.plan, planned)
            self.survey.judge(
                under(names, bucket_problems(bucket.found, needs)),
                under(names, bucket_advice(bucket.found, needs)),
            )
            what = f"the bucket {planned.name}"
            self._judge_owner(field, what, bucket.found.labels, BUCKET, planned.name)
            found[key] = bucket
        return found

    def repositories(self) -> None:
        """What is made on them takes their names from the config."""
        for host, mirror in self.plan.images.mirrors.items():
            if mirror.made:
                continue
            needs = repository_needs(self.plan, host)
            args = ExistingRepositoryArgs(
                project=mirror.project, location=mirror.location, repository=mirror.name
            )
            found = self.survey.read(
                needs.field,
                partial(existing_repository, args, self.provider),
                {f"{needs.field}.repository": needs.field},
            )
            if found is None:
                continue
            self.survey.judge(
                repository_problems(found, needs, self.plan.facts), repository_advice(found, needs)
            )
            self._judge_owner(
                needs.field,
                f"the repository {found.name}",
                found.labels,
                REPOSITORY,
                made_by="leave it out",
                lent_by="one of no stack",
            )

    def named_repositories(self) -> None:
        """Those of the stack's project that images are in: a grant on one that is not there fails
        in the middle of `up`."""
        for repository, field in self.plan.images.named.items():
            args = ExistingRepositoryArgs(
                project=repository.project,
                location=repository.location,
                repository=repository.name,
            )
            names = {f"{field}.repository": field}
            found = self.survey.read(
                field, partial(existing_repository, args, self.provider), names
            )
            if found is not None:
                self.survey.judge(format_problems(found, field))

    def disk_images(self) -> None:
        """Each pool has one of its own, which others may have, too."""
        for pool, disk in self.plan.images.disks.items():
            field = f"pools.{pool}.secondary_boot_disk"
            args = ExistingDiskImageArgs(project=disk.project, image=disk.name)
            found = self.survey.read(
                field,
                partial(existing_disk_image, args, self.provider),
                {f"{field}.disk image": field},
            )
            if found is not None:
                self.survey.judge(disk_problems(field, found), disk_advice(field, disk))

    def _judge_owner(
        self,
        field: str,
        what: str,
        labels: Mapping[str, str],
        token: str,
        name: str | None = None,
        **nearest: str,
    ) -> None:
        """What a platform has, the stacks on it use: it cannot go before them. Of the stack's own
        the record says whether it would go: one of the type and, where that is given, the name."""
        if self._is_platforms(labels):
            return
        on_record = self.record is None or any(
            name is None or it.outputs.get("name") == name for it in self.record.of_type(token)
        )
        self.survey.judge(
            owner_problems(field, what, labels, pulumi.get_stack(), on_record=on_record, **nearest)
        )

    def _is_platforms(self, labels: Mapping[str, str]) -> bool:
        reference = self.plan.stack.cluster.stack
        if reference is None:
            return False
        return owner_of(labels) == stack_labels({}, reference.rpartition("/")[2])[STACK]


def _elsewhere(project: str) -> Problem:
    return Problem(
        "gcp:project",
        f"the cluster is in {project}, and the nodes of a cluster are in its own project; "
        f"nearest: {project}",
    )


def _way_out() -> str:
    """A stack is left though the cluster that it was on is gone: a program that makes one of its
    own asks for no other, and a destroy makes nothing."""
    stack = pulumi.get_stack()
    return (
        "To leave this stack, where that cluster is gone with all that was in it: "
        f"`{forget(stack)}`, then `pulumi destroy --stack {stack} --run-program` with "
        "stack.deletion_protection false and without stack.cluster in the stack's file"
    )
