"""Work that runs and that a change stops: named before it does, with what that costs.

Whether an object is made anew the engine says itself: it calls a hook before a create, and what is
created is on record only where it is replaced. It calls it before an update, too, after which nodes
may be others. Of hooks only those around a delete are asked for by `pulumi destroy` (pulumi/pulumi
pkg/engine/destroy.go, getDeleteHooks, 004205f2).
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pulumi

from stacks.acknowledge import REMOVED
from stacks.lost_work import condition, failure, status_of
from stacks.on_record import Record, Recorded
from stacks.plan import Plan
from stacks.planned_jobs import PlannedJob, planned_jobs
from stacks.refusal import NODE_POOL, SPEC, renews_nodes
from stacks.workloads import JOBS, RAY_CLUSTER, RAY_JOB, WORKLOADS, devices_under, ray_cluster_of

_HOOK = "running-work"
Key = tuple[str, str]


@dataclass(frozen=True)
class Stop:
    """Work that `runs` and what `becomes` of it. `agreement` is the property under which a
    protected stack agrees to it, None for what ends only when somebody ends it."""

    resource: str
    runs: str
    becomes: str
    agreement: str | None = None

    def __str__(self) -> str:
        return f"{self.runs} and {self.becomes}"


@dataclass
class RunningWork:
    """What the engine has on record of work, held against what goes: `declared` is what the program
    makes, `gone` what the engine makes anew, `renewed` pools that stay and get other nodes."""

    jobs: dict[Key, PlannedJob]
    record: Record
    declared: set[Key] = field(default_factory=set[Key])
    made: list[pulumi.Resource] = field(default_factory=list[pulumi.Resource])
    gone: set[Key] = field(default_factory=set[Key])
    renewed: set[Key] = field(default_factory=set[Key])
    told: set[Stop] = field(default_factory=set[Stop])

    def watch(
        self, hook: pulumi.ResourceHook, args: pulumi.ResourceTransformationArgs
    ) -> pulumi.ResourceTransformationResult | None:
        key = (args.type_, args.name)
        self.declared.add(key)
        if not any(self.stops([key])):
            return None
        self.made.append(args.resource)
        hooks = pulumi.ResourceHookBinding(before_create=[hook], before_update=[hook])
        own = pulumi.ResourceOptions(hooks=hooks)
        return pulumi.ResourceTransformationResult(
            args.props, pulumi.ResourceOptions.merge(args.opts, own)
        )

    def before(self, args: pulumi.ResourceHookArgs) -> None:
        """A create, or an update."""
        if args.old_inputs is not None:
            if renews_nodes(args.type, args.old_inputs, args.new_inputs or {}):
                self.renewed.add((args.type, args.name))
            return
        self.gone.add((args.type, args.name))
        # Of a pool's jobs it is not known yet whether they are made anew, too.
        if args.type != NODE_POOL:
            self._tell([(args.type, args.name)])

    def carries(self, pool: str) -> bool:
        """Whether a job is to run on the NodePool of this logical name."""
        return any(job.runs_on(pool) for job in self.jobs.values())

    def stops(self, gone: Collection[Key], renewed: Collection[Key] = ()) -> Iterator[Stop]:
        """What stops when these go, and those pools get other nodes."""
        for it in self.record.resources:
            if it.type not in WORKLOADS or ended(it):
                continue
            job = self.jobs.get((it.type, it.name))
            if (it.type, it.name) in gone:
                if not self._goes_with_its_jobs(it):
                    yield self._gone(it, job)
            elif job is not None and (pools := _under(job, gone)):
                yield self._stop(it, f"loses the nodes of {', '.join(pools)}", job)
            elif job is not None and (pools := _under(job, renewed)):
                what = f"loses the nodes of {', '.join(pools)}, one after the other"
                yield self._stop(it, what, job)

    def removed(self) -> list[Key]:
        """What the program no longer has."""
        found = ((it.type, it.name) for it in self.record.resources)
        return [it for it in found if it not in self.declared]

    def close(self) -> None:
        """To be called when the program has made everything."""
        removed = self.removed()
        self._tell([it for it in removed if it[0] != NODE_POOL])
        self.gone.update(removed)
        registered = pulumi.Output.all(*[it.urn for it in self.made])
        registered.apply(lambda _: self._tell(self.gone, self.renewed))

    def _tell(self, gone: Collection[Key], renewed: Collection[Key] = ()) -> None:
        for stop in self.stops(gone, renewed):
            if stop not in self.told:
                self.told.add(stop)
                pulumi.log.warn(str(stop))

    def _gone(self, it: Recorded, job: PlannedJob | None) -> Stop:
        if job is None and (it.type, it.name) not in self.declared:
            return self._stop(it, "is deleted, for it is taken out", None)
        return self._stop(it, "is replaced", job)

    def _stop(self, it: Recorded, what: str, job: PlannedJob | None) -> Stop:
        name = it.name if job is None else f"jobs.{job.name}"
        devices = devices_under(it.type, it.outputs, self._clusters())
        runs = f"{name} runs{f' on {devices}' if devices else ''}"
        if job is None:
            taken_out = it.type in JOBS and (it.type, it.name) not in self.declared
            return Stop(it.name, runs, what, REMOVED if taken_out else None)
        again = f"It starts again {job.resumes}; an hour of its machines costs {job.hourly}"
        return Stop(it.name, runs, f"{what}. {again}", SPEC)

    def _clusters(self) -> list[Mapping[str, Any]]:
        return [it.outputs for it in self.record.of_type(RAY_CLUSTER)]

    def _goes_with_its_jobs(self, it: Recorded) -> bool:
        """Whether it is a RayCluster that jobs are named for."""
        return it.type == RAY_CLUSTER and any(
            ray_cluster_of(job.outputs) == it.outputs["metadata"]["name"] and not ended(job)
            for job in self.record.of_type(RAY_JOB)
        )


def ended(recorded: Recorded) -> bool:
    """Well or not: of a RayJob, of a Job and of a JobSet."""
    status = status_of(recorded)
    well = status.get("jobDeploymentStatus") == "Complete"
    done = any(condition(status, it) for it in ("Complete", "Completed"))
    return well or done or failure(status) is not None


def _under(job: PlannedJob, gone: Collection[Key]) -> list[str]:
    return sorted(name for token, name in gone if token == NODE_POOL and job.runs_on(name))


def of(plan: Plan, record: Record) -> RunningWork:
    return RunningWork(planned_jobs(plan), record)


def install(work: RunningWork) -> None:
    """Has `preview` and `up` say what they stop."""
    # In a preview too: in `up` the old one has gone by then.
    options = pulumi.ResourceHookOptions(on_dry_run=True)
    hook = pulumi.ResourceHook(_HOOK, work.before, options)
    pulumi.runtime.register_stack_transformation(lambda args: work.watch(hook, args))
