"""What a new GKE cluster has before anyone makes anything: definitions, drivers, classes."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from threading import Event

import yaml

from sandbox.kube.objects import JsonObject, Ref, dig, maps
from sandbox.live_kube.api import Api

_DEFINITION = "CustomResourceDefinition"
_POLL_SECONDS = 0.1


def definitions() -> Iterator[JsonObject]:
    folder = files("sandbox.gke") / "definitions"
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".yaml"):
            yield from yaml.safe_load_all(file.read_text())


def install(api: Api) -> None:
    """Apply them all, and wait until each kind is served."""
    made = list(definitions())
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
