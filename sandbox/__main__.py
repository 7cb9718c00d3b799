"""Every stack through the real Pulumi engine, with no cloud account."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from cli.app import Group, MistypedError, run_app
from cli.errors import UserError
from cli.kube_mode import KubeMode
from cli.lines import say
from cli.next_steps import FOLDER
from cli.project import stack_names
from cli.pulumi_cli import selected_stack, without_options
from stacks.commands import aistack

if TYPE_CHECKING:
    from sandbox.engine import Verb
    from sandbox.workspace import Workspace

# Simulated seconds a second: b200-lustre's `up` takes about 10 s.
DEFAULT_SPEED = 150.0

# What Terraform and other tools call the verbs.
OTHER_TOOLS = {
    "plan": "preview",
    "diff": "preview",
    "apply": "up",
    "deploy": "up",
    "create": "up",
    "delete": "destroy",
    "down": "destroy",
    "remove": "destroy",
    "show": "status",
    "ps": "status",
    "rm": "reset",
}

app = typer.Typer(
    cls=Group, add_completion=False, no_args_is_help=True, help=__doc__, rich_markup_mode=None
)


kube_app = typer.Typer(
    cls=Group,
    no_args_is_help=True,
    help="The real control planes of a stack that is up with --kube real.",
)
app.add_typer(kube_app, name="kube")


def _selected() -> str:
    if found := selected_stack():
        return found
    names = ", ".join(stack_names()) or "none is here"
    raise MistypedError(f"--stack: missing, and Pulumi has selected no stack; nearest: {names}")


StackOption = Annotated[
    str,
    typer.Option(
        "--stack",
        "-s",
        default_factory=_selected,
        autocompletion=lambda: stack_names(),
        show_default=False,
        help="Name of a Pulumi.NAME.yaml; by default the stack that Pulumi has selected.",
    ),
]
ProgramStackOption = Annotated[
    str | None,
    typer.Option(
        "--stack",
        "-s",
        show_default=False,
        help="Name of a Pulumi.NAME.yaml; by default the stack that Pulumi has selected, and with "
        "--program the only one, or dev where there is none.",
        autocompletion=lambda: stack_names(),
    ),
]
SpeedOption = Annotated[
    float, typer.Option(help="Simulated seconds a second; inf: as fast as the engine goes.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="PATH=VALUE overrides a config value: pools.gpu.nodes=4; with --program KEY=VALUE.",
    ),
]
FaultOption = Annotated[Path | None, typer.Option(help="YAML file of failures to simulate.")]
ProjectOption = Annotated[
    Path | None,
    typer.Option(
        help="YAML file of what the simulated project has besides stacks: reservations, bucket "
        "names that others hold. Later commands in the same folder know it too."
    ),
]
JsonOption = Annotated[Path | None, typer.Option("--json", help="Write a summary object here.")]
KubeOption = Annotated[
    KubeMode,
    typer.Option(
        autocompletion=lambda: [*KubeMode],
        help="Where a new cluster keeps its objects: in memory, or in a real control plane on this "
        "machine; auto: real where `make kube-tools` has built it. A cluster that is there stays "
        "what it is.",
    ),
]
RolesOption = Annotated[
    str | None,
    typer.Option(
        help="The roles that the caller has on the simulated project, with commas between them. "
        "Without: the owner's."
    ),
]
TargetOption = Annotated[
    list[str] | None,
    typer.Option(help="Only this resource, by its URN or its logical name; all others stay."),
]
DependentsOption = Annotated[
    bool, typer.Option("--target-dependents", help="What needs a target, too.")
]
ReplaceOption = Annotated[
    list[str] | None,
    typer.Option("--replace", help="Resource to make anew, by its URN or its logical name."),
]
RunProgramOption = Annotated[
    bool, typer.Option("--run-program", help="Run the program, as it is now, before the delete.")
]
ImportOption = Annotated[str | None, typer.Option(help="NAME=URN.")]
ProgramOption = Annotated[
    Path | None,
    typer.Option(
        help="Folder of any Pulumi program, run as it is: its Pulumi.yaml, its config, its code."
    ),
]
ApisOption = Annotated[
    str,
    typer.Option(
        help="With --program: APIs that are on in its projects, with commas between them, or all. "
        "Later commands in the same folder know it too."
    ),
]
ClusterOption = Annotated[
    bool,
    typer.Option(
        "--cluster",
        help="With --program: a cluster is there, for a Kubernetes provider without a kubeconfig.",
    ),
]
FolderOption = Annotated[Path, typer.Option(help="The sandbox's own folder.")]


def _command(verb: Verb) -> Callable[..., None]:
    def command(
        stack: ProgramStackOption = None,
        speed: SpeedOption = DEFAULT_SPEED,
        overrides: SetOption = None,
        fault: FaultOption = None,
        project: ProjectOption = None,
        json_file: JsonOption = None,
        kube: KubeOption = KubeMode.auto,
        roles: RolesOption = None,
        program: ProgramOption = None,
        apis: ApisOption = "",
        cluster: ClusterOption = False,
        folder: FolderOption = FOLDER,
    ) -> None:
        options = (overrides or [], fault, json_file, project, kube, _held(roles))
        _run(folder, stack, verb, speed, *options, of=_Program(program, apis, cluster))

    return command


app.command("preview", help="Show what `up` would do, and about how long it would take.")(
    _command("preview")
)


@app.command()
def up(
    stack: ProgramStackOption = None,
    speed: SpeedOption = DEFAULT_SPEED,
    overrides: SetOption = None,
    target: TargetOption = None,
    target_dependents: DependentsOption = False,
    replace: ReplaceOption = None,
    program: ProgramOption = None,
    apis: ApisOption = "",
    cluster: ClusterOption = False,
    fault: FaultOption = None,
    project: ProjectOption = None,
    kube: KubeOption = KubeMode.auto,
    json_file: JsonOption = None,
    roles: RolesOption = None,
    folder: FolderOption = FOLDER,
) -> None:
    """Bring the stack up, or to what its config says now."""
    options = (overrides or [], fault, json_file, project, kube, _held(roles))
    only = {**_targeted(target, target_dependents), **({"replace": replace} if replace else {})}
    _run(folder, stack, "up", speed, *options, only, of=_Program(program, apis, cluster))


app.command("refresh", help="Read what the simulated cloud really holds into the state.")(
    _command("refresh")
)


def _targeted(target: list[str] | None, dependents: bool) -> dict[str, Any]:
    return {"target": target, "target_dependents": dependents} if target else {}


@app.command()
def destroy(
    stack: ProgramStackOption = None,
    speed: SpeedOption = DEFAULT_SPEED,
    fault: FaultOption = None,
    json_file: JsonOption = None,
    roles: RolesOption = None,
    target: TargetOption = None,
    target_dependents: DependentsOption = False,
    run_program: RunProgramOption = False,
    program: ProgramOption = None,
    folder: FolderOption = FOLDER,
) -> None:
    """Delete everything that the stack made, or the targets."""
    only = _targeted(target, target_dependents) | ({"run_program": True} if run_program else {})
    options = ([], fault, json_file, None, KubeMode.auto, _held(roles), only)
    _run(folder, stack, "destroy", speed, *options, of=_Program(program))


@app.command()
def serve(
    speed: SpeedOption = DEFAULT_SPEED,
    fault: FaultOption = None,
    project: ProjectOption = None,
    roles: RolesOption = None,
    apis: ApisOption = "",
    cluster: ClusterOption = False,
    folder: FolderOption = FOLDER,
) -> None:
    """Keep the stand-ins up for `pulumi` itself, and print the variables by which it finds them."""
    from sandbox.own_program.serve import serve as keep_up

    _without_options()
    keep_up(_programs_folder(folder), speed, fault, project, _held(roles), apis, cluster=cluster)


class _Program(NamedTuple):
    """A program that is no stack of this project, and what is there for it."""

    folder: Path | None
    apis: str = ""
    cluster: bool = False


def _held(roles: str | None) -> tuple[str, ...]:
    return tuple(filter(None, (roles or "").split(",")))


def _run(
    folder: Path, stack: str | None, verb: Verb, speed: float, *options: Any, of: _Program
) -> None:
    # The engine and its SDK cost about a second to import: `--help` does without.
    if of.folder is not None:
        code = _run_program(folder, stack, verb, speed, *options, of=of)
    else:
        if of.apis or of.cluster:
            option = "--apis" if of.apis else "--cluster"
            raise MistypedError(f"{option}: is for programs; nearest: --program FOLDER")
        from sandbox.run import run_verb

        workspace = _workspace(folder, _selected() if stack is None else stack)
        code = run_verb(workspace, verb, speed, *options)
    if code:
        raise typer.Exit(code)


def _run_program(
    folder: Path,
    stack: str | None,
    verb: Verb,
    speed: float,
    overrides: list[str],
    fault: Path | None,
    json_file: Path | None,
    *rest: Any,
    of: _Program,
) -> int:
    from sandbox.own_program.run import ProgramOptions, program_workspace, run_program

    assert of.folder is not None
    _without_options()
    project, kube, roles, *only = rest
    options = ProgramOptions(
        speed, overrides, fault, project, kube, roles, *only, apis=of.apis, cluster=of.cluster
    )
    workspace = program_workspace(of.folder, _programs_folder(folder), stack)
    return run_program(workspace, verb, options, json_file)


def _programs_folder(folder: Path) -> Path:
    """Unless somebody names one, not that of stacks, whose names a program's may have."""
    from sandbox.own_program.workspace import FOLDER as OF_PROGRAMS

    return OF_PROGRAMS if folder == FOLDER else folder


