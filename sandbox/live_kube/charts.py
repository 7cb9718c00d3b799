"""Installs the charts that the sandbox knows: real definitions, roles and webhooks, and the real
controller as a process beside the control plane.

The controller's Deployment is there, too, on simulated nodes: it takes the room that it takes in a
cluster, and is ready as any other pod.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from kube.errors import KubeError
from kube.objects import JsonObject, Ref, dig, maps, namespace_of
from sandbox.control_plane import ControlPlane
from sandbox.control_plane.binaries import MANIFESTS
from sandbox.control_plane.operators import Operator
from sandbox.kube import claims
from sandbox.kube.custom_resources import definition_of
from sandbox.kube.helm.chart import values_of
from sandbox.kube.helm.gpu_claims_chart import classes
from sandbox.kube.helm.jobset_chart import configuration
from sandbox.kube.helm.release import chart_of, refuse_hanging_uninstall
from sandbox.live_kube.api_server import ApiServer
from sandbox.live_kube.operators import (
    job_set_objects,
    kueue_objects,
    ray_objects,
    release_configuration,
    webhook_authority,
)
from sandbox.live_kube.releases import record_of

_WEBHOOKS = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")
# By chart, its controller as a process.
_PROGRAMS: Mapping[str, Operator] = {
    "kueue": "kueue",
    "kuberay-operator": "ray-operator",
    "jobset": "jobset",
}
_DEFINITION = "CustomResourceDefinition"
# Where GKE's add-on has its account.
ADDON_NAMESPACE = "kube-system"
# Definitions are served within a second or two of their creation.
_SERVED_SECONDS = 60.0


class Charts:
    """Helm's part: what a release brings, and takes away again."""

    def __init__(self, server: ApiServer, plane: ControlPlane) -> None:
        self._server = server.acting_as("helm")
        self._plane = plane

    def install(self, release: Mapping[str, Any]) -> None:
        """Install or upgrade; raises KubeError for what the API server refuses."""
        self._server.apply(record_of(release, deployed=False), force=True)
        _apply_all(self._server, _without_webhooks(self._objects(release)))
        match chart_of(release).name:
            case "kueue":
                self._plane.run_kueue(release_configuration(release))
            case "jobset":
                self._plane.run_job_set(namespace_of(release), configuration(release))
            case claims.GPU_CLAIMS_CHART:
                # What its plug-ins publish, GKE's agent does.
                pass
            case _:
                self._plane.run_ray_operator(namespace_of(release))
        # With the webhooks there and the manager not, no pod could be made.
        _apply_all(self._server, _webhooks(self._objects(release)))
        self._server.apply(record_of(release, deployed=True), force=True)

    def uninstall(self, release: Mapping[str, Any]) -> None:
        """Raises KubeError where Helm would never come to an end."""
        refuse_hanging_uninstall(release)
        objects = self._objects(release)
        _delete_all(self._server, _webhooks(objects))
        kept = chart_of(release).keeps_definitions
        _delete_all(
            self._server,
            [each for each in objects if not (kept and each["kind"] == _DEFINITION)],
        )
        if (program := _PROGRAMS.get(chart_of(release).name)) is not None:
            self._plane.end_operator(program)
        self._server.delete(Ref.of(record_of(release, deployed=True)))

    def _objects(self, release: Mapping[str, Any]) -> list[JsonObject]:
        chart = chart_of(release)
        brought = self._brought(release)
        names = {(each["kind"], each["metadata"]["name"]) for each in brought}
        simulated = [
            each
            for each in chart.objects(release)
            if each["kind"] not in _WEBHOOKS
            and (each["kind"], each["metadata"]["name"]) not in names
        ]
        return [*brought, *simulated]

    def _brought(self, release: Mapping[str, Any]) -> list[JsonObject]:
        """What is really that of the chart: kinds, permissions and webhooks."""
        namespace, authority = namespace_of(release), self._plane.ca_bundle
        match chart_of(release).name:
            case "kueue":
                url = self._plane.webhook_url("kueue")
                certificate = webhook_authority(release, authority)
                return [*kueue_objects(MANIFESTS, release, url, authority), certificate]
            case "jobset":
                url = self._plane.webhook_url("jobset")
                return job_set_objects(MANIFESTS, namespace, url, authority)
            case claims.GPU_CLAIMS_CHART:
                return [definition_of("ComputeDomain"), *classes(values_of(release))]
            case _:
                return ray_objects(MANIFESTS, namespace)


def install_ray(server: ApiServer, plane: ControlPlane) -> None:
    """GKE's Ray operator add-on: definitions and roles, and the operator as a process, once."""
    if any(each.name == "ray-operator" for each in plane.status()):
        return
    _apply_all(server.acting_as("helm"), ray_objects(MANIFESTS, ADDON_NAMESPACE))
    plane.run_ray_operator(ADDON_NAMESPACE)


def _apply_all(server: ApiServer, objects: Iterable[JsonObject]) -> None:
    definitions = list[Ref]()
    for each in objects:
        server.apply(each, force=True)
        if each["kind"] == _DEFINITION:
            definitions.append(Ref.of(each))
    for ref in definitions:
        _wait_served(server, ref)


def _wait_served(server: ApiServer, definition: Ref) -> None:
    until = time.monotonic() + _SERVED_SECONDS
    while not _is_established(server.get(definition)):
        if time.monotonic() > until:
            raise KubeError(f"{definition} is not established")
        time.sleep(0.2)


def _is_established(definition: JsonObject | None) -> bool:
    conditions = maps(dig(definition, "status", "conditions"))
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


def _delete_all(server: ApiServer, objects: Iterable[JsonObject]) -> None:
    for each in reversed(list(objects)):
        server.delete(Ref.of(each))


def _webhooks(objects: Iterable[JsonObject]) -> list[JsonObject]:
    return [each for each in objects if each["kind"] in _WEBHOOKS]


def _without_webhooks(objects: Iterable[JsonObject]) -> list[JsonObject]:
    order = ("Namespace", _DEFINITION)
    kept = [each for each in objects if each["kind"] not in _WEBHOOKS]
    return sorted(kept, key=lambda each: each["kind"] not in order)
