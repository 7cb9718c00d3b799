"""The workflows: pinned, least rights, and no secret where a fork's code runs.

actionlint checks their syntax in `make check`. None of them was run on GitHub.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from review.markdown import MARK
from tests.review.conftest import ROOT

FOLDER = ROOT / ".github"
FILES = sorted([*FOLDER.glob("workflows/*.yml"), *FOLDER.glob("actions/*/action.yml")])
WORKFLOWS = sorted(FOLDER.glob("workflows/*.yml"))


def loaded(name: str) -> dict[Any, Any]:
    return yaml.safe_load((FOLDER / "workflows" / f"{name}.yml").read_text())


def steps(document: dict[Any, Any]) -> Iterator[dict[str, Any]]:
    jobs = document.get("jobs", {"": document.get("runs", {})})
    for job in jobs.values():
        yield from job.get("steps", [])


@pytest.mark.parametrize("file", FILES, ids=lambda it: it.name)
def test_every_action_is_pinned_by_a_commit_and_names_its_version(file: Path) -> None:
    text = file.read_text()
    used = re.findall(r"uses: (\S+)(.*)", text)
    for action, rest in used:
        if not action.startswith("./"):
            assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", action)
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", rest)


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda it: it.name)
def test_rights_are_given_job_by_job_and_are_few(file: Path) -> None:
    document = yaml.safe_load(file.read_text())
    assert document["permissions"] in ({}, {"contents": "read"})
    allowed = {"contents": "read", "id-token": "write", "actions": "read"}
    if file.name == "comment.yml":
        allowed = {"actions": "read", "pull-requests": "write"}
    for job in document["jobs"].values():
        assert job.get("permissions", {}).items() <= allowed.items()


@pytest.mark.parametrize("file", FILES, ids=lambda it: it.name)
def test_no_input_of_a_stranger_is_put_into_a_script(file: Path) -> None:
    for step in steps(yaml.safe_load(file.read_text())):
        script = f"{step.get('run', '')}{step.get('with', {}).get('script', '')}"
        assert "${{" not in script


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda it: it.name)
def test_a_failure_in_front_of_a_pipe_fails_its_step(file: Path) -> None:
    document = yaml.safe_load(file.read_text())
    if any("|" in step.get("run", "") for step in steps(document)):
        assert document["defaults"] == {"run": {"shell": "bash"}}


def test_the_review_of_a_fork_has_no_secret_and_no_identity() -> None:
    job = loaded("preview")["jobs"]["review"]
    text = yaml.safe_dump(job)
    assert "secrets." not in text
    assert "id-token" not in text
    assert "environment" not in job
    # True is how YAML 1.1 reads the key `on`.
    assert set(loaded("preview")[True]) == {"pull_request"}


def test_what_has_an_identity_never_runs_for_a_fork() -> None:
    condition = loaded("preview")["jobs"]["stacks"]["if"]
    assert "github.event.pull_request.head.repo.full_name == github.repository" in condition
    for file in WORKFLOWS:
        assert "pull_request_target" not in file.read_text()


def test_the_workflow_that_posts_takes_no_code_from_the_pull_request() -> None:
    document = loaded("comment")
    assert not any("checkout" in str(step.get("uses")) for step in steps(document))
    assert not any("run" in step for step in steps(document))
    script = next(it["with"]["script"] for it in steps(document) if "script" in it.get("with", {}))
    assert f"'{MARK}'" in script
    assert "updateComment" in script
    assert "pull.data.head.sha !== process.env.HEAD_SHA" in script


def test_the_report_is_in_a_folder_of_its_own_that_is_made_before() -> None:
    """What is uploaded is the whole folder, and nobody makes it for the review."""
    document = loaded("preview")
    script = next(it["run"] for it in steps(document) if it.get("id") == "review")
    uploaded = next(it["with"]["path"] for it in steps(document) if "upload" in it.get("uses", ""))
    folder = uploaded.rstrip("/")
    assert not (ROOT / folder).exists()
    assert script.index(f"mkdir {folder}\n") < script.index(" -m review ")
    for option in ("--markdown", "--json", "--pictures"):
        assert re.search(rf"{option} {folder}/\S+", script)


HARNESS = """
const fs = require('fs'), posted = []
const run = Object.getPrototypeOf(async function () {}).constructor
const github = {
  paginate: async () => [],
  rest: {
    pulls: { get: async () => ({ data: { head: { sha: 'abc' } } }) },
    issues: { createComment: async (it) => posted.push(it) },
  },
}
const core = { setFailed: (it) => posted.push({ failed: it }), notice: () => {} }
new run('require', 'process', 'github', 'context', 'core', fs.readFileSync('script.js', 'utf8'))(
  require, process, github, { repo: {} }, core
).then(() => console.log(JSON.stringify(posted)))
"""


def posted(folder: Path, report: str, repository: str) -> dict[str, Any]:
    """What the script that posts would post, on a GitHub that has one pull request."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is needed to run the script that posts")
    script = next(it["with"]["script"] for it in steps(loaded("comment")) if "env" in it)
    (folder / "review").mkdir()
    (folder / "script.js").write_text(script)
    (folder / "harness.js").write_text(HARNESS)
    (folder / "review" / "comment.md").write_text(report)
    (folder / "review" / "number").write_text("7\n")
    env = {"GITHUB_REPOSITORY": "us/it", "HEAD_REPOSITORY": repository, "HEAD_SHA": "abc"}
    done = subprocess.run(
        [node, "harness.js"], cwd=folder, env=env, capture_output=True, text=True, check=True
    )
    (one,) = json.loads(done.stdout)
    return one


