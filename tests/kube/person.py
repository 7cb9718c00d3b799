"""Somebody with credentials of their own, for a cluster that no sandbox knows: as on GKE, the
stack's outputs are in a backend of theirs, and the way in is a context of a kubeconfig."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from cli.project import PROJECT
from kube.objects import JsonObject
from sandbox.control_plane import ControlPlane
from sandbox.live_kube.api import Api

_CONTEXT = "gke_example_us-central1_shared"
_STACK, _ROOT = "shared", "pulumi:pulumi:Stack"
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


def token_with_role_of(plane: ControlPlane, name: str, team: str) -> str:
    """Of a service account with the role that the stack gives NAME@example.com in the team's
    namespace: GKE knows who has an e-mail, and this API server does not."""
    api, rbac = Api(plane.kubeconfig, "kubectl"), "rbac.authorization.k8s.io/v1"
    bindings, _ = api.list((rbac, "RoleBinding"))
    (theirs,) = (it for it in bindings if f"{name}@example.com" in json.dumps(it.get("subjects")))
    token = token_of(plane, name)
    api.apply(
        {
            "apiVersion": rbac,
            "kind": "RoleBinding",
            "metadata": {"name": f"{name}-here", "namespace": team},
            "roleRef": theirs["roleRef"],
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": "default"}],
        }
    )
    return token


def _environment(
    plane: ControlPlane, folder: Path, namespaces: Sequence[str], user: Mapping[str, str]
) -> Mapping[str, str]:
    folder.mkdir()
    kubeconfig = kubeconfig_of(plane, folder, _CONTEXT, user)
    backend = backend_with(folder, {**_OUTPUTS, "namespaces": [*namespaces]})
    return {**backend, "KUBECONFIG": str(kubeconfig)}


def kubeconfig_of(plane: ControlPlane, folder: Path, context: str, user: Mapping[str, str]) -> Path:
    """With one way into the cluster, as that user, by default the administrator."""
    config = yaml.safe_load(plane.kubeconfig.read_text())
    config["contexts"][0]["name"] = config["current-context"] = context
    config["users"][0]["user"] = dict(user) or config["users"][0]["user"]
    kubeconfig = folder / "kubeconfig"
    kubeconfig.write_text(yaml.safe_dump(config))
    return kubeconfig


def backend_with(folder: Path, outputs: Mapping[str, Any]) -> Mapping[str, str]:
    """The environment of who is logged in to a file backend with one stack, which is up: as Pulumi
    writes it (pulumi/pulumi pkg/backend/diy, v3.256.0)."""
    urn = f"urn:pulumi:{_STACK}::{PROJECT}::{_ROOT}::{PROJECT}-{_STACK}"
    root = {"urn": urn, "custom": False, "type": _ROOT, "outputs": outputs}
    name = f"organization/{PROJECT}/{_STACK}"
    state = {"version": 3, "checkpoint": {"stack": name, "latest": {"resources": [root]}}}
    backend = folder / "backend"
    file = backend / ".pulumi" / "stacks" / PROJECT / f"{_STACK}.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(state))
    (backend / ".pulumi" / "meta.yaml").write_text("version: 1\n")
    return {
        "PULUMI_BACKEND_URL": backend.as_uri(),
        "PULUMI_HOME": str(folder / "home"),
        "PULUMI_STACK": _STACK,
        "GOOGLE_PROJECT": str(outputs["project"]),
    }


def program(file: Path, says: str) -> None:
    """One that says always the same."""
    file.write_text(f"#!/bin/sh\ncat <<'END'\n{says}\nEND\n")
    file.chmod(0o755)
