"""What a PodMonitoring of Google's managed Prometheus has to say beyond its schema.

Source: GoogleCloudPlatform/prometheus-engine charts/operator/crds, commit 2ffde4ec of 2026-07-02,
x-kubernetes-validations.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from kube.objects import maps

Finding = tuple[str, str]


def port_findings(manifest: Mapping[str, Any]) -> Iterator[Finding]:
    for index, endpoint in enumerate(maps(manifest["spec"]["endpoints"])):
        if endpoint["port"] == 0:
            yield f"spec.endpoints[{index}].port", "0 is no port"
