"""The simulated cloud as the last command left it: read, never written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from catalog import Catalog
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.reservations import Reservations
from sandbox.cloud.resource import Resource
from sandbox.workspace import Workspace

_CLUSTER = "gcp:container/cluster:Cluster"


class CloudFile:
    """`cluster` is an id or a name."""

    def __init__(self, path: Path, cluster: str) -> None:
        self._path = path
        self._cluster = cluster
        self._version: tuple[int, int] | None = None
        self._found: tuple[Resource, Cloud] | None = None

    def has_changed(self) -> bool:
        return self._stamp() != self._version

    def read(self) -> tuple[Resource, Cloud] | None:
        """The cluster and its cloud; None where there is no such cluster."""
        version = self._stamp()
        if version != self._version:
            self._found = self._load()
            self._version = version
        return self._found

    def _stamp(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_ino

    def _load(self) -> tuple[Resource, Cloud] | None:
        try:
            state = json.loads(self._path.read_text())
        except FileNotFoundError:
            return None
        # A command may be making the others now.
        there = {key: entry for key, entry in state["resources"].items() if not entry["creating"]}
        cluster = next((key for key, entry in there.items() if self._is_cluster(key, entry)), None)
        if cluster is None:
            return None
        stack = there[cluster]["urns"][0].split("::")[0].rpartition(":")[2]
        workspace = Workspace(self._path.parent, stack)
        given = workspace.project_file if workspace.project_file.exists() else None
        # The stack's own additions to the catalog go with its folder.
        catalog = workspace.catalog() if workspace.config_file.exists() else Catalog.load()
        seen = {**state, "resources": there, "clusters": {}}
        cloud = Cloud(catalog, seen, reservations=Reservations.load(given))
        found = cloud.get(cluster)
        return (found, cloud) if found else None

    def _is_cluster(self, resource_id: str, entry: dict[str, Any]) -> bool:
        names = (resource_id, entry["inputs"].get("name"))
        return entry["type"] == _CLUSTER and self._cluster in names
