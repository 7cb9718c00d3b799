"""What a team's namespace refuses of a job, whose pods Kubernetes would not make, after all else of
it is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from aistack.errors import CannotRunError
from aistack.submit.parcel import Parcel
from components.base.pod_manifest import GPU
from kube.jobs import pod_groups
from kube.objects import maps
from kube.reading import amount
from stacks.config_errors import nearest
from stacks.parts.jobs.plan import PlannedScript
from stacks.parts.teams.plan import PlannedTeam


class _Asked(NamedTuple):
    """`each` is what a pod asks for, `beside` what of it the job's field does not say; all count as
    Kubernetes does, `unit` of it is one in the config, and `step` the least that can be said.
    `resource` is its name in a ResourceQuota, where one is `whole` of it."""

    part: str
    resource: str
    whole: Fraction
    field: str
    what: str
    unit: int
    step: int
    limit: int | None
    each: int
    beside: int

    def shown(self, amount: int) -> str:
        return f"{amount / self.unit:.9g}"


def check_limits(parcel: Parcel, team: PlannedTeam, script: PlannedScript) -> None:
    """Raises CannotRunError with every mistake. What others of the team run now keeps no job from
    being made (`short_of`): its pods are, once they have room."""
    found = [
        *_unsafe(parcel, team, script),
        *_not_given(team, script),
        *_over_quota(team, script),
    ]
    if found:
        raise CannotRunError(found)


def short_of(team: PlannedTeam, script: PlannedScript, used: Mapping[str, str]) -> Iterator[str]:
    """What the team's quota has not free now for all pods of the job; `used` is what the
    namespace's ResourceQuota says."""
    for it in _asked(team, script):
        wanted = it.each * script.config.nodes
        if it.limit is None or not wanted:
            continue
        free = it.limit - int(amount(used.get(it.resource, 0)) * it.whole)
        if wanted > free:
            yield (
                f"of the team's quota {it.shown(max(0, free))} of {it.shown(it.limit)} "
                f"{it.what} are free, and its pods ask for {it.shown(wanted)}"
            )


def _unsafe(parcel: Parcel, team: PlannedTeam, script: PlannedScript) -> Iterator[str]:
    """Source: kubernetes/pod-security-admission v0.35.4 policy/check_hostPathVolumes.go."""
    pods = (it for _, it in pod_groups(parcel.work.kind, parcel.work.obj))
    folders = [it["name"] for pod in pods for it in maps(pod.get("volumes")) if "hostPath" in it]
    if folders and team.config.pod_security != "privileged":
        yield (
            f"{script.field}.gpus: for RDMA pods with {script.gpus} GPUs mount folders of their "
            f"node ({', '.join(folders)}), which {team.field}.pod_security, "
            f"{team.config.pod_security}, refuses; nearest: {team.field}.pod_security: privileged "
            "in the stack's config"
        )


def _not_given(team: PlannedTeam, script: PlannedScript) -> Iterator[str]:
    config, may = script.config, team.priorities
    fields = {"priority": config.priority, "workload_priority": config.workload_priority}
    for field, name in fields.items():
        if name is not None and name not in may:
            yield (
                f'{script.field}.{field}: "{name}" is none of {team.field}.priorities, and '
                f"Kubernetes refuses it; nearest: {nearest(name, may) if may else 'leave it out'}"
            )


def _over_quota(team: PlannedTeam, script: PlannedScript) -> Iterator[str]:
    pods = script.config.nodes
    for it in _asked(team, script):
        if it.limit is not None and it.each * pods > it.limit:
            field, near = _nearest(it, it.limit, pods)
            yield (
                f"{script.field}.{field}: {pods} x {it.shown(it.each)} {it.what} are more than the "
                f"{it.shown(it.limit)} of {team.field}.quota.{it.part}, past which Kubernetes "
                f"refuses pods; nearest: {near}"
            )


def _nearest(it: _Asked, limit: int, pods: int) -> tuple[str, str]:
    """A field of the job, and what it can be."""
    if fewer := limit // it.each:
        return "nodes", str(fewer)
    own = (limit - it.beside) // it.step * it.step
    least = ceil(it.each * pods / it.unit)
    return it.field, it.shown(own) if own > 0 else f"{least} there, in the stack's config"


def _asked(team: PlannedTeam, script: PlannedScript) -> Iterator[_Asked]:
    """With what GKE puts into a pod, which Kubernetes counts, too."""
    quota = team.quota
    if quota is None:
        return
    pod, own = script.on_node, script.counted
    cpu, memory = pod.cpu_millicores, pod.memory_mib
    more_cpu, more_memory = cpu - own.cpu_millicores, memory - own.memory_mib
    gpus = quota.devices.get(GPU)
    millis, mebibytes, one = Fraction(1000), Fraction(1, 2**20), Fraction(1)
    yield _Asked(
        *("cpu", "requests.cpu", millis),
        *("requests.cpu", "CPUs", 1000, 1, quota.cpu, cpu, more_cpu),
    )
    yield _Asked(
        *("memory_gib", "requests.memory", mebibytes),
        *("requests.memory_gib", "GiB", 1024, 1024, quota.memory, memory, more_memory),
    )
    yield _Asked("gpus", f"requests.{GPU}", one, "gpus", "GPUs", 1, 1, gpus, pod.gpus, 0)
    yield _Asked("pods", "pods", one, "nodes", "pods", 1, 1, quota.pods, 1, 1)
