"""Rules for what becomes of a bucket's objects: what is registered of them, and what goes."""

from stacks.config import validate
from tests.conftest import changed
from tests.parts.samples import BARE
from tests.programs import registered
from tests.unit.bucket_samples import RULED


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
