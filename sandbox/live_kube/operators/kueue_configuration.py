"""The configuration of Kueue's manager: what a release gives it, and as a process of this machine.

Source: kubernetes-sigs/kueue apis/config/v1beta2 and charts/kueue, v0.19.2 (read 2026-11-21).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from catalog.strict_yaml import load_yaml
from kube.objects import JsonObject, name_of, namespace_of
from sandbox.kube.helm.chart import values_of
from sandbox.kube.kueue_configuration import config_text
from sandbox.live_kube.operators.kueue import chart_object

_HOST = "127.0.0.1"


def release_configuration(release: Mapping[str, Any]) -> JsonObject:
    """What a release's values say, and what its manager would learn from where it runs."""
    certificates = {
        "webhookServiceName": name_of(chart_object(release, "Service")),
        "webhookSecretName": name_of(chart_object(release, "Secret")),
    }
    given: JsonObject = load_yaml(config_text(values_of(release)))
    return {
        "namespace": namespace_of(release),
        "internalCertManagement": {"enable": True, **certificates},
        **given,
    }


def kueue_configuration(
    config: Mapping[str, Any],
    *,
    webhook_port: int,
    certificates: Path,
    health_port: int,
    metrics_port: int,
) -> JsonObject:
    """The same, alone, and listening at these ports of the loopback interface only.

    `certificates` has the webhooks' tls.crt and tls.key. Without its own management of them the
    manager wants others in a folder of the root's, for its metrics."""

    def part(name: str, **ours: Any) -> JsonObject:
        return {name: {**(config.get(name) or {}), **ours}}

    return {
        **{key: value for key, value in config.items() if key != "pprofBindAddress"},
        **part("health", healthProbeBindAddress=f"{_HOST}:{health_port}"),
        **part("metrics", bindAddress=f"{_HOST}:{metrics_port}"),
        **part("webhook", host=_HOST, port=webhook_port, certDir=str(certificates)),
        **part("leaderElection", leaderElect=False),
        **part("internalCertManagement", enable=True),
        # It would keep a certificate of its own in a folder of the root's.
        **part("featureGates", VisibilityOnDemand=False),
    }
