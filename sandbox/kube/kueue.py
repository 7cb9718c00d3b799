"""Kueue in a cluster: whether it is there and runs, and what its objects say of themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kube.objects import JsonObject, labels_of, maps
from sandbox.kube.helm.installed import chart_release, operator_pods_run
from sandbox.kube.kueue_configuration import Configuration, read_configuration
from sandbox.kube.store import Store

QUEUE = "kueue.x-k8s.io/queue-name"


def installed(store: Store) -> Configuration | None:
    """The configuration of the installed Kueue; its webhooks are there whether it runs or not."""
    release = chart_release(store, "kueue")
    return read_configuration(release) if release else None


def running(store: Store) -> Configuration | None:
    release = chart_release(store, "kueue")
    if release is None or not operator_pods_run(store, release):
        return None
    return read_configuration(release)


def queue_of(obj: Mapping[str, Any]) -> str:
    return labels_of(obj).get(QUEUE, "")


def cohort_of(queue: Mapping[str, Any]) -> str:
    spec = queue["spec"]
    return spec.get("cohortName") or spec.get("cohort") or ""


def flavors_of(queue: Mapping[str, Any]) -> list[JsonObject]:
    """The flavors of all its resource groups, each with the quotas of its resources."""
    groups = maps(queue["spec"].get("resourceGroups"))
    return [flavor for group in groups for flavor in maps(group["flavors"])]
