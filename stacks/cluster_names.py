"""The names of Kubernetes objects that stacks in one cluster could both take. No Pulumi import.

Keys and names of a config are such, so that two stacks with the same queue, or with a RayCluster of
one name in one namespace, preview clean and meet "already exists" in `up`.
"""

from collections.abc import Iterable, Iterator

from components.naming import NameKind
from stacks.cloud_names import OF_STACK, Field, TakenName, cluster_of, names_of
from stacks.object_names import derived_names
from stacks.parts.queues.plan import guard_name
from stacks.parts.teams.plan import (
    pods_policy_name,
    private_namespaces,
    privileged_namespaces,
    reach_policy_name,
    services_policy_name,
)
from stacks.plan import Plan

_NAMESPACE = NameKind.NAMESPACE


def all_names(plan: Plan, here: str) -> dict[TakenName, Field]:
    """Those in the cloud, too; `here` is what Pulumi calls the stack."""
    return {**names_of(plan, here), **dict(_objects(plan, cluster_of(plan, here)))}


def _objects(plan: Plan, cluster: str) -> Iterator[tuple[TakenName, Field]]:
    """Each with the field that gives it another name."""
    stack = plan.stack
    if stack.namespace != "default":
        yield TakenName("namespace", cluster, stack.namespace), Field("namespace", _NAMESPACE)
    yield from _keys("namespace", cluster, "teams", stack.teams, _NAMESPACE)
    for teams, policy_name in (
        (list(plan.teams), reach_policy_name),
        (private_namespaces(plan.teams.values()), services_policy_name),
        (privileged_namespaces(plan.teams.values()), pods_policy_name),
    ):
        if teams:
            policy = policy_name(stack.name)
            yield TakenName("ValidatingAdmissionPolicy", cluster, policy), OF_STACK
    yield from _of_queues(plan, cluster)
    inside = f"{cluster}/{stack.namespace}"
    yield from _keys("RayCluster", inside, "ray", stack.ray, NameKind.RAY_CLUSTER)
    for one in derived_names(plan):
        if one.kind == "PersistentVolume":
            yield TakenName(one.kind, cluster, one.name), OF_STACK
        elif one.kind != "grant":
            field = Field(one.field, NameKind.KUBERNETES, one.field.partition(".")[2])
            yield TakenName(one.kind, inside, one.name), field


def _of_queues(plan: Plan, cluster: str) -> Iterator[tuple[TakenName, Field]]:
    queues = plan.stack.queues
    if queues is None:
        return
    for kind, field, names in (
        ("ResourceFlavor", "flavors", queues.flavors),
        ("Topology", "topologies", queues.topologies),
        ("AdmissionCheck", "admission_checks", queues.admission_checks),
        ("ClusterQueue", "cluster_queues", queues.cluster_queues),
        ("Cohort", "cohorts", queues.cohorts),
    ):
        yield from _keys(kind, cluster, f"queues.{field}", names, NameKind.KUBERNETES)
    for kind, field, classes in (
        ("PriorityClass", "priorities", queues.priorities),
        ("WorkloadPriorityClass", "workload_priorities", queues.workload_priorities),
    ):
        for at, one in enumerate(classes):
            where = Field(f"queues.{field}[{at}].name", NameKind.KUBERNETES)
            yield TakenName(kind, cluster, one.name), where
    for at, name in enumerate(queues.namespaces):
        yield TakenName("namespace", cluster, name), Field(f"queues.namespaces[{at}]", _NAMESPACE)
    if any(it.local_queues for it in plan.teams.values()):
        policy = guard_name(plan.stack.name)
        yield TakenName("ValidatingAdmissionPolicy", cluster, policy), OF_STACK
    for team in plan.teams.values():
        for name in team.local_queues:
            where = Field(team.field, _NAMESPACE, team.name)
            yield TakenName("LocalQueue", f"{cluster}/{team.name}", name), where
    for at, queue in enumerate(queues.local_queues):
        place = f"{cluster}/{queue.namespace or plan.stack.namespace}"
        where = Field(f"queues.local_queues[{at}].name", NameKind.KUBERNETES)
        yield TakenName("LocalQueue", place, queue.name), where


def _keys(
    kind: str, place: str, field: str, keys: Iterable[str], limit: NameKind
) -> Iterator[tuple[TakenName, Field]]:
    for key in keys:
        yield TakenName(kind, place, key), Field(f"{field}.{key}", limit, key)
