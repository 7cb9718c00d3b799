"""What Kueue's webhooks and the rules of its definitions refuse in its own objects.

Source: kubernetes-sigs/kueue pkg/webhooks and apis/kueue, v0.19.0 (read 2026-11-21). A flavor that
does not exist is none of it: the queue is inactive until it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from kube import quantity
from kube.errors import KubeError
from kube.objects import JsonObject, dig, maps

Finding = tuple[str, str]
_HOSTNAME = "kubernetes.io/hostname"
_RECLAIM = "reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"


def _cluster_queue(manifest: JsonObject) -> Iterator[Finding]:
    spec = manifest["spec"]
    cohort = spec.get("cohortName") or spec.get("cohort")
    yield from _group_findings(spec, "" if cohort else "cohort", lends_nominal=True)
    preemption = spec.get("preemption") or {}
    borrows = dig(preemption, "borrowWithinCohort", "policy") or "Never"
    if (preemption.get("reclaimWithinCohort") or "Never") == "Never" and borrows != "Never":
        yield "spec.preemption", _RECLAIM
    fungibility = spec["flavorFungibility"]
    ways = {fungibility["whenCanBorrow"], fungibility["whenCanPreempt"]}
    if fungibility.get("preference") and ways != {"TryNextFlavor"}:
        yield "spec.flavorFungibility.preference", "needs TryNextFlavor in both other fields"
    names = [flavor["name"] for _, flavor in _flavors(spec)]
    checks = maps(dig(spec, "admissionChecksStrategy", "admissionChecks"))
    for index, each in enumerate(checks):
        for at, name in enumerate(each.get("onFlavors") or []):
            if name not in names:
                path = f"spec.admissionChecksStrategy.admissionChecks[{index}].onFlavors[{at}]"
                yield path, f'unsupported value: "{name}": supported values: {", ".join(names)}'


def _cohort(manifest: JsonObject) -> Iterator[Finding]:
    parent = manifest["spec"].get("parentName")
    yield from _group_findings(manifest["spec"], "" if parent else "parent", lends_nominal=False)


def _flavors(spec: Mapping[str, Any]) -> Iterator[tuple[str, JsonObject]]:
    for at, group in enumerate(maps(spec.get("resourceGroups"))):
        for index, flavor in enumerate(maps(group["flavors"])):
            yield f"spec.resourceGroups[{at}].flavors[{index}]", flavor


def _group_findings(spec: JsonObject, lacks: str, *, lends_nominal: bool) -> Iterator[Finding]:
    groups = maps(spec.get("resourceGroups"))
    resources: set[str] = set()
    flavors: set[str] = set()
    for at, group in enumerate(groups):
        path, covered = f"spec.resourceGroups[{at}]", group["coveredResources"]
        for index, name in enumerate(covered):
            if name in resources:
                yield f"{path}.coveredResources[{index}]", f'duplicate value: "{name}"'
            resources.add(name)
        for index, flavor in enumerate(maps(group["flavors"])):
            where = f"{path}.flavors[{index}]"
            if flavor["name"] in flavors:
                yield f"{where}.name", f'duplicate value: "{flavor["name"]}"'
            flavors.add(flavor["name"])
            if len(flavor["resources"]) != len(covered):
                text = "flavors must have the same number of resources as the coveredResources"
                yield path, text
                continue
            for number, quota in enumerate(maps(flavor["resources"])):
                spot = f"{where}.resources[{number}]"
                if quota["name"] != covered[number]:
                    text = f'"{quota["name"]}" must match the name in coveredResources'
                    yield f"{spot}.name", f"{text}; nearest: {covered[number]}"
                yield from _quota_findings(quota, spot, lacks, lends_nominal=lends_nominal)


def _quota_findings(
    quota: JsonObject, path: str, lacks: str, *, lends_nominal: bool
) -> Iterator[Finding]:
    amounts: dict[str, Fraction] = {}
    for field in ("nominalQuota", "borrowingLimit", "lendingLimit"):
        if quota.get(field) is None:
            continue
        at = f"{path}.{field}"
        try:
            amounts[field] = quantity.parse(quota[field])
        except KubeError as error:
            yield at, error.message
            continue
        if amounts[field] < 0:
            yield at, f'"{quota[field]}" must be greater than or equal to 0'
        if lacks and field != "nominalQuota":
            yield at, f'"{quota[field]}" must be nil when {lacks} is empty'
    nominal, lends = amounts.get("nominalQuota"), amounts.get("lendingLimit")
    if lends_nominal and nominal is not None and lends is not None and lends > nominal:
        text = f'"{quota["lendingLimit"]}" must be less than or equal to the nominalQuota'
        yield f"{path}.lendingLimit", text


def _flavor(manifest: JsonObject) -> Iterator[Finding]:
    spec = manifest["spec"]
    if spec.get("topologyName") and not spec.get("nodeLabels"):
        yield "spec", "at least one nodeLabel is required when topology is set"
    taints = maps(spec.get("nodeTaints"))
    seen: set[tuple[str, str]] = set()
    for index, taint in enumerate(taints):
        pair = taint["key"], taint["effect"]
        if pair in seen:
            yield f"spec.nodeTaints[{index}]", "taints must be unique by key and effect pair"
        seen.add(pair)
    for index, toleration in enumerate(maps(spec.get("tolerations"))):
        at, exists = f"spec.tolerations[{index}]", toleration.get("operator") == "Exists"
        if not toleration.get("key") and not exists:
            yield f"{at}.operator", "operator must be Exists when 'key' is empty"
        if exists and toleration.get("value"):
            yield f"{at}.value", "a value must be empty when 'operator' is 'Exists'"
        if toleration.get("tolerationSeconds") and toleration.get("effect") != "NoExecute":
            yield f"{at}.effect", "effect must be 'NoExecute' when 'tolerationSeconds' is set"


def _topology(manifest: JsonObject) -> Iterator[Finding]:
    labels = [level["nodeLabel"] for level in maps(manifest["spec"]["levels"])]
    if len(set(labels)) < len(labels):
        yield "spec.levels", "must be unique"
    if _HOSTNAME in labels[:-1]:
        text = f"the {_HOSTNAME} label can only be used at the lowest level of topology"
        yield "spec.levels", text


KUEUE_RULES = {
    "ClusterQueue": _cluster_queue,
    "Cohort": _cohort,
    "ResourceFlavor": _flavor,
    "Topology": _topology,
}
