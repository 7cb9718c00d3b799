"""What a new GKE cluster has before anyone makes anything: definitions, drivers, classes."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from threading import Event

from catalog.strict_yaml import load_documents
from kube.objects import JsonObject, Ref, dig, maps
from sandbox.control_plane.binaries import MANIFESTS
from sandbox.kube.custom_resources import definition_of
from sandbox.live_kube.api import Api
from sandbox.live_kube.operators.kustomization import read_objects

_KINDS = ("AutoscalingMetric", "ComputeClass", "PodMonitoring", "ProvisioningRequest")
_NETWORKING = ("networking.gke.io_gkenetworkparamsets", "networking.gke.io_networks")
_DEFINITION = "CustomResourceDefinition"
_POLL_SECONDS = 0.1


def own_objects() -> Iterator[JsonObject]:
    """What no module publishes."""
    for kind in _KINDS:
        yield definition_of(kind)
    for name in ("devices", "storage"):
        yield from load_documents((files("sandbox.gke") / "data" / f"{name}.yaml").read_text())


def install(api: Api) -> None:
    """Apply them all, and wait until each kind is served."""
    published = (MANIFESTS / "networking" / "crds" / f"{name}.yaml" for name in _NETWORKING)
    made = [*own_objects(), *(each for file in published for each in read_objects(file))]
    for obj in made:
        api.apply(obj)
    pause = Event()
    for obj in made:
        while obj["kind"] == _DEFINITION and not _is_served(api, obj):
            pause.wait(_POLL_SECONDS)


def _is_served(api: Api, definition: JsonObject) -> bool:
    found = api.get(Ref.of(definition))
    return any(
        each["type"] == "Established" and each["status"] == "True"
        for each in maps(dig(found, "status", "conditions"))
    )
