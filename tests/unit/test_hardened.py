"""Each row of docs/hardened.md is what programs render: of a plain stack, and of a hardened one.

Cannot show what Google makes of it, and reads no benchmark: numbers and titles are the table's.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pulumi_gcp.container._inputs as container_inputs
import pytest

from catalog.cis_gke import CisGkeTable, Recommendation, State
from catalog.table import load_table
from sandbox.cloud.given_back import values_at
from stacks.config import validate
from tests.conftest import Recording, Registered, changed
from tests.parts.samples import AUTOPILOT, BARE
from tests.parts.samples import HARDENED as SAMPLE
from tests.programs import WITH_ALL_SECRETS, mistakes, registered
from tests.unit.effect_stacks import TEAMS
from tests.unit.test_pod_security import levels_of, pods_of
from tools.hardened import PAGE, main, page

ROWS = load_table(CisGkeTable, "cis_gke").rows
KEY = SAMPLE["cmek"]
BUCKET = {"mount_path": "/data"}
PLAIN = changed(BARE, buckets={"data": BUCKET})
HARDENED = changed(SAMPLE, buckets={"data": BUCKET})
CLOSED = {key: SAMPLE[key] for key in ("hardened", "namespace")}
OFFICE = [{"name": "office", "cidr": "203.0.113.0/24"}]
WITH_RANGES = changed(HARDENED, cluster={"authorized_networks": OFFICE})
CLUSTER, POOL = "gcp:container/cluster:Cluster", "gcp:container/nodePool:NodePool"
_ROLES = ("ClusterRole", "Role")
_BINDINGS = ("ClusterRoleBinding", "RoleBinding")


@cache
def rendered(name: str) -> Recording:
    config = {"plain": PLAIN, "hardened": HARDENED, "teams": TEAMS}[name]
    return registered(validate(config, secrets_set=WITH_ALL_SECRETS))


def of_kinds(made: Recording, *kinds: str) -> Iterator[Registered]:
    for it in made.resources:
        if (
            it.custom
            and it.type.startswith("kubernetes:")
            and it.type.endswith(tuple(f":{kind}" for kind in kinds))
        ):
            yield it


def rules_of(made: Recording) -> list[dict[str, Any]]:
    return [rule for it in of_kinds(made, *_ROLES) for rule in it.inputs["rules"]]


def bound(made: Recording, what: str) -> bool:
    """Whether a binding of the program's names it as a role or as a subject."""
    return any(
        what in (it.inputs["roleRef"]["name"], *(one["name"] for one in it.inputs["subjects"]))
        for it in of_kinds(made, *_BINDINGS)
    )


def unbound(what: str) -> Callable[[Recording], bool]:
    return lambda made: not bound(made, what)


def without(*verbs: str) -> Callable[[Recording], bool]:
    return lambda made: not any(set(verbs) & {*it["verbs"]} for it in rules_of(made))


def no_secrets_in_the_whole_cluster(made: Recording) -> bool:
    roles = of_kinds(made, "ClusterRole")
    return not any("secrets" in rule["resources"] for it in roles for rule in it.inputs["rules"])


def no_wildcards(made: Recording) -> bool:
    keys = ("apiGroups", "resources", "verbs")
    return not any("*" in rule.get(key, []) for rule in rules_of(made) for key in keys)


def no_tokens(made: Recording) -> bool:
    """Ray's autoscaler, which has one, is in neither stack."""
    own = [pod for _, _, pod in pods_of(made)]
    return all(pod.get("automountServiceAccountToken") is False for pod in own)


def baseline_in_namespaces(made: Recording) -> bool:
    where = {
        it.inputs["metadata"].get("namespace") for it in of_kinds(made, "Secret", "Deployment")
    }
    levels = levels_of(made)
    return bool(levels) and set(levels.values()) == {"baseline"} and "default" not in where


def nothing_in_default(made: Recording) -> bool:
    objects = [it for it in made.resources if it.custom and it.type.startswith("kubernetes:")]
    spaces = {(it.inputs.get("metadata") or {}).get("namespace") for it in objects}
    return "work" in levels_of(made) and "default" not in spaces


def only_reads_images(made: Recording) -> bool:
    members = [it for it in made.resources if it.type.endswith(":RepositoryIamMember")]
    return {it.inputs["role"] for it in members} <= {"roles/artifactregistry.reader"}


def own_accounts(made: Recording) -> bool:
    pools = [it for it in made.resources if it.type == POOL]
    return bool(pools) and all("serviceAccount" in it.inputs["nodeConfig"] for it in pools)


def nothing_to_the_internet(made: Recording) -> bool:
    services = [it.inputs["spec"].get("type") for it in of_kinds(made, "Service")]
    return "LoadBalancer" not in services and not [*of_kinds(made, "Ingress")]


_PORT = "insecureKubeletReadonlyPortEnabled"
# Where a Standard cluster says it for pools to come, and an Autopilot cluster for nodes.
_PORT_OF_POOLS = f"nodePoolDefaults.nodeConfigDefaults.{_PORT}"
_PORT_OF_AUTOPILOT = f"nodePoolAutoConfig.nodeKubeletConfig.{_PORT}"


