"""Work of people and of other stacks in a stack's clusters, held against what a run takes away:
named before the run does, and a run that cannot come to its end before somebody stops that work is
refused.

An engine on Google Cloud runs no program for `destroy`: what then becomes of people's work is in
docs/clean-up.md.
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
from kube.people.networks import NETWORK, deleting
from kube.people.work import Record, Seen, Work, people_work
from review.step import EngineStep
from sandbox.cloud.kinds.cluster import Cluster, is_named
from sandbox.cloud.kinds.network import holders
from sandbox.cloud.resource import Resource
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
    if held := list(_in_networks(workspace, options)):
        said = _held(workspace, held)
        if not protected:
            raise UserError(f"--stack: {workspace.stack}: {said}")
        options.on_output(said)


def _in_networks(workspace: Workspace, options: RunOptions) -> Iterator[Resource]:
    """What no stack made in networks that go."""
    cloud = workspace.cloud()
    stacks = [workspace.stack, *(it.stack for it in workspace.beside())]
    made = {one for it in stacks for each in cloud.inventory(it).values() for one in each}
    for it in _targeted(_resources(workspace), options.only):
        network = cloud.get(str(it.get("id"))) if it["type"] == NETWORK else None
        if network is not None:
            yield from (one for one in holders(network, cloud) if one.id not in made)


def _held(workspace: Workspace, held: Sequence[Resource]) -> str:
    count = "1 resource" if len(held) == 1 else f"{len(held)} resources"
    again = command("destroy", workspace.stack, workspace.root)
    return "\n".join(
        [
            f"{count} that no stack made would hold up the stack's VPC network, and nothing was "
            "changed:",
            *(f"  {it.id}" for it in held),
            f"nearest: delete them, then `{again}`:",
            *(f"  {deleting(it.token, it.inputs)}" for it in held),
        ]
    )


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
    """What people and other stacks have in the clusters that the stack's objects are in."""
    resources = _resources(workspace)
    record = Record.of(resources)
    others = {it.stack: _resources(it) for it in workspace.beside()}
    found: list[Work] = []
    clusters = Clusters(workspace.cloud(), workspace.cloud_file)
    for cluster in clusters.cloud.find(Cluster.token):
        if any(_providers(resources, cluster)):
            records = {name: Record.of(_objects_in(it, cluster)) for name, it in others.items()}
            found += people_work(seen_in(clusters.kube(cluster)), record, records)
    return found


def seen_in(kube: Kube) -> Seen:
    pools = {it.name: it.pool for it in kube.nodes()}
    return Seen.read(lambda kind: kube.listed(kind.api_version, kind.name), pools, kube.finalized())


def _objects_in(resources: Resources, cluster: Resource) -> Iterator[Mapping[str, Any]]:
    providers = {*_providers(resources, cluster)}
    return (it for it in resources if _provider_of(it) in providers)


def _providers(resources: Resources, cluster: Resource) -> Iterator[str]:
    """URNs of those that lead into the cluster."""
    for it in resources:
        config = str((it.get("inputs") or {}).get("kubeconfig"))
        if it["type"] == _PROVIDER and is_named(cluster, config):
            yield str(it["urn"])


def _provider_of(resource: Mapping[str, Any]) -> str:
    return str(resource.get("provider")).rpartition("::")[0]


def _of_change(
    workspace: Workspace, works: Sequence[Work], shown: RunResult, options: RunOptions
) -> list[Effect]:
    urns = {it.urn for it in shown.report.resources if it.operation in _GOES}
    # The record of an earlier release has other URNs than the program.
    aliased = shown.report.aliased
    targeted = _targeted(_resources(workspace), options.only)
    gone = (it for it in targeted if aliased.get(it["urn"], it["urn"]) in urns)
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
    changed = [
        {"type": it.type, "outputs": it.new} for it in updates if _changes_what_work_needs(it)
    ]
    return Going.of(gone, renewed, shrunk=shrunk, upgrade=upgrade, changed=changed, taints=taints)


def _changes_what_work_needs(step: EngineStep) -> bool:
    """An operator, or the quota of a queue; labels are nothing to the work there."""
    old, new = step.old or {}, step.new or {}
    return any(old.get(it) != new.get(it) for it in ("chart", "version", "values", "spec"))


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
        options.on_output(f"what {_whose(found)} have in the cluster, and this reaches:")
        for it in found:
            options.on_output(f"  {it}")


def _whose(found: Iterable[Effect]) -> str:
    owned = {it.work.on_record for it in found}
    names = {False: "people", True: "other stacks"}
    return " and ".join(names[it] for it in sorted(owned))


def _refusal(workspace: Workspace, verb: Verb, found: Sequence[Effect]) -> str:
    holding = [it for it in found if it.holds]
    count = "1 object" if len(holding) == 1 else f"{len(holding)} objects"
    again = command(verb, workspace.stack, workspace.root)
    return "\n".join(
        [
            f"{count} of {_whose(holding)} in the cluster would not end with this, and nothing was "
            "changed:",
            *(f"  {it}" for it in holding),
            f"nearest: stop them, then `{again}`:",
            *_stops(workspace, [it.work for it in holding]),
        ]
    )


def _stops(workspace: Workspace, works: Sequence[Work]) -> Iterator[str]:
    for stack in sorted({it.stack for it in works if it.on_record}):
        ends = command("destroy", stack, workspace.root)
        changes = command("up", stack, workspace.root)
        yield f"  {ends}  # or `{changes}` after Pulumi.{stack}.yaml no longer has them"
    people = [it for it in works if not it.on_record]
    if people:
        yield from _way_in(workspace)
    yield from (f"  {it.command('kubectl')}" for it in people)


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
    yield _provider_of(resource)


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
