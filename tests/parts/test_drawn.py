"""Configs that validate, with values that nobody chose, on the sandbox without the engine: what is
refused there is to be refused before the first resource.

The stand-ins answer as far as they know Google and Kubernetes; what a real control plane says to
the objects is in tests/kube/test_drawn.py.
"""

import json
from pathlib import Path

import pytest

from stacks.config import validate
from tests.parts.samples import VERL
from tests.parts.stand_ins import refused
from tests.parts.varied import drawn_configs
from tests.programs import WITH_ALL_SECRETS
from tests.unit.effect_stacks import bring_scripts


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the files that scripts bring."""
    made = tmp_path_factory.mktemp("project")
    bring_scripts(made)
    return made


# All 500 take 10 minutes of a core.
@pytest.mark.timeout(3600)
@pytest.mark.thorough
def test_what_validates_is_taken(folder: Path) -> None:
    said = {
        json.dumps(raw, default=str): line
        for raw, plan in drawn_configs()
        if (line := refused(raw, plan, folder))
    }
    assert said == {}


def test_a_refusal_is_seen(folder: Path) -> None:
    plan = validate(VERL, secrets_set=WITH_ALL_SECRETS)
    assert refused(VERL, plan, folder) == ""
    # A project without its reservation.
    assert '"mine"' in refused({**VERL, "pools": {}}, plan, folder)
