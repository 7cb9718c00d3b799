"""The files of all jobs on one RayCluster: the one ConfigMap that its head mounts.

Its name is the cluster's, and so is that of its resource: named by a job it would be made anew for
a job of another name, while the one before is still there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_kubernetes as k8s

from ..base.component import Component
from ..base.lifecycle import fixed_name
from ..base.tokens import formerly
from .manifest import launcher_config_map

_OF_ONE_JOB = "gke-ai-stacks:ray_job:RayJob"


@dataclass(frozen=True, kw_only=True)
class RayLaunchersArgs:
    """`jobs` are the logical names of the RayJobs: up to now one that was alone had the ConfigMap
    itself."""

    namespace: pulumi.Input[str]
    ray_cluster: str
    jobs: Sequence[str]
    files: Mapping[str, str]
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])


class RayLaunchers(Component, in_cluster=True):
    """`config_map` is what the jobs wait for."""

    config_map: k8s.core.v1.ConfigMap

    def __init__(
        self, name: str, args: RayLaunchersArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:RayLaunchers",
            name,
            args,
            formerly("ray_launchers:RayLaunchers", opts),
        )
        options = fixed_name(self)
        options.aliases = [
            pulumi.Alias(name=f"{it}-launcher", parent=pulumi.create_urn(it, _OF_ONE_JOB))
            for it in args.jobs
        ]
        self.config_map = k8s.core.v1.ConfigMap(
            f"{name}-files",
            metadata={
                "name": launcher_config_map(args.ray_cluster),
                "namespace": args.namespace,
                "labels": args.labels,
            },
            data=dict(args.files),
            opts=options,
        )
        self.register_outputs({"config_map": self.config_map})
