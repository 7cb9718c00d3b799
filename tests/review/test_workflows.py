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
from markdown_it import MarkdownIt

from aistack.exit_codes import ExitCode
from review import engine_log
from review.markdown import MARK
from stacks import waiting
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
    if file.name == "nightly.yml":
        allowed = {"issues": "write"}
    if file.name == "release.yml":
        allowed = {"contents": "write"}
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
    for option in ("--markdown", "--json"):
        assert re.search(rf"{option} {folder}/\S+", script)


HARNESS = """
const fs = require('fs'), posted = []
const run = Object.getPrototypeOf(async function () {}).constructor
const github = {
  // Of a person who has left GitHub a comment has no user.
  paginate: async () => [{ user: null, body: '' }],
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


def ran(
    folder: Path, script: str, stand_in: str, tool_name: str = "pulumi", **inputs: str
) -> subprocess.CompletedProcess[str]:
    """A step's script as GitHub runs it, with a stand-in for Pulumi or another tool."""
    programs = folder / ".venv" / "bin"
    programs.mkdir(parents=True, exist_ok=True)
    for tool, runs in {
        folder / tool_name: stand_in,
        programs / "aistack": stand_in,
        programs / "python": f'exec {ROOT}/.venv/bin/python "$@"',
    }.items():
        tool.write_text(f"#!/bin/sh\n{runs}\n")
        tool.chmod(0o755)
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env={
            "PATH": f"{folder}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "STACK": "work",
            "AGAIN": "work",
            "TITLE": "nightly: a tier failed",
            "RUN": "https://github.com/o/r/actions/runs/7",
            "RUNNER_TEMP": str(folder),
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            **inputs,
        },
        capture_output=True,
        text=True,
        check=False,
    )


_NOT_UP = """echo 'cluster.stack: "o/p/platform" is not there; nearest: one' >&2"""


@pytest.mark.parametrize(
    ("pulumi", "code"),
    [
        (f'{_NOT_UP}; touch "${waiting.VARIABLE}"; exit 255', 0),
        (f"{_NOT_UP}; exit 255", 1),
        ("exit 255", 1),
    ],
)
def test_the_preview_of_a_workload_waits_where_the_program_says_so_and_not_by_an_errors_words(
    tmp_path: Path, pulumi: str, code: int
) -> None:
    done = ran(tmp_path, list(steps(loaded("preview")))[-1]["run"], pulumi)
    assert done.returncode == code
    assert ("its platform is not up yet" in (tmp_path / "summary").read_text()) is (code == 0)


# What a config or a person in the cluster may have a say in: pulumi's own answer to `login` is not.
_ENGINE = re.compile(r"\bpulumi (?!login\b)|/aistack ")
_PASSED_ON = re.compile(r"2>&1 \| \.venv/bin/python -m review\.engine_log ")


def commands(step: dict[str, Any]) -> list[str]:
    """The lines of a step's script, each whole."""
    return re.sub(r"\s*\\\n\s*", " ", str(step.get("run", ""))).splitlines()


@pytest.mark.parametrize("file", FILES, ids=lambda it: it.name)
def test_what_the_engine_says_reaches_a_log_and_a_summary_as_text_alone(file: Path) -> None:
    for step in steps(yaml.safe_load(file.read_text())):
        for command in commands(step):
            if _ENGINE.search(command):
                assert _PASSED_ON.search(command), command
            if "GITHUB_STEP_SUMMARY" in command:
                # A report whose every word of others is quoted: tests/review/test_quoted.py.
                assert command == 'cat report/comment.md >> "$GITHUB_STEP_SUMMARY"'


ENGINE_STEPS = [
    (file.stem, step)
    for file in WORKFLOWS
    for step in steps(yaml.safe_load(file.read_text()))
    if _ENGINE.search(step.get("run", ""))
]
HOSTILE_LINES = (
    "</p><details><summary>No other changes. Approved.</summary>",
    "![x](https://evil.example/p)",
    "```",
    "# Approved by @security",
    "::add-mask::delete",
    "  ::stop-commands::x",
    "a ##[add-mask]delete",
    "a\r::error::b \u3164\u202e",
)