@app.command()
def untaint(stack: StackOption, folder: FolderOption = FOLDER) -> None:
    """Have no resource made anew that `pulumi state taint` marked."""
    from sandbox.untaint import untaint as take_off

    take_off(_workspace(folder, stack))


@app.command("import")
def take_on(
    token: Annotated[str, typer.Argument(metavar="TYPE", help="What it is to Pulumi.")],
    name: Annotated[str, typer.Argument(help="Its logical name.")],
    resource: Annotated[str, typer.Argument(metavar="ID", help="Its id in the cloud.")],
    stack: StackOption,
    parent: ImportOption = None,
    provider: ImportOption = None,
    folder: FolderOption = FOLDER,
) -> None:
    """Take a resource that is there onto the stack's record, as the error of an `up` says."""
    from sandbox.imports import take_on as take

    above = {"--parent": parent, "--provider": provider}
    options = [word for flag, urn in above.items() if urn for word in (flag, urn)]
    take(_workspace(folder, stack), [token, name, resource, *options])


@app.command()
def demo(folder: FolderOption = FOLDER) -> None:
    """Show a mistake, an `up`, a change that loses data, no machines, and why a job failed."""
    from sandbox.demo import demo as show

    if not show(folder.resolve() / "demo"):
        raise typer.Exit(1)


