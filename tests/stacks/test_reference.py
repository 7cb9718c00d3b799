"""A stack that reads another one's outputs, through the real engine and its file backend."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stacks.program_sandbox import ProgramSandbox

PLATFORM = "organization/gke-ai-stacks/platform"


def stacks(folder: Path) -> tuple[ProgramSandbox, ProgramSandbox]:
    """A platform and a tenant in one backend, neither of them up."""
    module = "tests.stacks.referring"
    return (
        ProgramSandbox(folder, "platform", module, "platform"),
        ProgramSandbox(folder, "tenant", module, "tenant"),
    )


def test_a_tenant_reads_its_platform_and_keeps_its_secrets(tmp_path: Path) -> None:
    platform, tenant = stacks(tmp_path)
    assert platform.run("up").ok
    made = tenant.run("up", platform=PLATFORM)
    assert made.ok, made.report.diagnostics
    assert made.outputs["cluster"] == "shared"
    (state,) = tenant.workspace.state_files()
    assert "hush-hush" not in state.read_text()
    assert "hush-hush" not in str(made.to_json())
    assert made.outputs["token"] == "[secret]"
    types = {one.type for one in made.report.resources}
    assert types <= {"pulumi:pulumi:Stack", "pulumi:providers:pulumi"}

    assert platform.run("up", cluster="newer").ok
    assert tenant.run("up", platform=PLATFORM).outputs["cluster"] == "newer"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        (PLATFORM, f'cluster.stack: "{PLATFORM}" is not there; nearest: one that `pulumi stack ls'),
        (
            "ours/gke-ai-stacks/platform",
            f'no organizations but "organization"; nearest: {PLATFORM}',
        ),
    ],
)
def test_a_platform_that_is_not_there_fails_the_preview(
    tmp_path: Path, name: str, line: str
) -> None:
    _, tenant = stacks(tmp_path)
    result = tenant.run("preview", platform=name)
    assert not result.ok
    assert any(line in " ".join(one.split()) for one in result.report.diagnostics)
