"""People's work in a stack's clusters, held against what a run takes away: named before the run
does, and a run that cannot come to its end before somebody stops that work is refused.

An engine on Google Cloud runs no program for `destroy`: what then becomes of people's work is in
docs/lost-work.md.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from cli.errors import UserError
from cli.next_steps import command
from kube.objects import Taint
from kube.people.going import Effect, Going, effects
from kube.people.work import Record, Seen, Work, people_work
from review.step import EngineStep
from sandbox.cloud.kinds.cluster import Cluster, is_named
from sandbox.clusters import Clusters, Kube
from sandbox.engine import Engine, RunOptions, RunResult, Verb
from sandbox.errors import CloudError
from sandbox.faults import Faults
from sandbox.workspace import Workspace
from stacks.refusal import NODE_POOL, SEAL_TYPE, drops_nodes, renews_nodes
from stacks.running_work import upgrades_nodes

_PROVIDER = "pulumi:providers:kubernetes"
_GOES = ("delete", "delete-replaced", "replace")
Resources = Sequence[Mapping[str, Any]]


def before_destroy(workspace: Workspace, options: RunOptions) -> None:
    """Say what ends with the stack. Raises UserError where people's work does not end with it, and
    nothing protects the stack from the destroy anyway."""
    resources = _resources(workspace)
    going = Going.of(_targeted(resources, options.only))
    found = effects(_works(workspace, options), going)
    protected = any(it["type"] == SEAL_TYPE for it in resources)
    _tell(found if protected else _ending(found), options)
    if any(it.holds for it in found) and not protected:
        raise UserError(f"--stack: {workspace.stack}: {_refusal(workspace, 'destroy', found)}")


def before_up(workspace: Workspace, secrets: Mapping[str, str], options: RunOptions) -> str | None:
    """Say what people lose by the change; why it is refused, if it is. Looks at the change by a
    preview, where there is work that it may reach."""
    works = _works(workspace, options)
    if not works:
        return None
    quiet = replace(options, on_output=lambda _: None, faults=Faults())
    shown = Engine(workspace, secrets).run("preview", quiet)
    if not shown.ok:
        # `up` fails in the same words.
        return None
    found = _of_change(workspace, works, shown, options)
    _tell(_ending(found), options)
    return _refusal(workspace, "up", found) if any(it.holds for it in found) else None


def after_preview(workspace: Workspace, shown: RunResult, options: RunOptions) -> None:
    """The same for what was previewed, which fails where `up` would."""
    if not shown.ok:
        return
    found = _of_change(workspace, _works(workspace, options), shown, options)
    _tell(_ending(found), options)
    if any(it.holds for it in found):
        shown.ok = False
        shown.report.diagnostics.append(_refusal(workspace, "up", found))


def _works(workspace: Workspace, options: RunOptions) -> list[Work]:
    """What can be seen of it now: the engine cannot delete in a cluster that does not answer."""
    try:
        return work_beside(workspace)
    except CloudError as error:
        options.on_output(f"what people have in the cluster is not known: {error}")
        return []


def work_beside(workspace: Workspace) -> list[Work]:
    """In the clusters that the stack's objects are in, beside those of all stacks."""
    resources = _resources(workspace)
    stacks = [resources, *map(_resources, workspace.beside())]
    record = Record.of(it for each in stacks for it in each)
    kubes = list(_kubes(workspace, resources))
    return [work for kube in kubes for work in people_work(seen_in(kube), record)]


def seen_in(kube: Kube) -> Seen:
    pools = {it.name: it.pool for it in kube.nodes()}
    return Seen.read(lambda kind: kube.listed(kind.api_version, kind.name), pools, kube.finalized())


def _kubes(workspace: Workspace, resources: Resources) -> Iterator[Kube]:
    configs = [
        str((it.get("inputs") or {}).get("kubeconfig"))
        for it in resources
        if it["type"] == _PROVIDER
    ]
    clusters = Clusters(workspace.cloud(), workspace.cloud_file)
    for cluster in clusters.cloud.find(Cluster.token):
        if any(is_named(cluster, it) for it in configs):
            yield clusters.kube(cluster)


