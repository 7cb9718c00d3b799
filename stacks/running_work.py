"""Work that runs and that a change stops: named before it does, with what that costs.

Whether an object is made anew the engine says itself: it calls a hook before a create, and what is
created is on record only where it is replaced. Of hooks only those around a delete are asked for by
`pulumi destroy` (pulumi/pulumi pkg/engine/destroy.go, getDeleteHooks, 004205f2).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pulumi

from stacks.lost_work import condition, failure, status_of
from stacks.on_record import Record, Recorded
from stacks.plan import Plan
from stacks.planned_jobs import PlannedJob, planned_jobs
from stacks.workloads import JOBS, RAY_CLUSTER, devices_under

_HOOK = "running-work"
_Key = tuple[str, str]


@dataclass
class RunningWork:
    """What the engine has on record of jobs, held against what becomes of them."""

    jobs: dict[_Key, PlannedJob]
    record: Record
    declared: set[_Key] = field(default_factory=set[_Key])

    def watch(
        self, hook: pulumi.ResourceHook, args: pulumi.ResourceTransformationArgs
    ) -> pulumi.ResourceTransformationResult | None:
        key = (args.type_, args.name)
        if args.type_ in JOBS:
            self.declared.add(key)
        if key not in self.jobs or not self._runs(self.record.get(*key)):
            return None
        hooks = pulumi.ResourceHookBinding(before_create=[hook])
        own = pulumi.ResourceOptions(hooks=hooks)
        return pulumi.ResourceTransformationResult(
            args.props, pulumi.ResourceOptions.merge(args.opts, own)
        )

    def before_create(self, args: pulumi.ResourceHookArgs) -> None:
        if (line := self.stopped((args.type, args.name))) is not None:
            pulumi.log.warn(line)

    def stopped(self, key: _Key) -> str | None:
        """What stops with an object that goes; None where it is no job that runs."""
        recorded, job = self.record.get(*key), self.jobs.get(key)
        if recorded is None or recorded.type not in JOBS or not self._runs(recorded):
            return None
        where = self._devices(recorded)
        if job is None:
            return f"{recorded.name} runs{where} and is deleted, for it is taken out"
        return (
            f"jobs.{job.name} runs{where} and is replaced. It starts again {job.resumes}; an hour "
            f"of its machines costs {job.hourly}"
        )

    def removed(self) -> Iterator[str]:
        """A line for each job that runs and that the program no longer has."""
        for it in self.record.resources:
            key = (it.type, it.name)
            if key not in self.declared and (line := self.stopped(key)):
                yield line

    def close(self) -> None:
        """To be called when the program has made everything."""
        for line in self.removed():
            pulumi.log.warn(line)

    def _runs(self, recorded: Recorded | None) -> bool:
        """Or waits for machines, its queue or others."""
        return recorded is not None and not ended(recorded)

    def _devices(self, recorded: Recorded) -> str:
        clusters = [it.outputs for it in self.record.of_type(RAY_CLUSTER)]
        found = devices_under(recorded.type, recorded.outputs, clusters)
        return f" on {found}" if found else ""


def ended(recorded: Recorded) -> bool:
    """Well or not: of a RayJob, of a Job and of a JobSet."""
    status = status_of(recorded)
    well = status.get("jobDeploymentStatus") == "Complete"
    done = any(condition(status, it) for it in ("Complete", "Completed"))
    return well or done or failure(status) is not None


def of(plan: Plan, record: Record) -> RunningWork:
    return RunningWork(planned_jobs(plan), record)


def install(work: RunningWork) -> None:
    """Has `preview` and `up` say what they stop."""
    # In a preview too: in `up` the old one has gone by then.
    options = pulumi.ResourceHookOptions(on_dry_run=True)
    hook = pulumi.ResourceHook(_HOOK, work.before_create, options)
    pulumi.runtime.register_stack_transformation(lambda args: work.watch(hook, args))
