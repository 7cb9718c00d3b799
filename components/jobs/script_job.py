"""One script, run once to its end in a pod. What depends on the component waits for that end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from ..base.arguments import refuse
from ..base.component import Component
from ..base.lifecycle import fixed_name, object_name
from ..base.naming import NameKind, name_is
from ..base.pod_manifest import (
    DEFAULT_SECCOMP,
    NO_TOKEN,
    job_spec,
    no_more_privileges,
    plain_environment,
    script_command,
    script_mount,
    script_volume,
)
from ..base.script_file import ScriptFile, script_config_map
from ..base.static_volume import VolumeMount
from ..base.taints import NodeTaintArgs, toleration
from ..base.tokens import formerly
from ..ray.manifest import Quantity

# The next `up` makes a failed Job anew; without this it would wait for the old one.
_ANNOTATIONS = {"pulumi.com/replaceUnready": "true"}
_STORAGE = "storage"


def job_metadata(
    name: str, namespace: pulumi.Input[str], labels: pulumi.Input[dict[str, str]]
) -> k8s.meta.v1.ObjectMetaArgsDict:
    return {
        "name": name,
        "namespace": namespace,
        "labels": labels,
        "annotations": _ANNOTATIONS,
    }


@dataclass(frozen=True, kw_only=True)
class ScriptJobArgs:
    """`minutes` is how long the job may take, waiting for a node and for its image included.

    A job is run again whenever anything about it changes, or the storage under `mount_path` does.
    `modules` are files that the script imports from beside itself. `taints` are those of the nodes.
    """

    namespace: pulumi.Input[str]
    job_name: str
    image: str
    script_name: str
    script: str
    modules: Mapping[str, str] = field(default_factory=dict[str, str])
    arguments: Sequence[str] = ()
    environment: dict[str, str] = field(default_factory=dict[str, str])
    secret_name: pulumi.Input[str] | None = None
    secret_keys: Sequence[str] = ()
    service_account: pulumi.Input[str] | None = None
    volume: VolumeMount | None = None
    mount_path: str = ""
    annotations: dict[str, pulumi.Input[str]] = field(default_factory=dict[str, pulumi.Input[str]])
    node_selector: pulumi.Input[dict[str, str]]
    taints: Sequence[NodeTaintArgs] = ()
    cpu_millicores: int
    memory_gib: int
    ephemeral_storage_gib: int
    retries: int = 2
    minutes: int
    labels: pulumi.Input[dict[str, str]] = field(default_factory=dict[str, str])

    def check(self) -> None:
        name_is("job_name", NameKind.KUBERNETES, self.job_name)
        if (self.volume is None) != (not self.mount_path):
            refuse(
                "mount_path", self.mount_path, "and volume go together, and one is there", "both"
            )


class ScriptJob(Component, in_cluster=True):
    """`job_name` is known once the script has ended well."""

    job_name: pulumi.Output[str]

    def __init__(
        self, name: str, args: ScriptJobArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__(
            "gke-ai:index:ScriptJob", name, args, formerly("script_job:ScriptJob", opts)
        )
        script = ScriptFile(
            namespace=args.namespace,
            base_name=args.job_name,
            name=args.script_name,
            content=args.script,
            modules=args.modules,
            labels=args.labels,
        )
        config_map = script_config_map(self, name, script)
        job = k8s.batch.v1.Job(
            f"{name}-job",
            metadata=job_metadata(args.job_name, args.namespace, args.labels),
            spec=job_spec(
                minutes=args.minutes,
                retries=args.retries,
                pod=_pod(args, script.file_name, object_name(config_map)),
                annotations=args.annotations,
            ),
            opts=fixed_name(
                self,
                # Longer than the job has, so that what ends it is the job's own deadline.
                minutes=args.minutes + 1,
                # A Job that is done lacks it where it was made before jobs had one, and is not run
                # again for it.
                ignore_changes=["spec.podFailurePolicy"],
                replace_on_changes=["spec"],
                replace_with=[] if args.volume is None else args.volume.resources(),
            ),
        )
        self.job_name = object_name(job)
        self.register_outputs({"job_name": self.job_name})


def _pod(args: ScriptJobArgs, file_name: str, config_map: pulumi.Output[str]) -> dict[str, Any]:
    amounts = Quantity(
        millicores=args.cpu_millicores,
        memory_gib=args.memory_gib,
        ephemeral_storage_gib=args.ephemeral_storage_gib,
    ).as_kubernetes()
    secrets = [
        {"name": key, "valueFrom": {"secretKeyRef": {"name": args.secret_name, "key": key}}}
        for key in args.secret_keys
    ]
    volumes, mounts = [script_volume(config_map)], [script_mount()]
    if args.volume is not None:
        claim = {"claimName": object_name(args.volume.claim)}
        volumes.append({"name": _STORAGE, "persistentVolumeClaim": claim})
        mounts.append({"name": _STORAGE, "mountPath": args.mount_path})
    pod: dict[str, Any] = {
        "nodeSelector": args.node_selector,
        **({"tolerations": [toleration(it) for it in args.taints]} if args.taints else {}),
        **NO_TOKEN,
        "securityContext": DEFAULT_SECCOMP,
        "containers": [
            {
                "name": "script",
                "image": args.image,
                "securityContext": no_more_privileges(),
                "command": script_command(file_name, args.arguments),
                "env": [*plain_environment(args.environment), *secrets],
                "resources": {"requests": amounts, "limits": amounts},
                "volumeMounts": mounts,
            }
        ],
        "volumes": volumes,
    }
    if args.service_account is not None:
        pod["serviceAccountName"] = args.service_account
    return pod
