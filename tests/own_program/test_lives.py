"""Programs of one's own live whole: preview, up, an empty preview, refresh, destroy."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from sandbox.pytest_plugin import ProgramSandbox
from tests.own_program.programs import (
    ONLY_KUBERNETES,
    PLAIN_CLUSTER,
    TWO_PROJECTS,
    of_main,
    written,
)

pytestmark = pytest.mark.thorough
NETWORK = "gcp:compute/network:Network"
CLUSTER = "gcp:container/cluster:Cluster"


def lived(sandbox: ProgramSandbox) -> dict[str, Any]:
    """The outputs of a program that lives."""
    before = {it: it.read_bytes() for it in sorted(sandbox.program.rglob("*.*")) if it.is_file()}
    sandbox.preview()
    up = sandbox.up()
    assert sandbox.preview().changed == {}
    assert set(sandbox.refresh().changed.values()) <= {"refresh"}
    assert sandbox.preview().changed == {}
    gone = sandbox.destroy()
    assert not [it for it in gone.cloud if it.startswith("gcp:") and it != CLUSTER]
    after = {it: it.read_bytes() for it in before}
    assert after == before
    return dict(up.outputs)


def test_a_cluster_with_nodes_of_its_own(gke_ai_sandbox: Any, tmp_path: Path) -> None:
    program = written(PLAIN_CLUSTER, tmp_path / "program")
    outputs = lived(gke_ai_sandbox(program))
    assert re.fullmatch(r"net-vpc-[0-9a-f]{7}", outputs["network"])
    assert re.fullmatch(r"app-[0-9a-f]{8}", outputs["app"])
    own = {"stacks": "not-ours", "folder": str(program), "home": os.environ["HOME"]}
    assert {key: outputs[key] for key in own} == own


def test_objects_of_a_cluster_that_is_there(gke_ai_sandbox: Any, tmp_path: Path) -> None:
    program = written(ONLY_KUBERNETES, tmp_path / "program")
    refused = gke_ai_sandbox(program).preview(check=False)
    assert not refused.ok
    assert any("nearest: --cluster" in it for it in refused.diagnostics)
    outputs = lived(gke_ai_sandbox(program, cluster=True, config={"replicas": "3"}))
    assert re.fullmatch(r"203\.0\.113\.\d+", outputs["address"])


def test_what_each_provider_makes_is_in_its_project(gke_ai_sandbox: Any, tmp_path: Path) -> None:
    sandbox = gke_ai_sandbox(written(TWO_PROJECTS, tmp_path / "program"))
    up = sandbox.up()
    projects = ("one-project", "two-project")
    assert up.cloud[NETWORK] == [f"projects/{it}/global/networks/net" for it in projects]
    spaces = [it for it in up.cloud["kubernetes:Namespace"] if it in projects]
    assert sorted(spaces) == list(projects)
    lived(sandbox)


PASSWORD = """
import pulumi


class Password(pulumi.CustomResource):
    result: pulumi.Output[str]

    def __init__(self, name):
        token = "random:index/randomPassword:RandomPassword"
        super().__init__(token, name, {"length": 20, "result": None})


pulumi.export("password", Password("password").result)
"""


def test_a_random_password_stays_and_is_secret(gke_ai_sandbox: Any, tmp_path: Path) -> None:
    sandbox = gke_ai_sandbox(written(of_main(PASSWORD), tmp_path / "program"))
    assert lived(sandbox)["password"] == "[secret]"


ADDRESS = """
import pulumi_gcp as gcp

gcp.compute.Address("mine", region="us-east1")
"""
FUNCTION = """
import pulumi_gcp as gcp

gcp.compute.get_zones(region="us-east1")
"""


@pytest.mark.parametrize(
    ("text", "named", "near"),
    [
        (ADDRESS, "gcp:compute/address:Address", "nearest: gcp:compute/"),
        (FUNCTION, "gcp:compute/getZones:getZones", "nearest: gcp:compute/"),
    ],
)
def test_a_type_or_function_without_rules_is_refused_in_the_preview(
    gke_ai_sandbox: Any, tmp_path: Path, text: str, named: str, near: str
) -> None:
    sandbox = gke_ai_sandbox(written(of_main(text), tmp_path / "program"))
    refused = sandbox.preview(check=False)
    assert not refused.ok
    assert any(named in it and near in it for it in refused.diagnostics), refused.said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("raise ValueError('of my own')\n", ["__main__.py", "ValueError: of my own"]),
        ("import pulumi\n\npulumi.Config().require('word')\n", ["word"]),
    ],
)
def test_a_program_that_fails_says_why(
    gke_ai_sandbox: Any, tmp_path: Path, text: str, said: list[str]
) -> None:
    failed = gke_ai_sandbox(written(of_main(text), tmp_path / "program")).preview(check=False)
    assert not failed.ok
    assert all(it in failed.said for it in said), failed.said
