"""Work that runs and that a change stops: named before it does, with what that costs.

Whether an object is made anew the engine says itself: it calls a hook before a create, and what is
created is on record only where it is replaced. It calls it before an update, too, after which nodes
may be others. Of hooks only those around a delete are asked for by `pulumi destroy` (pulumi/pulumi
pkg/engine/destroy.go, getDeleteHooks, 004205f2).
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pulumi

from stacks.acknowledge import REMOVED
from stacks.agreements import digest, instance_of
from stacks.checkpoint_folder import folder_of
from stacks.lost_work import condition, failure, status_of
from stacks.on_record import Record, Recorded
from stacks.plan import Plan
from stacks.planned_jobs import PlannedJob, planned_jobs, stores
from stacks.refusal import BUCKET, CLUSTER, LUSTRE, NODE_POOL, drops_nodes, nodes_of, renews_nodes
from stacks.workloads import JOBS, RAY_CLUSTER, RAY_JOB, WORKLOADS, devices_under, ray_cluster_of

_HOOK = "running-work"
REPLACED = "replaced"
# What trainings write to.
DATA = (LUSTRE, BUCKET)
Key = tuple[str, str]


@dataclass(frozen=True)
class Stop:
    """Work that `runs` and what `becomes` of it. `agreement` says what a protected stack has to
    agree to, `removed` or `replaced`; None for what ends only when somebody ends it. `instance` is
    the object that runs."""

    resource: str
    runs: str
    becomes: str
    agreement: str | None = None
    instance: str = ""

    def __str__(self) -> str:
        return f"{self.runs} and {self.becomes}"


@dataclass
class RunningWork:
    """What the engine has on record of work, held against what goes. `stores` are what the program
    makes of what holds data of jobs, and `declared` is all that it makes. `gone` is what the engine
    makes anew, `renewed` are pools that stay and get other nodes, `shrunk` are those that get fewer
    nodes, and with `upgraded` GKE gives all
    pools that stay other nodes."""

    jobs: dict[Key, PlannedJob]
    record: Record
    declared: set[Key] = field(default_factory=set[Key])
    made: list[pulumi.Resource] = field(default_factory=list[pulumi.Resource])
    gone: set[Key] = field(default_factory=set[Key])
    renewed: set[Key] = field(default_factory=set[Key])
    shrunk: set[Key] = field(default_factory=set[Key])
    told: set[Stop] = field(default_factory=set[Stop])
    stores: Collection[Key] = ()
    upgraded: bool = False

    def watch(
        self, hook: pulumi.ResourceHook, args: pulumi.ResourceTransformationArgs
    ) -> pulumi.ResourceTransformationResult | None:
        key = (args.type_, args.name)
        self.declared.add(key)
        under = self._holds_data(key) or (key[0] == CLUSTER and self._any_runs())
        if not under and not any(self.stops([key])):
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
            if drops_nodes(args.type, args.old_inputs, args.new_inputs or {}):
                self.shrunk.add((args.type, args.name))
            if upgrades_nodes(args.type, args.old_inputs, args.new_inputs or {}):
                self.upgraded = True
            return
        self.gone.add((args.type, args.name))
        # Of a pool's jobs it is not known yet whether they are made anew, too.
        if args.type != NODE_POOL:
            self._tell([(args.type, args.name)])

    def carries(self, pool: str) -> bool:
        """Whether a job is to run on the NodePool of this logical name."""
        return any(job.runs_on(pool) for job in self.jobs.values())

    def runs(self) -> dict[str, str]:
        """By name of each job on record what tells the run that would stop: the object, which may
        stay where its nodes do not, and those."""
        found: dict[str, str] = {}
        for it in self.record.resources:
            job, instance = self.jobs.get((it.type, it.name)), instance_of(it.type, it.outputs)
            if job is not None and instance:
                pools = [one for one in self.record.of_type(NODE_POOL) if job.runs_on(one.name)]
                under = sorted(
                    (one.name, instance_of(one.type, one.outputs), nodes_of(one.outputs))
                    for one in pools
                )
                found[it.name] = digest([instance, under])
        return found

    def stops(
        self,
        gone: Collection[Key],
        renewed: Collection[Key] = (),
        shrunk: Collection[Key] = (),
    ) -> Iterator[Stop]:
        """What stops when these go, and those pools get other nodes or fewer."""
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
            elif job is not None and (pools := _under(job, shrunk)):
                yield self._stop(it, f"may lose nodes of {', '.join(pools)}, which get fewer", job)
            elif job is not None and self.upgraded and (pools := self._standing(job)):
                what = f"is interrupted when GKE upgrades the nodes of {', '.join(pools)}"
                stop = self._stop(it, f"{what}, one after the other", job)
                # When that is, GKE decides, by the channel and the maintenance of the cluster.
                yield replace(stop, agreement=None)

    def _standing(self, job: PlannedJob) -> list[str]:
        """The NodePools on record that it runs on."""
        found = self.record.of_type(NODE_POOL)
        return sorted(it.name for it in found if job.runs_on(it.name))

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
        registered.apply(lambda _: self._tell(self.gone, self.renewed, self.shrunk))

    def _tell(
        self,
        gone: Collection[Key],
        renewed: Collection[Key] = (),
        shrunk: Collection[Key] = (),
    ) -> None:
        for stop in self.stops(gone, renewed, shrunk):
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
        instance = instance_of(it.type, it.outputs)
        hour = job.hourly({one.name: one.outputs for one in self.record.of_type(NODE_POOL)})
        again = f"{self._again(it, job)}; an hour of its machines costs {hour}"
        return Stop(it.name, runs, f"{what}. {again}", REPLACED, instance)

    def _again(self, it: Recorded, job: PlannedJob) -> str:
        """From where it goes on: from its last checkpoint where the folder of the config is the one
        that the running job writes to, and what holds it stays."""
        resumes, store = f"It starts again {job.resumes}", job.store
        before = folder_of(it.type, it.outputs)
        if job.written is None or store is None or before is None:
            return resumes
        anew = "It begins at the beginning: its checkpoints"
        if store.key in self.gone:
            return f"{anew} go with {store.key[1]}"
        stays = store.key is None or self.record.get(*store.key) is not None
        if stays and before == job.written.folder:
            return resumes
        removed = sorted(
            one.name
            for token in DATA
            for one in self.record.of_type(token)
            if (token, one.name) not in self.stores
        )
        within = stays and before.startswith(f"{store.mount_path}/")
        if removed and not within:
            return f"{anew} go with {', '.join(removed)}"
        return f"{anew} are in {before}"

    def _holds_data(self, key: Key) -> bool:
        """Whether it is on record, and jobs have their data in it."""
        return key[0] in DATA and self.record.get(*key) is not None and key in self._used()

    def _any_runs(self) -> bool:
        return any(not ended(it) for token in JOBS for it in self.record.of_type(token))

    def _used(self) -> set[Key]:
        return {it.store.key for it in self.jobs.values() if it.store and it.store.key}

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


# GKE upgrades nodes to the version of their control plane, where they are to be upgraded
# automatically, as all of a stack's are (GKE documentation, "Auto-upgrading nodes").
_VERSION = ("minMasterVersion", "releaseChannel")


def upgrades_nodes(token: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether an update in place has GKE upgrade the nodes of all pools."""
    return token == CLUSTER and any(old.get(key) != new.get(key) for key in _VERSION)


def _under(job: PlannedJob, gone: Collection[Key]) -> list[str]:
    return sorted(name for token, name in gone if token == NODE_POOL and job.runs_on(name))


def of(plan: Plan, record: Record) -> RunningWork:
    return RunningWork(planned_jobs(plan), record, stores=stores(plan))


def install(work: RunningWork) -> None:
    """Has `preview` and `up` say what they stop."""
    # In a preview too: in `up` the old one has gone by then.
    options = pulumi.ResourceHookOptions(on_dry_run=True)
    hook = pulumi.ResourceHook(_HOOK, work.before, options)
    pulumi.runtime.register_stack_transformation(lambda args: work.watch(hook, args))
