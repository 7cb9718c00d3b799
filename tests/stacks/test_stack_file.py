"""Our reader of stack files gives what the Pulumi CLI gives its program of the same text."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from catalog.strict_yaml import YamlError
from cli.project import PROJECT, PROJECT_FOLDER, stack_names
from cli.pulumi_cli import binary
from stacks.stack_file import parse_stack_file
from tests.stacks.stack_file_texts import FILES, PASSED_OVER, SCALARS, mutants

Ask = Callable[[str], dict[str, Any] | None]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """The config of a text by the CLI; None of a text that it refuses."""
    folder = tmp_path_factory.mktemp("cli")
    project, file = folder / "project", folder / "project" / "Pulumi.one.yaml"
    for name in ("project", "state", "home"):
        (folder / name).mkdir()
    # Without a folder for its logs the CLI writes none.
    (folder / "home" / "logs").touch()
    (project / "Pulumi.yaml").write_text(f"name: {PROJECT}\nruntime: python\n")
    environment = {
        **os.environ,
        "PULUMI_BACKEND_URL": (folder / "state").as_uri(),
        "PULUMI_CONFIG_PASSPHRASE": "test",
        "PULUMI_HOME": str(folder / "home"),
        "PULUMI_SKIP_UPDATE_CHECK": "true",
    }

    def cli(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(binary()), *words, "--stack", "one"],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    cli("stack", "init").check_returncode()

    def ask(text: str) -> dict[str, Any] | None:
        file.write_bytes(text.encode())
        done = cli("config", "--json")
        if done.returncode:
            return None
        found = json.loads(done.stdout).items()
        return {
            key: json.loads(it["value"]) if "objectValue" in it else it["value"]
            for key, it in found
        }

    return ask


def ours(text: str) -> dict[str, Any] | None:
    try:
        return parse_stack_file(text.encode(), PROJECT).config
    except YamlError:
        return None


def listed(scalars: list[str]) -> str:
    return "config:\n  stack:\n" + "".join(f"    - {it}\n" for it in scalars)


def by_scalar(scalars: list[str], config: dict[str, Any] | None) -> dict[str, str]:
    """As JSON, for 1 and true and 1.0 are equal in Python."""
    assert config is not None
    values = config[f"{PROJECT}:stack"]
    return dict(zip(scalars, map(json.dumps, values), strict=True))


@pytest.mark.parametrize("text", FILES.values(), ids=list(FILES))
def test_a_file_is_read_or_refused_as_the_cli_does(real: Ask, text: str) -> None:
    assert ours(text) == real(text)


@pytest.mark.parametrize("text", PASSED_OVER)
def test_what_the_cli_passes_over_is_refused_with_its_place(real: Ask, text: str) -> None:
    assert real(text) is not None
    with pytest.raises(YamlError) as refused:
        parse_stack_file(text.encode(), PROJECT)
    assert str(refused.value).startswith(PASSED_OVER[text])


def test_scalars_are_what_the_cli_makes_of_them(real: Ask) -> None:
    scalars = list(SCALARS)
    text = listed(scalars)
    assert by_scalar(scalars, ours(text)) == by_scalar(scalars, real(text))


@pytest.mark.parametrize("stack", stack_names())
def test_each_stack_of_the_project_is_read_as_the_cli_reads_it(real: Ask, stack: str) -> None:
    text = (PROJECT_FOLDER / f"Pulumi.{stack}.yaml").read_text()
    assert ours(text) == real(text)


@pytest.mark.thorough
@pytest.mark.parametrize("seed", range(8))
def test_no_scalar_near_these_is_read_otherwise(real: Ask, seed: int) -> None:
    scalars = mutants(seed, 2500)
    text = listed(scalars)
    assert by_scalar(scalars, ours(text)) == by_scalar(scalars, real(text))
