"""What the guard says of a replacement that the config does not ask for: by a provider of its own
accord, or by hand. No engine here."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pulumi
import pytest
import yaml

from catalog import Catalog
from stacks.acknowledge import Acknowledge, written
from stacks.agreements import Agreements
from stacks.by_hand import ByHand
from stacks.config import validate
from stacks.guard import Guard, _Wanted
from stacks.on_record import Record
from stacks.refusal import LUSTRE
from stacks.running_work import RunningWork
from tests.conftest import changed, stack_config
from tests.programs import WITH_TOKEN

REDIS = "gcp:redis/instance:Instance"
NAME = "lustre-instance"
URN = f"urn:pulumi:s::p::{LUSTRE}::{NAME}"
BEFORE = {"capacityGib": "9000", "description": "scratch", "createTime": "2026-11-28T10:00:00Z"}


@pytest.fixture(autouse=True)
def in_a_preview(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulumi.runtime, "is_dry_run", lambda: True)


def guard_of(agreements: Agreements, declared: dict[str, Any], recorded: dict[str, Any]) -> Guard:
    config = changed(stack_config("b200-lustre"), deletion_protection=True)
    plan = validate(config, secrets_set=WITH_TOKEN)
    record = Record({URN: {"type": LUSTRE, "outputs": {**BEFORE, **recorded}}})
    guard = Guard(plan, RunningWork({}, record), record, agreements, ByHand(record))
    guard.declared[LUSTRE, NAME] = declared
    return guard


def asked(agreements: Agreements, description: str, **recorded: str) -> Guard:
    """A guard that the engine has asked before it creates the instance anew."""
    declared = {"capacity_gib": "9000", "description": description}
    guard = guard_of(agreements, declared, recorded)
    wanted = {"capacityGib": "9000", "description": description}
    args = pulumi.ResourceHookArgs(urn=URN, id="", name=NAME, type=LUSTRE, new_inputs=wanted)
    asyncio.run(guard.before_create(args))
    return guard


@pytest.mark.parametrize(
    ("description", "why"),
    [
        ("scratch", "nothing of its own changes"),
        ("other", "no property that is known to replace it changes"),
    ],
)
def test_a_replacement_of_the_providers_own_is_agreed_to_once_by_the_instance(
    description: str, why: str
) -> None:
    none = Agreements(config="aaaaaaaa")
    (refused,) = asked(none, description).refused
    assert refused.sentence == f"{NAME} would be replaced ({why}): all data on 9000 GiB lost"
    (line,) = refused.entries
    agreed = replace(none, entries=[Acknowledge.model_validate(yaml.safe_load(line))])
    assert not asked(agreed, description).refused
    (again,) = asked(agreed, description, createTime="2026-11-29T10:00:00Z").refused
    assert again.sentence == refused.sentence
    assert again.entries != refused.entries


def test_an_agreement_to_what_changes_in_place_is_none_to_a_replacement_by_hand() -> None:
    """With a hook on record that asks before the delete, and without."""
    larger = Acknowledge(resource=NAME, property="capacityGib", to=18000)
    guard = guard_of(Agreements(entries=[larger], config="aaaaaaaa"), {"capacity_gib": "18000"}, {})
    old, new = BEFORE, {**BEFORE, "capacityGib": "18000"}
    args = pulumi.ResourceHookArgs(urn=URN, id="", name=NAME, type=LUSTRE, new_inputs=new)
    asyncio.run(guard.before_create(args))
    guard.touched.clear()
    guard.wanted[LUSTRE, NAME] = _Wanted(new, (), ())
    args = pulumi.ResourceHookArgs(
        urn=URN, id="", name=NAME, type=LUSTRE, old_inputs=old, old_outputs=old
    )
    asyncio.run(guard.before_delete(args))
    (without, with_hook) = guard.refused
    assert without == with_hook
    assert "no property that is known to replace it changes" in without.sentence
    assert "to: replaced " in without.entries[0]


def test_an_agreement_to_what_changes_in_place_is_none_to_the_replacement_beside_it() -> None:
    """Also where no hook on record asks before the delete."""
    larger = Acknowledge(resource=NAME, property="capacityGib", to=18000)
    tier = Acknowledge(resource=NAME, property="perUnitStorageThroughput", to=500)
    declared = {"capacity_gib": "18000", "per_unit_storage_throughput": "500"}
    recorded = {"perUnitStorageThroughput": "1000"}
    args = pulumi.ResourceHookArgs(urn=URN, id="", name=NAME, type=LUSTRE, new_inputs={})
    for entries, needed in (([larger], [(written(tier),)]), ([larger, tier], [])):
        guard = guard_of(Agreements(entries=entries), declared, recorded)
        assert [it.entries for it in guard._of_unguarded()] == needed
        guard.touched.clear()
        asyncio.run(guard.before_create(args))
        assert [it.entries for it in guard.refused] == needed


@pytest.mark.parametrize(
    ("version", "is_agreed"),
    [("REDIS_7_2", False), ("REDIS_6_X", False), ("REDIS_5_0", True)],
)
def test_an_agreement_to_a_value_is_one_to_a_replacement_where_that_value_makes_it_anew(
    version: str, is_agreed: bool
) -> None:
    """A later version is an update: the replacement beside it is by hand."""
    agreements = Agreements(
        entries=[Acknowledge(resource=NAME, property="redisVersion", to=version)],
        config="aaaaaaaa",
    )
    old = {"redisVersion": "REDIS_7_0", "memorySizeGb": 1, "createTime": "2026-11-28T10:00:00Z"}
    urn = f"urn:pulumi:s::p::{REDIS}::{NAME}"
    guard = guard_of(agreements, {}, {})
    guard.record = Record({urn: {"type": REDIS, "outputs": old}})
    guard.declared[REDIS, NAME] = {"redis_version": version, "memory_size_gb": 1}
    new = {**old, "redisVersion": version}
    args = pulumi.ResourceHookArgs(urn=urn, id="", name=NAME, type=REDIS, new_inputs=new)
    asyncio.run(guard.before_create(args))
    assert [it.entries[0].endswith("to: " + version) for it in guard.refused] == (
        [] if is_agreed else [False]
    )


@pytest.mark.parametrize(
    ("path", "old", "new", "may"),
    [
        ("ipCidrRange", "10.0.0.0/20", "10.0.0.0/16", False),
        ("ipCidrRange", "10.0.0.0/16", "10.0.0.0/20", True),
        ("ipCidrRange", "10.0.0.0/16", "10.1.0.0/16", True),
        ("ipCidrRange", "10.0.0.0/16", None, True),
        ("region", "us-central1", "us-east1", True),
    ],
)
def test_a_range_that_gets_wider_stays(path: str, old: str, new: str | None, may: bool) -> None:
    token = "gcp:compute/subnetwork:Subnetwork"
    assert Catalog.load().may_replace(token, path, old, new) is may


@pytest.mark.parametrize(
    ("new", "may"), [("REDIS_7_2", False), ("REDIS_6_X", False), ("REDIS_5_0", True), (None, True)]
)
def test_a_version_of_redis_that_gets_later_stays(new: str | None, may: bool) -> None:
    token = "gcp:redis/instance:Instance"
    assert Catalog.load().may_replace(token, "redisVersion", "REDIS_7_0", new) is may
