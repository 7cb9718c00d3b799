"""What a release of Kueue's chart has in a cluster: its kinds, account, permissions and webhooks.

Source: kubernetes-sigs/kueue charts/kueue and config/components, v0.19.2 (read 2026-11-21). The
manager is a process of this machine, so every webhook is called by URL. Left out: the visibility
server, metrics for Prometheus and what serves the manager inside a cluster.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kube.objects import JsonObject, dig, maps, name_of, namespace_of
from sandbox.kube.helm.kueue_chart import KueueChart
from sandbox.kube.kueue_configuration import Configuration, read_configuration
from sandbox.live_kube.operators.by_url import call_by_url
from sandbox.live_kube.operators.kustomization import customized, read_objects
from sandbox.live_kube.operators.rbac import installed

_ACCOUNT = "controller-manager"
_OWN_GROUP = "kueue.x-k8s.io"
# The chart lets these be made without the manager when it does not take care of them.
_OPTIONAL = {"pods": "pod", "deployments": "deployment", "statefulsets": "statefulset"}


def kueue_objects(
    manifests: Path, release: Mapping[str, Any], webhook_url: str, ca_bundle: str
) -> list[JsonObject]:
    """In the order in which they are made, without the Secret of `webhook_authority`. `webhook_url`
    ends without a slash; `ca_bundle` is base64 of the PEM that its certificate verifies with."""
    folder, config = manifests / "kueue", read_configuration(release)
    definitions = customized(folder / "crd")
    webhooks = read_objects(folder / "webhook" / "manifests.yaml")
    for each in definitions:
        call_by_url(dig(each, "spec", "conversion", "webhook"), webhook_url, ca_bundle)
    for hook in (hook for each in webhooks for hook in maps(each["webhooks"])):
        call_by_url(hook, webhook_url, ca_bundle)
        _limit(hook, config)
    prefix = name_of(chart_object(release, "ServiceAccount")).removesuffix(_ACCOUNT)
    names = [name_of(each) for each in webhooks]
    placed = [*customized(folder / "rbac"), *webhooks]
    return [*definitions, *installed(placed, namespace_of(release), prefix, names)]


def chart_object(release: Mapping[str, Any], kind: str) -> JsonObject:
    """The first object of a kind that the chart makes, besides roles."""
    return next(each for each in KueueChart().objects(release) if each["kind"] == kind)


def _limit(webhook: JsonObject, config: Configuration) -> None:
    """Which namespaces and failures a webhook leaves alone, as the chart's templates have it."""
    rules = maps(webhook["rules"])
    if any(_OWN_GROUP not in rule["apiGroups"] for rule in rules):
        webhook["namespaceSelector"] = dict(config.namespaces)
    optional = {_OPTIONAL.get(kind) for rule in rules for kind in rule["resources"]} - {None}
    if optional - config.frameworks:
        webhook["failurePolicy"] = "Ignore"
