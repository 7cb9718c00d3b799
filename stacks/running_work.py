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
        job = self.jobs[args.type, args.name]
        recorded = self.record.get(args.type, args.name)
        # The hook is on no other.
        assert recorded is not None
        pulumi.log.warn(
            f"jobs.{job.name} runs{self._devices(recorded)} and is replaced. It starts again "
            f"{job.resumes}; an hour of its machines costs {job.hourly}"
        )

    def removed(self) -> Iterator[str]:
        """A line for each job that runs and that the program no longer has."""
        for it in self.record.resources:
            if it.type in JOBS and (it.type, it.name) not in self.declared and self._runs(it):
                yield f"{it.name} runs{self._devices(it)} and is deleted, for it is taken out"

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


def install(plan: Plan, record: Record) -> RunningWork:
    """Has `preview` and `up` say what they stop."""
    work = RunningWork(planned_jobs(plan), record)
    # In a preview too: in `up` the old one has gone by then.
    options = pulumi.ResourceHookOptions(on_dry_run=True)
    hook = pulumi.ResourceHook(_HOOK, work.before_create, options)
    pulumi.runtime.register_stack_transformation(lambda args: work.watch(hook, args))
    return work
