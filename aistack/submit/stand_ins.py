"""What a stack stands on that it has not made, as it has to look for its program to run. What is
made up here is in objects of the stack alone, and those are left out of a job's."""

from __future__ import annotations

from collections.abc import Sequence

import pulumi

from components.base.existing_facts import BucketFacts, ClusterFacts, LustreFacts, NetworkFacts
from components.buckets.existing import ExistingBucket
from components.lustre.existing import ExistingLustre
from components.network.existing import ExistingNetwork
from stacks.plan import Plan
from stacks.site import Adopted

_UNKNOWN = "projects/unknown/unknown"


def adopted(plan: Plan, operators: Sequence[str], assumed: Sequence[str] = ()) -> Adopted:
    """`operators` are those in the cluster of a stack that stands on others, and `assumed` further
    ones that it is not to install."""
    if not plan.stack.stands_on_others:
        return Adopted(operators=tuple(assumed))
    return Adopted(
        network=_network(plan),
        cluster=None if plan.stack.cluster.is_made else _cluster(plan),
        operators=(*operators, *assumed),
        lustre=_lustre(plan),
        buckets={
            key: _bucket(it.name)
            for key, it in plan.buckets.items()
            if it.config.existing is not None
        },
    )


def _cluster(plan: Plan) -> ClusterFacts:
    stack = plan.stack
    return ClusterFacts(
        project=stack.project,
        location=stack.zone,
        name=stack.name,
        zones=(stack.zone,),
        network_id=_UNKNOWN,
        subnetwork_id=_UNKNOWN,
        pods_range=None,
        services_range=None,
        endpoint="",
        ca_certificate="",
        version="",
        release_channel="",
        autopilot=plan.autopilot,
        dataplane_v2=True,
        calico=False,
        multi_networking=True,
        private_nodes=True,
        workload_pool=f"{stack.project}.svc.id.goog",
        ray_operator=False,
        gcs_fuse=True,
        lustre=True,
        lustre_legacy_port=False,
        custom_metrics=True,
        labels={},
    )


def _network(plan: Plan) -> ExistingNetwork | None:
    named, stack = plan.stack.network.existing, plan.stack
    if named is None:
        return None
    facts = NetworkFacts(
        project=named.project or stack.project,
        region=stack.region,
        name=named.network,
        network_id=_UNKNOWN,
        subnetwork_name=named.subnetwork,
        subnetwork_id=_UNKNOWN,
        subnetwork_network_id=_UNKNOWN,
        nodes_range="",
        secondary_ranges={},
        private_google_access=True,
        nats=None,
    )
    unknown = pulumi.Output.from_input(_UNKNOWN)
    return ExistingNetwork(
        found=facts, network_id=unknown, network_name=unknown, subnetwork_id=unknown
    )


def _lustre(plan: Plan) -> ExistingLustre | None:
    wanted, stack = plan.stack.lustre, plan.stack
    if wanted is None or wanted.existing is None:
        return None
    facts = LustreFacts(
        project=stack.project,
        zone=stack.zone,
        name=wanted.existing,
        network_id=_UNKNOWN,
        mount_point="",
        filesystem="",
        capacity_gib=0,
        legacy_port=False,
        state="",
        labels={},
    )
    unknown = pulumi.Output.from_input("0")
    return ExistingLustre(
        found=facts,
        instance_name=unknown,
        mount_point=unknown,
        filesystem=unknown,
        capacity_gib=unknown,
        address=unknown,
        handle=unknown,
    )


def _bucket(name: str) -> ExistingBucket:
    facts = BucketFacts(
        name=name,
        url="",
        location="",
        regions=(),
        hierarchical_namespace=False,
        uniform_access=True,
        versioning=False,
        labels={},
    )
    known = pulumi.Output.from_input(name)
    return ExistingBucket(found=facts, bucket_name=known, url=known)
