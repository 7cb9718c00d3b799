"""What the docs submit is judged by the rules that hold for a user."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from aistack.__main__ import app
from aistack.stack import Config
from aistack.submit.preflight import checked
from aistack.submit.request import Request
from cli.project import stack_names
from stacks.tokens import SECRETS
from tests.conftest import stack_config
from tests.pages.blocks import PAGES, shown_config


def submissions() -> list[str]:
    """Every command of the docs that submits something, but for those that are refused."""
    lines = {line for page in PAGES.values() for line in page.splitlines()}
    ours = (it for it in lines if it.startswith(".venv/bin/aistack submit "))
    return sorted(it for it in ours if "# exits" not in it)


@pytest.mark.parametrize("line", submissions())
def test_what_the_docs_submit_can_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str
) -> None:
    (tmp_path / "train.py").write_text("print()\n")
    monkeypatch.chdir(tmp_path)
    seen: list[tuple[Request, str]] = []

    def opened(stack: str, sandbox: Path | None) -> tuple[str, None]:
        return stack, None

    def submitted(request: Request, stack: str, cluster: None) -> None:
        seen.append((request, stack))
        raise typer.Exit

    monkeypatch.setattr("aistack.verbs.submit.opened", opened)
    monkeypatch.setattr("aistack.verbs.submit._submitted", submitted)
    done = CliRunner().invoke(app, shlex.split(line)[1:])
    assert done.exit_code == 0, done.output
    ((request, stack),) = seen
    config = stack_config(stack) if stack in stack_names() else shown_config(stack)
    # What is run again has ended.
    ended = [] if request.like is None else [request.like]
    checked(request, Config(config, frozenset(SECRETS)), ended, stack)
