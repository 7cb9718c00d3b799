"""A pull request that changes a platform and its workload, and brings another pair of them, through
the real engine."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from tests.review.conftest import Repository
from tests.stacks.test_platform import PLATFORM, WORKLOAD

pytestmark = pytest.mark.thorough
_PLACE = {"gcp:region": "us-central1", "gcp:zone": "us-central1-a"}


def write(repository: Repository, stack: dict[str, Any], **more: Any) -> None:
    block = {"gke-ai-stacks:stack": {**stack, **more}}
    file = repository.folder / f"Pulumi.{(stack | more)['name']}.yaml"
    file.write_text(yaml.safe_dump({"config": {**_PLACE, **block}}))


def test_a_platform_is_reviewed_first_and_its_loss_names_its_workload(
    repository: Repository,
) -> None:
    write(repository, PLATFORM)
    write(repository, WORKLOAD)
    repository.commit()
    write(repository, PLATFORM, network={"subnet": "10.20.0.0/20"})
    write(repository, WORKLOAD, labels={"team": "research"})
    write(repository, PLATFORM, name="next")
    later = {**WORKLOAD["cluster"], "stack": "organization/gke-ai-stacks/next"}
    write(repository, WORKLOAD, name="a-later", cluster=later)
    done = repository.review("HEAD", "platform", "work", "next", "a-later")

    assert done.code == 3, done.log
    assert [(it["stack"], it["status"]) for it in done.report["stacks"]] == [
        ("platform", "changed"),
        ("work", "changed"),
        ("next", "new"),
        ("a-later", "waits"),
    ]
    dangers = {it["resource"]: it["radius"] for it in done.stack("platform")["dangers"]}
    assert dangers["gke-cluster"].endswith(
        "; with it all that other stacks have there is lost: work"
    )
    # What the workload reads of the platform is what is up: its cluster is the one of the base.
    assert done.verbs("work")["gpu-pool"] == "update"
    assert done.dangers("work") == {}
    assert "| a-later, on next | its platform is not up at the base: " in done.markdown
