"""What Pulumi's plugins fill in of a program's inputs is filled in; of our own stacks' nothing is
but the provider's project and region."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from pulumi.provider.experimental import provider as rpc

from catalog import Catalog, FactError
from catalog.durations import Durations
from sandbox.clock import VirtualClock
from sandbox.cloud.cloud import Cloud
from sandbox.cloud.wide_catalog import WideCatalog
from sandbox.clusters import Clusters
from sandbox.errors import CloudError
from sandbox.journal import Journal
from sandbox.providers.gcp import GcpStandIn
from sandbox.providers.kubeconfig import authority_of, server_of
from sandbox.providers.kubernetes import KubernetesStandIn
from sandbox.providers.operations import Operations
from sandbox.providers.random import RandomStandIn
from sandbox.providers.values import plain_map, wrap_map

NETWORK = "gcp:compute/network:Network"
SUBNETWORK = "gcp:compute/subnetwork:Subnetwork"
CLUSTER = "gcp:container/cluster:Cluster"
POOL = "gcp:container/nodePool:NodePool"
BUCKET = "gcp:storage/bucket:Bucket"
ACCOUNT = "gcp:serviceaccount/account:Account"
CONFIG_MAP = "kubernetes:core/v1:ConfigMap"
PLACES = {"project": "my-project", "region": "us-east1", "zone": "us-east1-b"}


class Log:
    """What a stand-in warns of."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.address = ""

    async def warn(self, urn: str, message: str) -> None:
        del urn
        self.said.append(message)


def behind(folder: Path) -> tuple[Clusters, Operations]:
    cloud = Cloud(Catalog.load(), has_defaults=True)
    clusters = Clusters(cloud, folder / "cloud.json")
    return clusters, Operations(cloud, VirtualClock(1), Journal(), Durations.load(), lambda: None)


def urn(token: str, name: str = "") -> str:
    name = name or ("it" if token.startswith("kubernetes:") else "It")
    return f"urn:pulumi:s::p::{token}::{name}"


def configured(folder: Path, places: dict[str, str], *, fills_in: bool = True) -> GcpStandIn:
    gcp = GcpStandIn(*behind(folder), fills_in=fills_in)
    request = rpc.ConfigureRequest({}, wrap_map(places), True, True)
    asyncio.run(gcp.configure(request))
    return gcp


def checked(
    gcp: rpc.Provider, token: str, news: dict[str, Any], olds: dict[str, Any] | None = None
) -> tuple[dict[str, Any], list[str]]:
    """The inputs, and why they are refused."""
    request = rpc.CheckRequest(urn(token), wrap_map(olds or {}), wrap_map(news), b"seed")
    found = asyncio.run(gcp.check(request))
    return plain_map(found.inputs or {}), [it.reason for it in found.failures or []]


@pytest.mark.parametrize(
    ("token", "news", "field", "name"),
    [
        (NETWORK, {}, "name", "it-[0-9a-f]{7}"),
        (CLUSTER, {}, "name", "It-[0-9a-f]{7}"),
        (BUCKET, {"location": "US"}, "name", "It-[0-9a-f]{7}"),
        (ACCOUNT, {}, "accountId", "It-[0-9a-f]{7}"),
        (NETWORK, {"name": "mine"}, "name", "mine"),
        (NETWORK, {"name": None}, "name", "it-[0-9a-f]{7}"),
    ],
)
def test_what_has_no_name_gets_the_logical_one_with_seven_digits(
    tmp_path: Path, token: str, news: dict[str, Any], field: str, name: str
) -> None:
    inputs, refused = checked(configured(tmp_path, PLACES), token, news)
    assert not refused
    assert re.fullmatch(name, inputs[field])


@pytest.mark.parametrize(
    ("had", "kept"), [("it-0123abc", True), ("mine", False), ("it-0123abcd", False)]
)
def test_a_name_that_was_given_before_stays(tmp_path: Path, had: str, kept: bool) -> None:
    inputs, _ = checked(configured(tmp_path, PLACES), NETWORK, {}, {"name": had})
    assert (inputs["name"] == had) == kept


