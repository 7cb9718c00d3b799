"""Ways into a cluster: which are taken, which are none, and that a state names none of them.

Who may push a branch may write the state. That the real plugin's token opens Google Cloud's API is
read in its code (aistack/control_plane.py), and not tried here.
"""

from __future__ import annotations

import json
import os
import urllib.request
from dataclasses import dataclass, field
from email.message import Message
from io import BytesIO
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request

import pytest
import yaml
from kubernetes.config import kube_config

from aistack.cluster import Cluster
from aistack.credentials import client_of
from aistack.errors import VerbError
from aistack.stack import Stack

CONTEXT = "gke_example_us-central1_shared"
OUTPUTS = {
    "project": "example",
    "cluster_location": "us-central1",
    "cluster_name": "shared",
}
COMMAND = (
    "gcloud container clusters get-credentials shared --location=us-central1 --project=example"
)
URL = "https://container.googleapis.com/v1/projects/example/locations/us-central1/clusters/shared"
FROM_GOOGLE = {"endpoint": "192.0.2.1", "masterAuth": {"clusterCaCertificate": "Q0E="}}


def by_name(name: str) -> dict[str, object]:
    """A cluster whose addresses are off."""
    dns = {"endpoint": name, "allowExternalTraffic": True}
    endpoints = {"dnsEndpointConfig": dns, "ipEndpointsConfig": {}}
    return {**FROM_GOOGLE, "endpoint": "", "controlPlaneEndpointsConfig": endpoints}


def stack_with(**outputs: object) -> Stack:
    root = {"urn": "a::b::pulumi:pulumi:Stack::c", "outputs": {**OUTPUTS, **outputs}}
    return Stack(name="shared", resources=[root])


STACK = stack_with()


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


NEAREST = f"nearest: {COMMAND}"
NONE: dict[str, tuple[bytes, str]] = {
    "a file that is not there": (b"", "no-such-plugin-here: not found on PATH. Install it"),
    "a file that is not YAML": (b"a: [\n", "KUBECONFIG: is no kubeconfig: while parsing"),
    "a file that is no text": (b"\xff\xfe\x00", "KUBECONFIG: is no kubeconfig: 'utf-8' codec"),
    "a list": (b"[]", NEAREST),
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
    monkeypatch.setattr("aistack.control_plane.PLUGIN", "no-such-plugin-here")
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


@dataclass
class Google:
    """What stands in for its API: `asked` are the URLs, with the token that came along."""

    answer: dict[str, object] | HTTPError
    asked: list[tuple[str, str | None]] = field(default_factory=list[tuple[str, str | None]])

    def urlopen(self, request: Request, timeout: float) -> BytesIO:
        self.asked.append((request.full_url, request.get_header("Authorization")))
        if isinstance(self.answer, HTTPError):
            raise self.answer
        return BytesIO(json.dumps(self.answer).encode())


def without_kubeconfig(
    patch: pytest.MonkeyPatch, folder: Path, answer: dict[str, object] | HTTPError
) -> Google:
    """A user without a context of the cluster, with the plugin, and with Google Cloud's answer."""
    program = folder / "gke-gcloud-auth-plugin"
    credential = {
        "apiVersion": "client.authentication.k8s.io/v1beta1",
        "kind": "ExecCredential",
        "status": {"token": "the-token"},
    }
    program.write_text(f"#!/bin/sh\necho '{json.dumps(credential)}'\n")
    program.chmod(0o700)
    patch.setenv("PATH", str(folder), prepend=os.pathsep)
    patch.setattr(kube_config, "KUBE_CONFIG_DEFAULT_LOCATION", str(folder / "none"))
    google = Google(answer)
    patch.setattr(urllib.request, "urlopen", google.urlopen)
    return google


POISONED: dict[str, object] = {
    "kubeconfig": {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "c",
        "clusters": [{"name": "c", "cluster": {"server": "https://evil.example"}}],
        "contexts": [{"name": "c", "context": {"cluster": "c", "user": "u"}}],
        "users": [
            {
                "name": "u",
                "user": {
                    "exec": {
                        "apiVersion": "client.authentication.k8s.io/v1beta1",
                        "command": "sh",
                        "args": ["-c", "touch RAN"],
                    }
                },
            }
        ],
    },
    "kubeconfig_command": "touch RAN",
    "cluster_endpoint": "evil.example",
}


def test_of_a_poisoned_state_nothing_is_run_and_no_host_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = str(tmp_path / "ran")
    poison = json.loads(json.dumps(POISONED).replace("RAN", ran))
    poison["kubeconfig"] = json.dumps(poison["kubeconfig"])
    google = without_kubeconfig(monkeypatch, tmp_path, dict(FROM_GOOGLE))
    client = client_of(stack_with(**poison))
    assert google.asked == [(URL, "Bearer the-token")]
    assert client.configuration.host == "https://192.0.2.1"
    assert not Path(ran).exists()


def test_the_token_goes_along_but_never_to_where_a_redirect_leads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[str, dict[str, str]]] = []

    def urlopen(request: Request, timeout: float) -> BytesIO:
        sent.append((request.full_url, dict(request.unredirected_hdrs)))
        return BytesIO(json.dumps(FROM_GOOGLE).encode())

    without_kubeconfig(monkeypatch, tmp_path, {})
    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    client_of(STACK)
    assert sent == [(URL, {"Authorization": "Bearer the-token"})]


