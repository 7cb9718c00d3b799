"""The cluster's mode, version and zone. No Pulumi import."""

from collections.abc import Iterator

from stacks.beside import beside_problems
from stacks.parts.cluster.config import ClusterLocation
from stacks.plan import Plan
from stacks.problems import Problem, problem_of

_OF_MADE = (
    "name",
    "location",
    "version",
    "authorized_networks",
    "maintenance",
    "security_group",
)


def existing_problems(plan: Plan) -> Iterator[Problem]:
    """A cluster that is not made here is one of two, and its owner decides the rest."""
    cluster = plan.stack.cluster
    if cluster.is_made:
        return
    if cluster.existing is not None and cluster.stack is not None:
        yield Problem(
            "cluster.stack", "the cluster is named by cluster.existing, too; nearest: one of both"
        )
    whose = "the cluster is there already, with its own"
    yield from beside_problems("cluster", cluster, _OF_MADE, whose)


def mode_problems(plan: Plan) -> Iterator[Problem]:
    cluster = plan.stack.cluster
    if plan.autopilot and cluster.is_made and cluster.location is ClusterLocation.ZONAL:
        yield Problem(
            "cluster.location", "Autopilot clusters are always regional; nearest: regional"
        )


def gke_problems(plan: Plan) -> Iterator[Problem]:
    """The version has what the stack uses; each thing is said once."""
    version, said = plan.gke_version, set[Problem]()
    if version is None:
        return
    for pool in plan.pools.values():
        machine = pool.machine.name
        for one in problem_of(
            "cluster.version",
            lambda it=machine: plan.facts.check_gke(version, *plan.features, machine=it),
        ):
            if one not in said:
                said.add(one)
                yield one


def profile_problems(plan: Plan) -> Iterator[Problem]:
    """Google has a network profile for RDMA in the zone of such machines."""
    for one in plan.interface_sets:
        if one.machine.rdma_nics and one.zone in plan.facts.zones:
            machine = one.machine.name
            own = next((it for it in one.pools if plan.pools[it].config.zone is not None), None)
            yield from problem_of(
                "zone" if own is None else f"pools.{own}.zone",
                lambda zone=one.zone, it=machine: plan.facts.roce_profile(zone, it),
            )


RULES = (existing_problems, mode_problems, gke_problems, profile_problems)
