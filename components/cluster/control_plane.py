"""Where a cluster's control plane answers, and by what its certificate is known. Pure.

Sources: kubeconfigs as `gcloud container clusters get-credentials` writes them (Google Cloud SDK,
googlecloudsdk/api_lib/container/util.py, _GetClusterEndpoint, and kubeconfig.py, Cluster: a name
of the DNS-based endpoint goes without the cluster's certificate authority); its form and that it is
always there (Kubernetes Engine API, DNSEndpointConfig.endpoint: "uid.us-central1.gke.goog"); read
2026-11-27.
"""

import re
from dataclasses import dataclass
from enum import StrEnum

# A token of the user's goes to whoever has the name, with a certificate that the public trusts.
_DNS_NAME = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?\.[a-z0-9-]+\.gke\.goog")


class ControlPlaneEndpoint(StrEnum):
    """An address on the Internet, one in the VPC network alone, or a name of Google Cloud's that
    IAM guards."""

    PUBLIC = "public"
    PRIVATE = "private"
    DNS = "dns"


@dataclass(frozen=True, kw_only=True)
class Endpoints:
    """What Google Cloud says of a cluster. `address` is the public one where there is one;
    `is_dns_open` where users may come by `dns_name`."""

    address: str
    dns_name: str
    has_address: bool
    is_public: bool
    is_dns_open: bool

    @property
    def chosen(self) -> ControlPlaneEndpoint:
        """The public address, as gcloud takes it; of a cluster without one the name, which answers
        outside of the VPC network too."""
        if not self.has_address or (not self.is_public and self.is_dns_open):
            return ControlPlaneEndpoint.DNS
        return ControlPlaneEndpoint.PUBLIC if self.is_public else ControlPlaneEndpoint.PRIVATE

    @property
    def host(self) -> str:
        return self.dns_name if self.chosen is ControlPlaneEndpoint.DNS else self.address


def check_dns_name(name: str) -> str:
    """Returns `name`. Raises ValueError unless it is one of the DNS-based endpoint."""
    if not _DNS_NAME.fullmatch(name):
        raise ValueError(
            f'"{name[:80]}" is no name of a control plane at Google Cloud; nearest: one like '
            "gke-1a2b3c-123456789012.us-central1.gke.goog"
        )
    return name
