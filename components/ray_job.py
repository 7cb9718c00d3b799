"""A job on a RayCluster that is there already: its launcher script and the RayJob that runs it."""

import hashlib
from dataclasses import dataclass
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from components.custom_object import object_name
from components.lifecycle import fixed_name
from components.lustre_volume import LustreMount
from components.naming import NameKind, check_name
from components.ray_cluster import launcher_config_map
from components.ray_manifest import launcher_entrypoint, ray_job_spec


@dataclass(frozen=True, kw_only=True)
class RayJobArgs:
    """`cluster` is the RayCluster object, whose name `ray_cluster` is.

    It has no type here, for a component's schema has no word for custom objects.
    """

    namespace: pulumi.Input[str]
    job_name: str
    ray_cluster: str
    cluster: Any
    launcher_name: str
    launcher: str
    parameters: dict[str, str]
    environment: dict[str, str]
    labels: pulumi.Input[dict[str, str]]
    lustre: LustreMount | None = None


class RayJob(pulumi.ComponentResource):
    job_name: pulumi.Output[str]
    entrypoint: pulumi.Output[str]

    def __init__(
        self, name: str, args: RayJobArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai-stacks:ray_job:RayJob", name, None, opts)
        file_name = launcher_file_name(args.launcher_name, args.launcher)
        entrypoint = launcher_entrypoint(file_name, args.parameters)
        launcher = k8s.core.v1.ConfigMap(
            f"{name}-launcher",
            metadata={
                "name": launcher_config_map(args.ray_cluster),
                "namespace": args.namespace,
                "labels": args.labels,
            },
            data={file_name: args.launcher},
            opts=fixed_name(self),
        )
        # KubeRay runs a RayJob once and ignores changes of its spec, so a changed job is a new one.
        # A job dies with its cluster: what runs on the next one is another job.
        options = fixed_name(
            self,
            replace_on_changes=["spec"],
            replace_with=[args.cluster, *([] if args.lustre is None else args.lustre.resources())],
        )
        # No value of the launcher is in the job: it is found by its path in the head's pod.
        options.depends_on = [launcher]
        job = k8s.apiextensions.CustomResource(
            f"{name}-job",
            api_version="ray.io/v1",
            kind="RayJob",
            metadata={
                "name": check_name(NameKind.RAY_JOB, args.job_name),
                "namespace": args.namespace,
                "labels": args.labels,
            },
            spec=ray_job_spec(
                cluster_name=object_name(args.cluster),
                entrypoint=entrypoint,
                environment=args.environment,
            ),
            opts=options,
        )
        self.job_name = object_name(job)
        self.entrypoint = pulumi.Output.from_input(entrypoint)
        self.register_outputs({"job_name": self.job_name, "entrypoint": self.entrypoint})


def launcher_file_name(name: str, content: str) -> str:
    """A file name that changes with the content.

    Kubelets bring a changed ConfigMap to running pods late; under the same name a job would run
    the script from before.
    """
    digest = hashlib.sha256(content.encode()).hexdigest()[:8]
    return f"{name}-{digest}.sh"
