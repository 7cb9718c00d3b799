"""Each config of docs/machines.md through the engine on the sandbox: up, nothing left to do, gone.

It cannot show that Google makes such machines of it.
"""

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from cli.project import PROJECT, PROJECT_FOLDER
from sandbox.workspace import Workspace
from tests.conftest import ROOT
from tests.stacks.conftest import CANARY, Sandbox, changed
from tests.stacks.test_combinations import reservations

pytestmark = pytest.mark.thorough

_BLOCK = re.compile(r"<!-- machine -->\n```yaml\n(.*?)```", re.DOTALL)
_PAGE = (ROOT / "docs" / "machines.md").read_text(encoding="utf-8")
CONFIGS: dict[str, dict[str, Any]] = {
    it["config"][f"{PROJECT}:stack"]["name"]: it
    for it in (yaml.safe_load(text) for text in _BLOCK.findall(_PAGE))
}


def sandbox_of(config: dict[str, Any], folder: Path) -> Sandbox:
    """With the reservations that the config names."""
    values = config["config"]
    stack = values[f"{PROJECT}:stack"]
    program = folder / "program"
    program.mkdir()
    for name in ("Pulumi.yaml", "__main__.py"):
        shutil.copyfile(PROJECT_FOLDER / name, program / name)
    (program / f"Pulumi.{stack['name']}.yaml").write_text(yaml.safe_dump(config))
    given = folder / "project.yaml"
    given.write_text(yaml.safe_dump(reservations({"zone": values["gcp:zone"], **stack})))
    workspace = Workspace(folder / "sandbox", stack["name"], program)
    with workspace.lock():
        workspace.use_project(given)
    return Sandbox(workspace)


@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_a_config_of_the_page_comes_up_stays_as_it_is_and_goes(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HUGGING_FACE_TOKEN", CANARY)
    sandbox = sandbox_of(CONFIGS[name], tmp_path)
    up = sandbox.succeed("up")
    assert changed(up) != {}
    assert changed(sandbox.succeed("preview")) == {}
    assert sandbox.succeed("destroy").cloud == {}
