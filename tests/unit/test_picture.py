"""The drawing of the README's picture.

Cannot prove that the one in the README is of the stack as it is now: that needs a run of the engine
(`python -m tools.picture --check README.md`).
"""

from pathlib import Path
from typing import Any

import pytest

from tools.picture import MARKER, fenced, is_current, main, picture


def _urn(name: str) -> str:
    return f"urn:pulumi:s::p::t::{name}"


def _resource(name: str, kind: str, parent: str = "stack", needs: tuple[str, ...] = ()) -> Any:
    return {
        "urn": _urn(name),
        "type": kind,
        "parent": _urn(parent),
        "dependencies": [_urn(it) for it in needs],
    }


COMPONENT = "gke-ai-stacks:module:Component"
STATE = [
    {"urn": _urn("stack"), "type": "pulumi:pulumi:Stack"},
    _resource("net-part", COMPONENT),
    _resource("vpc", "gcp:compute/network:Network", "net-part"),
    _resource("left", "gcp:compute/subnetwork:Subnetwork", "net-part", ("vpc",)),
    _resource("right", "gcp:compute/subnetwork:Subnetwork", "net-part", ("vpc",)),
    _resource("gke", COMPONENT),
    _resource("cluster", "gcp:container/cluster:Cluster", "gke", ("left",)),
    _resource("kube", "pulumi:providers:kubernetes", "gke", ("cluster",)),
    _resource("ray", COMPONENT),
    {
        **_resource("ray-cluster", "kubernetes:ray.io/v1:RayCluster", "ray"),
        "propertyDependencies": {"spec": [_urn("vpc")]},
        "provider": f"{_urn('kube')}::some-id",
    },
]


def test_a_picture_has_components_with_their_children_and_no_arrow_that_others_imply() -> None:
    assert picture(STATE) == "\n".join(
        [
            "flowchart LR",
            '    net_part["<b>net-part</b><br/>Network<br/>2 x Subnetwork"]',
            '    gke["<b>gke</b><br/>Cluster"]',
            '    ray["<b>ray</b><br/>RayCluster"]',
            "    net_part --> gke",
            "    gke --> ray",
        ]
    )


def test_a_picture_does_not_depend_on_the_order_in_the_state() -> None:
    assert picture(reversed(STATE)) == picture(STATE)


def test_a_picture_is_current_only_when_it_is_the_same() -> None:
    page = f"# Title\n{MARKER}\n{fenced(picture(STATE))}\n{MARKER}\nmore"
    assert is_current(picture(STATE), page)
    assert not is_current(picture(STATE[:-1]), page)
    assert not is_current(picture(STATE), page.replace(MARKER, ""))


def test_a_stack_that_was_never_up_is_an_error_with_the_next_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--stack", "dev", "--folder", str(tmp_path)]) == 2
    assert capsys.readouterr().err.endswith("nearest: python -m sandbox up --stack dev\n")
