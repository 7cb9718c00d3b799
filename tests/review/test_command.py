"""The command under poor conditions: nothing in the environment, no network, a token in the config,
a base that is broken. Through the real engine.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from tests.parts.leaks import files_with
from tests.review.conftest import ROOT, Repository, git
from tests.review.example import EXAMPLE, example

pytestmark = pytest.mark.thorough
CANARY = "hf_canary_5d41402abc4b2a76b9719d911017c592"
SPOT = ("capacity: {mode: spot}", "capacity: {mode: on-demand}")
AGREED = (
    "    name: dev\n",
    "    name: dev\n    acknowledge:\n"
    "      - {resource: gpu-pool, property: nodeConfig.spot, to: false}\n",
)


def back(change: tuple[str, str]) -> tuple[str, str]:
    old, new = change
    return new, old


def offline() -> tuple[str, ...]:
    """What a command is put behind so that it has a loopback interface and nothing else."""
    command = ("unshare", "--net", "--map-root-user", "sh", "-c", 'ip link set lo up && exec "$@"')
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("unshare and ip are needed to take the network away")
    if subprocess.run([*command, "sh", "true"], capture_output=True, check=False).returncode:
        pytest.skip("network namespaces are not to be had here")
    return (*command, "sh")


def frozen(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(file.relative_to(folder)): (file.stat().st_mtime_ns, file.read_bytes())
        for file in sorted(folder.rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }


def test_it_works_offline_with_an_empty_environment_in_a_tree_that_cannot_be_written(
    repository: Repository,
) -> None:
    repository.edit("Pulumi.dev.yaml", ("max: 1}", "max: 2}"))
    for path in repository.folder.rglob("*"):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    before = frozen(repository.folder)
    done = repository.review("HEAD", env={}, before=offline())
    assert done.code == 0, done.log
    assert done.verbs("dev")["gpu-pool"] == "update"
    others = {it["stack"]: it["status"] for it in done.report["stacks"] if it["stack"] != "dev"}
    assert set(others.values()) == {"same"}
    # The user who runs tests may be one that no mode keeps from writing.
    assert frozen(repository.folder) == before


def test_a_token_never_reaches_report_json_picture_or_log(repository: Repository) -> None:
    """In the environment, in the config, in a label's place, and in an error message: one that
    stands in plain is refused, with or without another mistake, and one of a comment is not read.
    """
    plain = ("config:\n", f"config:\n  gke-ai-stacks:hugging_face_token: {CANARY}\n")
    note = ("    name: dev\n", f"    name: dev\n    ray_image_note: {CANARY}\n")
    repository.edit("Pulumi.dev.yaml", plain, note)
    env = {**os.environ, "HUGGING_FACE_TOKEN": f"{CANARY}x"}
    refused = repository.review("HEAD", "dev", env=env)
    repository.edit("Pulumi.dev.yaml", back(note))
    alone = repository.review("HEAD", "dev", env=env, out=repository.folder.with_name("alone"))
    assert "stands in plain" in alone.log
    assert (refused.code, alone.code) == (1, 1)
    repository.edit("Pulumi.dev.yaml", back(plain), ("config:\n", f"config:  # {CANARY}\n"), SPOT)
    done = repository.review("HEAD", "dev", env=env, out=repository.folder.with_name("second"))
    assert done.code == 3, done.log
    for one in (refused, alone, done):
        assert one.report
        assert CANARY not in one.log
        assert files_with(CANARY, one.folder) == []


def test_a_base_whose_config_is_refused_is_shown_as_nothing_to_compare_with(
    repository: Repository,
) -> None:
    repository.edit("Pulumi.dev.yaml", ("location: zonal", "location: zonel"))
    repository.commit()
    repository.edit("Pulumi.dev.yaml", ("location: zonel", "location: zonal"))
    done = repository.review("HEAD", "dev")
    found = done.stack("dev")
    assert (done.code, found["status"]) == (0, "new"), done.log
    assert "the base's config was refused" in found["note"]
    assert set(done.verbs("dev").values()) == {"create"}


def test_a_base_that_cannot_come_up_is_not_compared(repository: Repository) -> None:
    repository.edit(
        "stacks/build.py", ("def build(", "raise RuntimeError('broken')\n\n\ndef build(")
    )
    repository.commit()
    repository.edit("stacks/build.py", ("raise RuntimeError('broken')\n\n\n", ""))
    done = repository.review("HEAD", "dev")
    assert (done.code, done.stack("dev")["status"]) == (1, "failed")
    assert any("broken" in line for line in done.stack("dev")["errors"])


def test_what_was_agreed_to_passes_once_and_is_to_be_deleted_from_then_on(
    repository: Repository,
) -> None:
    repository.edit("Pulumi.dev.yaml", SPOT, AGREED)
    done = repository.review("HEAD", "dev")
    assert done.code == 0, done.log
    assert [it["acknowledged"] for it in done.stack("dev")["dangers"]] == [True]
    repository.commit()
    again = repository.review("HEAD", "dev", out=repository.folder.with_name("second"))
    assert again.code == 0
    assert [it["resource"] for it in again.stack("dev")["spent"]] == ["gpu-pool"]
    assert "agrees to nothing any more, delete" in again.log


def test_a_protected_stack_is_reviewed_to_the_end(repository: Repository) -> None:
    """Protection would end the preview at the first thing that it keeps."""
    on = ("deletion_protection: false", "deletion_protection: true")
    repository.edit("Pulumi.dev.yaml", on)
    repository.commit()
    repository.edit(
        "Pulumi.dev.yaml", ("name: dev\n", "name: dev\n    network: {subnet: 10.20.0.0/20}\n")
    )
    done = repository.review("HEAD", "dev")
    assert done.code == 3, done.log
    assert {"network-subnet", "gke-cluster", "gpu-pool"} == set(done.dangers("dev"))


@pytest.mark.parametrize(
    "change",
    [
        ("max_steps: 20", "max_steps: 21"),
        # The head's nodes are made anew.
        ("nodes: 2, disk: {size_gb: 200}", "nodes: 2, disk: {size_gb: 300}"),
    ],
)
def test_a_protected_stack_keeps_its_job_until_that_is_agreed_to(
    repository: Repository, change: tuple[str, str]
) -> None:
    file, protected = "Pulumi.b200-lustre.yaml", "    deletion_protection: true\n"
    repository.edit(file, ("    deletion_protection: false\n", protected))
    repository.commit()
    repository.edit(file, change)
    done = repository.review("HEAD", "b200-lustre")
    assert done.code == 3, done.log
    assert "it starts again from the last checkpoint in /lustre" in done.log.lower()
    assert "NOT agreed to" in done.log
    (entry,) = re.findall(r"^  - (\{.*-job, to: config [0-9a-f]{8}\})$", done.markdown, re.M)
    repository.edit(file, (protected, f"{protected}    acknowledge: [{entry}]\n"))
    agreed = repository.review("HEAD", "b200-lustre", out=repository.folder.with_name("second"))
    assert agreed.code == 0, agreed.log


def test_a_shallow_clone_with_the_base_beside_it_is_enough(
    repository: Repository, tmp_path: Path
) -> None:
    repository.edit("Pulumi.dev.yaml", ("max: 1}", "max: 2}"))
    repository.commit()
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth=1", repository.folder.as_uri(), str(clone))
    early = Repository(clone).review("origin/main~1", "dev")
    assert early.code == 1
    assert "is not in this shallow clone; nearest: git fetch --unshallow" in early.log
    git(clone, "fetch", "--quiet", "--depth=2", "origin", "main")
    done = Repository(clone).review("FETCH_HEAD~1", "dev")
    assert done.code == 0, done.log
    assert done.verbs("dev")["gpu-pool"] == "update"


def test_the_pages_example_is_what_a_review_writes(repository: Repository) -> None:
    page = (ROOT / EXAMPLE).read_text()
    assert page.partition("````markdown\n")[2].partition("````")[0] == example(repository)
