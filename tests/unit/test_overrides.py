"""`--set PATH=VALUE`: which place of a config a path names, and that others are refused."""

from copy import deepcopy
from typing import Any

import pytest

from cli.errors import UserError
from cli.overrides import apply_overrides
from cli.project import PROJECT
from stacks.config import validate
from tests.conftest import stack_config
from tests.programs import WITH_ALL_SECRETS
from tests.stacks.kills import CHAINS

STACK: dict[str, Any] = {
    "pools": {"gpu": {"nodes": 1, "taints": [{"key": "a"}]}},
    "images": {"credentials": {"nvcr.io": {"username": "x"}}},
    "labels": {},
}


def after(override: str) -> dict[str, Any]:
    config = {f"{PROJECT}:stack": deepcopy(STACK)}
    apply_overrides(config, [override])
    return config[f"{PROJECT}:stack"]


def test_a_number_names_an_item_of_a_list() -> None:
    assert after("pools.gpu.taints[0].key=b")["pools"]["gpu"]["taints"] == [{"key": "b"}]
    assert after("pools.gpu.taints[0]=")["pools"]["gpu"]["taints"] == []


def test_the_number_behind_the_last_adds_an_item() -> None:
    taints = after("pools.gpu.taints[1].key=b")["pools"]["gpu"]["taints"]
    assert taints == [{"key": "a"}, {"key": "b"}]
    assert after("network.dcn[0].name=net")["network"] == {"dcn": [{"name": "net"}]}


def test_a_name_with_dots_that_the_config_has_is_one_name() -> None:
    credentials = after("images.credentials.nvcr.io.username=y")["images"]["credentials"]
    assert credentials == {"nvcr.io": {"username": "y"}}


def test_a_name_in_quotes_is_one_name_as_for_pulumi() -> None:
    credentials = after('images.credentials["ghcr.io"].username=y')["images"]["credentials"]
    assert credentials["ghcr.io"] == {"username": "y"}
    assert after('labels["a=b"]=c')["labels"] == {"a=b": "c"}


@pytest.mark.parametrize(
    ("override", "why"),
    [
        ("pools.gpu.taints[3].key=b", "the list has no [3], only 1; nearest: [0]"),
        ("pools.gpu.taints.key=b", "key stands at a list, of which each has a number"),
        ("pools.gpu.nodes[0]=1", "nodes holds no list"),
        ("pools.gpu.nodes.x=1", "nodes holds no keys"),
        ("pools..gpu=1", 'no path from ".gpu" on'),
        ("pools.gpu.tants=", "takes away a key that the file does not have; nearest: pools.gpu.ta"),
    ],
)
def test_a_path_that_names_nothing_is_refused_with_the_place(override: str, why: str) -> None:
    with pytest.raises(UserError) as refused:
        after(override)
    path = override.partition("=")[0]
    assert path in str(refused.value)
    assert why in str(refused.value)


@pytest.mark.parametrize("name", [it for it in CHAINS if it.endswith(", lost")])
def test_what_a_chain_of_kills_is_given_makes_a_right_config(name: str) -> None:
    chain, _ = CHAINS[name]
    for overrides in (chain.before or (), chain.overrides):
        config = {f"{PROJECT}:stack": deepcopy(stack_config(chain.stack))}
        apply_overrides(config, overrides)
        assert validate(config[f"{PROJECT}:stack"], secrets_set=WITH_ALL_SECRETS)
