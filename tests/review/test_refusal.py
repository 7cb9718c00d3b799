"""What the program's own guard says of a resource that is about to go. No engine here."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from functools import partial
from typing import Any

import pytest
import yaml

from catalog import Catalog
from sandbox.providers.schema import GcpSchema
from stacks import refusal
from stacks.acknowledge import REMOVED, Acknowledge, entry, repeated_entries, written
from stacks.agreements import DONE, RULES, SPENT, VOID, Agreements, instance_of, rules_word
from stacks.property_paths import UNKNOWN, Secret, changed_paths
from stacks.refusal import BUCKET, CLUSTER, NODE_POOL, Refusal, of_destroy, text_of
from stacks.workloads import RAY_JOB

CATALOG = Catalog.load()
OLD: dict[str, Any] = {
    "cluster": "a",
    "nodeConfig": {
        "spot": True,
        "diskSizeGb": 100,
        "metadata": {"disable-legacy": "true"},
        "guestAccelerators": [{"type": "nvidia-l4", "count": 1}],
    },
}


def pool(**node: Any) -> dict[str, Any]:
    return {**OLD, "nodeConfig": {**OLD["nodeConfig"], **node}}


def causes(new: Mapping[str, Any], **more: Any) -> list[str]:
    return list(refusal.causes_of(NODE_POOL, OLD, new, CATALOG, **more))


def test_each_cause_is_named_at_its_full_path() -> None:
    new = pool(spot=False, guestAccelerators=[{"type": "nvidia-l4", "count": 2}])
    assert causes(new) == ["nodeConfig.guestAccelerators[0].count", "nodeConfig.spot"]


def test_what_can_be_changed_in_place_is_no_cause_beside_one_that_is() -> None:
    assert causes(pool(spot=False, diskSizeGb=200)) == ["nodeConfig.spot"]


def test_what_changes_in_place_is_no_cause_of_a_replacement_by_hand() -> None:
    assert not causes(pool(diskSizeGb=200))


def test_a_value_that_is_not_known_yet_counts_as_changed() -> None:
    assert causes({**OLD, "cluster": UNKNOWN}) == ["cluster"]


def test_a_key_of_a_map_counts_with_its_map() -> None:
    assert causes(pool(metadata={"disable-legacy": "false"}, diskSizeGb=7)) == [
        'nodeConfig.metadata["disable-legacy"]'
    ]


def test_options_of_the_resource_count_too() -> None:
    assert not causes(pool(spot=False, diskSizeGb=9), ignored=["nodeConfig.spot"])
    assert causes(pool(spot=False, diskSizeGb=9), forced=["nodeConfig.diskSizeGb"]) == [
        "nodeConfig.diskSizeGb",
        "nodeConfig.spot",
    ]


def test_what_a_provider_filled_in_itself_is_no_change() -> None:
    old = {"name": "a", "project": "p", "__defaults": ["project"]}
    assert changed_paths(old, {"name": "a"}) == []
    assert changed_paths({**old, "__defaults": []}, {"name": "a"}) == ["project"]
    assert changed_paths({"capacityGib": "9000"}, {"capacityGib": 9000}) == []


POOL = "gpu-pool"
SPOT, PODS = "nodeConfig.spot", "maxPodsPerNode"


def agreed(*entries: Acknowledge, **more: Any) -> Agreements:
    return Agreements(entries, **{"config": "aaaaaaaa", "project": "ours", **more})


def to(path: str | None, value: Any, resource: str = POOL) -> Acknowledge:
    return Acknowledge(resource=resource, property=path, to=value)


def test_every_cause_has_to_be_agreed_to_with_the_value_that_comes() -> None:
    both = {PODS: 32, SPOT: None}
    assert agreed().for_replacement(POOL, both) == [
        f"{{resource: gpu-pool, property: {PODS}, to: 32}}",
        f"{{resource: gpu-pool, property: {SPOT}, to: removed}}",
    ]
    assert agreed(to(PODS, 32)).for_replacement(POOL, both) == [entry(POOL, SPOT, REMOVED)]
    assert agreed(to(PODS, 64), to(SPOT, REMOVED)).for_replacement(POOL, both)
    assert agreed(to(PODS, "32"), to(SPOT, REMOVED)).for_replacement(POOL, both) == []


def test_an_agreement_to_the_block_is_not_one_to_what_is_in_it() -> None:
    assert agreed(to("nodeConfig", True)).for_replacement(POOL, {SPOT: True})


def test_what_an_entry_says_lets_the_change_through() -> None:
    path = 'nodeConfig.metadata["disable-legacy"]'
    (line,) = agreed().for_replacement(POOL, {path: "yes"})
    one = Acknowledge.model_validate(yaml.safe_load(line))
    assert agreed(one).for_replacement(POOL, {path: "yes"}) == []
    assert agreed(one).for_replacement(POOL, {path: "no"})


@pytest.mark.parametrize(
    "value", [UNKNOWN, Secret("held"), "projects/ours/x", "a" * 200, [{"a": UNKNOWN}]]
)
def test_a_value_that_cannot_be_told_is_agreed_to_by_the_instance_that_goes(value: Any) -> None:
    causes = {"cluster": value}
    assert agreed().for_replacement(POOL, causes, "bbbbbbbb") == [
        "{resource: gpu-pool, to: replaced bbbbbbbb}"
    ]
    for word in ("replaced bbbbbbbb", "config aaaaaaaa"):
        assert agreed(to(None, word)).for_replacement(POOL, causes, "bbbbbbbb") == []
    assert agreed(to(None, "replaced cccccccc")).for_replacement(POOL, causes, "bbbbbbbb")


def test_what_agrees_by_the_config_is_spent_once_the_stack_is_there() -> None:
    one = to(None, "config aaaaaaaa")
    assert agreed(one, reached=True).for_replacement(POOL, {}, "bbbbbbbb") == [
        "{resource: gpu-pool, to: replaced bbbbbbbb}"
    ]
    assert agreed(one, reached=True).judge({(NODE_POOL, POOL): {}}, {}, {}) == (
        [],
        {entry(POOL, None, one.to): DONE},
    )


@pytest.mark.parametrize("reached", [True, False])
@pytest.mark.parametrize(
    "seen",
    [{}, {POOL: "cccccccc"}, {POOL: "bbbbbbbb"}, {POOL: SPENT}],
    ids=lambda it: it.get(POOL, ""),
)
@pytest.mark.parametrize(
    "causes",
    [{}, {PODS: 32}, {"spot": None}, {PODS: 32, "spot": None}, {"cluster": UNKNOWN}, {"list": [1]}],
    ids=" and ".join,
)
@pytest.mark.parametrize(
    "standing", [None, to(None, "config aaaaaaaa"), to(PODS, 32), to(None, "replaced cccccccc")]
)
def test_each_entry_that_a_refusal_offers_is_taken(
    standing: Acknowledge | None, causes: dict[str, Any], seen: dict[str, str], *, reached: bool
) -> None:
    """With what the config had, as the refusal has it."""
    before = {(NODE_POOL, POOL): {PODS: 110, "spot": True, "cluster": "a", "list": []}}
    after = {(NODE_POOL, POOL): {**before[NODE_POOL, POOL], **causes}}
    instances = {POOL: "bbbbbbbb"}
    asked = agreed(*([standing] if standing else []), reached=reached, seen=seen)
    wrong, spent = asked.judge(after, before, instances)
    needed = asked.for_replacement(POOL, causes, "bbbbbbbb")
    kept = [written(one) for one in asked.entries if not wrong and written(one) not in spent]
    text = text_of([Refusal("it goes", tuple(needed))], kept)
    block = textwrap.dedent(text[text.index("  acknowledge:") :])
    pasted = [Acknowledge.model_validate(it) for it in yaml.safe_load(block)["acknowledge"] or []]
    again = agreed(*pasted, reached=reached, seen=seen)
    assert again.for_replacement(POOL, causes, "bbbbbbbb") == []
    assert again.judge(after, before, instances) == ([], {})
    assert not list(repeated_entries(pasted))


def test_an_agreement_to_a_key_is_none_to_one_that_other_letters_tell_from_it() -> None:
    key, other = (f"projects/keys/cryptoKeys/{it}" for it in ("Data", "data"))
    standing = agreed(to("kmsKey", key))
    assert standing.for_replacement(POOL, {"kmsKey": key}) == []
    needed = standing.for_replacement(POOL, {"kmsKey": other})
    assert needed == [entry(POOL, "kmsKey", other)]
    after, before = ({(NODE_POOL, POOL): {"kmsKey": it}} for it in (other, key))
    ((wrong,), spent) = standing.judge(after, before, {})
    assert "kmsKey of gpu-pool becomes" in wrong
    assert not spent


def test_one_property_that_is_written_in_two_ways_stands_twice() -> None:
    (told,) = repeated_entries([to('labels["a/b"]', "x"), to("labels.a/b", "x")])
    assert "stands in acknowledge[0], too" in told.message


def test_the_entry_for_rules_is_taken_for_them_alone_and_until_they_are_there() -> None:
    rule = {"action": {"type": "Delete"}, "condition": {"age": 3}}
    after = {(BUCKET, "data"): {"lifecycleRules": [rule]}}
    before: dict[tuple[str, str], dict[str, Any]] = {(BUCKET, "data"): {}}
    (line,) = agreed(reached=True).for_rules("data", after[BUCKET, "data"])
    pasted = agreed(Acknowledge.model_validate(yaml.safe_load(line)), reached=True)
    assert pasted.for_rules("data", after[BUCKET, "data"]) == []
    assert pasted.judge(after, before, {}) == ([], {})
    assert pasted.judge(after, after, {}) == ([], {line: DONE})
    assert pasted.for_replacement("data", {}, "bbbbbbbb")
    assert not pasted.awaits("data", {}, partial(CATALOG.may_replace, BUCKET))
    other = {(BUCKET, "data"): {"lifecycleRules": [{**rule, "condition": {"age": 4}}]}}
    ((wrong,), _) = pasted.judge(other, before, {})
    assert "lifecycleRules of data becomes rules" in wrong
    assert pasted.for_rules("data", other[BUCKET, "data"])


_BEFORE: dict[tuple[str, str], dict[str, Any]] = {
    (NODE_POOL, POOL): {PODS: 110, "cluster": "a"},
    (BUCKET, "data"): {"location": "us"},
}
_AFTER: dict[tuple[str, str], dict[str, Any]] = {(NODE_POOL, POOL): {PODS: 32, "cluster": UNKNOWN}}
STALE = [
    (to(PODS, None), f"{{resource: gpu-pool, property: {PODS}, to: 32}}"),
    (to("cluster", None), "{resource: gpu-pool, to: config aaaaaaaa}"),
    (to(REMOVED, None, "data"), "{resource: data, to: removed}"),
    (to(None, REMOVED), "delete {resource: gpu-pool, to: removed}"),
    (
        to("location", "eu", "data"),
        "{resource: data, to: removed}, or delete {resource: data, property: location, to: eu}",
    ),
    (
        to(PODS, 32, "gpu-poo"),
        f"{{resource: gpu-pool, property: {PODS}, to: 32}}, or delete {{resource: gpu-poo, ",
    ),
    (to("cluster", "b"), "{resource: gpu-pool, to: config aaaaaaaa}"),
    (
        to("maxPodPerNode", 32),
        f"{{resource: gpu-pool, property: {PODS}, to: 32}}, or delete {{resource: gpu-pool, ",
    ),
    (to("spot", REMOVED, "gpu-poo"), "delete {resource: gpu-poo, "),
    (to("spot", True), "delete {resource: gpu-pool, property: spot, to: true}"),
    (to(PODS, 64), f"delete {{resource: gpu-pool, property: {PODS}, to: 64}}"),
    (to(None, 32), "{resource: gpu-pool, property: PROPERTY, to: 32}, removed, or what the "),
    (to(None, "config bbbbbbbb"), "delete {resource: gpu-pool, to: config bbbbbbbb}"),
]


@pytest.mark.parametrize(("one", "near"), STALE, ids=[written(one) for one, _ in STALE])
def test_an_entry_that_matches_nothing_is_told_with_what_would(one: Acknowledge, near: str) -> None:
    (line,), spent = agreed(one).judge(_AFTER, _BEFORE, {})
    assert line.startswith("stack.acknowledge[0]: ")
    assert line.partition("; nearest: ")[2].startswith(near)
    assert spent == {}


def test_an_entry_is_spent_once_what_it_agrees_to_is_done() -> None:
    lowered, taken_out = to(PODS, 32), to(None, REMOVED, "data")
    asked = agreed(lowered, taken_out)
    assert asked.judge(_AFTER, _BEFORE, {}) == ([], {})
    spent = {written(lowered): DONE, written(taken_out): DONE}
    assert asked.judge(_AFTER, _AFTER, {}) == ([], spent)


def test_an_entry_for_rules_of_a_bucket_that_is_not_there_agrees_to_nothing() -> None:
    after = {(BUCKET, "data"): {"lifecycleRules": [{"action": {"type": "Delete"}}]}}
    one = to(RULES, rules_word(after[BUCKET, "data"]), "data")
    assert agreed(one).judge(after, {}, {}) == ([], {written(one): VOID})


def test_an_entry_for_an_instance_that_stays_agrees_to_nothing() -> None:
    asked, there = agreed(to(None, "replaced bbbbbbbb"), to(PODS, 32)), {POOL: "bbbbbbbb"}
    (line,) = asked.unused([], there)
    assert line.startswith("stack.acknowledge[0]: gpu-pool stays as it is")
    assert [*asked.unused([POOL], there)] == []
    assert [*asked.unused([], {POOL: "cccccccc"})] == []


def test_an_entry_for_the_run_of_a_job_is_good_until_an_up_has_ended_on_other_nodes() -> None:
    job, there = (RAY_JOB, "tune-job"), {"tune-job": "bbbbbbbb"}
    (line,) = agreed(runs={"tune-job": "11111111"}).for_replacement("tune-job", {}, "bbbbbbbb")
    one = Acknowledge.model_validate(yaml.safe_load(line))
    assert line == entry("tune-job", None, "replaced 11111111")

    now = {"tune-job": "22222222"}
    half, whole = agreed(one, runs=now, begun={"tune-job": "11111111"}), agreed(one, runs=now)
    for asked in (half, whole):
        assert list(asked.unused([], there)) == []
    assert half.for_replacement("tune-job", {}, "bbbbbbbb") == []
    assert half.judge({job: {}}, {job: {}}, there) == ([], {})
    assert half.by_run() == {"tune-job": "11111111"}
    assert half.over(["tune-job"]) == {}
    assert half.over([]) == {line: DONE}
    assert whole.for_replacement("tune-job", {}, "bbbbbbbb") == [
        entry("tune-job", None, "replaced 22222222")
    ]
    assert whole.judge({job: {}}, {job: {}}, there) == ([], {line: VOID})
    assert whole.by_run() == whole.over([]) == {}
    standing = agreed(one, runs={"tune-job": "11111111"})
    assert "tune-job stays as it is" in "".join(standing.unused([], there))


def test_a_refusal_of_a_run_that_has_begun_does_not_say_that_nothing_was_touched() -> None:
    one = Refusal("it goes", ("{resource: it, to: removed}",))
    assert "nothing of it was touched" in text_of([one])
    begun = text_of([one], begun=True, standing=True)
    assert "nothing of it was touched" not in begun
    assert "in the place of what stands there" in begun


def test_a_destroy_that_would_end_half_way_is_told_with_the_commands_that_end_it() -> None:
    lines = refusal.still_locked({"urn:pulumi:s::p::B::data-bucket": "force_destroy"}, ["s"], "dev")
    assert "data-bucket (force_destroy)" in lines
    assert [it.strip() for it in lines.splitlines() if it.startswith("  pulumi")] == [
        "pulumi up --stack dev --target urn:pulumi:s::p::B::data-bucket --target s",
        "pulumi destroy --stack dev --run-program",
    ]


def test_a_removal_needs_its_own_word() -> None:
    assert agreed(to(SPOT, False)).for_removal(POOL) == ["{resource: gpu-pool, to: removed}"]
    assert agreed(to(None, REMOVED)).for_removal(POOL) == []
    assert agreed(to(None, REMOVED, "other")).for_removal(POOL)


def test_a_removal_is_done_only_where_an_up_had_the_entry_and_nothing_has_the_name() -> None:
    one, record = to(None, REMOVED, "data"), {(BUCKET, "data"): {}, (BUCKET, "date"): {}}
    left: dict[tuple[str, str], dict[str, Any]] = {(BUCKET, "date"): {}}
    assert agreed(one, removed=()).judge({}, record, {}) == ([], {})
    assert agreed(one, removed=["data"]).judge({}, {}, {}) == ([], {written(one): DONE})
    # A review's program sees no record.
    assert agreed(one).judge({}, {}, {}) == ([], {written(one): DONE})
    for program, offered in ((left, ""), ({}, f"{entry('date', None, REMOVED)}, or ")):
        ((wrong,), _) = agreed(one, removed=()).judge(program, left, {})
        assert wrong.endswith(f"took it away; nearest: {offered}delete {written(one)}")


def test_an_agreement_to_an_instance_that_is_not_there_is_not_told_done() -> None:
    one, program = to(None, "replaced bbbbbbbb"), {(NODE_POOL, POOL): {PODS: 32}}
    assert agreed(one).judge(program, program, {POOL: "bbbbbbbb"}) == ([], {})
    for record, instances in ((program, {POOL: "cccccccc"}), (program, {}), ({}, {})):
        assert agreed(one).judge(program, record, instances) == ([], {written(one): VOID})


def test_a_value_that_nothing_on_record_has_had_is_not_told_done() -> None:
    one, program = to(PODS, 32), {(NODE_POOL, POOL): {PODS: 32}}
    assert agreed(one).judge(program, {}, {}) == ([], {written(one): VOID})
    assert agreed(one).judge(program, program, {}) == ([], {written(one): DONE})


def test_a_property_that_nothing_on_record_has_is_not_told_done() -> None:
    one, program = to(SPOT, REMOVED), {(NODE_POOL, POOL): {PODS: 32}}
    record = {(NODE_POOL, POOL): {PODS: 32, "nodeConfig": {"spot": True}}}
    assert agreed(one).judge(program, record, {}) == ([], {})
    assert agreed(one).judge(program, program, {}) == ([], {written(one): VOID})


@pytest.mark.parametrize("value", ["on", "null", "a: b", 'a"b', "x # y", "{a}", True, 1.5])
def test_an_entry_reads_back_as_it_was(value: Any) -> None:
    wanted = {"resource": POOL, "property": SPOT, "to": value}
    assert yaml.safe_load(entry(POOL, SPOT, value)) == wanted


def test_an_instance_is_told_by_what_no_other_one_has() -> None:
    old, new = ({"instanceGroupUrls": [f"z/gke-a-{it}-grp"]} for it in ("5fe1", "77ab"))
    assert instance_of(NODE_POOL, old) != instance_of(NODE_POOL, new)
    assert instance_of(NODE_POOL, {"name": "a"}) == ""


def test_a_refusal_says_each_thing_once_and_ends_with_yaml_to_paste() -> None:
    one = Refusal("gpu-pool would be deleted: lost", (entry(POOL, None, REMOVED),))
    text = text_of([one, one])
    assert text.count("gpu-pool would be deleted") == 1
    pasted = text.partition("acknowledge:")[2]
    assert yaml.safe_load(pasted) == [{"resource": POOL, "to": REMOVED}]
    assert "this run would turn it off" in text_of([one], turned_off=True)


@pytest.mark.parametrize(
    ("token", "old", "new"),
    [
        (NODE_POOL, OLD, pool(spot=False)),
        (NODE_POOL, OLD, pool(diskSizeGb=7)),
        (NODE_POOL, OLD, {**OLD, "maxPodsPerNode": 32}),
        (NODE_POOL, OLD, pool(guestAccelerators=[])),
        (NODE_POOL, OLD, {**OLD, "networkConfig": {"podRange": "b"}}),
        (CLUSTER, {"location": "a"}, {"location": "b"}),
        (CLUSTER, {"minMasterVersion": "1"}, {"minMasterVersion": "2"}),
        ("gcp:lustre/instance:Instance", {"capacityGib": "9"}, {"capacityGib": "18"}),
        ("gcp:lustre/instance:Instance", {"kmsKey": "9"}, {"kmsKey": "18"}),
        (
            "gcp:redis/instance:Instance",
            {"memorySizeGb": 1, "authEnabled": False, "labels": {"a": "b"}},
            {"memorySizeGb": 5, "authEnabled": True, "labels": {"a": "c"}},
        ),
        (
            "gcp:redis/instance:Instance",
            {},
            {
                **dict.fromkeys(["authorizedNetwork", "connectMode", "locationId", "name"], "a"),
                **dict.fromkeys(["project", "region", "reservedIpRange", "tier"], "a"),
                "transitEncryptionMode": "a",
            },
        ),
        ("gcp:storage/bucket:Bucket", {"location": "us"}, {}),
        ("gcp:compute/network:Network", {"mtu": 1460}, {"mtu": 8896}),
    ],
)
def test_the_catalog_and_the_providers_schema_agree_on_what_replaces(
    token: str, old: dict[str, Any], new: dict[str, Any]
) -> None:
    for one in GcpSchema.load().diff(token, old, new):
        assert CATALOG.replaces(token, one.path) is one.replaces, one.path


def test_what_the_engine_is_not_to_see_replaces_nothing_that_google_gave_back_otherwise() -> None:
    """A cluster whose first pool is gone has another number of nodes than it began with."""
    recorded, declared = {"name": "a"}, {"name": "a", "initialNodeCount": 1}
    certain = {"initialNodeCount": 1}
    assert refusal.changed_for_certain(CLUSTER, recorded, declared, CATALOG) == certain
    ignored = ("initialNodeCount",)
    assert not refusal.changed_for_certain(CLUSTER, recorded, declared, CATALOG, ignored)


def test_a_pool_whose_nodes_did_not_stream_gets_no_new_ones_when_that_is_said() -> None:
    unsaid: dict[str, Any] = {"nodeConfig": {}}
    off, on = ({"nodeConfig": {"gcfsConfig": {"enabled": it}}} for it in (False, True))
    assert not refusal.renews_nodes(NODE_POOL, unsaid, off)
    assert refusal.renews_nodes(NODE_POOL, unsaid, on)
    assert refusal.renews_nodes(NODE_POOL, on, off)


def test_a_refused_destroy_says_whose_work_it_would_end() -> None:
    jobs = [f"job-{number}" for number in range(7)]
    assert of_destroy("prod", jobs, ["serving"]).endswith(
        "The work of the stack's jobs job-0, job-1, job-2, job-3, job-4, 2 more and teams serving, "
        "and of others goes with the stack: `aistack work --stack prod` lists what people have "
        "there"
    )
    assert "The work of people goes with the stack" in of_destroy("prod", [], [])
