"""What a stack says of itself: outputs and resources in the engine's state, wherever that is."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from aistack.control_plane import ClusterId
from aistack.errors import VerbError
from aistack.offered import offered_up
from aistack.own_cluster import check_cluster
from cli.errors import UserError
from cli.project import PROJECT, PROJECT_FOLDER, no_such_stack
from cli.pulumi_cli import binary
from cli.urns import token_of
from kube.names import is_label_1123
from kube.objects import dig
from kube.reading import document
from recovery.state_shapes import StateError, checked

_ROOT = "pulumi:pulumi:Stack"

_PROVIDER = "gcp:"


@dataclass(frozen=True)
class Config:
    """The stack's config object as the last run had it, with project, region and zone in it, and
    the names of the secrets that are set."""

    values: Mapping[str, Any] = field(repr=False)
    secrets: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Stack:
    """`resources` are the engine's records. `kubeconfig_file` is the way into the sandbox's
    cluster; without it the user's own credentials are. `environment` leads the CLI to the stack's
    backend, where that is not the user's own."""

    name: str
    resources: Sequence[Mapping[str, Any]] = field(repr=False)
    kubeconfig_file: Path | None = None
    environment: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    @cached_property
    def outputs(self) -> Mapping[str, Any]:
        """None of a stack that was never up."""
        roots = (it for it in self.resources if token_of(it["urn"]) == _ROOT)
        return next(roots, {}).get("outputs") or {}

    @property
    def namespaces(self) -> Sequence[str]:
        """Where its work is. Raises VerbError of a stack that an older program made."""
        found = self.outputs.get("namespaces")
        if not isinstance(found, list):
            raise VerbError(
                f'--stack: "{self.name}" does not say in which namespaces its jobs are; '
                f"nearest: `{offered_up()}`, which adds that output"
            )
        names = [str(it) for it in found]
        if strange := [it for it in names if not is_label_1123(it)]:
            shown = json.dumps(strange[0][:80])
            raise VerbError(
                f'--stack: "{self.name}": the state has a namespace {shown}, which is no name of '
                f"one; nearest: `{offered_up()}`, which writes it again"
            )
        return names

    @property
    def cluster_id(self) -> ClusterId:
        """The stack's cluster, by its outputs. Raises VerbError where they name none."""
        names = ("project", "cluster_location", "cluster_name")
        return ClusterId(*(str(self.outputs.get(it, "")) for it in names))

    @property
    def kubectl(self) -> list[str]:
        """With the options for the stack's cluster: of one at Google Cloud the context that its
        own command writes."""
        if self.kubeconfig_file is not None:
            return ["kubectl", "--kubeconfig", str(self.kubeconfig_file)]
        return ["kubectl", "--context", self.cluster_id.context]


def selected_stack(name: str | None) -> Stack:
    """A stack of the user's own backend, by default the selected one, that names the cluster of
    the user's own config. Raises VerbError."""
    # Not by the state: who writes it would choose the config that it is compared with.
    try:
        name_there = name or _said("stack", "--show-name").strip()
        exported = _pulumi("stack", "export", "--stack", name_there)
    except UserError as error:
        # A name that is mistyped comes before what its user would have to do for it.
        raise (VerbError(said) if name and (said := no_such_stack(name)) else error) from None
    stack = Stack(name=name_there, resources=_resources(name_there, exported))
    if "cluster_name" not in stack.outputs:
        shown = "the selected stack" if name is None else f'--stack: "{name}"'
        raise VerbError(f"{shown} has no cluster; nearest: `{offered_up()}`")
    check_cluster(stack.name.rpartition("/")[2], stack.outputs, PROJECT_FOLDER)
    return stack


def _resources(name: str, exported: Any) -> Sequence[Mapping[str, Any]]:
    try:
        return checked(dig(exported, "deployment", "resources"))
    except StateError as error:
        raise VerbError(
            f'--stack: "{name}": the state is not as the program writes it: {str(error)[:300]}; '
            f"nearest: `{offered_up()}`, which writes what it makes again, or a state from before, "
            f"of `pulumi stack export --stack {name} --version NUMBER`"
        ) from None


def last_config(stack: Stack) -> Config:
    """Raises VerbError where it is not on record."""
    # All parts of a config take a third of a second to import: most verbs do without.
    from stacks.config import PLACES, ConfigError, object_of
    from stacks.tokens import SECRETS

    words = ("--json", "--page-size", "1", "--stack", stack.name)
    runs = _pulumi("stack", "history", *words, environment=stack.environment)
    found = runs[0]["config"] if runs else {}
    if runs and (runs[0]["result"] != "succeeded" or runs[0]["kind"] == "destroy"):
        raise VerbError(
            f'--stack: "{stack.name}": its last run, {runs[0]["kind"]}, has {runs[0]["result"]}: '
            f"what is there may not be what its config says; nearest: `{offered_up()}`"
        )
    ours = f"{PROJECT}:"
    own = {key.removeprefix(ours): it for key, it in found.items() if key.startswith(ours)}
    for it in PLACES:
        if found.get(f"{_PROVIDER}{it}", {}).get("secret"):
            raise VerbError(
                f"{_PROVIDER}{it}: is a secret, which is not read; nearest: a plain one"
            )
    places = {it: found.get(f"{_PROVIDER}{it}", {}).get("value") for it in PLACES}
    try:
        values = object_of(own.get("stack", {}).get("value"))
    except ConfigError as error:
        raise VerbError(f'--stack: "{stack.name}": {error}') from None
    return Config({**values, **places}, frozenset(own.keys() & set(SECRETS)))


def _pulumi(*words: str, environment: Mapping[str, str] | None = None) -> Any:
    """The answer of a command, of JSON. Values of secrets come encrypted."""
    found = document(_said(*words, environment=environment))
    if found is None:
        raise VerbError(f"`pulumi {' '.join(words[:2])}` says nothing that can be read")
    return found


def _said(*words: str, environment: Mapping[str, str] | None = None) -> str:
    command = [str(binary()), *words, "--non-interactive", "--color=never"]
    own = {**os.environ, "PULUMI_SKIP_UPDATE_CHECK": "true", **(environment or {})}
    done = subprocess.run(
        # By its project's folder the CLI knows whose stacks these are, wherever the user is.
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=PROJECT_FOLDER,
        env=own,
    )
    if done.returncode:
        said = done.stderr.strip().removeprefix("error: ")
        # pulumi/pulumi pkg/backend/backenderr/backenderr.go:118, 1b5949891b.
        if "must be set for login" in said:
            raise VerbError(
                "pulumi: nobody is logged in; nearest: `pulumi login`, or for a stack of the "
                "sandbox with a real control plane --sandbox .sandbox"
            )
        raise VerbError(f"`pulumi {' '.join(words[:2])}`: {said}")
    return done.stdout
