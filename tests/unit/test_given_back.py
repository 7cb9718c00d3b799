"""What Google gives back: the table has every input of every program, and leaves nothing to do.

It cannot show that Google answers so; each row has a source that says it.
"""

import ast
import importlib
import inspect
import json
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pulumi
import pytest

from catalog import Catalog
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.given_back import (
    ANSWERS,
    AddedTo,
    Compared,
    GivenBack,
    LeftOut,
    TypeTable,
    values_at,
)
from sandbox.cloud.kinds import KINDS
from sandbox.cloud.kinds.pools import POOL
from sandbox.providers.gcp import differences
from stacks.config import ConfigError, validate
from stacks.kept_by_provider import OFF
from tests.conftest import Registered, stack_config
from tests.conftest import changed as with_changes
from tests.parts.sampling import a_sample
from tests.programs import WITH_ALL_SECRETS, registered
from tests.stacks.test_machines import CONFIGS
from tests.unit.effect_changes import CHANGES
from tests.unit.effect_stacks import BASES
from tools.given_back import not_held

TABLE = GivenBack.load()
CLUSTER = "gcp:container/cluster:Cluster"
TYPE = "placementPolicy.type"
# The bridge gives a name to what has none, so that its SDK calls names computed, too.
NAMES = {"name", "accountId"}
# What the program sends as empty, which is no difference from what is left out.
EMPTY = ("", 0, False, [], {})
Row = tuple[str, str]


# Small stacks with what the presets have not.
SMALL = (
    *("plain", "flex", "queued", "reserved", "rl", "kept", "mirrored", "claimed", "ruled"),
    *("bare tpu", "autopilot"),
)


def configs() -> Iterator[dict[str, Any]]:
    yield from map(stack_config, ("dev", "kueue-mixed", "tpu-multislice", "verl-h200", "lab"))
    yield from (BASES[it] for it in SMALL)
    for it in CONFIGS.values():
        values = it["config"]
        place = {
            "project": "my-project",
            "region": values["gcp:region"],
            "zone": values["gcp:zone"],
        }
        yield {**values["gke-ai-stacks:stack"], **place}


@cache
def resources() -> list[Registered]:
    """What is registered with Google's provider of presets, small stacks and documented
    machines."""
    return [it for config in configs() for it in made_of(config)]


def made_of(config: dict[str, Any]) -> list[Registered]:
    found = registered(validate(config, secrets_set=WITH_ALL_SECRETS)).resources
    return [it for it in found if it.custom and it.type.startswith("gcp:")]


def left_to_do(table: TypeTable, it: Registered) -> list[str]:
    """Of a resource that Google has just answered to."""
    state = table.with_own_entries(table.answered(it.inputs))
    found = differences(it.type, table, state, it.inputs, it.ignore_changes)
    return [each.path for each in found]


def changed(token: str, **rows: Any) -> TypeTable:
    return TABLE.of(token).model_copy(update=rows)


def test_every_input_of_every_program_is_in_the_table() -> None:
    unlisted = {
        (it.type, path) for it in resources() for path in TABLE.of(it.type).unlisted(it.inputs)
    }
    assert not unlisted, "nearest: a row of sandbox/data/given-back.yaml, by the read function"


@pytest.mark.thorough
@pytest.mark.parametrize("number", a_sample(list(range(len(CHANGES))), 40))
def test_what_a_change_of_a_field_sends_is_in_the_table_and_what_it_takes_away_goes(
    number: int,
) -> None:
    base, change = CHANGES[number]
    try:
        before, after = made_of(BASES[base]), made_of(with_changes(BASES[base], **change))
    except (ConfigError, pulumi.RunError):
        # Refused, or with files that are not here: nothing is sent.
        return
    for it in (*before, *after):
        assert not list(TABLE.of(it.type).unlisted(it.inputs))
    for old, new in ((before, after), (after, before)):
        assert not list(staying(old, new))


