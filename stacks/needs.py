"""What a stack asks of the parts that it stands on and does not make. No Pulumi import."""

from collections.abc import Collection, Iterator

from components.base.existing_facts import ClusterFacts
from components.base.members import GROUP
from stacks.beside import beside_problems
from stacks.parts.buckets.existing_rules import BucketNeeds
from stacks.parts.buckets.plan import PlannedBucket
from stacks.parts.cluster.config import Operator, RayOperator
from stacks.parts.cluster.existing_rules import ClusterNeeds
from stacks.parts.images.existing_rules import RepositoryNeeds
from stacks.parts.lustre.config import StackLustre
from stacks.parts.lustre.existing_rules import LustreNeeds
from stacks.parts.network.config import NamedNetwork
from stacks.parts.network.existing_rules import NetworkNeeds
from stacks.parts.network.plan import lets_lustre_in, most_nodes_and_pods
from stacks.plan import Plan
from stacks.problems import Problem


def network_needs(plan: Plan, named: NamedNetwork) -> NetworkNeeds:
    return NetworkNeeds(
        pods_range=named.pods_range,
        services_range=named.services_range,
        pools=most_nodes_and_pods(plan.pools.values()),
        made=plan.ranges,
        mtu=named.mtu,
        jumbo_for=None if plan.stack.lustre is None else "Managed Lustre",
    )


def bucket_needs(plan: Plan, bucket: PlannedBucket) -> BucketNeeds:
    return BucketNeeds(
        region=plan.stack.region,
        hierarchical_namespace=bucket.config.hierarchical_namespace,
    )


def repository_needs(plan: Plan, host: str) -> RepositoryNeeds:
    """Nodes of Autopilot stream by themselves."""
    return RepositoryNeeds(host=host, streams=plan.autopilot or bool(plan.images.streamed))


def lustre_needs(
    plan: Plan, wanted: StackLustre, *, network_id: str, legacy_port: bool
) -> LustreNeeds:
    """`network_id` and `legacy_port` are those of the cluster's nodes."""
    return LustreNeeds(
        zone=plan.stack.zone,
        network_id=network_id,
        filesystem=wanted.filesystem,
        legacy_port=legacy_port,
        capacity_gib=wanted.capacity_gib,
        let_in_from=plan.stack.network.peering if lets_lustre_in(plan.stack) else None,
    )


def cluster_needs(
    plan: Plan, found: ClusterFacts, operators: Collection[str], network_id: str | None
) -> ClusterNeeds:
    """`network_id` is the network that the config names beside the cluster."""
    stack, cluster = plan.stack, plan.stack.cluster
    asked = "release_channel" in cluster.model_fields_set
    addon = cluster.ray_operator is RayOperator.ADDON
    # Of one that is installed by its chart `operator_problems` has more to say.
    kuberay = bool(stack.ray) and Operator.KUBERAY not in operators
    return ClusterNeeds(
        project=stack.project,
        region=stack.region,
        autopilot=plan.autopilot,
        multi_networking=plan.multi_networking,
        dranet=any(plan.claims(it) for it in plan.pools.values()),
        ray_operator=addon if kuberay else None,
        gcs_fuse=bool(stack.buckets),
        # An instance that is made is on its port, and one that exists has a rule of its own.
        lustre_legacy_port=None if stack.lustre is None else found.lustre_legacy_port,
        groups=any(one.kind == GROUP for it in plan.teams.values() for one in it.members),
        teams=bool(plan.teams),
        guarded=bool(stack.ray or plan.scripts or plan.servers),
        reached_from_outside=bool(plan.servers)
        or any(not it.operator_is_pod for it in plan.ray.values()),
        custom_metrics="custom_metrics" in plan.features,
        network_id=network_id,
        release_channel=cluster.release_channel.value if asked else None,
        features=plan.features,
        machines=tuple(dict.fromkeys(it.machine.name for it in plan.pools.values())),
    )


def operator_problems(plan: Plan, operators: Collection[str]) -> Iterator[Problem]:
    """What is installed in the cluster is not the stack's to decide."""
    stack = plan.stack
    addon = bool(stack.ray) and stack.cluster.ray_operator is RayOperator.ADDON
    if Operator.KUBERAY in operators and addon:
        yield Problem(
            "cluster.ray_operator",
            "KubeRay is in the cluster by its Helm chart, and two would work on the same objects; "
            "nearest: helm",
        )
    if Operator.KUEUE in operators and stack.queues is not None:
        why = "Kueue is in the cluster already, with its own"
        keys = ("version", "frameworks", "ready_minutes")
        yield from beside_problems("queues", stack.queues, keys, why)
