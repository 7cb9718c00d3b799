"""Ways into a cluster that are none, each told in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from kubernetes.config import kube_config

from aistack.cluster import Cluster
from aistack.errors import VerbError
from aistack.stack import Stack

CONTEXT = "gke_example_us-central1_shared"
OUTPUTS = {
    "project": "example",
    "cluster_location": "us-central1",
    "cluster_name": "shared",
    "kubeconfig_command": "gcloud container clusters get-credentials shared",
}
STACK = Stack(
    name="shared", resources=[{"urn": "a::b::pulumi:pulumi:Stack::c", "outputs": OUTPUTS}]
)


def kubeconfig(**user: object) -> bytes:
    cluster = {"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}
    context = {"name": CONTEXT, "context": {"cluster": "c", "user": "u"}}
    whole = {
        "clusters": [cluster],
        "contexts": [context],
        "users": [{"name": "u", "user": user}],
        "current-context": CONTEXT,
    }
    return yaml.safe_dump(whole).encode()


def plugin(command: str) -> bytes:
    version = "client.authentication.k8s.io/v1beta1"
    return kubeconfig(exec={"apiVersion": version, "command": command})


NEAREST = "nearest: gcloud container clusters get-credentials shared"
NONE: dict[str, tuple[bytes, str]] = {
    "a file that is not there": (b"", f"no kubeconfig has the context {CONTEXT}; {NEAREST}"),
    "a file that is not YAML": (b"a: [\n", "KUBECONFIG: is no kubeconfig: while parsing"),
    "a file that is no text": (b"\xff\xfe\x00", "KUBECONFIG: is no kubeconfig: 'utf-8' codec"),
    "a list": (b"[]", f"; {NEAREST}"),
    "a word": (b"word", "KUBECONFIG: is no kubeconfig"),
    "a plugin that is not there": (
        plugin("no-such-plugin"),
        f"credentials for cluster {CONTEXT}: [Errno 2] No such file or directory: 'no-such-plugin'",
    ),
    "a plugin that fails": (plugin("false"), "exec: process returned 1; nearest: the plugin that"),
}


@pytest.mark.parametrize("name", NONE)
def test_what_is_no_way_into_a_cluster_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    content, told = NONE[name]
    file = tmp_path / "kubeconfig"
    if content:
        file.write_bytes(content)
    monkeypatch.setattr(kube_config, "KUBE_CONFIG_DEFAULT_LOCATION", str(file))
    with pytest.raises(VerbError) as refused:
        Cluster.of(STACK)
    assert told in str(refused.value)


def test_credentials_that_are_there_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "kubeconfig"
    file.write_bytes(kubeconfig(token="a"))
    monkeypatch.setattr(kube_config, "KUBE_CONFIG_DEFAULT_LOCATION", str(file))
    with pytest.raises(VerbError, match="cluster shared does not answer"):
        Cluster.of(STACK).version()