def staying(before: list[Registered], after: list[Registered]) -> Iterator[Row]:
    """What a resource loses, and the provider would keep, with nothing that says so: no value that
    means off, and no replacement."""
    there = {it.name: it for it in after}
    for old in before:
        new, table = there.get(old.name, old), TABLE.of(old.type)
        state = table.answered(old.inputs)
        shown = differences(old.type, table, state, new.inputs, new.ignore_changes)
        replaced = any(it.replaces for it in shown)
        if new is old or replaced or old.replacement_trigger != new.replacement_trigger:
            continue
        for path in table.kept:
            alone = table.model_copy(update={"kept": {path: "a test"}})
            taken_back = old.type == CLUSTER and path in OFF
            # What is in a block that is off means nothing.
            block = path.rpartition(".")[0]
            taken_back |= bool(block) and False in values_at(new.inputs, f"{block}.enabled")
            # The program leaves it to the cloud, whatever it is; so it does with how many nodes
            # there are, where there is an autoscaler.
            taken_back |= path in (*old.ignore_changes, *new.ignore_changes)
            taken_back |= path == "nodeCount" and "autoscaling" in new.inputs
            if alone.with_kept(state, new.inputs) != new.inputs and not taken_back:
                yield old.name, path
        for path in table.unseen:
            block = path.partition(".")[0]
            if values_at(state, path) and block not in new.inputs and block not in OFF:
                yield old.name, path


def test_what_a_resource_loses_and_the_provider_keeps_is_found() -> None:
    it = next(it for it in resources() if it.type == POOL and it.replacement_trigger)
    less = {key: value for key, value in it.inputs["nodeConfig"].items() if key != "gcfsConfig"}
    other = replace(it, inputs={**it.inputs, "nodeConfig": less})
    assert list(staying([it], [other])) == [(it.name, "nodeConfig.gcfsConfig")]
    assert list(staying([other], [it])) == []


def test_an_input_that_the_table_lacks_is_found() -> None:
    inputs = {"nodeConfig": {"fastSocket": {"enabled": True}, "labels": {"any": "label"}}}
    assert list(TABLE.of(POOL).unlisted(inputs)) == ["nodeConfig.fastSocket"]


def test_nothing_is_left_to_do_once_google_has_answered() -> None:
    left = {(it.name, path) for it in resources() for path in left_to_do(TABLE.of(it.type), it)}
    assert not left


def sent_by_programs() -> list[Row]:
    """Paths that a resource sends with a value, and is told of."""
    return sorted(
        (token, path)
        for token, table in TABLE.types.items()
        for path in table.as_sent
        if any(
            value not in EMPTY
            for it in resources()
            if it.type == token and path.partition(".")[0] not in it.ignore_changes
            for value in values_at(it.inputs, path)
        )
    )


def test_a_row_that_would_say_that_google_leaves_an_input_out_is_found() -> None:
    """Whatever input it is: so `nothing is left to do` holds by each of the rows."""
    unfound: list[Row] = []
    rows = sent_by_programs()
    for token, path in rows:
        rest = tuple(it for it in TABLE.of(token).as_sent if it != path)
        table = changed(token, as_sent=rest, left_out={path: LeftOut(source="a test")})
        of_type = (it for it in resources() if it.type == token and values_at(it.inputs, path))
        if not any(left_to_do(table, it) for it in of_type):
            unfound.append((token, path))
    assert len(rows) > 170
    assert not unfound


def test_a_comparison_that_is_forgotten_is_found() -> None:
    """Of paths that are given back as addresses, and of Google's own entries beside the sent."""
    for token, table in TABLE.types.items():
        for path in table.full_path:
            one = next(it for it in resources() if it.type == token)
            plain = table.full_path[path].model_copy(update={"compared": "daily"})
            strict = changed(token, full_path={**table.full_path, path: plain})
            state = table.answered(one.inputs)
            if state != table.model_copy(update={"full_path": {}}).answered(one.inputs):
                assert left_to_do(strict, one) == [path]
        for path, row in table.added_to.items():
            one = next(it for it in resources() if it.type == token and values_at(it.inputs, path))
            other = AddedTo(prefix="not these", adds=row.adds, source=row.source)
            assert left_to_do(changed(token, added_to={path: other}), one)


