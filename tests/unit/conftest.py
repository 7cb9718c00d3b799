"""What many tests start from."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from aistack.offered import forget
from tests.unit.simulated_project import APIS, Project


@pytest.fixture(autouse=True)
def no_command() -> Iterator[None]:
    """What one test's command was given is nothing to the next."""
    yield
    forget()


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A program that somebody submits."""
    file = tmp_path / "train.py"
    file.write_text("print('step 1')\n")
    return file


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the files that scripts bring."""
    # The warnings of Google's SDK are let through only once pytest is configured.
    from tests.unit.effect_stacks import bring_scripts

    made = tmp_path_factory.mktemp("project")
    bring_scripts(made)
    return made


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A simulated one, with what stacks use enabled."""
    made = Project(tmp_path)
    made.enable(*APIS)
    return made
