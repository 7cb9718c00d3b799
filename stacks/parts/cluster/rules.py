"""The cluster's mode, version and zone. No Pulumi import."""

from collections.abc import Iterator

from stacks.beside import beside_problems
from stacks.plan import Plan
from stacks.problems import Problem, problem_of
from stacks.rules.cluster_mode import location_problems
from stacks.rules.placement import version_problems

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
    if plan.autopilot and plan.stack.cluster.is_made:
        yield from location_problems(plan.stack.cluster)


def gke_problems(plan: Plan) -> Iterator[Problem]:
    """The version has what the stack uses; each thing is said once."""
    said: set[Problem] = set()
    for pool in plan.pools.values():
        machine = pool.machine.name
        for one in version_problems(plan.facts, plan.gke_version, plan.features, machine):
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
