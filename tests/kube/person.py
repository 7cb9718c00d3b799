"""Somebody with credentials of their own, for a cluster that no sandbox knows: as on GKE, the
stack's outputs are the engine's own command's, and the way in is a context of a kubeconfig."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from sandbox.control_plane import ControlPlane
from sandbox.kube.objects import JsonObject
from sandbox.live_kube.api import Api

_CONTEXT = "gke_example_us-central1_shared"
_OUTPUTS = {"project": "example", "cluster_location": "us-central1", "cluster_name": "shared"}
# In place of nodes of the stack's CPU pool, on which kwok runs what pods there are.
NODE: JsonObject = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "name": "node",
        "annotations": {"kwok.x-k8s.io/node": "fake"},
        "labels": {"cloud.google.com/gke-nodepool": "cpu-pool"},
    },
    "status": {
        "capacity": {"cpu": "8", "memory": "32Gi", "pods": "110"},
        "allocatable": {"cpu": "8", "memory": "32Gi", "pods": "110"},
    },
}


def administrator(
    plane: ControlPlane, folder: Path, namespaces: Sequence[str]
) -> Mapping[str, str]:
    """The environment in which they call the command line."""
    return _environment(plane, folder, namespaces, {})


def person(
    plane: ControlPlane, folder: Path, namespaces: Sequence[str], name: str
) -> Mapping[str, str]:
    """By a service account of the namespace default, which is made."""
    return _environment(plane, folder, namespaces, {"token": token_of(plane, name)})


def token_of(plane: ControlPlane, name: str) -> str:
    """Of a service account of the namespace default, which is made."""
    api = Api(plane.kubeconfig)
    metadata = {"name": name, "namespace": "default"}
    api.apply({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata})
    path = f"/api/v1/namespaces/default/serviceaccounts/{name}/token"
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    return api.call("POST", path, request)["status"]["token"]


def _environment(
    plane: ControlPlane, folder: Path, namespaces: Sequence[str], user: Mapping[str, str]
) -> Mapping[str, str]:
    folder.mkdir()
    kubeconfig = kubeconfig_of(plane, folder, _CONTEXT, user)
    pulumi_says(folder, {**_OUTPUTS, "namespaces": [*namespaces]})
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    return {"PATH": path, "KUBECONFIG": str(kubeconfig)}


def kubeconfig_of(plane: ControlPlane, folder: Path, context: str, user: Mapping[str, str]) -> Path:
    """With one way into the cluster, as that user, by default the administrator."""
    config = yaml.safe_load(plane.kubeconfig.read_text())
    config["contexts"][0]["name"] = config["current-context"] = context
    config["users"][0]["user"] = dict(user) or config["users"][0]["user"]
    kubeconfig = folder / "kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(config))
    return kubeconfig


def pulumi_says(folder: Path, outputs: Mapping[str, Any]) -> None:
    """As `pulumi stack export` does of a stack that is up."""
    urn = "urn:pulumi:shared::example::pulumi:pulumi:Stack::example-shared"
    state = {"deployment": {"resources": [{"urn": urn, "outputs": outputs}]}}
    program(folder / "pulumi", json.dumps(state))


def program(file: Path, says: str) -> None:
    """One that says always the same."""
    file.write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\n")
    file.chmod(0o755)
