"""Files, commands and tokens go to the cluster of the user's own config, whatever a state names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from aistack import stack as module
from aistack.errors import VerbError
from aistack.own_cluster import PROJECT_VARIABLES
from aistack.stack import selected_stack
from tests.review.conftest import ROOT

OWN = {"project": "my-project", "cluster_name": "dev", "cluster_location": "us-central1"}
LAB = yaml.safe_load((ROOT / "Pulumi.lab.yaml").read_text())["config"]


def write(folder: Path, project: object = "my-project", **cluster: object) -> None:
    block = {**LAB["gke-ai-stacks:stack"]}
    if cluster:
        block["cluster"] = cluster
    config = {**LAB, "gke-ai-stacks:stack": block, "gcp:project": project}
    (folder / "Pulumi.lab.yaml").write_text(yaml.safe_dump({"config": config}))


@pytest.fixture
def backend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The outputs of the state that it has, which the test may change. A second stack's config is
    the one that the state's names would choose."""
    outputs: dict[str, Any] = {}

    def said(*words: str, **_: Any) -> str:
        return "lab\n"

    def pulumi(*words: str, **_: Any) -> Any:
        assert words == ("stack", "export", "--stack", "lab")
        kind = "pulumi:pulumi:Stack"
        urn = f"urn:pulumi:evil::gke-ai-stacks::{kind}::it"
        return {"deployment": {"resources": [{"urn": urn, "type": kind, "outputs": outputs}]}}

    monkeypatch.setattr(module, "_said", said)
    monkeypatch.setattr(module, "_pulumi", pulumi)
    monkeypatch.setattr(module, "PROJECT_FOLDER", tmp_path)
    (tmp_path / "Pulumi.yaml").write_text("name: gke-ai-stacks\nruntime: python\n")
    write(tmp_path)
    (tmp_path / "Pulumi.evil.yaml").write_text("config: {gcp:project: evil}\n")
    plan = {"cluster_name": "lab", "cluster_location": LAB.get("gcp:region", "us-central1")}
    outputs.update({**OWN, **plan})
    return outputs


@pytest.mark.parametrize("name", [None, "lab"])
def test_a_state_that_names_the_configs_cluster_is_taken(
    backend: dict[str, Any], name: str | None
) -> None:
    assert selected_stack(name).name == "lab"


@pytest.mark.parametrize(
    ("output", "field", "own"),
    [
        ("project", "gcp:project", "my-project"),
        ("cluster_name", "cluster.name", "lab"),
        ("cluster_location", "cluster.location", "us-central1"),
    ],
)
@pytest.mark.parametrize("name", [None, "lab"])
def test_a_state_that_names_another_cluster_is_refused_with_both_names(
    backend: dict[str, Any], output: str, field: str, own: str, name: str | None
) -> None:
    backend[output] = "evil"
    with pytest.raises(VerbError) as refused:
        selected_stack(name)
    assert str(refused.value).startswith(
        f'{field}: the state of "lab" says "evil", and Pulumi.lab.yaml "{own}": '
    )
    assert "nearest: `pulumi up`" in str(refused.value)


def test_an_existing_cluster_is_compared_by_its_own_names(
    backend: dict[str, Any], tmp_path: Path
) -> None:
    block = {
        "name": "tenant",
        "cluster": {"existing": {"name": "theirs", "location": "us-central1"}},
        "pools": {"gpu": {"machine_type": "g2-standard-8", "nodes": 1}},
    }
    config = {**LAB, "gcp:project": "my-project", "gke-ai-stacks:stack": block}
    (tmp_path / "Pulumi.lab.yaml").write_text(yaml.safe_dump({"config": config}))
    with pytest.raises(VerbError, match=r'^cluster.existing.name: .* says "lab", and .* "theirs"'):
        selected_stack("lab")
    backend["cluster_name"] = "theirs"
    assert selected_stack("lab").outputs == backend


@pytest.fixture(autouse=True)
def nothing_by_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROJECT_VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", PROJECT_VARIABLES)
def test_without_a_project_in_a_config_the_users_environment_says_whose_the_cluster_is(
    backend: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (tmp_path / "Pulumi.lab.yaml").unlink()
    monkeypatch.setenv(name, "my-project")
    assert selected_stack("lab").outputs == backend
    backend["project"] = "evil"
    with pytest.raises(VerbError, match='says "evil"'):
        selected_stack("lab")


@pytest.mark.parametrize("project", [None, "", {"secure": "v1:x"}, 7])
def test_without_a_project_in_plain_nobody_can_say_whose_the_cluster_is(
    backend: dict[str, Any], tmp_path: Path, project: object
) -> None:
    write(tmp_path, project)
    backend["project"] = "evil"
    with pytest.raises(VerbError, match=r"^gcp:project: "):
        selected_stack("lab")


def test_the_project_that_pulumi_yaml_gives_all_stacks_counts(
    backend: dict[str, Any], tmp_path: Path
) -> None:
    config = {key: it for key, it in LAB.items() if key != "gcp:project"}
    (tmp_path / "Pulumi.lab.yaml").write_text(yaml.safe_dump({"config": config}))
    (tmp_path / "Pulumi.yaml").write_text(
        "name: gke-ai-stacks\nconfig: {gcp:project: my-project}\n"
    )
    assert selected_stack("lab").outputs == backend
    backend["project"] = "evil"
    with pytest.raises(VerbError, match='says "evil"'):
        selected_stack("lab")


def test_without_a_config_and_with_one_that_is_a_link_the_state_is_not_believed(
    backend: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "Pulumi.lab.yaml"
    file.rename(tmp_path / "elsewhere")
    with pytest.raises(VerbError, match=r"^gcp:project: Pulumi\.lab\.yaml is not here"):
        selected_stack("lab")
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(VerbError, match=r"^Pulumi\.lab\.yaml: is a link"):
        selected_stack("lab")
    file.unlink()


def test_of_a_config_that_is_refused_now_the_project_still_counts(
    backend: dict[str, Any], tmp_path: Path
) -> None:
    config = {"gcp:project": "my-project", "gke-ai-stacks:stack": {"wrong": 1}}
    (tmp_path / "Pulumi.lab.yaml").write_text(yaml.safe_dump({"config": config}))
    assert selected_stack("lab").name == "lab"
    backend["project"] = "evil"
    with pytest.raises(VerbError, match='says "evil"'):
        selected_stack("lab")
