"""A platform whose cluster other stacks stand on is not destroyed by the sandbox."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from cli.errors import UserError
from sandbox.cloud.resource import Resource
from sandbox.in_use import refuse_platform_in_use
from sandbox.workspace import Workspace
from tests.unit.simulated_project import CLUSTER, NETWORK, POOL, SERVICE, SUBNET, P

ON_PLATFORM = {"stack": "organization/gke-ai-stacks/platform"}
REFUSED = (
    "--stack: platform: its cluster has node pools or objects of tenant; "
    "nearest: `aistack sandbox destroy --stack tenant --folder "
)


def prepared(folder: Path, stack: str, cluster: dict[str, str] | None = None) -> Workspace:
    """A stack whose config has that block, after a command that made nothing."""
    one = Workspace(folder / "sandbox", stack, folder)
    (folder / "Pulumi.yaml").write_text("name: gke-ai-stacks\nruntime: python\n")
    block = {"name": stack} if cluster is None else {"name": stack, "cluster": cluster}
    one.source.write_text(yaml.safe_dump({"config": {"gke-ai-stacks:stack": block}}))
    one.prepare([])
    return one


def made(workspace: Workspace, token: str, **inputs: object) -> Resource:
    cloud = workspace.cloud()
    urn = f"urn:pulumi:{workspace.stack}::p::{token}::x"
    return cloud.finish_create(cloud.begin_create(token, {"project": P, **inputs}, urn))


def with_cluster(workspace: Workspace) -> Resource:
    for name in ("compute", "container"):
        made(workspace, SERVICE, service=f"{name}.googleapis.com")
    network = made(workspace, NETWORK, name="net")
    subnet = made(
        workspace,
        SUBNET,
        name="nodes",
        region="us-east1",
        network=network.id,
        ipCidrRange="10.0.0.0/20",
    )
    return made(
        workspace,
        CLUSTER,
        name=workspace.stack,
        location="us-east1",
        nodeLocations=["us-east1-b"],
        network=network.id,
        subnetwork=subnet.id,
    )


def with_pool(workspace: Workspace, cluster: Resource) -> Resource:
    node = {"machineType": "e2-standard-4"}
    return made(
        workspace, POOL, name="pool", cluster=cluster.id, initialNodeCount=1, nodeConfig=node
    )


def with_state(workspace: Workspace, server: str, *, objects: bool) -> None:
    """The engine's record of a Kubernetes provider, and of an object by it."""
    urn = f"urn:pulumi:{workspace.stack}::p::pulumi:providers:kubernetes::gke"
    config = {"kubeconfig": json.dumps({"clusters": [{"cluster": {"server": server}}]})}
    state = [{"urn": urn, "type": "pulumi:providers:kubernetes", "inputs": config}]
    if objects:
        kind = "kubernetes:core/v1:Namespace"
        state.append({"urn": f"{urn}-x", "type": kind, "provider": f"{urn}::id"})
    folder = workspace.backend / ".pulumi" / "stacks" / "gke-ai-stacks"
    folder.mkdir(parents=True, exist_ok=True)
    document = {"checkpoint": {"latest": {"resources": state}}}
    (folder / f"{workspace.stack}.json").write_text(json.dumps(document))


def test_a_platform_goes_after_the_pools_of_others_in_its_cluster(tmp_path: Path) -> None:
    platform = prepared(tmp_path, "platform")
    cluster = with_cluster(platform)
    tenant = prepared(tmp_path, "tenant", ON_PLATFORM)
    refuse_platform_in_use(platform)
    pool = with_pool(tenant, cluster)
    with pytest.raises(UserError) as found:
        refuse_platform_in_use(platform)
    assert str(found.value).startswith(REFUSED)
    refuse_platform_in_use(tenant)
    cloud = tenant.cloud()
    cloud.finish_delete(pool)
    refuse_platform_in_use(platform)


def test_a_preview_that_names_no_platform_changes_nothing_of_what_is_up(tmp_path: Path) -> None:
    platform = prepared(tmp_path, "platform")
    with_pool(prepared(tmp_path, "tenant", ON_PLATFORM), with_cluster(platform))
    prepared(tmp_path, "tenant")
    with pytest.raises(UserError, match="nearest: `aistack sandbox destroy --stack tenant "):
        refuse_platform_in_use(platform)


def test_a_preview_that_names_a_platform_keeps_it_from_nothing(tmp_path: Path) -> None:
    platform = prepared(tmp_path, "platform")
    with_cluster(platform)
    tenant = prepared(tmp_path, "tenant", ON_PLATFORM)
    made(tenant, SERVICE, service="iam.googleapis.com")
    refuse_platform_in_use(platform)


@pytest.mark.parametrize(
    ("elsewhere", "objects", "refused"), [("", True, True), ("x", True, False), ("", False, False)]
)
def test_objects_alone_stand_on_a_cluster_too(
    tmp_path: Path, elsewhere: str, *, objects: bool, refused: bool
) -> None:
    platform = prepared(tmp_path, "platform")
    endpoint = with_cluster(platform).outputs["endpoint"]
    server = f"https://{elsewhere or endpoint}"
    with_state(prepared(tmp_path, "tenant"), server, objects=objects)
    with_state(platform, server, objects=True)
    if not refused:
        refuse_platform_in_use(platform)
        return
    with pytest.raises(UserError) as found:
        refuse_platform_in_use(platform)
    assert str(found.value).startswith(REFUSED)


def test_a_state_that_is_cut_or_empty_says_nothing(tmp_path: Path) -> None:
    platform = prepared(tmp_path, "platform")
    with_state(platform, "", objects=True)
    with_cluster(platform)
    for number, text in enumerate(('{"checkpoint": {', '{"checkpoint": {"latest": null}}')):
        tenant = prepared(tmp_path, f"tenant-{number}")
        with_state(tenant, "", objects=True)
        next(tenant.state_files()).write_text(text)
    refuse_platform_in_use(platform)