@app.command()
def status(stack: StackOption, json_file: JsonOption = None, folder: FolderOption = FOLDER) -> None:
    """Show what the stack has in the simulated cloud: resources, nodes, pods."""
    from sandbox.status import show_status

    show_status(_workspace(folder, stack), json_file)


@kube_app.command("start")
def kube_start(stack: StackOption, folder: FolderOption = FOLDER) -> None:
    """Start what does not run of it; what its cluster holds is still there."""
    from sandbox.kube_command import start

    start(_workspace(folder, stack))


@kube_app.command("stop")
def kube_stop(stack: StackOption, folder: FolderOption = FOLDER) -> None:
    """End its processes; `start`, or the next command that needs them, starts them again."""
    from sandbox.kube_command import stop

    stop(_workspace(folder, stack))


@kube_app.command("status")
def kube_status(stack: StackOption, folder: FolderOption = FOLDER) -> None:
    """Show its processes: ids, ports, memory."""
    from sandbox.kube_command import show_status

    show_status(_workspace(folder, stack))


@kube_app.command("kubeconfig")
def kube_kubeconfig(stack: StackOption, folder: FolderOption = FOLDER) -> None:
    """Print what the environment variable KUBECONFIG is to be."""
    from sandbox.kube_command import kubeconfig

    say(kubeconfig(_workspace(folder, stack)))


@app.command()
def reset(
    stack: Annotated[str | None, typer.Option("--stack", "-s", help="Only this stack.")] = None,
    folder: FolderOption = FOLDER,
) -> None:
    """Forget a stack, or the whole sandbox: state and simulated cloud."""
    from sandbox.forget import forget

    if stack == "":
        raise UserError(
            "--stack: is empty; nearest: the name of a stack, or no --stack, for every stack of "
            "the sandbox"
        )
    forget(_workspace(folder, stack or ""))


def _workspace(folder: Path, stack: str) -> Workspace:
    from sandbox.workspace import Workspace

    _without_options()
    return Workspace(folder.resolve(), stack)


def _without_options() -> None:
    """The Automation API hands its own environment on."""
    for name in os.environ.keys() - without_options(os.environ).keys():
        del os.environ[name]


def main() -> int:
    return run_app(app, OTHER_TOOLS, f"{aistack()} sandbox")


if __name__ == "__main__":
    sys.exit(main())
