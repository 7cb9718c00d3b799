"""How each program is called: command lines, ports and where it says that it is ready, as data."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from cli.project import CODE_FOLDER
from sandbox.control_plane.binaries import binary
from sandbox.control_plane.layout import Layout
from sandbox.control_plane.operators import OPERATORS

# By program, what each of its ports is for.
PORTS: dict[str, tuple[str, ...]] = {
    "etcd": ("client", "peer"),
    "kube-apiserver": ("api",),
    "kube-controller-manager": ("health",),
    "kube-scheduler": ("health",),
    "kwok": ("health",),
    "agent": ("webhook", "health", "dashboard"),
    "kueue": ("webhook", "health", "metrics"),
    "ray-operator": ("health", "metrics"),
    "jobset": ("webhook", "health"),
}
# Each wave needs the one before it; within one, they start together.
WAVES = (
    ("etcd",),
    ("kube-apiserver",),
    ("kube-controller-manager", "kube-scheduler", "kwok", "agent", *OPERATORS),
)
KWOK_CONFIGURATION = Path(__file__).parent / "data" / "kwok.yaml"


@dataclass(frozen=True, kw_only=True)
class Program:
    """`inputs` are files that it reads once, when it starts."""

    name: str
    command: tuple[str, ...]
    ready: str
    inputs: tuple[Path, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> str:
        """Of all that a running process does not see when it changes, its own file among it."""
        binary = os.stat(self.command[0])
        words = [*self.command, sorted(self.environment.items()), binary.st_mtime_ns]
        digest = hashlib.sha256(json.dumps(words).encode())
        for file in self.inputs:
            digest.update(file.read_bytes())
        return digest.hexdigest()


@dataclass(frozen=True, kw_only=True)
class Setting:
    """What the command lines are made of; `ports` by program and purpose."""

    layout: Layout
    ports: Mapping[str, int]
    cluster: str
    cloud_file: Path | None

    def address(self, program: str, purpose: str) -> str:
        return f"127.0.0.1:{self.port(program, purpose)}"

    def port(self, program: str, purpose: str) -> int:
        return self.ports[port_name(program, purpose)]


def port_name(program: str, purpose: str) -> str:
    return f"{program}/{purpose}"


def program(name: str, setting: Setting) -> Program:
    """Raises UserError where it was not built."""
    return _PROGRAMS[name](setting)


def _etcd(setting: Setting) -> Program:
    layout = setting.layout
    client = f"https://{setting.address('etcd', 'client')}"
    peer = f"https://{setting.address('etcd', 'peer')}"
    pair = (layout.certificate("etcd"), layout.key("etcd"), layout.authority)
    return Program(
        name="etcd",
        command=(
            str(binary("etcd")),
            "--name=sandbox",
            f"--data-dir={layout.data}",
            f"--listen-client-urls={client}",
            f"--advertise-client-urls={client}",
            f"--listen-peer-urls={peer}",
            f"--initial-advertise-peer-urls={peer}",
            f"--initial-cluster=sandbox={peer}",
            # Whoever may ask etcd is above every rule of the API server.
            *_flags("cert-file", "key-file", "trusted-ca-file", values=pair),
            "--client-cert-auth",
            *_flags("peer-cert-file", "peer-key-file", "peer-trusted-ca-file", values=pair),
            "--peer-client-cert-auth",
            # A kill loses nothing by it: what was written is the kernel's. A power cut may, and
            # then the cluster is made anew.
            "--unsafe-no-fsync",
            "--log-level=error",
        ),
        ready=f"{client}/health",
        inputs=pair,
    )


def _kube_apiserver(setting: Setting) -> Program:
    layout = setting.layout
    serving = (layout.certificate("kube-apiserver"), layout.key("kube-apiserver"))
    return Program(
        name="kube-apiserver",
        command=(
            str(binary("kube-apiserver")),
            f"--etcd-servers=https://{setting.address('etcd', 'client')}",
            f"--etcd-cafile={layout.authority}",
            *_flags("etcd-certfile", "etcd-keyfile", values=serving),
            "--bind-address=127.0.0.1",
            "--advertise-address=127.0.0.1",
            f"--secure-port={setting.port('kube-apiserver', 'api')}",
            # A loopback address is no legal endpoint of the service `kubernetes`.
            "--endpoint-reconciler-type=none",
            *_flags("tls-cert-file", "tls-private-key-file", values=serving),
            f"--token-auth-file={layout.tokens}",
            "--authorization-mode=RBAC",
            f"--encryption-provider-config={layout.encryption}",
            "--service-cluster-ip-range=10.96.0.0/16",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={layout.service_account_key}",
            f"--service-account-signing-key-file={layout.service_account_key}",
            "--enable-admission-plugins=ExtendedResourceToleration",
            "--allow-privileged=true",
            "--profiling=false",
        ),
        ready=f"https://{setting.address('kube-apiserver', 'api')}/readyz",
        inputs=(*serving, layout.authority, layout.tokens, layout.encryption),
        # An eighth of memory for a sixth of its work: most of that is definitions, written often.
        environment={"GOGC": "200"},
    )


def _kube_controller_manager(setting: Setting) -> Program:
    layout, kubeconfig = setting.layout, setting.layout.kubeconfig("kube-controller-manager")
    return Program(
        name="kube-controller-manager",
        command=(
            str(binary("kube-controller-manager")),
            f"--kubeconfig={kubeconfig}",
            *_own_listener(setting, "kube-controller-manager"),
            "--leader-elect=false",
            f"--service-account-private-key-file={layout.service_account_key}",
            f"--root-ca-file={layout.authority}",
            # Twenty requests a second, the default, are for a server that many share.
            "--kube-api-qps=200",
            "--kube-api-burst=400",
        ),
        ready=f"https://{setting.address('kube-controller-manager', 'health')}/healthz",
        inputs=(kubeconfig,),
    )


def _kube_scheduler(setting: Setting) -> Program:
    layout, kubeconfig = setting.layout, setting.layout.kubeconfig("kube-scheduler")
    return Program(
        name="kube-scheduler",
        command=(
            str(binary("kube-scheduler")),
            f"--config={layout.scheduler_configuration}",
            *_own_listener(setting, "kube-scheduler"),
        ),
        ready=f"https://{setting.address('kube-scheduler', 'health')}/readyz",
        inputs=(kubeconfig, layout.scheduler_configuration),
    )


def _kwok(setting: Setting) -> Program:
    kubeconfig = setting.layout.kubeconfig("kwok")
    return Program(
        name="kwok",
        command=(
            str(binary("kwok")),
            f"--kubeconfig={kubeconfig}",
            f"--config={KWOK_CONFIGURATION}",
            f"--server-address={setting.address('kwok', 'health')}",
            # With leases it would leave the nodes of the process before it alone for 40 s.
            "--node-lease-duration-seconds=0",
        ),
        ready=f"http://{setting.address('kwok', 'health')}/readyz",
        inputs=(kubeconfig, KWOK_CONFIGURATION),
    )


def _agent(setting: Setting) -> Program:
    layout, kubeconfig = setting.layout, setting.layout.kubeconfig("agent")
    return Program(
        name="agent",
        command=(
            *(sys.executable, "-m", "sandbox.gke.agent"),
            *("--kubeconfig", str(kubeconfig)),
            *("--cloud", str(setting.cloud_file)),
            *("--cluster", setting.cluster),
            *("--webhook-port", str(setting.port("agent", "webhook"))),
            *("--health-port", str(setting.port("agent", "health"))),
            *("--dashboard-port", str(setting.port("agent", "dashboard"))),
            *("--certificates", str(layout.certificates)),
        ),
        ready=f"http://{setting.address('agent', 'health')}/readyz",
        inputs=(kubeconfig, layout.certificate("agent")),
        environment={"PYTHONPATH": str(CODE_FOLDER)},
    )


def _configured(name: str, setting: Setting) -> Program:
    """An operator that has all it needs to know in a file."""
    kubeconfig = setting.layout.kubeconfig(name)
    configuration = setting.layout.configuration(name)
    return Program(
        name=name,
        command=(str(binary(name)), f"--config={configuration}", "--zap-log-level=2"),
        ready=f"http://{setting.address(name, 'health')}/readyz",
        inputs=(kubeconfig, configuration),
        environment={"KUBECONFIG": str(kubeconfig)},
    )


def _ray_operator(setting: Setting) -> Program:
    kubeconfig = setting.layout.kubeconfig("ray-operator")
    return Program(
        name="ray-operator",
        command=(
            str(binary("ray-operator")),
            "--enable-leader-election=false",
            f"--metrics-addr={setting.address('ray-operator', 'metrics')}",
            f"--health-probe-bind-address={setting.address('ray-operator', 'health')}",
        ),
        ready=f"http://{setting.address('ray-operator', 'health')}/readyz",
        inputs=(kubeconfig,),
        # It asks each Ray cluster's dashboard by the name of its service, which only a proxy can
        # answer here. Loopback, and so the API server, is asked without one. It looks at a cluster
        # that does not change every 5 minutes; here, as in its own tests, every 10 seconds.
        environment={
            "KUBECONFIG": str(kubeconfig),
            "RAYCLUSTER_DEFAULT_REQUEUE_SECONDS_ENV": "10",
            "HTTP_PROXY": f"http://{setting.address('agent', 'dashboard')}",
        },
    )


_PROGRAMS: dict[str, Callable[[Setting], Program]] = {
    "etcd": _etcd,
    "kube-apiserver": _kube_apiserver,
    "kube-controller-manager": _kube_controller_manager,
    "kube-scheduler": _kube_scheduler,
    "kwok": _kwok,
    "agent": _agent,
    "kueue": partial(_configured, "kueue"),
    "ray-operator": _ray_operator,
    "jobset": partial(_configured, "jobset"),
}


def _own_listener(setting: Setting, name: str) -> tuple[str, ...]:
    """Flags of the health port of a program that asks the API server who may ask it."""
    layout, kubeconfig = setting.layout, setting.layout.kubeconfig(name)
    return (
        f"--authentication-kubeconfig={kubeconfig}",
        f"--authorization-kubeconfig={kubeconfig}",
        # The cluster has no front proxy; without this each complains of it again and again.
        "--authentication-skip-lookup=true",
        "--bind-address=127.0.0.1",
        f"--secure-port={setting.port(name, 'health')}",
        f"--tls-cert-file={layout.certificate(name)}",
        f"--tls-private-key-file={layout.key(name)}",
    )


def _flags(*names: str, values: tuple[Path, ...]) -> tuple[str, ...]:
    return tuple(f"--{name}={value}" for name, value in zip(names, values, strict=True))
