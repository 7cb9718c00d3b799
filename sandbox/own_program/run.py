"""A verb of Pulumi for a program of one's own, from its options to its report."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from catalog import FactError
from cli.console import new_console
from cli.errors import UserError
from cli.kube_mode import KubeMode
from cli.lines import INTERRUPTED, say, say_aside
from cli.next_steps import aistack
from cli.urns import name_of, token_of
from sandbox.cloud.caller import Caller
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.kinds.cluster import Cluster, unrecorded_pools
from sandbox.cloud.kinds.pools import POOL
from sandbox.cloud.resource import Resource
from sandbox.engine import Engine, RunOptions
from sandbox.faults import Faults
from sandbox.json_file import json_output
from sandbox.kube_choice import is_real
from sandbox.live_output import LiveOutput
from sandbox.own_program.at_hand import have_apis, have_cluster
from sandbox.own_program.workspace import FOLDER, ProgramWorkspace
from sandbox.plan import Inputs
from sandbox.report import print_failure, print_result
from sandbox.run import print_cost, usd_hour
from sandbox.run_result import RunResult, Verb
from sandbox.secrets import hidden
from sandbox.targets import target_urns

# What most programs are tried in, where they have no stack.
_STACK = "dev"
# The CLI warns of a language host that is not its own (pulumi/pulumi sdk/go/common/workspace/
# plugins.go, getPluginInfoAndPath, v3.256.0).
_OUR_HOST = "using pulumi-language-python from $PATH"


@dataclass(frozen=True)
class ProgramOptions:
    """What a command can ask of a run; `project` is a file of what the project has besides."""

    speed: float
    overrides: Sequence[str] = ()
    fault: Path | None = None
    project: Path | None = None
    kube: KubeMode = KubeMode.auto
    roles: tuple[str, ...] = ()
    only: Mapping[str, Any] = field(default_factory=dict[str, Any])
    apis: str = ""
    cluster: bool = False


def program_workspace(program: Path, folder: Path, stack: str | None) -> ProgramWorkspace:
    """Of the stack that is named, else of the only one that the program has a config of, or of
    `dev` where it has none. Raises UserError."""
    found = ProgramWorkspace(folder.resolve(), stack or _STACK, program.resolve())
    known = found.stack_names()
    if stack or not known:
        return found
    if len(known) > 1:
        raise UserError(f"--stack: missing; nearest: {', '.join(known)}")
    return ProgramWorkspace(folder.resolve(), known[0], program.resolve())


def run_program(
    workspace: ProgramWorkspace, verb: Verb, options: ProgramOptions, json_file: Path | None
) -> int:
    """Run the verb and report it; the exit code is 0 only when the engine said yes."""
    with json_output(json_file) as write:
        result = run(workspace, verb, options)
        usd = result.unknown.estimate(
            "the cost", lambda: usd_hour(result, workspace), dict[str, Any]
        )
        write({**result.to_json(), "usd_hour": usd, "inputs": hidden(result.stands)})
        _report(workspace, result)
    if result.interrupted:
        say_aside(f"interrupted; `{verb}` again picks up from there")
        return INTERRUPTED
    return 0 if result.ok else 1


def run(
    workspace: ProgramWorkspace,
    verb: Verb,
    options: ProgramOptions,
    tell: Callable[[str], None] = say,
) -> RunResult:
    """Run the verb, and `tell` the engine's own live output."""
    # In memory unless somebody wants it otherwise: most programs have no use for Kueue.
    real = options.kube is KubeMode.real and is_real(workspace, options.kube)
    caller, faults = Caller(options.roles), Faults.load(options.fault)
    with workspace.lock():
        if options.project is not None:
            workspace.use_project(options.project)
        if verb in ("destroy", "refresh") and not any(workspace.state_files()):
            raise UserError(
                f'--stack: "{workspace.stack}" of {workspace.project} was never up here; nearest: '
                f"{command('up', workspace)}"
            )
        workspace.prepare(options.overrides)
        stand_ready(workspace, options.apis, cluster=options.cluster)
        only = dict(options.only)
        for key in ("target", "replace"):
            if named := only.get(key):
                only[key] = target_urns(workspace, named, f"--{key}")
        result = Engine(workspace).run(
            verb,
            RunOptions(
                speed=options.speed,
                faults=faults,
                on_output=LiveOutput(tell),
                color=sys.stdout.isatty(),
                real_kube=real,
                caller=caller,
                only=only,
            ),
        )
    result.report.drop_warnings(_OUR_HOST)
    cloud = workspace.cloud()
    result.stood = with_own_pools(result.stood, cloud)
    result.stands = with_own_pools(result.stands, cloud)
    return result


def with_own_pools(inputs: Inputs, cloud: Cloud) -> Inputs:
    """With the pools that clusters bring, which are paid for, and which no resource is."""
    found = dict(inputs)
    for urn, values in inputs.items():
        if token_of(urn) == Cluster.token:
            # What a preview does not know is no pool of a price that is known.
            with suppress(FactError, ValueError, TypeError, KeyError):
                cluster = Resource(Cluster.token, name_of(urn), dict(values), {})
                for pool in unrecorded_pools(cluster, cloud):
                    found[f"{urn}'s".replace(Cluster.token, POOL)] = pool.inputs
    return found


def stand_ready(workspace: ProgramWorkspace, apis: str, *, cluster: bool) -> None:
    """What the command says is there already; later ones in the folder know it, too."""
    if not (apis or cluster):
        return
    cloud = workspace.cloud()
    if apis:
        have_apis(cloud, apis)
    if cluster:
        have_cluster(cloud)


def command(verb: str, workspace: ProgramWorkspace) -> str:
    """A line that can be pasted into the shell of the last one."""
    words = [aistack(), "sandbox", verb, "--program", _short(workspace.project_folder)]
    words += ["--stack", workspace.stack]
    if workspace.root != FOLDER.resolve():
        words += ["--folder", _short(workspace.root)]
    return shlex.join(words)


def _short(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _report(workspace: ProgramWorkspace, result: RunResult) -> None:
    console = new_console()
    console.print()
    if not result.ok:
        print_failure(result)
        return
    print_result(console, result)
    of_google = any(token_of(urn).startswith("gcp:") for urn in result.stands)
    if of_google and result.operation in ("preview", "up"):
        print_cost(result, workspace)
    following = {"preview": "up", "up": "destroy"}.get(result.operation)
    if following:
        console.print("next", style="bold")
        console.print(f"  {command(following, workspace)}", soft_wrap=True)