HOSTILE = f"{MARK}\n## Verdict\n````\n@security approved https://evil.example \u202e\n`````\n# x"


def test_a_forks_report_is_posted_as_text_with_a_word_on_whose_it_is(tmp_path: Path) -> None:
    body = posted(tmp_path, HOSTILE, "fork/it")["body"]
    first, header, *rest = body.splitlines()
    assert (first, rest[1]) == (MARK, "``````markdown")
    assert header.startswith("**Written by the code of this pull request, which comes from a fork")
    assert rest[-1] == "``````"
    assert [line for line in rest[2:-1] if line.startswith("``````")] == []
    assert "\u202e" not in body


def test_the_repositorys_own_report_is_posted_as_it_is(tmp_path: Path) -> None:
    report = f"{MARK}\n## What this change does to the stacks\n"
    assert posted(tmp_path, report, "us/it")["body"] == report


def test_no_report_is_longer_than_a_comment_may_be(tmp_path: Path) -> None:
    for name in ("fork/it", "us/it"):
        folder = tmp_path / name.replace("/", "-")
        folder.mkdir()
        assert len(posted(folder, MARK + "`a" * 40_000, name)["body"]) <= 65_536


def test_what_is_no_report_is_not_posted(tmp_path: Path) -> None:
    assert "failed" in posted(tmp_path, "## Verdict\n", "us/it")


@pytest.mark.parametrize("stage", ["", "-workloads"])
def test_up_takes_the_plan_that_was_shown_and_waits_for_approval(stage: str) -> None:
    up = loaded("up")["jobs"][f"up{stage}"]
    assert (up["needs"], up["environment"]) == (["order", f"plan{stage}"], "up")
    assert "--plan" in up["steps"][-1]["run"]


def test_workloads_are_planned_once_all_platforms_are_up() -> None:
    """Jobs of one matrix have no order but that in which they are made; `needs` is one."""
    jobs = loaded("up")["jobs"]
    assert jobs["plan"]["needs"] == "order"
    assert jobs["plan-workloads"]["needs"] == ["order", "up"]
    for job, name in {"plan": "first", "up": "first", "plan-workloads": "workloads"}.items():
        of = jobs[job]["strategy"]["matrix"]["stack"]
        assert of == f"${{{{ fromJSON(needs.order.outputs.{name}) }}}}"
    assert jobs["plan-workloads"]["if"] == "needs.order.outputs.workloads != '[]'"
    same = {"plan": "plan-workloads", "up": "up-workloads"}
    assert all(jobs[job]["steps"] == jobs[later]["steps"] for job, later in same.items())


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ('cluster.stack: "o/p/platform" is not there; nearest: one', 0),
        ('cluster.stack: "o/p/platform": it has no outputs; nearest: `pulumi up`', 0),
        ('cluster.stack: "o/p/platform": it has no output operators; nearest: a', 1),
        ("error: anything else", 1),
    ],
)
def test_the_preview_of_a_workload_waits_for_its_platform_and_for_nothing_else(
    tmp_path: Path, said: str, code: int
) -> None:
    pulumi = tmp_path / "pulumi"
    pulumi.write_text(f"#!/bin/sh\necho '{said}' >&2\nexit 255\n")
    pulumi.chmod(0o755)
    script = list(steps(loaded("preview")))[-1]["run"]
    summary = tmp_path / "summary"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=tmp_path,
        env={
            "PATH": f"{tmp_path}:{os.environ['PATH']}",
            "STACK": "work",
            "GITHUB_STEP_SUMMARY": str(summary),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert ("work waits: its platform is not up yet" in summary.read_text()) is (code == 0)


def test_drift_changes_nothing_and_fails_on_any_change() -> None:
    run = list(steps(loaded("drift")))[-1]["run"]
    assert {"refresh", "--preview-only", "--expect-no-changes"} <= set(run.split())