def read_only_port_closed(made: Recording) -> bool:
    """No pool of the program's opens it again."""
    cluster = made.one(":Cluster").inputs
    where = _PORT_OF_AUTOPILOT if cluster.get("enableAutopilot") else _PORT_OF_POOLS
    pools = [it.inputs for it in made.resources if it.type == POOL]
    opened = any(values_at(it, f"nodeConfig.kubeletConfig.{_PORT}") for it in pools)
    return values_at(cluster, where) == ["FALSE"] and not opened


def encrypted_boot_disks(made: Recording) -> bool:
    pools = [it for it in made.resources if it.type == POOL]
    return bool(pools) and {it.inputs["nodeConfig"].get("bootDiskKmsKey") for it in pools} == {KEY}


# Of rows that no input by itself shows.
CHECKS: dict[str, Callable[[Recording], bool]] = {
    "3.2.4": read_only_port_closed,
    "4.1.1": unbound("cluster-admin"),
    "4.1.3": no_wildcards,
    "4.1.4": unbound("default"),
    "4.1.5": no_tokens,
    "4.1.6": unbound("system:masters"),
    "4.1.7": without("bind", "impersonate", "escalate"),
    "4.1.8": unbound("system:anonymous"),
    "4.1.9": unbound("system:unauthenticated"),
    "4.1.10": unbound("system:authenticated"),
    "4.2.1": baseline_in_namespaces,
    "4.6.4": nothing_in_default,
    "5.1.3": only_reads_images,
    "5.2.1": own_accounts,
    "5.6.7": nothing_to_the_internet,
    "5.9.2": encrypted_boot_disks,
}
# Which of the keys each stack of these has.
BY_KEY: dict[str, Callable[[], bool]] = {
    "4.6.1": lambda: len(set(levels_of(rendered("teams")))) > 1,
    "5.6.3": lambda: (
        registered(validate(WITH_RANGES, secrets_set=WITH_ALL_SECRETS))
        .one(":Cluster")
        .inputs["masterAuthorizedNetworksConfig"]["gcpPublicCidrsAccessEnabled"]
        is False
    ),
    "5.8.2": lambda: (
        "authenticatorGroupsConfig"
        in registered(
            validate(
                changed(PLAIN, cluster__security_group="gke-security-groups@example.com"),
                secrets_set=WITH_ALL_SECRETS,
            )
        )
        .one(":Cluster")
        .inputs
    ),
}


def holds(number: str, row: Recommendation, made: Recording) -> bool:
    """Whether all that the row says is rendered."""
    if number in CHECKS and not CHECKS[number](made):
        return False
    for token, inputs in row.sent.items():
        resources = [it for it in made.resources if it.type == token]
        assert resources
        for path, value in inputs.items():
            found = [list(values_at(it.inputs, path)) for it in resources]
            if any(it != ([] if value is None else [value]) for it in found):
                return False
    return True


def rows(state: State) -> list[str]:
    return [number for number, it in ROWS.items() if it.state is state]


@pytest.mark.parametrize("number", rows(State.MET))
def test_what_every_stack_meets_is_rendered_by_a_plain_one_and_by_a_hardened_one(
    number: str,
) -> None:
    assert holds(number, ROWS[number], rendered("plain"))
    assert holds(number, ROWS[number], rendered("hardened"))


@pytest.mark.parametrize("number", rows(State.HARDENED))
def test_what_hardened_closes_is_rendered_by_a_hardened_stack_and_by_no_plain_one(
    number: str,
) -> None:
    assert holds(number, ROWS[number], rendered("hardened"))
    assert not holds(number, ROWS[number], rendered("plain"))


@pytest.mark.parametrize("number", rows(State.KEY))
def test_what_a_key_closes_is_rendered_by_a_stack_that_has_it(number: str) -> None:
    assert BY_KEY[number]()


def test_a_row_names_the_keys_that_decide_where_a_config_can_close_it() -> None:
    by_config = rows(State.HARDENED) + rows(State.KEY)
    assert {number for number, it in ROWS.items() if it.by} == {*by_config}


def test_every_row_that_says_it_is_met_has_something_to_be_held_against() -> None:
    held = {number for number, it in ROWS.items() if it.sent} | CHECKS.keys() | BY_KEY.keys()
    said = {number for number, it in ROWS.items() if it.state not in (State.GKE, State.NOT)}
    assert held == said


def settings_of_nodes() -> list[str]:
    """What the provider takes of nodes and their kubelets, in one case."""
    blocks = [
        block
        for name, block in vars(container_inputs).items()
        if name.endswith("ArgsDict") and ("NodeConfig" in name or "Kubelet" in name)
    ]
    return [key.replace("_", "").lower() for it in blocks for key in it.__annotations__]


def test_what_is_gkes_is_no_input_of_a_cluster_or_of_a_pool() -> None:
    known = settings_of_nodes()
    words = {it.setting for it in ROWS.values() if it.setting}
    assert {word for word in words if any(word.lower() in key for key in known)} == set()
    # The kubelet's own name of 3.2.4, which is not GKE's alone.
    assert any("readonlyport" in key for key in known)


