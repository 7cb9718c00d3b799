"""A script that pods run, with the modules that it imports: in a ConfigMap, under a file name that
changes with the content of all."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

import pulumi
import pulumi_kubernetes as k8s

from .lifecycle import fixed_name
from .naming import NameKind, cloud_name


@dataclass(frozen=True, kw_only=True)
class ScriptFile:
    """`base_name` is what the ConfigMap's name starts with, `name` the file's without the hash."""

    namespace: pulumi.Input[str]
    base_name: str
    name: str
    content: str
    labels: pulumi.Input[dict[str, str]]
    modules: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def file_name(self) -> str:
        together = [self.content, *(f"{it}\n{self.modules[it]}" for it in sorted(self.modules))]
        return versioned_file_name(self.name, "\0".join(together))


def versioned_file_name(name: str, content: str) -> str:
    """A file name that changes with the content: run.sh becomes run-1a2b3c4d.sh.

    Kubelets bring a changed ConfigMap to running pods late; under the same name a job would run
    the script from before.
    """
    digest = hashlib.sha256(content.encode()).hexdigest()[:8]
    return f"{PurePath(name).stem}-{digest}{PurePath(name).suffix}"


def script_config_map(
    parent: pulumi.Resource, name: str, script: ScriptFile
) -> k8s.core.v1.ConfigMap:
    """The ConfigMap as a child of `parent`."""
    return k8s.core.v1.ConfigMap(
        f"{name}-script",
        metadata={
            "name": cloud_name(NameKind.KUBERNETES, script.base_name, "script"),
            "namespace": script.namespace,
            "labels": script.labels,
        },
        data={script.file_name: script.content, **script.modules},
        opts=fixed_name(parent),
    )
