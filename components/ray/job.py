"""A job on a RayCluster that is there already: the RayJob that runs its launcher script.

The command is a launcher with `key=value` parameters, every word of which stands as it is in a
shell. So it can be given to `ray job submit`, too, whose words reach the cluster's shell without
the quotes that they need there: Ray up to 2.55 joins them with `subprocess.list2cmdline`
(ray-project/ray python/ray/dashboard/modules/job/cli.py, 2.54.0).
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from ..base.arguments import checked
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.naming import NameKind, name_is
from ..base.script_file import versioned_file_name
from ..base.tokens import formerly
from .cluster import RayCluster
from .launchers import RayLaunchers
from .manifest import LAUNCHER_DIR, ray_job_spec

# The kubelet brings a changed ConfigMap to a running pod within its sync period and cache lifetime,
# about two minutes at worst.
_LAUNCHER_WAIT_S = 600
_PLAIN = re.compile(r"[A-Za-z0-9_@%+=:,./-]+")


def launcher_command(file_name: str, parameters: Mapping[str, str]) -> list[str]:
    """Runs a launcher that the head has."""
    interpreter = "python3" if file_name.endswith(".py") else "bash"
    arguments = [f"{key}={value}" for key, value in parameters.items()]
    return [interpreter, f"{LAUNCHER_DIR}/{file_name}", *arguments]


def resumed_command(resume: "ResumeArgs", command: Sequence[str]) -> list[str]:
    """The same by a script that runs it again."""
    options: list[str] = []
    if resume.checkpoints is not None:
        options += ["--checkpoints", resume.checkpoints]
    if resume.test is not None:
        options += ["--test", ":".join([resume.test.path, *resume.test.arguments])]
    numbers = [str(resume.gpus), str(resume.retries)]
    return ["python3", f"{LAUNCHER_DIR}/{resume.file_name}", *options, *numbers, *command]


def entrypoint(file_names: Sequence[str], command: Sequence[str]) -> str:
    """One line for Ray's own interface: the command, once the head's pod has these files."""
    there = " && ".join(f"[ -f {LAUNCHER_DIR}/{name} ]" for name in file_names)
    wait = f"timeout {_LAUNCHER_WAIT_S} bash -c 'until {there}; do sleep 2; done'"
    return shlex.join(["bash", "-c", f'{wait} && exec "$@"', "launcher", *command])


def by_hand(command: Sequence[str]) -> str:
    """The words as a user's shell and then Ray's takes them."""
    for word in command:
        if not _PLAIN.fullmatch(word):
            raise ValueError(f"{word!r} would not reach the cluster as it is")
    return " ".join(command)


@dataclass(frozen=True, kw_only=True)
class TestArgs:
    """A Python script that runs before the launcher, with its arguments."""

    name: str
    script: str
    arguments: Sequence[str] = ()

    @property
    def file_name(self) -> str:
        return versioned_file_name(self.name, self.script)

    @property
    def path(self) -> str:
        return f"{LAUNCHER_DIR}/{self.file_name}"


@dataclass(frozen=True, kw_only=True)
class ResumeArgs:
    """A script that runs the launcher once there are `gpus`, and again if a machine goes away, or
    `retries` times after any other failure.

    `checkpoints` is what the paths of the training's checkpoints begin with, before their number:
    losses without a new one end the job. `test` runs before the launcher on new machines.
    """

    name: str
    script: str
    gpus: int
    retries: int
    checkpoints: str | None = None
    test: TestArgs | None = None

    @property
    def file_name(self) -> str:
        return versioned_file_name(self.name, self.script)


@dataclass(frozen=True, kw_only=True)
class RayJobArgs:
    """The job goes with its `ray_cluster`, and with all that the pods of that hold on to. `files`
    lie beside the launcher; what they hold can change without a new job. `launchers` have both, for
    the cluster's head to mount. `packages` are Python's, installed before the job runs.
    """

    namespace: pulumi.Input[str]
    job_name: str
    ray_cluster: RayCluster
    launcher_name: str
    launcher: str
    parameters: dict[str, str]
    environment: dict[str, str]
    packages: Sequence[str] = ()
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])
    files: dict[str, str] = field(default_factory=dict[str, str])
    resume: ResumeArgs | None = None
    launchers: RayLaunchers | None = None

    def check(self) -> None:
        name_is("job_name", NameKind.RAY_JOB, self.job_name)
        checked("parameters", by_hand, launcher_command(self.file_name, self.parameters))

    @property
    def file_name(self) -> str:
        return versioned_file_name(self.launcher_name, self.launcher)

    @property
    def scripts(self) -> dict[str, str]:
        """What the command runs."""
        found = {self.file_name: self.launcher}
        if self.resume is not None:
            found[self.resume.file_name] = self.resume.script
            if (test := self.resume.test) is not None:
                found[test.file_name] = test.script
        return found


class RayJob(Component, in_cluster=True):
    """`command` is what the job runs, for a submission by hand."""

    job_name: pulumi.Output[str]
    command: pulumi.Output[str]

    def __init__(
        self, name: str, args: RayJobArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai:index:RayJob", name, args, formerly("ray_job:RayJob", opts))
        command = launcher_command(args.file_name, args.parameters)
        if args.resume is not None:
            command = resumed_command(args.resume, command)
        # KubeRay runs a RayJob once and ignores changes of its spec, so a changed job is a new one.
        # A job dies with its cluster: what runs on the next one is another job.
        options = fixed_name(
            self,
            replace_on_changes=["spec"],
            replace_with=[args.ray_cluster.cluster, *args.ray_cluster.held],
        )
        # No value of the launcher is in the job: it is found by its path in the head's pod.
        options.depends_on = [] if args.launchers is None else [args.launchers.config_map]
        job = k8s.apiextensions.CustomResource(
            f"{name}-job",
            api_version="ray.io/v1",
            kind="RayJob",
            metadata={
                "name": args.job_name,
                "namespace": args.namespace,
                "labels": args.labels,
            },
            spec=ray_job_spec(
                cluster_name=args.ray_cluster.cluster_name,
                entrypoint=entrypoint(list(args.scripts), command),
                environment=args.environment,
                packages=args.packages,
            ),
            opts=options,
        )
        self.job_name = object_name(job)
        self.command = pulumi.Output.from_input(by_hand(command))
        self.register_outputs({"job_name": self.job_name, "command": self.command})
