"""The launcher of a script on a RayCluster, as bash runs it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stacks.parts.jobs.script import Script, launcher, stored

JOB_CONFIG = "RAY_JOB_CONFIG_JSON_ENV_VAR"
FILES = {"tune.py": "import sys\nprint(sys.argv[1:])\n", "model.py": "X = 1\n"}


def script(*command: str, **values: Any) -> Script:
    return Script.model_validate({"type": "script", "command": command, "ray": "r", **values})


def ran(
    tmp_path: Path, one: Script, files: dict[str, str], of_ray: Mapping[str, str] | None = None
) -> str:
    """What the launcher says where the head has its files."""
    for name, content in stored(files).items():
        (tmp_path / name).write_text(content)
    text = launcher(one, files).replace("/etc/launcher", str(tmp_path))
    (tmp_path / "run.sh").write_text(text)
    environment = {"PATH": "/usr/bin:/bin", **one.environment, **(of_ray or {})}
    done = subprocess.run(
        ["bash", str(tmp_path / "run.sh")],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_files_have_their_own_names_again_and_words_reach_the_command_as_they_are(
    tmp_path: Path,
) -> None:
    words = ["a b", "it's", "$HOME", "$(nobody)", "`x`", "*", "$(EPOCHS)s"]
    one = script("python3", "$(SCRIPT_DIR)/tune.py", *words, environment={"EPOCHS": "2"})
    found = ran(tmp_path, one, FILES)
    assert found == f"{[*words[:-1], '2s']}\n"


def test_a_command_may_name_a_variable_of_the_clusters_secret(tmp_path: Path) -> None:
    one = script("echo", "$(KEY)", "$(REST)", secrets=["mine=my-key:KEY", "others"])
    assert ran(tmp_path, one, {}, {"KEY": "private"}) == "private $(REST)\n"


def test_files_can_be_run_and_lie_beside_each_other(tmp_path: Path) -> None:
    files = {"run.sh": '#!/bin/sh\nls "$SCRIPT_DIR"\n', "b": ""}
    assert ran(tmp_path, script("$(SCRIPT_DIR)/run.sh"), files) == "b\nrun.sh\n"


def test_a_command_alone_has_an_empty_directory(tmp_path: Path) -> None:
    assert ran(tmp_path, script("bash", "-c", 'ls "$SCRIPT_DIR"; echo done'), {}) == "done\n"


def test_other_content_is_another_name_and_another_launcher() -> None:
    other = {**FILES, "model.py": "X = 2\n"}
    one = script("run")
    assert not stored(FILES).keys() & stored(other).keys()
    assert launcher(one, FILES) != launcher(one, other)


def test_rays_workers_have_the_files_unless_the_job_names_another_folder(tmp_path: Path) -> None:
    """As Ray's own variable says it to the job's driver."""
    says = script("bash", "-c", f'echo "${JOB_CONFIG}"; cat "$SCRIPT_DIR/model.py"')
    own = {"env_vars": {"EPOCHS": "2"}, "pip": ["x"]}
    for more in ({}, {"working_dir": "gs://bucket/code.zip"}):
        config = json.dumps({"runtime_env": {**own, **more}, "metadata": {"a": "b"}})
        line, text = ran(tmp_path, says, FILES, {JOB_CONFIG: config}).splitlines()
        found = json.loads(line)
        folder = found["runtime_env"].pop("working_dir")
        assert folder == more.get("working_dir", folder)
        assert found == {
            "runtime_env": {**own, "env_vars": {"SCRIPT_DIR": ".", "EPOCHS": "2"}},
            "metadata": {"a": "b"},
        }
        assert text == "X = 1"
        if not more:
            assert sorted(it.name for it in Path(folder).iterdir()) == ["model.py", "tune.py"]
