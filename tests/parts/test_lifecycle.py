"""Rules for what becomes of a bucket's objects: what is registered of them, and what goes."""

from typing import Any

import pytest

from stacks.config import validate
from tests.conftest import changed
from tests.parts.samples import BARE, CLASSIFIER, DEV, RL, SERVE, VERL
from tests.programs import lines_of, registered
from tests.unit.bucket_samples import RULED

BY_AGE = {"action": "delete", "age_days": 30}


def ruled(config: dict[str, Any], bucket: str, *rules: dict[str, Any]) -> dict[str, Any]:
    return changed(config, **{f"buckets__{bucket}__lifecycle": list(rules)})


def test_a_rule_is_registered_with_the_conditions_that_it_has() -> None:
    recording = registered(validate(RULED))
    assert recording.named("data-bucket").inputs["lifecycleRules"] == [
        {
            "action": {"type": "Delete"},
            "condition": {"numNewerVersions": 3, "daysSinceNoncurrentTime": 7},
        },
        {
            "action": {"type": "SetStorageClass", "storageClass": "COLDLINE"},
            "condition": {"matchesPrefixes": ["done/"]},
        },
        {
            "action": {"type": "Delete"},
            "condition": {"age": 90, "matchesSuffixes": [".log", ".tmp"]},
        },
    ]


def test_a_bucket_without_rules_registers_none() -> None:
    made = registered(validate(changed(BARE, buckets__data={}))).named("data-bucket")
    assert "lifecycleRules" not in made.inputs


@pytest.mark.parametrize(
    "rule",
    [
        {**BY_AGE, "prefixes": ["logs/"]},
        {**BY_AGE, "suffixes": [".log"]},
        {"action": "set-storage-class", "storage_class": "nearline", "age_days": 30},
    ],
)
def test_a_job_keeps_its_data_where_a_rule_says_what_may_go(rule: dict[str, Any]) -> None:
    assert lines_of(ruled(VERL, "data", rule)) == ()


def test_a_script_on_ray_knows_itself_what_of_a_bucket_may_go() -> None:
    script = {"type": "script", "file": "train.py", "command": ["python3"], "ray": "dev"}
    config = changed(DEV, buckets__bucket__mount__implicit_dirs=True, jobs={"train": script})
    assert lines_of(ruled(config, "bucket", BY_AGE)) == ()


def test_old_versions_go_from_under_a_job() -> None:
    rule = {"action": "delete", "num_newer_versions": 1}
    assert lines_of(changed(VERL, buckets__data__versioning=True)) == ()
    assert lines_of(ruled(changed(VERL, buckets__data__versioning=True), "data", rule)) == ()


@pytest.mark.parametrize("config", [VERL, CLASSIFIER, SERVE], ids=lambda it: it["name"])
def test_what_a_job_goes_on_from_does_not_go_by_age_alone(config: dict[str, Any]) -> None:
    (bucket,), (job,) = config["buckets"], config["jobs"]
    (line,) = lines_of(ruled(config, bucket, BY_AGE))
    assert line.startswith(f"stack.buckets.{bucket}.lifecycle[0].prefixes: missing; jobs.{job} ")


def test_a_bucket_that_no_job_keeps_its_data_in_is_emptied_by_age() -> None:
    on_lustre = changed(RL, ray__rl__mounts=["lustre"])
    assert lines_of(ruled(on_lustre, "scratch", BY_AGE)) == ()


def test_directories_of_a_flat_bucket_are_seen_without_their_objects_or_named_apart() -> None:
    flat = {"hierarchical_namespace": False, "lifecycle": [BY_AGE]}
    assert lines_of(changed(BARE, buckets__data=flat)) == ()
    hidden = {**flat, "mount": {"implicit_dirs": False}}
    (line,) = lines_of(changed(BARE, buckets__data=hidden))
    assert line.startswith("stack.buckets.data.mount.implicit_dirs: false: lifecycle[0] deletes")
    of_files = {**hidden, "lifecycle": [{**BY_AGE, "suffixes": [".tmp"]}]}
    assert lines_of(changed(BARE, buckets__data=of_files)) == ()
    with_folders = {**hidden, "hierarchical_namespace": True}
    assert lines_of(changed(BARE, buckets__data=with_folders)) == ()