def test_only_the_kubelet_and_its_files_are_gkes() -> None:
    gkes = rows(State.GKE)
    assert [number for number in gkes if not number.startswith("3.")] == []
    assert [
        number for number in gkes if number.startswith("3.2") and not ROWS[number].setting
    ] == []


def test_the_nodes_of_an_autopilot_cluster_have_no_read_only_port() -> None:
    assert read_only_port_closed(registered(validate(AUTOPILOT, secrets_set=WITH_ALL_SECRETS)))


@pytest.mark.parametrize("name", ["plain", "hardened", "teams"])
def test_no_role_of_the_programs_reads_secrets_in_the_whole_cluster(name: str) -> None:
    """Those of charts: tests/kube/test_chart_roles.py."""
    assert no_secrets_in_the_whole_cluster(rendered(name))


@pytest.mark.parametrize("number", sorted({it for it in CHECKS if it.startswith("4.1")}))
def test_roles_and_bindings_of_teams_hold_what_every_stack_does(number: str) -> None:
    made = rendered("teams")
    assert [*of_kinds(made, *_ROLES)]
    assert CHECKS[number](made)


@pytest.mark.parametrize(
    ("key", "near"),
    [
        ("cmek", "cryptoKeys/my-key"),
        ("namespace", "nearest: bare"),
    ],
)
def test_what_hardened_cannot_derive_is_asked_for(key: str, near: str) -> None:
    (line,) = mistakes(changed(HARDENED, **{key: None}), WITH_ALL_SECRETS)
    assert line.startswith(f"stack.{key.replace('__', '.')}: ")
    assert line.endswith(near)


@pytest.mark.parametrize(
    ("cluster", "address"),
    [
        (None, False),
        ({"endpoint": "dns"}, False),
        ({"authorized_networks": OFFICE}, True),
        ({"endpoint": "private"}, True),
    ],
)
def test_a_hardened_control_plane_answers_by_its_name_unless_ranges_narrow_an_address(
    cluster: dict[str, Any] | None, *, address: bool
) -> None:
    made = registered(validate(changed(HARDENED, cluster=cluster), secrets_set=WITH_ALL_SECRETS))
    inputs = made.one(":Cluster").inputs
    off = {
        "dnsEndpointConfig": {"allowExternalTraffic": True},
        "ipEndpointsConfig": {"enabled": False},
    }
    assert inputs.get("controlPlaneEndpointsConfig") == (None if address else off)
    assert ("masterAuthorizedNetworksConfig" in inputs) is address


def test_a_key_of_its_own_wins_over_hardened() -> None:
    off: dict[str, Any] = {
        "cluster__binary_authorization": False,
        "cluster__intranode_visibility": False,
        "network__flow_logs": False,
    }
    made = registered(validate(changed(HARDENED, **off), secrets_set=WITH_ALL_SECRETS))
    cluster = made.one(":Cluster").inputs
    assert not {"binaryAuthorization", "enableIntranodeVisibility"} & cluster.keys()
    assert "logConfig" not in made.named("network-subnet").inputs


def test_a_key_elsewhere_is_refused_with_the_same_one_here() -> None:
    elsewhere = KEY.replace("us-central1", "europe-west4")
    (line,) = mistakes(changed(PLAIN, cmek=elsewhere), WITH_ALL_SECRETS)
    assert line == (
        f"stack.cmek: the key is in europe-west4, and what it encrypts in us-central1; "
        f"nearest: {KEY}"
    )


def test_a_hardened_autopilot_cluster_encrypts_nodes_and_is_not_told_what_it_always_has() -> None:
    config = {**AUTOPILOT, **CLOSED}
    key = KEY.replace("us-central1", config["region"])
    cluster = (
        registered(validate({**config, "cmek": key}, secrets_set=WITH_ALL_SECRETS))
        .one(":Cluster")
        .inputs
    )
    defaults = cluster["clusterAutoscaling"]["autoProvisioningDefaults"]
    assert defaults["bootDiskKmsKey"] == key
    assert cluster["databaseEncryption"] == {"state": "ENCRYPTED", "keyName": key}
    assert "enableIntranodeVisibility" not in cluster
    (line,) = mistakes(changed(AUTOPILOT, cluster__intranode_visibility=False), WITH_ALL_SECRETS)
    assert "Autopilot clusters always have it" in line


def test_buckets_are_encrypted_with_the_key() -> None:
    buckets = [it for it in rendered("hardened").resources if it.type.endswith("bucket:Bucket")]
    encrypted = [it.inputs["encryption"] for it in buckets if it.custom]
    assert encrypted == [{"defaultKmsKeyName": KEY}]


def test_a_cluster_that_exists_already_is_closed_by_its_owner() -> None:
    existing = {"name": "cluster", "location": "us-central1"}
    config = changed(HARDENED, cluster={"existing": existing}, network=None)
    assert any(
        it.startswith("stack.hardened: the cluster is there already") and it.endswith("false")
        for it in mistakes(config, WITH_ALL_SECRETS)
    )


def test_the_page_is_what_the_table_says() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: make inventory"
    assert main(["--check"]) == 0
