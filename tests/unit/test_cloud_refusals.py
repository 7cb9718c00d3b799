"""What the simulated cloud refuses, in cloud_refusals.yaml: steps in a new project, how the last of
them is refused, if it is, and steps that are taken after that."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.errors import CloudError
from tests.unit.cloud_steps import Steps

ROWS: list[dict[str, Any]] = yaml.safe_load(
    Path(__file__).with_name("cloud_refusals.yaml").read_text()
)


@pytest.mark.parametrize("row", ROWS, ids=lambda it: it.get("says", "taken"))
def test_the_cloud_refuses_the_last_step_in_these_words(
    tmp_path: Path, row: dict[str, Any]
) -> None:
    steps = Steps(tmp_path, row["do"])
    *before, last = steps.steps
    steps.do(before)
    with pytest.raises(CloudError, match=row["says"]) if "says" in row else nullcontext():
        steps.do([last])
    steps.do(row.get("then", []))
