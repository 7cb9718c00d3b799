"""The stand-ins as a service: whoever runs Pulumi's CLI in the meantime, in any folder and
language, finds them by variables."""

from __future__ import annotations

import shlex
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from catalog.durations import Durations
from cli.lines import say, say_aside
from cli.pulumi_cli import binary
from sandbox.clock import VirtualClock
from sandbox.cloud.caller import Caller
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.reservations import Reservations
from sandbox.cloud.wide_catalog import WideCatalog
from sandbox.cloud_store import cloud_at
from sandbox.clusters import Clusters
from sandbox.disk import require_room
from sandbox.faults import Faults
from sandbox.folder import claim
from sandbox.journal import Journal
from sandbox.locks import engine_pid
from sandbox.own_program.at_hand import have_apis, have_cluster
from sandbox.own_program.workspace import write_language_host
from sandbox.providers.operations import Operations
from sandbox.providers.server import ProviderServer
from sandbox.providers.stand_ins import serve_all
from sandbox.workspace import Workspace

_HOST = "pulumi-language-python"


def serve(
    folder: Path,
    speed: float,
    fault: Path | None,
    project: Path | None,
    roles: tuple[str, ...],
    apis: str,
    *,
    cluster: bool,
) -> None:
    """Until Ctrl-C or SIGTERM. Raises UserError."""
    workspace = Workspace(folder.resolve(), "")
    caller, faults = Caller(roles), Faults.load(fault)
    with workspace.lock():
        if project is not None:
            workspace.use_project(project)
        cloud = _cloud(workspace, faults)
        cloud.caller = caller
        if apis:
            have_apis(cloud, apis)
        if cluster:
            have_cluster(cloud)
        ended = threading.Event()
        with _signals(ended.set), serving(workspace, cloud, speed) as variables:
            for name, value in variables.items():
                say(f"export {name}={value}")
            say_aside("Ctrl-C ends it; what is made stays in the folder")
            while not ended.wait(0.5):
                pass


@contextmanager
def serving(workspace: Workspace, cloud: Cloud, speed: float) -> Iterator[dict[str, str]]:
    """The variables, as a shell takes them, by which Pulumi's CLI finds the stand-ins."""
    claim(workspace.root)
    require_room(workspace.root)
    workspace.backend.mkdir(parents=True, exist_ok=True)
    cloud.begin_run()
    clusters, clock = Clusters(cloud, workspace.cloud_file), VirtualClock(speed)
    clusters.settle()
    owner = partial(engine_pid, workspace.backend)
    operations = Operations(cloud, clock, Journal(), Durations.of(Path.cwd()), owner)
    told = workspace.environment
    del told["GOGC"]
    with ProviderServer(clock) as server:
        serve_all(server, clusters, operations, fills_in=True)
        variables = {"PULUMI_DEBUG_PROVIDERS": server.address, **told}
        found = {name: shlex.quote(value) for name, value in variables.items()}
        if path := _path(workspace):
            found["PATH"] = f'{shlex.quote(path)}:"$PATH"'
        yield found


def _path(workspace: Workspace) -> str:
    """What the PATH lacks: Pulumi's CLI, and a language host for Python, unless there is one."""
    folders: list[str] = []
    own = shutil.which("pulumi")
    if own is None:
        folders.append(str(binary().parent))
    beside = Path(own or binary()).resolve().with_name(_HOST)
    if shutil.which(_HOST) is None and not beside.exists():
        own_folder = workspace.root / "bin"
        own_folder.mkdir(exist_ok=True)
        write_language_host(own_folder)
        folders.append(str(own_folder))
    return ":".join(folders)


def _cloud(workspace: Workspace, faults: Faults) -> Cloud:
    file = workspace.project_file
    given = Reservations.load(file if file.exists() else None)
    return cloud_at(workspace.cloud_file, WideCatalog.load(), faults, given, has_defaults=True)


@contextmanager
def _signals(end: Callable[[], None]) -> Iterator[None]:
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {it: signal.signal(it, lambda *_: end()) for it in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
