"""Kubelets of all nodes of a cluster on which no containers run: kwok's own server, which speaks
with the libraries that a kubelet has. What containers say stands in files, what is run in them is
run on this machine, and their ports are ports of this machine."""

from __future__ import annotations

import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

from cli.errors import UserError
from kube.objects import JsonObject, Ref, name_of, namespace_of
from sandbox.control_plane.binaries import binary
from sandbox.control_plane.certificates import make_certificates
from sandbox.control_plane.layout import Layout
from sandbox.live_kube.api_server import ApiServer

_KWOK = "kwok.x-k8s.io/v1alpha1"
_PATIENCE_SECONDS = 60.0
_AGAIN_SECONDS = 0.1


class Kubelet:
    """One for all nodes. `logs` has a file for each pod, `ports` where each port of a pod leads."""

    def __init__(
        self, kubeconfig: Path, folder: Path, pods: Sequence[JsonObject], ports: Mapping[int, int]
    ) -> None:
        self.folder = folder
        self.pods = pods
        layout = Layout(folder / "own")
        make_certificates(layout)
        self.logs = {name_of(it): folder / f"{name_of(it)}.log" for it in pods}
        for file in self.logs.values():
            file.touch()
            file.with_suffix(".previous").touch()
        documents = [_configuration(), *map(self._log, pods), _exec(folder), _forward(ports)]
        config = folder / "kubelet.yaml"
        config.write_text(yaml.safe_dump_all(documents))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._command = [
            str(binary("kwok")),
            f"--kubeconfig={kubeconfig}",
            f"--config={config}",
            f"--server-address=127.0.0.1:{self.port}",
            f"--tls-cert-file={layout.certificate('agent')}",
            f"--tls-private-key-file={layout.key('agent')}",
        ]

    def start(self) -> None:
        with (self.folder / "kubelet.out").open("ab") as out:
            self._process = subprocess.Popen(self._command, stdout=out, stderr=out)
        until = time.monotonic() + _PATIENCE_SECONDS
        while not self._listens():
            if time.monotonic() > until or self._process.poll() is not None:
                raise UserError(f"kwok's server does not answer on port {self.port}")
            time.sleep(_AGAIN_SECONDS)

    def stop(self) -> None:
        """At once: whoever listens to it loses the connection."""
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def say(
        self, pod: str, *texts: str, previous: bool = False, at: datetime | None = None
    ) -> None:
        """In the form of the container runtime's log files, as of now or of `at`."""
        file = self.logs[pod].with_suffix(".previous") if previous else self.logs[pod]
        with file.open("a") as log:
            for text in texts:
                log.write(f"{(at or datetime.now(UTC)).isoformat()} stdout F {text}\n")

    def _listens(self) -> bool:
        with socket.socket() as asked:
            return asked.connect_ex(("127.0.0.1", self.port)) == 0

    def _log(self, pod: JsonObject) -> JsonObject:
        file = self.logs[name_of(pod)]
        before = file.with_suffix(".previous")
        said = {"logsFile": str(file), "previousLogsFile": str(before), "follow": True}
        metadata = {"name": name_of(pod), "namespace": namespace_of(pod)}
        return _document("Logs", {"logs": [said]}, **metadata)


@contextmanager
def kubelet(
    kubeconfig: Path,
    folder: Path,
    pods: Sequence[JsonObject] = (),
    ports: Mapping[int, int] | None = None,
) -> Iterator[Kubelet]:
    made = Kubelet(kubeconfig, folder, pods, ports or {})
    made.start()
    try:
        _serve(ApiServer(kubeconfig), made.port)
        yield made
    finally:
        made.stop()


def _serve(server: ApiServer, port: int) -> None:
    """All nodes are this machine."""
    for node in server.list("v1", "Node"):
        ref = Ref(api_version="v1", kind="Node", name=name_of(node))
        endpoint = {"kubeletEndpoint": {"Port": port}}
        addresses = [{"type": "Hostname", "address": "127.0.0.1"}]
        server.set_status(ref, {"addresses": addresses, "daemonEndpoints": endpoint})


def _configuration() -> JsonObject:
    """It looks after no node: the sandbox's own kwok does."""
    options = {"manageNodesWithLabelSelector": "kubelet=only", "enableDebuggingHandlers": True}
    return {
        "apiVersion": "config.kwok.x-k8s.io/v1alpha1",
        "kind": "KwokConfiguration",
        "options": options,
    }


def _exec(folder: Path) -> JsonObject:
    local = {"workDir": str(folder), "envs": [{"name": "PS1", "value": "in the pod> "}]}
    return _document("ClusterExec", {"execs": [{"local": local}]}, name="all")


def _forward(ports: Mapping[int, int]) -> JsonObject:
    forwards = [
        {"ports": [port], "target": {"address": "127.0.0.1", "port": here}}
        for port, here in ports.items()
    ]
    return _document("ClusterPortForward", {"forwards": forwards}, name="all")


def _document(kind: str, spec: Mapping[str, Any], **metadata: str) -> JsonObject:
    return {"apiVersion": _KWOK, "kind": kind, "metadata": metadata, "spec": dict(spec)}