@pytest.mark.parametrize("machine", ["a4x-highgpu-4g", "tpu7x-standard-4t"])
def test_a_pool_that_a_policy_places_names_no_type_for_google_would_not_give_it_back(
    machine: str,
) -> None:
    pools = [
        it
        for it in resources()
        if it.type == POOL and it.inputs["nodeConfig"]["machineType"] == machine
    ]
    assert pools
    for it in pools:
        placed = it.inputs["placementPolicy"]
        assert placed["policyName"]
        assert placed["type"] == ""
        named = {**it.inputs, "placementPolicy": {**placed, "type": "COMPACT"}}
        state = TABLE.of(POOL).answered(named)
        assert state["placementPolicy"]["type"] == ""
        shown = differences(POOL, TABLE.of(POOL), state, named, it.ignore_changes)
        assert [each.path for each in shown] == [TYPE]
        echoed = changed(POOL, left_out={})
        assert not differences(POOL, echoed, named, named, it.ignore_changes)


def test_a_pool_that_is_placed_close_together_is_given_back_with_its_type() -> None:
    placed = {"placementPolicy": {"type": "COMPACT"}}
    assert TABLE.of(POOL).answered(placed) == placed


def test_an_empty_cluster_is_not_what_it_began_with_and_its_program_does_not_look() -> None:
    it = next(it for it in resources() if it.type == CLUSTER and "nodeConfig" in it.inputs)
    state = TABLE.of(CLUSTER).answered(it.inputs)
    assert not state.keys() & {"nodeConfig", "initialNodeCount"}
    paths = {each.path for each in differences(CLUSTER, TABLE.of(CLUSTER), state, it.inputs)}
    assert paths == {"nodeConfig", "initialNodeCount"}


@pytest.mark.parametrize(
    ("token", "before", "after"),
    [
        (CLUSTER, {"masterAuthorizedNetworksConfig": {"cidrBlocks": [{"cidrBlock": "a"}]}}, {}),
        (
            CLUSTER,
            {"addonsConfig": {"lustreCsiDriverConfig": {"enabled": True}}},
            {"addonsConfig": {}},
        ),
        (POOL, {"nodeConfig": {"gcfsConfig": {"enabled": True}}}, {"nodeConfig": {}}),
        (POOL, {"nodeConfig": {"guestAccelerators": [{"count": 1}]}}, {"nodeConfig": {}}),
        (POOL, {"networkConfig": {"acceleratorNetworkProfile": "auto"}}, {}),
    ],
)
def test_what_is_optional_and_computed_stays_where_it_is_left_out_and_nothing_shows_it(
    token: str, before: dict[str, Any], after: dict[str, Any]
) -> None:
    table = TABLE.of(token)
    assert not differences(token, table, before, after)
    assert table.with_kept(before, after) == before
    assert differences(token, changed(token, kept={}), before, after)


def test_interfaces_in_own_networks_go_where_they_are_left_out() -> None:
    own = {"additionalNodeNetworkConfigs": [{"network": "n", "subnetwork": "s"}]}
    before = {"networkConfig": {"enablePrivateNodes": True, **own}}
    assert differences(POOL, TABLE.of(POOL), before, {})
    assert TABLE.of(POOL).with_kept(before, {}) == {}


def test_local_ssds_that_come_with_a_machine_are_given_back_unasked_and_replace_the_pool() -> None:
    cloud = Cloud(Catalog.load())
    told = {"nodeConfig": {"machineType": "a3-highgpu-2g"}}
    unasked = KINDS[POOL].unasked(told, cloud)
    disks = {"ephemeralStorageLocalSsdConfig": {"localSsdCount": 4}}
    assert unasked == {"nodeConfig": disks}
    state = {"nodeConfig": {**told["nodeConfig"], **disks}}
    (shown,) = differences(POOL, TABLE.of(POOL), state, told)
    assert (shown.path, shown.replaces) == ("nodeConfig.ephemeralStorageLocalSsdConfig", True)
    assert KINDS[POOL].unasked(state, cloud) == {}
    assert list(TABLE.of(POOL).unasked) == [shown.path]


