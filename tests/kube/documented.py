"""Stacks of docs/machines.md on a real control plane."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from sandbox.forget import forget
from sandbox.workspace import Workspace
from tests.kube.conftest import LiveSandbox
from tests.stacks.conftest import CANARY
from tests.stacks.test_machines import CONFIGS, sandbox_of


@contextmanager
def documented(
    tmp_path_factory: pytest.TempPathFactory, machine: str, *overrides: str
) -> Iterator[LiveSandbox]:
    """The stack for a machine, up; its processes end with it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HUGGING_FACE_TOKEN", CANARY)
        folder = tmp_path_factory.mktemp(machine)
        sandbox = LiveSandbox(sandbox_of(CONFIGS[machine], folder).workspace)
        try:
            sandbox.succeed("up", *overrides)
            yield sandbox
        finally:
            forget(Workspace(sandbox.workspace.root, ""))