def test_a_name_that_would_be_too_long_is_refused(tmp_path: Path) -> None:
    request = rpc.CheckRequest(urn(NETWORK, "n" * 60), {}, {}, b"")
    found = asyncio.run(configured(tmp_path, PLACES).check(request))
    assert [it.reason.partition(": ")[2] for it in found.failures or []] == [
        f"name '{'n' * 60}-' plus 7 random chars is longer than maximum length 63"
    ]


@pytest.mark.parametrize(("name", "before"), [("it-0123abc", False), ("mine", True)])
def test_only_a_name_of_ones_own_is_free_before_it_is_taken_again(
    tmp_path: Path, name: str, before: bool
) -> None:
    olds = {"name": name, "project": "my-project", "mtu": 1460}
    request = rpc.DiffRequest(
        urn(NETWORK), "id", wrap_map(olds), wrap_map({**olds, "project": "other"}), []
    )
    found = asyncio.run(configured(tmp_path, PLACES).diff(request))
    assert found.replaces == ["project"]
    assert found.delete_before_replace == before


ONLY_ZONE = {"project": "my-project", "zone": "us-east1-b"}


@pytest.mark.parametrize(
    ("places", "token", "news", "expected"),
    [
        (PLACES, CLUSTER, {}, {"project": "my-project", "location": "us-east1"}),
        (ONLY_ZONE, CLUSTER, {}, {"location": "us-east1-b"}),
        (PLACES, CLUSTER, {"location": "us-west1"}, {"location": "us-west1"}),
        (PLACES, POOL, {"cluster": "c"}, {"location": "us-east1"}),
        (PLACES, POOL, {"cluster": "projects/p/locations/l/clusters/c"}, {"location": None}),
        (ONLY_ZONE, SUBNETWORK, {"network": "n"}, {"region": "us-east1"}),
        (PLACES, SUBNETWORK, {"network": "n", "region": "us-west1"}, {"region": "us-west1"}),
        (PLACES, BUCKET, {"location": "US"}, {"location": "US", "project": "my-project"}),
    ],
)
def test_the_place_is_the_providers_where_none_is_said(
    tmp_path: Path,
    places: dict[str, str],
    token: str,
    news: dict[str, Any],
    expected: dict[str, Any],
) -> None:
    inputs, refused = checked(configured(tmp_path, places), token, news)
    assert not refused
    assert {key: inputs.get(key) for key in expected} == expected


@pytest.mark.parametrize(
    ("places", "token", "news", "refused"),
    [
        (
            {"project": "my-project"},
            CLUSTER,
            {},
            "Unable to determine location: region/zone not configured in resource/provider config",
        ),
        (
            {"project": "my-project"},
            SUBNETWORK,
            {"network": "n"},
            "Cannot determine region: set in this resource, or set provider-level 'region' or "
            "'zone'.",
        ),
        ({}, NETWORK, {}, "project: required field is not set"),
        (PLACES, BUCKET, {}, "location: required property is missing"),
    ],
)
def test_a_place_that_nobody_says_is_named(
    tmp_path: Path, places: dict[str, str], token: str, news: dict[str, Any], refused: str
) -> None:
    assert checked(configured(tmp_path, places), token, news)[1] == [refused]


def test_the_providers_variables_count_after_its_config(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "from-the-shell")
    monkeypatch.setenv("GOOGLE_ZONE", "us-west1-a")
    inputs, _ = checked(configured(tmp_path, {"project": "my-project"}), CLUSTER, {})
    assert (inputs["project"], inputs["location"]) == ("my-project", "us-west1-a")


@pytest.mark.parametrize(
    ("given", "has", "warned"),
    [
        ({"initialNodeCount": "3"}, {"initialNodeCount": 3}, ['"initialNodeCount"', "number"]),
        ({"deletionProtection": "false"}, {"deletionProtection": False}, ["boolean"]),
        (
            {"nodeConfig": {"diskSizeGb": "50", "machineType": "e2-medium"}},
            {"nodeConfig": {"diskSizeGb": 50, "machineType": "e2-medium"}},
            ['"nodeConfig.diskSizeGb"'],
        ),
    ],
)
def test_numbers_as_text_are_read_with_a_warning(
    tmp_path: Path, given: dict[str, Any], has: dict[str, Any], warned: list[str]
) -> None:
    gcp = configured(tmp_path, PLACES)
    log = Log()
    gcp.log = log  # type: ignore[assignment]
    inputs, refused = checked(gcp, CLUSTER, given)
    assert not refused
    assert {key: inputs[key] for key in has} == has
    (said,) = log.said
    assert all(word in said for word in warned)


