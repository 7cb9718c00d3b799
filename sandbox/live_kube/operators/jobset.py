"""What a release of JobSet's chart has in a cluster, and its controller's configuration.

Source: kubernetes-sigs/jobset charts/jobset, config/components and api/config/v1alpha1, v0.12.0
(read 2026-11-22). The controller is a process of this machine, so every webhook is called by URL,
with a certificate that the controller has not made itself. Left out: its metrics.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kube.objects import JsonObject, maps, name_of
from sandbox.live_kube.operators.by_url import call_by_url
from sandbox.live_kube.operators.kustomization import customized, read_objects
from sandbox.live_kube.operators.rbac import installed

_HOST = "127.0.0.1"
_PREFIX = "jobset-"
# In the manifests, and in the chart.
_ACCOUNTS = {"controller-manager": "controller"}
_OWN_PODS = {"matchExpressions": [{"key": "jobset.sigs.k8s.io/jobset-name", "operator": "Exists"}]}


def job_set_objects(
    manifests: Path, namespace: str, webhook_url: str, ca_bundle: str
) -> list[JsonObject]:
    """In the order in which they are made. `webhook_url` ends without a slash; `ca_bundle` is
    base64 of the PEM that its certificate verifies with."""
    folder = manifests / "jobset"
    definitions = read_objects(folder / "crds" / "jobset.x-k8s.io_jobsets.yaml")
    webhooks = read_objects(folder / "webhook" / "manifests.yaml")
    for hook in (hook for each in webhooks for hook in maps(each["webhooks"])):
        call_by_url(hook, webhook_url, ca_bundle)
        if any("pods" in rule["resources"] for rule in maps(hook["rules"])):
            hook["objectSelector"] = dict(_OWN_PODS)
    roles = [_as_in_the_chart(each) for each in customized(folder / "rbac")]
    names = [name_of(each) for each in webhooks]
    return [*definitions, *installed([*roles, *webhooks], namespace, _PREFIX, names)]


def _as_in_the_chart(obj: JsonObject) -> JsonObject:
    """The object with the account's name of the chart."""
    if obj["kind"] == "ServiceAccount":
        name = name_of(obj)
        return {**obj, "metadata": {**obj["metadata"], "name": _ACCOUNTS.get(name, name)}}
    if "subjects" not in obj:
        return obj
    subjects = [
        {**each, "name": _ACCOUNTS.get(each["name"], each["name"])} for each in obj["subjects"]
    ]
    return {**obj, "subjects": subjects}


def job_set_configuration(
    config: Mapping[str, Any], *, webhook_port: int, certificates: Path, health_port: int
) -> JsonObject:
    """A release's configuration for a controller alone, which listens at these ports of the
    loopback interface only. `certificates` has the webhooks' tls.crt and tls.key."""
    return {
        **config,
        "health": {"healthProbeBindAddress": f"{_HOST}:{health_port}"},
        "metrics": {"bindAddress": "0"},
        "webhook": {"host": _HOST, "port": webhook_port, "certDir": str(certificates)},
        "leaderElection": {"leaderElect": False},
        "internalCertManagement": {"enable": False},
    }
