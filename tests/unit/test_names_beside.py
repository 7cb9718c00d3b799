"""Which names the files of other stacks give out."""

from pathlib import Path

import pytest
import yaml

from stacks.names_beside import NOBODY, names_beside

KEY = "gke-ai-stacks:stack"


def beside(folder: Path, text: str, unset: str | None = None) -> dict[str, str]:
    (folder / "Pulumi.mine.yaml").write_text(f"config: {{gcp:project: p, {KEY}: {{name: mine}}}}")
    (folder / "Pulumi.theirs.yaml").write_text(text)
    return names_beside(folder, "mine", KEY, "p", unset).names


def test_a_name_is_known_with_the_file_that_has_it(tmp_path: Path) -> None:
    text = f"config: {{gcp:project: p, {KEY}: {{name: a}}}}"
    assert beside(tmp_path, text) == {"a": "Pulumi.theirs.yaml"}


@pytest.mark.parametrize(
    "text",
    [
        f"config: {{gcp:project: another, {KEY}: {{name: a}}}}",
        f"config: {{gcp:project: {{secure: v1:x}}, {KEY}: {{name: a}}}}",
        f"config: {{gcp:project: p, {KEY}: {{name: [a]}}}}",
        f"config: {{gcp:project: p, {KEY}: a}}",
        "config: {gcp:project: p}",
        "config: [a]",
        "config: {a",
        "[" * 5000,
        "",
    ],
)
def test_a_file_that_does_not_say_so_has_no_name(tmp_path: Path, text: str) -> None:
    assert beside(tmp_path, text) == {}


def test_what_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "Pulumi.folder.yaml").mkdir()
    (tmp_path / "Pulumi.gone.yaml").symlink_to(tmp_path / "nowhere")
    (tmp_path / "Pulumi.bytes.yaml").write_bytes(b"config: \xff")
    text = f"config: {{gcp:project: p, {KEY}: {{name: a}}}}"
    assert beside(tmp_path, text) == {"a": "Pulumi.theirs.yaml"}


def test_a_file_without_a_project_is_in_the_one_that_such_files_get(tmp_path: Path) -> None:
    text = f"config: {{{KEY}: {{name: a}}}}"
    assert beside(tmp_path, text) == {}
    assert beside(tmp_path, text, unset="p") == {"a": "Pulumi.theirs.yaml"}
    assert beside(tmp_path, f"environment: [prod]\n{text}", unset="p") == {}


@pytest.mark.parametrize("project", ["p", "{value: p}", "{value: p, type: string}"])
def test_a_file_without_a_project_is_in_that_of_pulumi_yaml(tmp_path: Path, project: str) -> None:
    text = f"config: {{{KEY}: {{name: a}}}}"
    (tmp_path / "Pulumi.yaml").write_text(f"config: {{gcp:project: {project}}}")
    assert beside(tmp_path, text) == {"a": "Pulumi.theirs.yaml"}
    other = f"config: {{gcp:project: another, {KEY}: {{name: a}}}}"
    assert beside(tmp_path, other) == {}


def test_a_stack_whose_file_is_elsewhere_has_no_neighbours(tmp_path: Path) -> None:
    assert beside(tmp_path, f"config: {{gcp:project: p, {KEY}: {{name: a}}}}")
    assert names_beside(tmp_path, "other", KEY, "p") == NOBODY
    assert names_beside(tmp_path, "mine", KEY, None) == NOBODY


def test_the_file_that_a_run_is_given_is_its_own_though_it_has_another_stacks_name(
    tmp_path: Path,
) -> None:
    for stack in ("mine", "theirs", "given"):
        config = {"gcp:project": "p", KEY: {"name": stack}}
        (tmp_path / f"Pulumi.{stack}.yaml").write_text(yaml.safe_dump({"config": config}))
    found = names_beside(tmp_path, "mine", KEY, "p", own=tmp_path / "Pulumi.given.yaml")
    assert (found.file, found.names) == ("Pulumi.given.yaml", {"theirs": "Pulumi.theirs.yaml"})
