"""A platform whose cluster other stacks stand on is not destroyed by the sandbox."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest
import yaml

from sandbox.errors import UserError
from sandbox.in_use import refuse_platform_in_use
from sandbox.workspace import Workspace


def prepared(folder: Path, stack: str, cluster: dict[str, str] | None, *, up: bool) -> Workspace:
    """A stack with that block; where it is up, it has turned an API on."""
    one = Workspace(folder / "sandbox", stack, folder)
    (folder / "Pulumi.yaml").write_text("name: gke-ai-stacks\nruntime: python\n")
    block = {"name": stack} if cluster is None else {"name": stack, "cluster": cluster}
    one.source.write_text(yaml.safe_dump({"config": {"gke-ai-stacks:stack": block}}))
    one.prepare([])
    if up:
        api = {"project": "sandbox-project", "service": "compute.googleapis.com"}
        urn = f"urn:pulumi:{stack}::p::gcp:projects/service:Service::api"
        cloud = one.cloud()
        cloud.finish_create(cloud.begin_create("gcp:projects/service:Service", api, urn))
    return one


@pytest.mark.parametrize(
    ("reference", "up", "refused"),
    [
        ("organization/gke-ai-stacks/platform", True, True),
        ("organization/gke-ai-stacks/platform", False, False),
        ("organization/gke-ai-stacks/another", True, False),
        ("organization/another-project/platform", True, False),
    ],
)
def test_a_platform_goes_after_the_stacks_that_are_up_on_it(
    tmp_path: Path, reference: str, *, up: bool, refused: bool
) -> None:
    platform = prepared(tmp_path, "platform", None, up=True)
    tenant = prepared(tmp_path, "tenant", {"stack": reference}, up=up)
    with pytest.raises(UserError) if refused else nullcontext() as found:
        refuse_platform_in_use(platform)
    if found is not None:
        assert str(found.value) == (
            "--stack: platform: its cluster has tenant on it, by cluster.stack of the config; "
            "nearest: `destroy --stack tenant`"
        )
    refuse_platform_in_use(tenant)


def test_a_config_that_says_nothing_of_a_cluster_keeps_nobody_from_anything(
    tmp_path: Path,
) -> None:
    platform = prepared(tmp_path, "platform", None, up=True)
    prepared(tmp_path, "beside", {"mode": "standard"}, up=True)
    other = prepared(tmp_path, "other", None, up=True)
    other.config_file.write_text("config: {gke-ai-stacks:stack: text}")
    refuse_platform_in_use(platform)