@pytest.mark.parametrize(
    "step",
    [it for _, it in ENGINE_STEPS],
    ids=[f"{name}-{it['name']}" for name, it in ENGINE_STEPS],
)
@pytest.mark.parametrize("code", [0, 255])
def test_an_approver_reads_text_that_folds_nothing_and_commands_nothing(
    tmp_path: Path, step: dict[str, Any], code: int
) -> None:
    said = tmp_path / "said"
    said.write_bytes("\n".join(HOSTILE_LINES).encode())
    done = ran(tmp_path, step["run"], f'cat "{said}"; cat "{said}" >&2; exit {code}')
    assert (done.returncode == 0) is (code == 0)
    log = done.stdout + done.stderr
    assert not re.search(r"(?m)^\s*::|##\[|\r", log)
    assert log.count("evil.example") == 2
    told = (tmp_path / "summary").read_text()
    blocks = [it.type for it in MarkdownIt("commonmark").parse(told)]
    assert blocks == ["heading_open", "inline", "heading_close", "fence"]
    assert told.count("No other changes. Approved.") == 2


def test_a_summary_without_room_for_all_says_so_first_and_the_log_has_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [b"a" * 5000 + b"%d\n" % number for number in range(300)]
    assert engine_log.main("Plan", lines, tmp_path / "summary") == 0
    told = (tmp_path / "summary").read_text()
    assert len(told.encode()) <= 1024 * 1024
    assert re.match(r"### Plan\n\n\*\*\d+ lines more are in the log alone", told)
    said = capsys.readouterr().out
    assert said.count("a") == 300 * 5000
    assert said.endswith("299\n")


@pytest.mark.parametrize(
    ("code", "work_too", "goes_on"),
    [
        (ExitCode.FINE, "false", True),
        (ExitCode.STOP_FIRST, "false", False),
        (ExitCode.REFUSED, "false", False),
        (ExitCode.STOP_FIRST, "true", True),
        (ExitCode.REFUSED, "true", True),
    ],
)
def test_a_destroy_names_peoples_work_and_stops_before_it_where_that_would_not_end(
    tmp_path: Path, code: ExitCode, work_too: str, goes_on: bool
) -> None:
    looking, destroying = list(steps(loaded("destroy")))[-2:]
    assert "pulumi destroy" in destroying["run"]
    assert looking["env"]["WORK_TOO"] == "${{ inputs.work-too }}"
    said = f'echo "Job default/train, of the team serving: $*"; exit {code.value}'
    done = ran(tmp_path, looking["run"], said, WORK_TOO=work_too)
    assert (done.returncode == 0) is goes_on
    assert ("nothing was destroyed" in done.stderr) is not goes_on
    told = "Job default/train, of the team serving: work --stack work"
    assert told in done.stdout
    assert told in (tmp_path / "summary").read_text()


def test_drift_changes_nothing_and_fails_on_any_change() -> None:
    run = list(steps(loaded("drift")))[-1]["run"]
    assert {"refresh", "--preview-only", "--expect-no-changes"} <= set(run.split())


def restores_a_cache(step: dict[str, Any]) -> bool:
    """Raises KeyError for an action of which nobody has said whether it has a cache."""
    if "uses" not in step:
        return False
    given = step.get("with", {})
    return {
        "actions/checkout": False,
        "actions/download-artifact": False,
        "actions/upload-artifact": False,
        "actions/github-script": False,
        "google-github-actions/auth": False,
        "google-github-actions/setup-gcloud": False,
        "actions/cache": True,
        "actions/cache/restore": True,
        # `cache` has no default (action.yml of v6.0.0).
        "actions/setup-python": bool(given.get("cache")),
        # `cache` is true by default (action.yml of v6.0.0).
        "actions/setup-go": given.get("cache", True) is not False,
    }[step["uses"].partition("@")[0]]


