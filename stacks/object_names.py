"""Names of Kubernetes objects that follow from keys of the config: no two of one kind are alike.

What has a key's own name as its only one of a kind cannot be: keys of a block are there once. No
Pulumi import.
"""

from collections.abc import Iterator
from typing import NamedTuple

from components.ray_manifest import token_secret_name
from stacks.parts.buckets.plan import with_key
from stacks.parts.jobs.config import VerlTraining
from stacks.parts.ray.plan import PlannedRay
from stacks.plan import Plan
from stacks.problems import Problem


class Derived(NamedTuple):
    """An object in the stack's namespace, and the field that its name follows from."""

    kind: str
    name: str
    field: str


def name_problems(plan: Plan) -> Iterator[Problem]:
    """Of two of a name the second `up` would be refused, or they would be one."""
    seen: dict[tuple[str, str], str] = {}
    told: set[str] = set()
    for one in derived_names(plan):
        other = seen.setdefault((one.kind, one.name), one.field)
        if other != one.field and one.field not in told:
            told.add(one.field)
            yield Problem(
                one.field,
                f'its {one.kind} is "{one.name}", which {other} has one of already; '
                "nearest: another name",
            )


def derived_names(plan: Plan) -> Iterator[Derived]:
    # KubeRay takes a Secret of the name that it would give one, and without Ray's token in it no
    # Ray pod starts.
    yield Derived("Secret", plan.tokens_name, "secrets")
    if plan.stack.redis is not None:
        yield Derived("Secret", plan.redis_secret_name, "redis")
    for name, server in plan.servers.items():
        yield Derived("Service", name, server.field)
        yield Derived("NetworkPolicy", name, server.field)
    for ray in plan.ray.values():
        yield from _of_ray(plan, ray)
    for name, tuning in plan.fine_tunings.items():
        yield from _of_script(name, tuning.field)
        yield Derived("Service", name, tuning.field)
    for name, script in plan.scripts.items():
        # The Service is the controller's, and so is the Job of the one ReplicatedJob.
        yield Derived("Service", name, script.field)
        yield Derived("Job", f"{name}-node-0", script.field)
        yield Derived("NetworkPolicy", f"{name}-pods", script.field)
    yield from _volumes(plan)
    for name, team in plan.teams.items():
        for key in team.config.buckets:
            yield Derived("grant", f"{name}-{key}", f"teams.{name}.buckets.{key}")


def _of_ray(plan: Plan, ray: PlannedRay) -> Iterator[Derived]:
    """KubeRay's own Services, too (ray-project/kuberay v1.4.2
    ray-operator/controllers/ray/utils/util.go, GenerateHeadServiceName and
    GenerateHeadlessServiceName)."""
    field, name = ray.field, ray.name
    yield Derived("NetworkPolicy", f"{name}-ray", field)
    yield Derived("Service", f"{name}-head-svc", field)
    if ray.asks_for_token:
        yield Derived("Secret", token_secret_name(name), field)
    if any(it.hosts > 1 for it in ray.groups.values()):
        yield Derived("Service", f"{name}-headless", field)
    if ray.jobs:
        yield Derived("ConfigMap", f"{name}-launcher", field)
    if any(isinstance(it, VerlTraining) and it.preparation is not None for it in ray.jobs):
        yield from _of_script(f"{name}-data", field)


def _of_script(name: str, field: str) -> Iterator[Derived]:
    """Of a Job that runs a script."""
    yield Derived("Job", name, field)
    yield Derived("ConfigMap", f"{name}-script", field)


def _volumes(plan: Plan) -> Iterator[Derived]:
    stack = plan.stack
    for key, bucket in plan.buckets.items():
        if bucket.claim_gib is not None:
            yield Derived("PersistentVolume", f"{with_key(stack.name, key)}-pv", bucket.field)
    if stack.lustre is not None:
        name = stack.lustre.name or f"{stack.name}-{stack.lustre.existing}"
        field = "lustre.name" if stack.lustre.name else "lustre.existing"
        yield Derived("PersistentVolume", f"{name}-pv", field)
