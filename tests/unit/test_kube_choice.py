"""Where a cluster keeps its Kubernetes objects: what `--kube` comes to, and what is said of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from cli.errors import UserError
from cli.kube_mode import KubeMode
from cli.project import PROJECT
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.control_plane import binaries
from sandbox.kube_choice import IN_MEMORY, REAL, is_real, none_real, said
from sandbox.workspace import Workspace

Given = Callable[..., Workspace]


@pytest.fixture(params=[True, False], ids=["built", "not built"])
def built(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether `make kube-tools` has been run."""
    monkeypatch.setattr(binaries, "BUILT", tmp_path)
    if request.param:
        (tmp_path / ".ready").touch()
    return request.param


@pytest.fixture
def given(tmp_path: Path) -> Given:
    def workspace(stack: str, cluster: object = None, *, live: bool | None = None) -> Workspace:
        """A stack with that block of its config; with `live`, stack `owner` has a cluster."""
        found = Workspace(tmp_path / "sandbox", stack)
        for name in (stack, "owner"):
            file = Workspace(tmp_path / "sandbox", name).config_file
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(yaml.safe_dump({"config": {f"{PROJECT}:stack": {"cluster": cluster}}}))
        resource_id = "projects/p/locations/l/clusters/c"
        made = {
            "type": Cluster.token,
            "urns": [f"urn:pulumi:owner::{PROJECT}::{Cluster.token}::gke"],
            "creating": False,
            "inputs": {"name": "c", "location": "l", "project": "p"},
            "outputs": {
                "masterVersion": "1.35.1-gke.1",
                "endpoint": "203.0.113.7",
                "masterAuth": {},
            },
        }
        if live is not None:
            state = {
                "resources": {resource_id: made},
                "clusters": {resource_id: {"control_plane": live}},
            }
            found.cloud_file.write_text(json.dumps(state))
        return found

    return workspace


def test_unasked_a_new_cluster_is_real_where_that_is_built(given: Given, built: bool) -> None:
    new = given("owner")
    assert is_real(new, KubeMode.auto) is built
    assert said(new, real=built) == (REAL if built else IN_MEMORY)


@pytest.mark.parametrize("live", [True, False])
def test_a_cluster_that_is_there_stays_what_it_is(given: Given, live: bool) -> None:
    owner = given("owner", live=live)
    assert said(owner, real=not live) == (REAL if live else IN_MEMORY)


def test_another_kind_than_that_of_the_cluster_that_is_there_is_refused(given: Given) -> None:
    owner = given("owner", live=True)
    with pytest.raises(UserError, match="cluster c is there, with its objects a real control"):
        is_real(owner, KubeMode.memory)


@pytest.mark.parametrize(
    "cluster", [{"stack": f"organization/{PROJECT}/owner"}, {"existing": {"name": "c"}}]
)
@pytest.mark.parametrize("live", [True, False])
def test_who_stands_on_the_cluster_of_another_is_told_what_that_is(
    given: Given, cluster: object, live: bool
) -> None:
    assert said(given("work", cluster, live=live), real=not live) == (REAL if live else IN_MEMORY)


@pytest.mark.parametrize("cluster", ["none", {"existing": "c"}, {"stack": 1}])
def test_a_block_that_the_program_refuses_is_none_here(given: Given, cluster: object) -> None:
    assert said(given("work", cluster, live=True), real=False) == IN_MEMORY


@pytest.mark.parametrize(
    ("stack", "cluster", "live", "nearest"),
    [
        ("owner", None, None, ["up --stack owner --kube real"]),
        (
            "owner",
            None,
            False,
            ["status --stack owner", "destroy --stack owner", "up --stack owner --kube real"],
        ),
        ("work", {"existing": {"name": "c"}}, False, ["status --stack work"]),
    ],
)
def test_who_has_no_real_control_plane_is_told_what_there_is(
    given: Given, stack: str, cluster: object, live: bool | None, nearest: list[str]
) -> None:
    said_of_it = none_real(given(stack, cluster, live=live))
    assert "\n" not in said_of_it
    assert ("is in memory" in said_of_it) is (live is not None)
    commands = re.split(r", or | && ", said_of_it.partition("; nearest: ")[2])
    assert [re.sub(r".*aistack sandbox | --folder .*", "", it) for it in commands] == nearest