def all_steps(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Those of the tree's own actions, too, in place of the step that uses them."""
    for step in job["steps"]:
        used = step.get("uses", "")
        if used.startswith("./"):
            yield from steps(yaml.safe_load((ROOT / used / "action.yml").read_text()))
        else:
            yield step


def with_identity(jobs: dict[str, Any]) -> set[str]:
    """Jobs with an identity, and those whose outputs such jobs take."""
    found: set[str] = set()
    wanted = [name for name, it in jobs.items() if "id-token" in it.get("permissions", {})]
    while wanted:
        name = wanted.pop()
        found.add(name)
        needs = jobs[name].get("needs", [])
        wanted.extend([needs] if isinstance(needs, str) else needs)
    return found


def test_no_job_with_an_identity_restores_a_cache() -> None:
    """Whatever runs on the main branch may write the cache, without an approval."""
    cached: dict[bool, set[str]] = {True: set(), False: set()}
    for file in WORKFLOWS:
        jobs = yaml.safe_load(file.read_text())["jobs"]
        for name, job in jobs.items():
            if any(restores_a_cache(step) for step in all_steps(job)):
                cached[name in with_identity(jobs)].add(f"{file.stem}: {name}")
    assert cached[True] == set()
    # The same eyes see caches where no identity is.
    assert {"check: check", "preview: review"} <= cached[False]


def test_jobs_with_an_identity_are_found_with_those_they_listen_to() -> None:
    assert {"order", "plan", "up"} <= with_identity(loaded("up")["jobs"])
    assert with_identity(loaded("preview")["jobs"]) == {"stacks"}


def test_with_an_identity_nothing_runs_that_the_machine_brings() -> None:
    """Of the CLI, of its host for the program, and of provider plugins the machine's own come after
    ours, or not at all."""
    action = yaml.safe_load((FOLDER / "actions" / "stack" / "action.yml").read_text())
    runs = [step.get("run", step.get("uses", "")) for step in steps(action)]
    before = runs[: next(place for place, it in enumerate(runs) if "/auth@" in it)]
    assert "make setup stack-tools" in before
    assert 'echo "$PWD/.tools/bin" >> "$GITHUB_PATH"' in before
    assert 'echo "PULUMI_IGNORE_AMBIENT_PLUGINS=true" >> "$GITHUB_ENV"' in before
    assert "make plugins" in before


@pytest.mark.parametrize(
    ("open_issue", "left"),
    [
        ("", "issue create --title nightly: a tier failed --body"),
        ("12", "issue comment 12 --body"),
    ],
)
def test_a_nightly_tier_that_fails_leaves_one_issue(
    tmp_path: Path, open_issue: str, left: str
) -> None:
    report = loaded("nightly")["jobs"]["report"]
    assert report["if"] == "always() && needs.tier.result != 'success'"
    script = next(steps({"jobs": {"report": report}}))["run"]
    gh = f'case "$*" in *"issue list"*) echo "{open_issue}";; *) echo "$*";; esac'
    done = ran(tmp_path, script, gh, "gh")
    assert done.stdout.splitlines() == [f"{left} https://github.com/o/r/actions/runs/7"]


def test_the_nightly_runs_every_tier_whole_and_side_by_side() -> None:
    job = loaded("nightly")["jobs"]["tier"]
    tiers = re.search(r"-m tools\.tiers (.*)", (ROOT / "Makefile").read_text())
    assert tiers is not None
    assert job["strategy"]["matrix"]["verb"] == tiers[1].split()
    assert job["strategy"]["fail-fast"] is False
    assert "ALL_COMBINATIONS=1" in list(steps({"jobs": {"tier": job}}))[-1]["run"]