def _of_change(
    workspace: Workspace, works: Sequence[Work], shown: RunResult, options: RunOptions
) -> list[Effect]:
    urns = {it.urn for it in shown.report.resources if it.operation in _GOES}
    targeted = _targeted(_resources(workspace), options.only)
    gone = (it for it in targeted if it["urn"] in urns)
    return effects(works, _going(gone, shown))


def _going(gone: Iterable[Mapping[str, Any]], shown: RunResult) -> Going:
    """With the nodes that are made anew or taken away while their pools stay."""
    events = map(EngineStep.of_event, shown.report.step_events)
    updates = [it for it in events if it is not None and it.operation == "update"]
    renewed = [
        str((it.old or {}).get("name"))
        for it in updates
        if renews_nodes(it.type, it.old or {}, it.new or {})
    ]
    shrunk = [
        str((it.old or {}).get("name"))
        for it in updates
        if drops_nodes(it.type, it.old or {}, it.new or {})
    ]
    upgrade = any(upgrades_nodes(it.type, it.old or {}, it.new or {}) for it in updates)
    taints = {
        str((it.old or {}).get("name")): found
        for it in updates
        if it.type == NODE_POOL and (found := _new_taints(it.old or {}, it.new or {}))
    }
    return Going.of(gone, renewed, shrunk=shrunk, upgrade=upgrade, taints=taints)


def _new_taints(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Taint]:
    """Those that a pool's nodes get in place and that evict pods."""
    before, after = (_taints(it) for it in (old, new))
    return [it for it in after if it not in before]


def _taints(pool: Mapping[str, Any]) -> list[Taint]:
    found = (pool.get("nodeConfig") or {}).get("taints") or ()
    return [
        Taint(key=str(it.get("key")), value=str(it.get("value") or ""), effect="NoExecute")
        for it in found
        if it.get("effect") == "NO_EXECUTE"
    ]


def _ending(found: Iterable[Effect]) -> list[Effect]:
    return [it for it in found if not it.holds]


def _tell(found: Sequence[Effect], options: RunOptions) -> None:
    if found:
        options.on_output("what people have in the cluster, and lose by this:")
        for it in found:
            options.on_output(f"  {it}")


def _refusal(workspace: Workspace, verb: Verb, found: Sequence[Effect]) -> str:
    holding = [it for it in found if it.holds]
    count = "1 object" if len(holding) == 1 else f"{len(holding)} objects"
    again = command(verb, workspace.stack, workspace.root)
    return "\n".join(
        [
            f"{count} of people in the cluster would not end with this, and nothing was changed:",
            *(f"  {it}" for it in holding),
            f"nearest: stop them, then `{again}`:",
            *_way_in(workspace),
            *(f"  {it.work.command}" for it in holding),
        ]
    )


def _way_in(workspace: Workspace) -> Iterator[str]:
    """For kubectl, which reaches no cluster in memory."""
    clusters = Clusters(workspace.cloud(), workspace.cloud_file)
    if any(clusters.is_live(it) for it in clusters.cloud.find(Cluster.token)):
        shown = command("kube kubeconfig", workspace.stack, workspace.root)
        yield f"  export KUBECONFIG=$({shown})"


def _targeted(resources: Resources, only: Mapping[str, Any]) -> Resources:
    """All of them, or the targets of a run, with what needs them where that goes, too."""
    targets: Collection[str] = only.get("target") or ()
    if not targets:
        return resources
    found = set(targets)
    if only.get("target_dependents"):
        # The engine's record has each resource after what it needs.
        for it in resources:
            if found & {*_needs(it)}:
                found.add(str(it["urn"]))
    return [it for it in resources if it["urn"] in found]


def _needs(resource: Mapping[str, Any]) -> Iterator[str]:
    yield from resource.get("dependencies") or ()
    yield str(resource.get("parent"))
    yield str(resource.get("provider")).rpartition("::")[0]


def _resources(workspace: Workspace) -> list[Mapping[str, Any]]:
    """The engine's record; nothing where it is cut."""
    found: list[Mapping[str, Any]] = []
    for file in workspace.state_files():
        try:
            document = json.loads(file.read_bytes())
        except ValueError:
            continue
        found += (document["checkpoint"].get("latest") or {}).get("resources") or []
    return found
