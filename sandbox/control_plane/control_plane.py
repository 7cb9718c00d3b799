"""The control plane of one simulated cluster: starts it, ends it, says how it is."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock

from sandbox.control_plane.inputs import write_inputs
from sandbox.control_plane.kubeconfigs import ca_bundle
from sandbox.control_plane.layout import Layout
from sandbox.control_plane.operators import (
    OPERATORS,
    Installed,
    Operator,
    install,
    installed,
    uninstall,
)
from sandbox.control_plane.ports import choose_ports
from sandbox.control_plane.processes import ManagedProcess, ProcessStatus, end
from sandbox.control_plane.programs import PORTS, WAVES, Program, Setting, port_name, program
from sandbox.control_plane.readiness import EndedError, Readiness, Started
from sandbox.errors import CloudError

# The API server waits a minute for clients that watch, the user's kubectl among them.
_GRACE_SECONDS = 5.0
# What an operator is given to come back that nobody asked for just now.
_OPERATOR_SECONDS = 30.0


class ControlPlane:
    """Its processes outlive the command that started them. One command at a time changes it."""

    def __init__(self, folder: Path, *, cluster: str = "", cloud_file: Path | None = None) -> None:
        """Without a `cloud_file` the cluster has none of GKE's own parts, nodes among them."""
        self._layout = Layout(folder.resolve())
        self._cluster = cluster
        self._cloud_file = cloud_file

    @property
    def kubeconfig(self) -> Path:
        """The administrator's."""
        return self._layout.kubeconfig("admin")

    @property
    def ca_bundle(self) -> str:
        """The authority of all certificates, as webhook configurations hold it."""
        return ca_bundle(self._layout)

    def webhook_url(self, name: Literal["kueue", "jobset", "agent"]) -> str:
        with self._lock():
            return f"https://{self._setting(down=()).address(name, 'webhook')}"

    def start(self) -> None:
        """Start what does not run and wait until it is ready.

        Raises UserError where the programs were not built, CloudError where one ends.
        """
        with self._lock():
            self._start()

    def stop(self) -> None:
        """End all that was started here, and nothing else."""
        if self._layout.root.exists():
            with self._lock():
                self._stop()

    def remove(self) -> None:
        """End it and forget all that the cluster held."""
        if self._layout.root.exists():
            with self._lock():
                self._stop()
                shutil.rmtree(self._layout.root)

    def status(self) -> list[ProcessStatus]:
        """Of each program that is to run, or does; changes nothing."""
        file = self._layout.ports
        ports: dict[str, int] = json.loads(file.read_text()) if file.exists() else {}
        wanted = self._wanted()
        return [
            ProcessStatus(
                name,
                process.pid,
                process.pid is not None,
                {
                    purpose: ports[key]
                    for purpose in PORTS[name]
                    if (key := port_name(name, purpose)) in ports
                },
                process.rss_mib,
            )
            for wave in WAVES
            for name in wave
            if (process := self._process(name)).pid is not None or name in wanted
        ]

    def run_kueue(self, configuration: Mapping[str, Any]) -> None:
        """Run Kueue with a release's configuration; only its addresses become ours.

        Raises CloudError where Kueue does not take it.
        """
        namespace = configuration.get("namespace") or "kueue-system"
        self._run("kueue", Installed(namespace, dict(configuration)))

    def run_ray_operator(self, namespace: str = "kube-system") -> None:
        """Run KubeRay as the service account of this namespace; the add-on's, if none is given."""
        self._run("ray-operator", Installed(namespace, {}))

    def run_job_set(self, namespace: str, configuration: Mapping[str, Any]) -> None:
        """Run JobSet's controller with a release's configuration, in the release's namespace."""
        self._run("jobset", Installed(namespace, dict(configuration)))

    def end_operator(self, name: Operator) -> None:
        """End an operator; `start` leaves it ended."""
        with self._lock():
            uninstall(self._layout, name)
            end([self._process(name)], _GRACE_SECONDS)

    def _run(self, name: Operator, how: Installed) -> None:
        with self._lock():
            install(self._layout, name, how)
            self._start(name)

    def _start(self, operator: Operator | None = None) -> None:
        begun = set[str]()
        while True:
            try:
                return self._start_once(begun, operator)
            except EndedError as error:
                # One that was found at its end starts as if it had not been found.
                if error.name in begun:
                    raise

    def _start_once(self, begun: set[str], operator: Operator | None) -> None:
        names = self._wanted()
        setting = self._setting(down=[name for name in names if self._process(name).pid is None])
        write_inputs(setting)
        readiness = Readiness(self._layout)
        core = list[Started]()
        for wave in WAVES:
            now = [self._started(program(name, setting), begun) for name in wave if name in names]
            core += [each for each in now if each[0].name not in OPERATORS]
            readiness.wait(core)
            for each in now:
                if each[0].name == operator:
                    readiness.wait([each])
                elif each[0].name in OPERATORS:
                    _wait_a_little(readiness, each, begun)

    def _started(self, wanted: Program, begun: set[str]) -> Started:
        process = self._process(wanted.name)
        if process.pid is not None and process.digest != wanted.digest:
            end([process], _GRACE_SECONDS)
        if process.pid is None:
            process.start(wanted)
            begun.add(wanted.name)
        return process, wanted

    def _stop(self) -> None:
        for wave in reversed(WAVES):
            end([self._process(name) for name in wave], _GRACE_SECONDS)

    def _wanted(self) -> list[str]:
        """Programs that are to run."""
        present = installed(self._layout)
        absent = {
            *(name for name in OPERATORS if name not in present),
            *(["agent"] if self._cloud_file is None else []),
        }
        return [name for wave in WAVES for name in wave if name not in absent]

    def _setting(self, down: Sequence[str]) -> Setting:
        names = {name: [port_name(name, purpose) for purpose in PORTS[name]] for name in PORTS}
        ports = choose_ports(
            self._layout.ports,
            [port for ports in names.values() for port in ports],
            [port for name in down for port in names[name]],
        )
        return Setting(
            layout=self._layout, ports=ports, cluster=self._cluster, cloud_file=self._cloud_file
        )

    def _process(self, name: str) -> ManagedProcess:
        return ManagedProcess(self._layout, name)

    def _lock(self) -> FileLock:
        self._layout.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        return FileLock(self._layout.root / "lock")


def _wait_a_little(readiness: Readiness, started: Started, begun: set[str]) -> None:
    """As in any cluster, an operator that crashes is no reason to change nothing: what comes next
    may be the change that it needs."""
    try:
        readiness.wait([started], _OPERATOR_SECONDS)
    except EndedError as error:
        if error.name not in begun:
            raise
    except CloudError:
        pass