def test_a_label_that_leaves_a_dashboard_is_no_difference_and_a_chart_is_one() -> None:
    token = "gcp:monitoring/dashboard:Dashboard"
    table = TABLE.of(token)
    old = {"dashboardJson": '{"labels": {"team": "a", "of": "b"}, "tiles": [{"x": 1}, {"x": 2}]}'}
    fewer = {"dashboardJson": '{"labels": {"of": "b"}, "tiles": [{"x": 1}, {"x": 2}]}'}
    other = {"dashboardJson": '{"labels": {"team": "a", "of": "b"}, "tiles": [{"x": 1}]}'}
    assert not differences(token, table, old, fewer)
    assert differences(token, table, old, other)


@pytest.mark.parametrize(
    ("token", "inputs"),
    [
        (CLUSTER, {"masterAuthorizedNetworksConfig": {"cidrBlocks": [{"a": "1"}, {"a": "2"}]}}),
        (CLUSTER, {"monitoringConfig": {"enableComponents": ["STORAGE", "POD"]}}),
        (POOL, {"nodeConfig": {"oauthScopes": ["b", "a"]}}),
        ("gcp:compute/firewall:Firewall", {"allows": [{"protocol": "tcp"}, {"protocol": "udp"}]}),
    ],
)
def test_a_set_has_no_order(token: str, inputs: dict[str, Any]) -> None:
    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: turned(it) for key, it in value.items()}
        return value[::-1] if isinstance(value, list) else value

    assert turned(inputs) != inputs
    assert not differences(token, TABLE.of(token), inputs, turned(inputs))
    assert differences(token, changed(token, compared={}), inputs, turned(inputs))


def test_a_person_is_one_in_any_case_and_a_workload_is_not() -> None:
    token = "gcp:storage/bucketIAMMember:BucketIAMMember"
    for old, new, same in (
        ("user:A@example.com", "user:a@example.com", True),
        ("principal://iam/subject/ns/A", "principal://iam/subject/ns/a", False),
    ):
        shown = differences(token, TABLE.of(token), {"member": old}, {"member": new})
        assert (not shown) is same


def test_a_name_in_the_place_of_a_path_is_the_same_and_a_path_in_the_place_of_a_name_is_not() -> (
    None
):
    token = "gcp:compute/router:Router"
    path = {"network": "projects/p/global/networks/vpc"}
    assert not differences(token, TABLE.of(token), path, {"network": "vpc"})
    assert differences(token, TABLE.of(token), {"network": "vpc"}, path)


def test_zeros_and_empty_lists_of_a_dashboard_would_be_differences_for_ever() -> None:
    it = next(it for it in resources() if it.type.endswith(":Dashboard"))
    table = TABLE.of(it.type)
    tiles = json.loads(it.inputs["dashboardJson"])
    tiles["mosaicLayout"]["tiles"][0]["xPos"] = 0
    zeros = {**it.inputs, "dashboardJson": json.dumps(tiles)}
    shown = differences(it.type, table, table.answered(zeros), zeros)
    assert [each.path for each in shown] == ["dashboardJson"]


def test_what_a_component_can_send_is_in_the_table_whatever_config_reaches_it() -> None:
    sent = {
        (token, name)
        for file in (Path(__file__).parents[2] / "components").rglob("*.py")
        for token, name in arguments_in(file)
    }
    assert len(sent) > 100
    for token, name in sorted(sent):
        assert name in TABLE.of(token).names, f"{token} {name}"