def test_text_that_is_no_number_is_refused(tmp_path: Path) -> None:
    _, refused = checked(configured(tmp_path, PLACES), CLUSTER, {"initialNodeCount": "many"})
    assert refused == ["initialNodeCount: 'many' is a str; must be a integer"]


def test_a_stack_of_ours_says_its_names_places_and_numbers(tmp_path: Path) -> None:
    gcp = configured(tmp_path, PLACES, fills_in=False)
    assert "name" not in checked(gcp, NETWORK, {})[0]
    assert "location" not in checked(gcp, CLUSTER, {"name": "c"})[0]
    assert checked(gcp, CLUSTER, {"initialNodeCount": "3"})[1]
    kubernetes = KubernetesStandIn(*behind(tmp_path))
    assert checked(kubernetes, CONFIG_MAP, {})[1] == [
        "metadata.name is missing; names are never random here"
    ]


@pytest.mark.parametrize(
    ("news", "olds", "name", "marked"),
    [
        ({}, {}, "it-[0-9a-f]{8}", True),
        ({"metadata": {"labels": {"a": "b"}}}, {}, "it-[0-9a-f]{8}", True),
        ({"metadata": {"name": "mine"}}, {}, "mine", False),
        (
            {},
            {"metadata": {"name": "it-1", "annotations": {"pulumi.com/autonamed": "true"}}},
            "it-1",
            True,
        ),
        ({}, {"metadata": {"name": "mine"}}, "it-[0-9a-f]{8}", True),
    ],
)
def test_an_object_without_a_name_gets_one_and_says_so(
    tmp_path: Path, news: dict[str, Any], olds: dict[str, Any], name: str, marked: bool
) -> None:
    kubernetes = KubernetesStandIn(*behind(tmp_path), fills_in=True)
    metadata = checked(kubernetes, CONFIG_MAP, news, olds)[0]["metadata"]
    assert re.fullmatch(name, metadata["name"])
    assert metadata["namespace"] == "default"
    assert (metadata.get("annotations") == {"pulumi.com/autonamed": "true"}) == marked


def test_names_of_the_server_are_refused(tmp_path: Path) -> None:
    kubernetes = KubernetesStandIn(*behind(tmp_path), fills_in=True)
    _, (refused,) = checked(kubernetes, CONFIG_MAP, {"metadata": {"generateName": "it-"}})
    assert refused.startswith("metadata.generateName: ")


@pytest.mark.parametrize(
    ("name", "vcpus", "memory"),
    [
        ("n1-standard-1", 1, 3.75),
        ("e2-medium", 2, 4),
        ("n2-highmem-8", 8, 64),
        ("n2-highmem-128", 128, 864),
        ("c4-standard-2", 2, 7),
        ("c3d-highcpu-30", 30, 59),
        ("c3-highcpu-4", 4, 8),
        ("custom-4-8192", 4, 8),
        ("n2-custom-2-4096", 2, 4),
    ],
)
def test_plain_machines_are_what_their_names_say(name: str, vcpus: int, memory: float) -> None:
    found = WideCatalog.load().machine(name)
    assert (found.vcpus, found.memory_gib) == (vcpus, memory)


@pytest.mark.parametrize("name", ["n1-standrad-1", "z9-standard-4", "c2-highcpu-4", "a4-mega"])
def test_other_names_are_no_machines(name: str) -> None:
    with pytest.raises(FactError):
        WideCatalog.load().machine(name)


def test_what_the_catalog_knows_it_says_itself() -> None:
    wide, known = WideCatalog.load(), Catalog.load()
    assert all(wide.machine(it) == known.machine(it) for it in known.machines)
    assert wide.zones_in("us-east1") == known.zones_in("us-east1")
    assert wide.zone("europe-west6-a").region == "europe-west6"


