"""The drawing of a stack's components."""

from typing import Any

from review.flowchart import picture


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


def test_a_picture_of_areas_has_the_names_of_their_components() -> None:
    state = [
        {**it, "type": f"{COMPONENT}{it['urn'][-3:]}"} if it["type"] == COMPONENT else it
        for it in STATE
    ]
    areas = {"Componentart": "Net work", "Componentgke": "Cluster", "Componentray": "Cluster"}
    assert picture(state, areas) == "\n".join(
        [
            "flowchart LR",
            '    Net_work["<b>Net work</b><br/>net-part"] --> Cluster',
            '    Cluster["<b>Cluster</b><br/>gke<br/>ray"]',
        ]
    )


def test_a_picture_does_not_depend_on_the_order_in_the_state() -> None:
    assert picture(reversed(STATE)) == picture(STATE)
