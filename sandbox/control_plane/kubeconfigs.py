"""A kubeconfig for each identity: the file alone is enough to ask the API server."""

from __future__ import annotations

import base64
from collections.abc import Mapping

import yaml

from sandbox.control_plane.layout import Layout
from sandbox.control_plane.private_files import write_private


def write_kubeconfigs(
    layout: Layout, port: int, tokens: Mapping[str, str], acts_as: Mapping[str, str]
) -> None:
    """One for each of the `tokens`; those that `acts_as` names ask as another user."""
    # No two clusters' are the same, so that KUBECONFIG can name the files of several.
    name = layout.root.name
    cluster = {
        "server": f"https://127.0.0.1:{port}",
        "certificate-authority-data": ca_bundle(layout),
    }
    for identity, token in tokens.items():
        user = {"token": token}
        if identity in acts_as:
            user["as"] = acts_as[identity]
        document = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": name, "cluster": cluster}],
            "users": [{"name": f"{name}-{identity}", "user": user}],
            "contexts": [
                {"name": name, "context": {"cluster": name, "user": f"{name}-{identity}"}}
            ],
            "current-context": name,
        }
        write_private(layout.kubeconfig(identity), yaml.safe_dump(document, sort_keys=False))


def ca_bundle(layout: Layout) -> str:
    """The authority's certificate as Kubernetes objects hold it, in base64."""
    return base64.b64encode(layout.authority.read_bytes()).decode()
