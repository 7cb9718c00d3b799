"""A snapshot in a file: no secret goes into it, and `why` says of it what it says of the cluster.

That three of them come from a real control plane is shown by tests/kube.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aistack.__main__ import main
from aistack.errors import VerbError
from aistack.exit_codes import ExitCode
from aistack.members import Member, Members
from aistack.snapshot_names import EXAMPLES
from aistack.why.saved import LEFT_OUT, judged, written
from aistack.why.verdict import verdict
from sandbox.demo import FOUND, explained
from tests.unit.test_why_reports import REPORTS
from tests.unit.why_samples import job, pod, snapshot

TOKEN = "hf_" + "aB3dE6gH9jK2mN5pQ8sT" * 2
CANARY = "canary-1234-canary"


def file_of(name: str) -> bytes:
    return written(REPORTS[name].snapshot).encode()


def test_a_reported_job_is_told_by_its_cause_from_a_file_too() -> None:
    told = {name: judged(file_of(name), "a.json")[1].reason for name in REPORTS}
    causes = {name: None if it is None else it.cause for name, it in told.items()}
    assert causes == {name: it.cause for name, it in REPORTS.items()}


def test_most_reports_are_told_in_the_same_words() -> None:
    same = [
        judged(file_of(name), "a.json")[1] == verdict(it.snapshot) for name, it in REPORTS.items()
    ]
    assert same.count(False) <= len(same) // 50


def with_secrets() -> Member:
    """A pod with a canary in each place where people put secrets."""
    made = pod()
    container = {
        "name": "main",
        "env": [
            {"name": "WANDB_API_KEY", "value": CANARY},
            {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": {"name": "tokens", "key": "hf"}}},
        ],
        "command": ["bash", "-c", f"train {CANARY}"],
        "args": [CANARY],
        "livenessProbe": {"httpGet": {"httpHeaders": [{"name": "A", "value": CANARY}]}},
    }
    metadata = {**made.pod["metadata"], "annotations": {"team.example/key": CANARY}}
    return Member({**made.pod, "metadata": metadata, "spec": {"containers": [container]}}, "0")


def test_no_secret_comes_through() -> None:
    found = job()
    found.obj["spec"]["template"]["spec"] = with_secrets().pod["spec"]
    seen = snapshot(
        found,
        with_secrets(),
        logs={
            "train-0": [
                f"logging in with {CANARY}",
                f"token: {TOKEN}",
                "retrying with --password=hunter2hunter2 now",
                "step 3 loss 2.1",
            ]
        },
        nodes=[{"metadata": {"name": "a", "labels": {"key": TOKEN}}}],
    )
    text = written(seen)
    for secret in (CANARY, TOKEN, "hunter2"):
        assert secret not in text
    again, _ = judged(text.encode(), "a.json")
    assert list(again.logs["train-0"])[-1] == "step 3 loss 2.1"
    assert f"logging in with {LEFT_OUT}" in again.logs["train-0"]
    assert again.pods[0].pod["spec"]["containers"][0]["env"][1]["valueFrom"]


def test_what_a_ray_job_runs_stays_at_home() -> None:
    found = job()
    found.obj["spec"] |= {"entrypoint": CANARY, "runtimeEnvYAML": f"env_vars: {{A: {CANARY}}}"}
    assert CANARY not in written(snapshot(found))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Expecting value"),
        ("[]", "list indices"),
        ('{"format": 2, "snapshot": {}}', "its format is 2"),
        ('{"format": 1, "snapshot": {"found": 1}}', "found is none"),
        ("[" * 100_000, "recursion"),
        ("\x00", "Expecting value"),
    ],
)
def test_what_is_no_snapshot_is_told_in_a_line(text: str, said: str) -> None:
    with pytest.raises(VerbError, match=said) as raised:
        judged(text.encode(), "a.json")
    assert "nearest: aistack snapshot JOB --out FILE" in str(raised.value)


@pytest.mark.parametrize("rubbish", [1, "x", [], {}, None, [1], {"a": 1}])
def test_an_object_that_is_no_object_is_told_in_a_line(rubbish: Any) -> None:
    """A stranger may have written the file."""
    whole = json.loads(written(snapshot(job(), pod())))
    for part in ("metadata", "spec", "status"):
        for changed in (whole["snapshot"]["found"]["obj"], first_pod(whole)):
            kept = changed[part]
            changed[part] = rubbish
            with suppress(VerbError):
                judged(json.dumps(whole).encode(), "a.json")
            changed[part] = kept


def first_pod(whole: dict[str, Any]) -> dict[str, Any]:
    return whole["snapshot"]["members"]["pods"][0]["pod"]


def test_why_reads_a_file_with_no_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "why.json"
    file.write_bytes(file_of("spot"))
    monkeypatch.setattr("sys.argv", ["aistack", "why", "--snapshot", str(file)])
    assert main() == ExitCode.IN_THE_WAY
    said = capsys.readouterr()
    assert "The machine of rank 0 was shut down" in said.out
    assert said.err.splitlines()[0] == "as it was at 2026-11-23 12:00 UTC"


@pytest.mark.parametrize(
    ("given", "options", "note"),
    [
        ((), " --stack STACK`", ", with the stack's name as STACK"),
        (("--stack", "lab"), " --stack lab`", ""),
    ],
)
def test_advice_of_a_file_is_for_where_its_cluster_is(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    given: tuple[str, ...],
    options: str,
    note: str,
) -> None:
    words = ("why", "--snapshot", "collective-timeout", *given)
    monkeypatch.setattr("sys.argv", ["aistack", *words])
    assert main() == ExitCode.IN_THE_WAY
    said = capsys.readouterr()
    assert f"`aistack logs collective-timeout{options}" in said.out
    assert said.err.endswith(f"its commands are for where that cluster is{note}\n")


@pytest.mark.parametrize("file", sorted(EXAMPLES.iterdir()), ids=lambda it: it.stem)
def test_a_snapshot_that_comes_along_is_read_by_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], file: Path
) -> None:
    """By the name of what it shows."""
    monkeypatch.setattr("sys.argv", ["aistack", "why", "--json", "--snapshot", file.stem])
    assert main() == ExitCode.IN_THE_WAY
    assert json.loads(capsys.readouterr().out)["reason"]["cause"] == file.stem


def test_a_wrong_name_lists_those_that_come_along(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["aistack", "why", "--snapshot", "quota-ful"])
    assert main() == ExitCode.REFUSED
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: --snapshot: quota-ful: No such file or directory; nearest: ")
    assert line.endswith("collective-timeout, quota-full, stock-out")


def test_the_demo_ends_with_the_command_and_what_it_says(
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert FOUND == ExitCode.IN_THE_WAY
    assert explained()
    shown, said = capfd.readouterr().out.split("\n", 1)
    assert shown.endswith("aistack why --snapshot collective-timeout")
    assert said.strip().startswith("Job default/collective-timeout is failed. Rank 0 failed, for ")


@pytest.mark.parametrize("words", [(), ("train", "--snapshot", __file__)])
def test_why_asks_for_a_job_or_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]
) -> None:
    monkeypatch.setattr("sys.argv", ["aistack", "why", *words])
    assert main() == ExitCode.USAGE
    assert "nearest: `aistack why NAME`" in capsys.readouterr().err


def test_a_file_of_a_whole_job_is_not_larger_than_it_has_to_be() -> None:
    """Members that say the same are what makes it large: 100 pods stay below a megabyte."""
    seen = snapshot(job())
    many = replace(seen, members=Members(tuple(pod(str(it)) for it in range(100))))
    assert len(written(many)) < 1_000_000