@pytest.mark.parametrize(
    ("kind", "given", "result"),
    [
        ("randomPassword:RandomPassword", {"length": 12, "special": False}, "[0-9A-Za-z]{12}"),
        ("randomString:RandomString", {"length": 5, "upper": False, "special": False}, ".{5}"),
        ("randomInteger:RandomInteger", {"min": 3, "max": 3}, "3"),
    ],
)
def test_random_values_are_as_asked(kind: str, given: dict[str, Any], result: str) -> None:
    request = rpc.CreateRequest(urn(f"random:index/{kind}"), wrap_map(given), 0, False)
    made = asyncio.run(RandomStandIn().create(request))
    assert re.fullmatch(result, str(plain_map(made.properties or {})["result"]))


@pytest.mark.parametrize(
    ("kind", "given", "reason"),
    [
        ("randomString:RandomString", {"length": 1, "minUpper": 2}, "less than the sum"),
        (
            "randomString:RandomString",
            {"length": 1, "upper": False, "lower": False, "number": False, "special": False},
            "character set specified is empty",
        ),
        ("randomInteger:RandomInteger", {"min": 3, "max": 2}, "empty range"),
    ],
)
def test_values_that_cannot_be_are_refused(kind: str, given: dict[str, Any], reason: str) -> None:
    request = rpc.CreateRequest(urn(f"random:index/{kind}"), wrap_map(given), 0, False)
    with pytest.raises(CloudError, match=reason):
        asyncio.run(RandomStandIn().create(request))


def created(kind: str, given: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    request = rpc.CreateRequest(urn(f"random:index/{kind}"), wrap_map(given), 0, False)
    made = asyncio.run(RandomStandIn().create(request))
    return made.resource_id, plain_map(made.properties or {})


def test_a_shuffle_begins_again_where_more_are_asked_than_there_are() -> None:
    resource_id, state = created("randomShuffle:RandomShuffle", {"inputs": ["a"], "resultCount": 3})
    assert (resource_id, state["results"]) == ("-", ["a", "a", "a"])
    for none in ({"inputs": ["a"], "resultCount": 0}, {"inputs": [], "resultCount": 3}):
        assert created("randomShuffle:RandomShuffle", none)[1]["results"] == []


def test_a_seed_gives_the_same_value_again() -> None:
    given = {"min": 0, "max": 10**9, "seed": "s"}
    values = [created("randomInteger:RandomInteger", given)[1]["result"] for _ in range(2)]
    assert values[0] == values[1]


@pytest.mark.parametrize(
    ("had", "given", "moved"),
    [
        ({"length": 5}, {"length": 5}, []),
        ({"length": 5, "upper": False}, {"length": 5}, ["upper"]),
        ({"length": 5}, {"length": 5, "upper": True, "minUpper": 0}, []),
        ({"length": 5, "keepers": {"a": "1"}}, {"length": 5}, ["keepers"]),
    ],
)
def test_an_input_that_goes_replaces_unless_it_is_the_default(
    had: dict[str, Any], given: dict[str, Any], moved: list[str]
) -> None:
    kind = "randomString:RandomString"
    resource_id, state = created(kind, had)
    request = rpc.DiffRequest(
        urn(f"random:index/{kind}"), str(resource_id), wrap_map(state), wrap_map(given), []
    )
    assert asyncio.run(RandomStandIn().diff(request)).replaces == moved


def test_other_types_of_the_random_provider_are_refused_by_name() -> None:
    token = "random:index/randomBytes:RandomBytes"
    assert checked(RandomStandIn(), token, {})[1] == [
        f"the sandbox does not know the resource type {token}"
    ]


CONTEXTS = """
clusters:
- {name: one, cluster: {server: "https://one"}}
- {name: two, cluster: {server: "https://two", certificate-authority-data: Mg==}}
contexts:
- {name: first, context: {cluster: one}}
- {name: second, context: {cluster: two}}
current-context: second
"""


@pytest.mark.parametrize(
    ("context", "server", "authority"),
    [(None, "https://two", "Mg=="), ("first", "https://one", None)],
)
def test_the_cluster_is_that_of_the_context(
    context: str | None, server: str, authority: str | None
) -> None:
    assert server_of(CONTEXTS, context) == server
    assert authority_of(CONTEXTS, context) == authority
