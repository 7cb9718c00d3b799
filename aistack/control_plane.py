"""Where a cluster's control plane is, as Google Cloud itself says.

Whoever may push a branch may write a stack's state, so no address and no command is taken from it:
only names, of which Google Cloud says what they stand for. A token of the user's then goes to
Google Cloud's API and to a control plane that Google Cloud runs, and nowhere else.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError, URLError

from aistack.errors import ForbiddenError, LostError, MissingError, VerbError, reason_of
from aistack.offered import offered_up
from components.cluster.control_plane import ControlPlaneEndpoint, Endpoints
from components.cluster.kubeconfig import (
    INSTALL_HINT,
    PLUGIN,
    PLUGIN_ARGUMENTS,
    context_name,
    kubeconfig,
)

# projects.locations.clusters.get of the Kubernetes Engine API v1 (documentation of Google Cloud,
# "REST Resource: projects.locations.clusters", read 2026-11-26).
_API = "https://container.googleapis.com/v1"
_SECONDS = 30
# Letters, digits and what stands between them in the ids of projects, some of which begin with a
# domain ("Creating and managing projects"): nothing that has a meaning in a path of a URL.
_ID = re.compile(r"[a-z0-9]([a-z0-9.:-]*[a-z0-9])?")
_ENDPOINT = re.compile(r"[A-Za-z0-9.-]+")


@dataclass(frozen=True)
class ClusterId:
    """The names by which Google Cloud knows a cluster. Raises VerbError for one that no project,
    location or cluster can have."""

    project: str
    location: str
    name: str

    def __post_init__(self) -> None:
        for field, value in vars(self).items():
            if not _ID.fullmatch(value) or ".." in value:
                raise VerbError(
                    f'the cluster\'s {field} in the state, "{value[:80]}", is no id of Google '
                    f"Cloud; nearest: `{offered_up()}`, which writes it again"
                )

    @property
    def context(self) -> str:
        return context_name(self.project, self.location, self.name)

    @property
    def credentials_command(self) -> str:
        words = [self.name, f"--location={self.location}", f"--project={self.project}"]
        return f"gcloud container clusters get-credentials {shlex.join(words)}"

    @property
    def _url(self) -> str:
        places = f"projects/{self.project}/locations/{self.location}"
        return f"{_API}/{places}/clusters/{self.name}"

    def kubeconfig(self) -> str:
        """With the endpoint and the CA certificate that Google Cloud has of the cluster, as JSON.
        Raises VerbError."""
        nearest = f"nearest: {self.credentials_command}"
        request = urllib.request.Request(self._url)
        request.add_unredirected_header("Authorization", f"Bearer {_token(nearest)}")
        try:
            with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
                cluster = json.load(answer)
        except HTTPError as error:
            raise _refused(self, error, nearest) from None
        except (URLError, TimeoutError, ValueError) as error:
            why = reason_of(error)
            raise LostError(f"container.googleapis.com does not answer: {why}; {nearest}") from None
        ways = _endpoints(cluster)
        certificate = str(cluster.get("masterAuth", {}).get("clusterCaCertificate", ""))
        by_name = ways.chosen is ControlPlaneEndpoint.DNS
        if not _ENDPOINT.fullmatch(ways.host) or not (by_name or certificate):
            raise VerbError(f"cluster {self.context} has no endpoint; {nearest}")
        try:
            return kubeconfig(self.context, ways.host, None if by_name else certificate)
        except ValueError as error:
            raise VerbError(f"cluster {self.context}: {error}; {nearest}") from None


def _endpoints(cluster: Mapping[str, Any]) -> Endpoints:
    """A cluster whose answer says nothing of addresses has some; an answer that leaves `enabled`
    out says no (Google Cloud SDK, googlecloudsdk/api_lib/container/util.py,
    _GetClusterEndpoint)."""
    config = cluster.get("controlPlaneEndpointsConfig") or {}
    dns = config.get("dnsEndpointConfig") or {}
    address = config.get("ipEndpointsConfig")
    has_address = address is None or bool(address.get("enabled"))
    return Endpoints(
        address=str(cluster.get("endpoint", "")),
        dns_name=str(dns.get("endpoint", "")),
        has_address=has_address,
        is_public=address is None or bool(address.get("enablePublicEndpoint", True)),
        is_dns_open=bool(dns.get("allowExternalTraffic")),
    )


def _refused(cluster: ClusterId, error: HTTPError, nearest: str) -> VerbError:
    match error.code:
        case 404:
            return MissingError(f"Google Cloud has no cluster {cluster.context}")
        case 401 | 403:
            role = "one with container.clusters.get, such as roles/container.clusterViewer"
            return ForbiddenError(f"cluster {cluster.context} is not yours to see; nearest: {role}")
        case code:
            return VerbError(f"cluster {cluster.context}: Google Cloud answers {code}; {nearest}")


def _token(nearest: str) -> str:
    """An access token of the user's, by the plugin that Kubernetes clients ask too. It is for all
    of Google Cloud (kubernetes/cloud-provider-gcp cmd/gke-gcloud-auth-plugin/
    default_credentials_token_provider.go, commit 4e245312 of 2026-08-19). Raises VerbError."""
    try:
        done = subprocess.run(
            [PLUGIN, *PLUGIN_ARGUMENTS],
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )
    except FileNotFoundError:
        raise VerbError(f"{PLUGIN}: not found on PATH. {INSTALL_HINT}; or {nearest}") from None
    except subprocess.TimeoutExpired:
        raise VerbError(f"{PLUGIN}: gives no token within {_SECONDS} s; {nearest}") from None
    try:
        found: Any = json.loads(done.stdout)["status"]["token"]
    except (ValueError, KeyError, TypeError):
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        raise VerbError(f"{PLUGIN}: gives no token, and says {said}; {nearest}") from None
    return str(found)
