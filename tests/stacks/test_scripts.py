"""A stack with files of the user's own, through the real engine on the sandbox."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.project import PROJECT_FOLDER
from cli.urns import name_of
from kube.objects import Ref
from sandbox.cloud.kinds.cluster import Cluster
from sandbox.clusters import in_memory
from sandbox.workspace import Workspace
from tests.stacks.conftest import Sandbox, changed, replaced
from tests.unit.script_samples import ON_RAY, QUEUES, RAY, STACK

NAME = "lab"
TELL = {"type": "script", "command": ["echo", "done"], "ray": "small"}
LAUNCHERS = Ref(api_version="v1", kind="ConfigMap", namespace="default", name="small-launcher")
PLACES = {"project", "region", "zone"}
CONFIG: dict[str, Any] = {
    "gcp:region": STACK["region"],
    "gcp:zone": STACK["zone"],
    "gke-ai-stacks:stack": {
        **{key: value for key, value in STACK.items() if key not in PLACES},
        "deletion_protection": False,
        "cluster": {"location": "zonal"},
        "pools": {**STACK["pools"], "l4": {"machine_type": "g2-standard-16", "nodes": 1}},
        "queues": {**QUEUES, "flavors": {"gpus": {"pool": "gpu"}}},
        "jobs": {"train": {**STACK["jobs"]["train"], "queue": "lq"}, "tune": ON_RAY, "tell": TELL},
        "ray": {"small": {**RAY, "workers": {"gpu": {**RAY["workers"]["gpu"], "pools": "l4"}}}},
    },
}

pytestmark = pytest.mark.thorough
Write = Callable[[str, str], None]


def sandbox_in(folder: Path) -> Sandbox:
    return Sandbox(Workspace(folder / "sandbox", NAME, folder / "project"))


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the stack is up."""
    folder = tmp_path_factory.mktemp("scripts")
    project = folder / "project"
    (project / "code").mkdir(parents=True)
    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copyfile(PROJECT_FOLDER / name, project / name)
    (project / f"Pulumi.{NAME}.yaml").write_text(yaml.safe_dump({"config": CONFIG}))
    (project / "train.py").write_text("print(1)\n")
    (project / "code" / "tune.py").write_text("print(2)\n")
    sandbox_in(folder).succeed("up")
    return folder


@pytest.fixture
def folder(template: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(template, tmp_path / "copy"))


def test_all_runs_nothing_is_left_to_do_and_destroy_leaves_nothing(folder: Path) -> None:
    sandbox = sandbox_in(folder)
    running = {pod.name.rsplit("-", 1)[0] for pod in sandbox.pods() if pod.phase == "Running"}
    assert {"train-node-0-0", "train-node-0-1"} <= running
    assert changed(sandbox.succeed("preview")) == {}
    result = sandbox.succeed("destroy")
    assert result.cloud == {}
    gone = [name_of(it.urn) for it in result.report.resources if it.operation == "delete"]
    assert gone.index("train-job-set") < gone.index("jobset-release")


def test_a_changed_file_replaces_its_job_and_nothing_else(folder: Path) -> None:
    sandbox = sandbox_in(folder)
    (folder / "project" / "train.py").write_text("print(3)\n")
    result = sandbox.succeed("up")
    assert replaced(result) == ["train-files", "train-job-set"]
    assert set(changed(result)) == {"train-files", "train-job-set"}
    assert changed(sandbox.succeed("preview")) == {}


def launchers(sandbox: Sandbox) -> set[str]:
    """The jobs that the head of the RayCluster has launchers of."""
    cluster = next(sandbox.cloud.find(Cluster.token))
    found = in_memory(cluster, sandbox.cloud).get(LAUNCHERS)
    assert found is not None
    return {it.rpartition("-")[0] for it in found["data"] if it.endswith(".sh")}


def test_a_job_more_or_less_on_a_raycluster_leaves_the_others_their_files(folder: Path) -> None:
    sandbox = sandbox_in(folder)
    both = {"tune", "tell"}
    assert launchers(sandbox) == both
    file = folder / "project" / f"Pulumi.{NAME}.yaml"
    fewer = deepcopy(CONFIG)
    del fewer["gke-ai-stacks:stack"]["jobs"]["tune"]
    for config, there in ((fewer, {"tell"}), (CONFIG, both)):
        file.write_text(yaml.safe_dump({"config": config}))
        done = changed(sandbox.succeed("up"))
        assert launchers(sandbox) == there
        assert "tune-job" in done
        assert not {"tell-job", "small-cluster"} & done.keys()


def test_the_only_job_of_a_raycluster_gets_another_name_in_one_up(folder: Path) -> None:
    sandbox = sandbox_in(folder)
    file = folder / "project" / f"Pulumi.{NAME}.yaml"
    for name in ("tune", "other"):
        config = deepcopy(CONFIG)
        jobs = config["gke-ai-stacks:stack"]["jobs"]
        job = jobs["tune"]
        del jobs["tune"], jobs["tell"]
        jobs[name] = job
        file.write_text(yaml.safe_dump({"config": config}))
        sandbox.succeed("up")
        assert launchers(sandbox) == {name}
    assert changed(sandbox.succeed("preview")) == {}


def test_a_file_that_is_gone_stops_the_preview_with_its_name(folder: Path) -> None:
    (folder / "project" / "train.py").rename(folder / "project" / "trian.py")
    result = sandbox_in(folder).run("preview")
    assert not result.ok
    assert "jobs.train.file" in "\n".join(result.report.diagnostics)