def arguments_in(file: Path) -> Iterator[Row]:
    """Type and input of each argument with which a file makes a resource of Google's."""
    for it in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        called = ast.unparse(it.func).split(".") if isinstance(it, ast.Call) else []
        if isinstance(it, ast.Call) and len(called) == 3 and called[0] == "gcp":
            made = getattr(importlib.import_module(f"pulumi_gcp.{called[1]}"), called[2])
            token = getattr(made, "pulumi_type", None)
            for argument in it.keywords if token else ():
                if argument.arg not in (None, "opts"):
                    first, *rest = str(argument.arg).split("_")
                    yield str(token), first + "".join(map(str.capitalize, rest))


def test_what_google_adds_is_in_the_state_and_no_input_of_the_program() -> None:
    labels = {"nodeConfig": {"resourceLabels": {"team": "a"}}}
    table = TABLE.of(POOL)
    assert table.answered(labels) == labels
    added = table.with_own_entries(labels)["nodeConfig"]["resourceLabels"]
    assert added.keys() > {"team"}
    assert not differences(POOL, table, {"nodeConfig": {"resourceLabels": added}}, labels)
    fewer = {"nodeConfig": {"resourceLabels": {}}}
    assert differences(POOL, table, {"nodeConfig": {"resourceLabels": added}}, fewer)


def test_a_path_has_one_answer() -> None:
    with pytest.raises(ValueError, match="said twice: name"):
        TypeTable(read="f", as_sent=("name",), state_only={"name": "f"})


def test_a_comparison_is_of_a_path_that_is_in_the_table() -> None:
    for table in TABLE.types.values():
        rows: dict[str, Compared] = table.compared
        for path in rows:
            assert any(it == path or it.startswith(f"{path}.") for it in table.answers)


@pytest.mark.parametrize("token", TABLE.types)
def test_what_is_kept_is_what_the_locked_sdk_calls_optional_and_computed(token: str) -> None:
    """An input that may be left out, and an output that is always there: of the first level, for
    of blocks in blocks the SDK calls all outputs optional."""
    table, (optional, always) = TABLE.of(token), sdk_of(token)
    assert table.names <= optional.keys()
    computed = {it for it in table.names - NAMES if optional[it] and always[it]}
    kept = {it for it in table.kept if "." not in it}
    assert kept - NAMES == computed


def sdk_of(token: str) -> tuple[dict[str, bool], dict[str, bool]]:
    """By name whether an input may be left out, and whether the output is always there."""
    _, module, name = token.split(":")
    package = importlib.import_module(f"pulumi_gcp.{module.partition('/')[0].lower()}")
    resource = getattr(package, name)
    arguments = getattr(importlib.import_module(resource.__module__), f"{name}Args")
    given = inspect.signature(arguments.__init__).parameters
    optional = {
        getattr(it.fget, "_pulumi_name", key): given[key].default is not inspect.Parameter.empty
        for key, it in inspect.getmembers(arguments, lambda it: isinstance(it, property))
    }
    always = {
        getattr(it.fget, "_pulumi_name", key): "Optional[" not in str(it.fget.__annotations__)
        for key, it in inspect.getmembers(resource, lambda it: isinstance(it, property))
    }
    return optional, always


def test_each_row_that_is_not_as_sent_has_a_source() -> None:
    for table in TABLE.types.values():
        assert table.read
        for kind in ANSWERS[1:]:
            for row in getattr(table, kind).values():
                assert row if isinstance(row, str) else row.source


@pytest.mark.parametrize(
    ("line", "held"),
    [
        ("Optional: true,\nComputed: true,", True),
        ("Optional: true,", False),
        ("Optional: true,\nElem: &schema.Resource{\nComputed: true,", False),
    ],
)
def test_a_row_of_what_is_kept_is_held_against_the_providers_schema(line: str, held: bool) -> None:
    table = TypeTable(read="f", as_sent=("a.someThings",), kept={"a.someThings": "s/file.go:2"})
    found = TABLE.model_copy(update={"types": {POOL: table}})
    text = f'x\n"some_thing": {{\n{line}\n}},'
    assert list(not_held(found, lambda _: text)) == (
        [] if held else [f"{POOL} a.someThings: not at s/file.go:2"]
    )
    elsewhere = text.replace("some_thing", "other")
    assert list(not_held(found, lambda _: elsewhere))