@pytest.mark.parametrize(
    ("outputs", "told"),
    [
        ({"cluster_name": "../../../evil"}, 'the cluster\'s name in the state, "../../../evil"'),
        ({"cluster_name": "a?x=y"}, "is no id of Google Cloud"),
        ({"cluster_location": "us/evil"}, "the cluster's location in the state"),
        ({"project": "a..b"}, "the cluster's project in the state"),
        ({"project": ""}, "nearest: `pulumi up`"),
        ({"project": "a\nb"}, "is no id of Google Cloud"),
    ],
)
def test_a_name_that_would_lead_elsewhere_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, outputs: dict[str, object], told: str
) -> None:
    google = without_kubeconfig(monkeypatch, tmp_path, dict(FROM_GOOGLE))
    with pytest.raises(VerbError) as refused:
        client_of(stack_with(**outputs))
    assert told in str(refused.value)
    assert google.asked == []


def test_a_namespace_that_would_lead_elsewhere_is_refused() -> None:
    assert stack_with(namespaces=["default", "red"]).namespaces == ["default", "red"]
    with pytest.raises(VerbError, match="is no name of one"):
        _ = stack_with(namespaces=["default/pods/x"]).namespaces


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (HTTPError(URL, 404, "", Message(), None), f"Google Cloud has no cluster {CONTEXT}"),
        (HTTPError(URL, 403, "", Message(), None), "nearest: one with container.clusters.get"),
        (HTTPError(URL, 503, "", Message(), None), f"Google Cloud answers 503; nearest: {COMMAND}"),
        ({}, f"cluster {CONTEXT} has no endpoint; nearest: {COMMAND}"),
        ({**FROM_GOOGLE, "endpoint": "evil.example/x?"}, "has no endpoint"),
        (by_name("evil.example"), "is no name of a control plane at Google Cloud"),
        (by_name("gke-1.us-central1.gke.goog/x?"), "has no endpoint"),
    ],
)
def test_what_google_cloud_refuses_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: dict[str, object] | HTTPError,
    told: str,
) -> None:
    without_kubeconfig(monkeypatch, tmp_path, answer)
    with pytest.raises(VerbError) as refused:
        client_of(STACK)
    assert told in str(refused.value)


def test_a_cluster_without_addresses_is_asked_by_its_name_with_a_certificate_of_the_publics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "gke-1a2b3c-123456789012.us-central1.gke.goog"
    without_kubeconfig(monkeypatch, tmp_path, by_name(name))
    configuration = client_of(STACK).configuration
    assert configuration.host == f"https://{name}"
    assert configuration.ssl_ca_cert is None
    assert configuration.verify_ssl
