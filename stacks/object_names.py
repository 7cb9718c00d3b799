"""Kubernetes objects with names that controllers give to theirs, too. No Pulumi import.

Of two of a name `up` says nothing, for the controller comes later: JobSet takes a Service that is
there for its own, and makes no Job in another's place (kubernetes-sigs/jobset v0.12.0
pkg/controllers/jobset_controller.go, createHeadlessSvcIfNecessary and createJobs); KubeRay makes no
Service then, and takes a Secret, without whose token no Ray pod starts (ray-project/kuberay v1.6.2
ray-operator/controllers/ray/raycluster_controller.go, createService and reconcileAuthSecret).
"""

from collections.abc import Iterator
from typing import NamedTuple

from components.ray.manifest import token_secret_name
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
    """Two of a name in the stack itself, and the one that a cluster begins with: the API server's
    own Service (kubernetes/kubernetes pkg/controlplane/controller/kubernetesservice/controller.go,
    v1.35.4)."""
    seen: dict[tuple[str, str], str] = {}
    if plan.stack.namespace == "default":
        seen["Service", "kubernetes"] = "the API server"
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
    yield Derived("Secret", plan.tokens_name, "secrets")
    if plan.stack.redis is not None:
        yield Derived("Secret", plan.redis_secret_name, "redis")
    for name, server in plan.servers.items():
        yield Derived("Service", name, server.field)
    for ray in plan.ray.values():
        yield from _of_ray(ray)
    for name, tuning in plan.fine_tunings.items():
        yield Derived("Job", name, tuning.field)
        yield Derived("Service", name, tuning.field)
    for name, script in plan.scripts.items():
        # The Service is the controller's, and so is the Job of the one ReplicatedJob.
        yield Derived("Service", name, script.field)
        yield Derived("Job", f"{name}-node-0", script.field)


def _of_ray(ray: PlannedRay) -> Iterator[Derived]:
    """KubeRay's Services, and the Secret (ray-project/kuberay v1.4.2
    ray-operator/controllers/ray/utils/util.go, GenerateHeadServiceName and
    GenerateHeadlessServiceName)."""
    field, name = ray.field, ray.name
    yield Derived("Service", f"{name}-head-svc", field)
    if ray.asks_for_token:
        yield Derived("Secret", token_secret_name(name), field)
    if any(it.hosts > 1 for it in ray.groups.values()):
        yield Derived("Service", f"{name}-headless", field)
    if any(isinstance(it, VerlTraining) and it.preparation is not None for it in ray.jobs):
        yield Derived("Job", f"{name}-data", field)
