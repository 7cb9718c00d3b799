"""What checkov says of the manifests of every preset: nothing that is not defended in
defended.yaml, and nothing there that it no longer says."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from cli.project import stack_names
from tests.conftest import ROOT
from tests.scans.manifests import write_manifests

CHECKOV = ROOT / ".venv-scan" / "bin" / "checkov"
DEFENDED = Path(__file__).parent / "defended.yaml"


@dataclass(frozen=True, order=True)
class Finding:
    check: str
    object_name: str
    title: str


def scanned(folder: Path) -> list[Finding]:
    assert CHECKOV.exists(), f"{CHECKOV} is not there; nearest: make scan"
    words = ("--framework", "kubernetes", "--output", "json", "--compact", "--quiet")
    offline = ("--skip-download", "--soft-fail")
    done = subprocess.run(
        [CHECKOV, "--directory", folder, *words, *offline],
        capture_output=True,
        text=True,
        check=True,
    )
    report = json.loads(done.stdout)
    assert report["summary"]["parsing_errors"] == 0
    failed = report["results"]["failed_checks"]
    return sorted({Finding(it["check_id"], it["resource"], it["check_name"]) for it in failed})


@dataclass(frozen=True, kw_only=True)
class Defence:
    checks: Sequence[str]
    objects: str
    reason: str

    def covers(self, finding: Finding) -> bool:
        named = re.fullmatch(self.objects, finding.object_name) is not None
        return named and finding.check in self.checks


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    folder = tmp_path_factory.mktemp("manifests")
    for stack in stack_names():
        write_manifests(folder / stack, stack)
    return scanned(folder)


@pytest.fixture(scope="module")
def defences() -> list[Defence]:
    return [Defence(**it) for it in yaml.safe_load(DEFENDED.read_text(encoding="utf-8"))]


def test_all_that_is_found_is_defended(findings: list[Finding], defences: list[Defence]) -> None:
    assert [it for it in findings if not any(one.covers(it) for one in defences)] == []


def test_all_that_is_defended_is_found(findings: list[Finding], defences: list[Defence]) -> None:
    idle = [
        (one.objects, check)
        for one in defences
        for check in one.checks
        if not any(it.check == check and one.covers(it) for it in findings)
    ]
    assert idle == []


def test_a_pod_within_a_custom_resource_is_seen(tmp_path: Path) -> None:
    write_manifests(tmp_path / "lab", "lab")
    (file,) = (tmp_path / "lab").glob("cifar-10-job-set-pod-*.yaml")
    pod = yaml.safe_load(file.read_text())
    named = f"Pod.default.{pod['metadata']['name']}"
    pod["spec"]["hostPID"] = True
    pod["spec"]["containers"][0]["securityContext"]["privileged"] = True
    file.write_text(yaml.safe_dump(pod))
    new = {it.check for it in scanned(tmp_path) if it.object_name == named}
    assert {"CKV_K8S_16", "CKV_K8S_17"} <= new
