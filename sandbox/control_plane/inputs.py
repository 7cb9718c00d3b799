"""Writes what the programs read when they start; what must last is made once."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Mapping
from typing import Any

import yaml

from sandbox.control_plane.identities import make_tokens, service_account
from sandbox.control_plane.kubeconfigs import write_kubeconfigs
from sandbox.control_plane.layout import Layout
from sandbox.control_plane.operators import installed
from sandbox.control_plane.private_files import write_private
from sandbox.control_plane.programs import Setting


def write_inputs(setting: Setting) -> None:
    layout = setting.layout
    if not layout.certificates.exists():
        # It costs a fifth of a second to import.
        from sandbox.control_plane.certificates import make_certificates

        make_certificates(layout)
    if not layout.encryption.exists():
        write_private(layout.encryption, yaml.safe_dump(_encryption(), sort_keys=False))
    operators = installed(layout)
    acts_as = {name: service_account(name, each.namespace) for name, each in operators.items()}
    port = setting.port("kube-apiserver", "api")
    write_kubeconfigs(layout, port, make_tokens(layout.tokens), acts_as)
    write_private(layout.scheduler_configuration, json.dumps(_scheduler(layout), indent=2))
    if "kueue" in operators:
        _write_kueue(setting, operators["kueue"].configuration)
    if "jobset" in operators:
        _write_job_set(setting, operators["jobset"].configuration)


def _encryption() -> dict[str, Any]:
    """Secrets are encrypted before etcd has them."""
    key = {"name": "sandbox", "secret": base64.b64encode(secrets.token_bytes(32)).decode()}
    return {
        "apiVersion": "apiserver.config.k8s.io/v1",
        "kind": "EncryptionConfiguration",
        "resources": [{"resources": ["secrets"], "providers": [{"secretbox": {"keys": [key]}}]}],
    }


def _scheduler(layout: Layout) -> dict[str, Any]:
    return {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "clientConnection": {"kubeconfig": str(layout.kubeconfig("kube-scheduler"))},
        "leaderElection": {"leaderElect": False},
    }


def _write_kueue(setting: Setting, given: Mapping[str, Any]) -> None:
    from sandbox.live_kube.operators import kueue_configuration

    layout = setting.layout
    configuration = kueue_configuration(
        given,
        webhook_port=setting.port("kueue", "webhook"),
        certificates=layout.webhook_certificates("kueue"),
        health_port=setting.port("kueue", "health"),
        metrics_port=setting.port("kueue", "metrics"),
    )
    _write(layout, "kueue", configuration)


def _write_job_set(setting: Setting, given: Mapping[str, Any]) -> None:
    from sandbox.live_kube.operators import job_set_configuration

    layout = setting.layout
    configuration = job_set_configuration(
        given,
        webhook_port=setting.port("jobset", "webhook"),
        certificates=layout.webhook_certificates("jobset"),
        health_port=setting.port("jobset", "health"),
    )
    _write(layout, "jobset", configuration)


def _write(layout: Layout, operator: str, configuration: Mapping[str, Any]) -> None:
    write_private(layout.configuration(operator), yaml.safe_dump(configuration, sort_keys=False))
