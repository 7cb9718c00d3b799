"""The loop: whenever the cluster or the simulated cloud changes, each part does what it has to."""

from __future__ import annotations

import base64
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sandbox.cloud.kinds.cluster import has_ray_addon
from sandbox.gke.agent import servers
from sandbox.gke.agent.cloud_file import CloudFile
from sandbox.gke.agent.dashboard import Dashboard
from sandbox.gke.agent.domains import TEMPLATE, keep_domains
from sandbox.gke.agent.install import install
from sandbox.gke.agent.jobs import JOB, end_job_pods
from sandbox.gke.agent.live import Live
from sandbox.gke.agent.load_balancers import SERVICE, keep_load_balancers
from sandbox.gke.agent.machines import NODE
from sandbox.gke.agent.mounts import CLAIM, VOLUME, mount
from sandbox.gke.agent.networks import NETWORK, PARAMS, keep_networks
from sandbox.gke.agent.nodes import POD, keep_nodes
from sandbox.gke.agent.provisioning import REQUEST, keep_requests
from sandbox.gke.agent.scale_events import ScaleEvents
from sandbox.gke.agent.slices import SLICE
from sandbox.gke.agent.webhooks import Webhooks, configurations
from sandbox.gke.compute_class_rules import API as CLASS_API
from sandbox.gke.compute_class_rules import KIND as CLASS_KIND
from sandbox.gke.lustre_mounts import lustre_mounts
from sandbox.live_kube.api import Api, ApiError, Kind

KINDS: tuple[Kind, ...] = (
    NODE,
    POD,
    JOB,
    SLICE,
    NETWORK,
    PARAMS,
    REQUEST,
    (CLASS_API, CLASS_KIND),
    ("resource.k8s.io/v1", "ResourceClaim"),
    TEMPLATE,
    ("v1", "PodTemplate"),
    CLAIM,
    VOLUME,
    SERVICE,
    ("storage.k8s.io/v1", "StorageClass"),
)
# A file of the simulated cloud tells nobody that it changed.
_LOOK_SECONDS = 0.5


@dataclass(frozen=True, kw_only=True)
class Options:
    """`cluster` is the id or name of a cluster in the cloud's file."""

    kubeconfig: Path
    cloud: Path
    cluster: str
    webhook_port: int
    health_port: int
    dashboard_port: int
    certificates: Path


class Agent:
    def __init__(self, options: Options) -> None:
        self._options = options
        self._api = Api(options.kubeconfig)
        self._live = Live(self._api, KINDS)
        self._cloud = CloudFile(options.cloud, options.cluster)
        self._events = ScaleEvents(self._api)
        self._is_ready = threading.Event()
        self._pause = threading.Event()
        self._failures: dict[str, str] = {}

    def run(self) -> None:
        options = self._options
        servers.serve(options.health_port, servers.health(self._is_ready))
        servers.serve(options.dashboard_port, Dashboard(self._api).respond)
        while not self._install():
            self._pause.wait(_LOOK_SECONDS)
        self._live.start()
        self._live.wait_until_synced()
        webhooks = servers.reviewing(Webhooks(self._api, self._live, self._has_ray_addon))
        certificate = servers.certificate_in(options.certificates)
        servers.serve(options.webhook_port, webhooks, certificate)
        while not self._announce():
            self._pause.wait(_LOOK_SECONDS)
        while True:
            self._live.changed.clear()
            if not self._step():
                self._pause.wait(_LOOK_SECONDS)
                self._live.changed.set()
            self._is_ready.set()
            while not self._live.changed.wait(_LOOK_SECONDS) and not self._cloud.has_changed():
                pass

    def _install(self) -> bool:
        try:
            install(self._api)
        except ApiError as error:
            return self._failed("definitions", error)
        return True

    def _announce(self) -> bool:
        bundle = base64.b64encode((self._options.certificates / "ca.crt").read_bytes()).decode()
        url = f"https://127.0.0.1:{self._options.webhook_port}"
        try:
            for configuration in configurations(url, bundle):
                self._api.apply(configuration)
        except ApiError as error:
            return self._failed("webhooks", error)
        return True

    def _has_ray_addon(self) -> bool:
        found = self._cloud.read()
        return found is None or has_ray_addon(found[0])

    def _step(self) -> bool:
        """False where something has to be tried again."""
        parts: dict[str, Callable[[], None]] = {}
        known = self._tried("cloud", lambda: parts.update(self._parts()))
        return all([known, *(self._tried(name, part) for name, part in parts.items())])

    def _parts(self) -> dict[str, Callable[[], None]]:
        """What there is to do, by what it is for; nothing without a cluster."""
        found = self._cloud.read()
        if found is None:
            return {}
        cluster, cloud = found
        api, live = self._api, self._live
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        store = live.store()

        def nodes() -> None:
            waiting = keep_nodes(api, live, store, cluster, cloud)
            self._events.tell(store, waiting, now)

        return {
            "networks": lambda: keep_networks(api, live, store, now),
            "domains": lambda: keep_domains(api, live, store),
            "provisioning requests": lambda: keep_requests(api, live, store, cluster, cloud, now),
            "nodes": nodes,
            "mounts": lambda: mount(api, live, lustre_mounts(cluster, cloud)),
            "jobs": lambda: end_job_pods(api, live, store),
            "load balancers": lambda: keep_load_balancers(api, live),
        }

    def _tried(self, name: str, part: Callable[[], None]) -> bool:
        """The rules were written for what the sandbox makes: one object must not keep what has
        nothing to do with it."""
        try:
            part()
        except ApiError as error:
            return self._failed(name, error)
        except Exception as error:
            return self._failed(f"{name}: {type(error).__name__}", error)
        return True

    def _failed(self, what: str, error: Exception) -> bool:
        """Says each failure once, however often it is tried again."""
        text = str(error)
        if text != self._failures.get(what):
            print(f"{what}: {text}", file=sys.stderr, flush=True)
        self._failures[what] = text
        return False
