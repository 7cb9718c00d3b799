"""The library, and one run of all programs that are shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.build_backend import write_library
from tests.examples.runs import EXAMPLES, PROGRAMS, Run, run_of
from tests.pages.blocks import blocks_of

PAGE = "docs/components.md"
# What the programs of the page ask of their configs.
_CONFIG = """\
config:
  gcp:project: my-project
  gcp:region: us-central1
  gcp:zone: us-central1-a
  {name}:kubeconfig: "{{}}"
  {name}:project: my-project
  {name}:location: us-central1-a
  {name}:zone: us-central1-a
  {name}:cluster: there
  {name}:nodes: nodes@my-project.iam.gserviceaccount.com
"""


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that has it, for the path of a program."""
    folder = tmp_path_factory.mktemp("library")
    write_library(folder)
    return folder


@pytest.fixture(scope="session")
def run(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    programs = [EXAMPLES / it for it in PROGRAMS]
    for block in blocks_of(PAGE):
        if block.language == "python":
            program = tmp_path_factory.mktemp("page") / f"page-{block.at}"
            program.mkdir()
            (program / "__main__.py").write_text(block.text)
            (program / "Pulumi.dev.yaml").write_text(_CONFIG.format(name=program.name))
            programs.append(program)
    return run_of(programs, library)
