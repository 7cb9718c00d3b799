"""Secrets that people have in a namespace, as variables of their jobs there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aistack.errors import CannotRunError, ForbiddenError, VerbError
from aistack.stack import Config
from aistack.submit.hand_over import hand_over
from aistack.submit.parcel import Parcel
from aistack.submit.preflight import checked
from aistack.submit.request import Request
from aistack.submit.secret_words import InPlainError
from kube.jobs import pod_groups
from kube.kinds import SECRET, Kind
from kube.objects import JsonObject
from stacks.tokens import SECRETS
from tests.conftest import stack_config
from tests.parts.secret_samples import FILE_SECRETS
from tests.unit.platform_samples import PLATFORM
from tests.unit.test_hand_over import Answering, never

PODS = {"image": "python:3.12-slim", "requests": {"cpu": 1, "memory_gib": 2}, "pool": "cpu"}
LAB = stack_config("lab")
ALL_SECRETS = frozenset(SECRETS)
NAMED = {"secrets": "--secret"}
RUN = "python3 $(SCRIPT_DIR)/train.py"
UNQUEUED = {**PLATFORM, "queues": None, "teams": {"red": {}}}


def submitted(
    script: Path, *secrets: str, config: Any = LAB, team: str | None = None, **fields: Any
) -> Parcel:
    request = Request(
        name="mine", files=[script], team=team, fields={**PODS, "secrets": list(secrets), **fields}
    )
    return checked(request, Config(config, frozenset(SECRETS)), (), "lab").parcel


def container(parcel: Parcel) -> JsonObject:
    ((_, pod),) = pod_groups(parcel.work.kind, parcel.work.obj)
    return pod["containers"][0]


def references(parcel: Parcel) -> dict[str, Any]:
    named = {it["name"]: it.get("valueFrom", {}) for it in container(parcel)["env"]}
    return {name: it["secretKeyRef"] for name, it in named.items() if "secretKeyRef" in it}


def test_a_key_of_a_secret_is_a_variable_and_a_whole_one_is_all_of_them(script: Path) -> None:
    parcel = submitted(script, "mine=NGC_API_KEY", "others")
    assert references(parcel)["NGC_API_KEY"] == {"name": "mine", "key": "NGC_API_KEY"}
    assert container(parcel)["envFrom"] == [{"secretRef": {"name": "others"}}]


def test_a_key_may_be_a_variable_of_another_name(script: Path) -> None:
    named = "hf-secret=hf_api_token:HF_TOKEN", "mine=wandb.api-key:WANDB_API_KEY"
    parcel = submitted(script, *named)
    found = references(parcel)
    assert found["HF_TOKEN"] == {"name": "hf-secret", "key": "hf_api_token"}
    assert found["WANDB_API_KEY"] == {"name": "mine", "key": "wandb.api-key"}
    assert {*parcel.secrets} == {("hf-secret", "hf_api_token"), ("mine", "wandb.api-key")}
    of_team = submitted(script, *named, config=PLATFORM, team="red")
    assert references(of_team).keys() == {"HF_TOKEN", "WANDB_API_KEY"}


def test_a_teams_pods_have_the_teams_secrets_and_none_of_the_stacks(script: Path) -> None:
    parcel = submitted(script, "hub=HF_TOKEN", "all", config=PLATFORM, team="red")
    assert references(parcel) == {"HF_TOKEN": {"name": "hub", "key": "HF_TOKEN"}}
    assert container(parcel)["envFrom"] == [{"secretRef": {"name": "all"}}]
    assert parcel.namespace == "red"


def test_a_secret_of_a_team_that_is_called_like_the_stacks_brings_what_was_named_alone(
    script: Path,
) -> None:
    own = f"{PLATFORM['name']}-tokens"
    parcel = submitted(script, f"{own}=MINE", config=PLATFORM, team="red")
    assert references(parcel) == {"MINE": {"name": own, "key": "MINE"}}


def test_every_job_of_a_team_has_the_secrets_that_the_stack_says_it_has(script: Path) -> None:
    shared = {**UNQUEUED, "teams": {"red": {"secrets": ["hub=HF_TOKEN", "all"]}}}
    plain = submitted(script, config=shared, team="red")
    assert references(plain) == {"HF_TOKEN": {"name": "hub", "key": "HF_TOKEN"}}
    assert container(plain)["envFrom"] == [{"secretRef": {"name": "all"}}]
    more = submitted(script, "own=WANDB_API_KEY", "mine", config=shared, team="red")
    assert references(more).keys() == {"HF_TOKEN", "WANDB_API_KEY"}
    # The last of several counts (kubernetes/kubernetes v1.35.4 staging/src/k8s.io/api/core/v1/
    # types.go, Container.EnvFrom).
    assert [it["secretRef"]["name"] for it in container(more)["envFrom"]] == ["all", "mine"]


@pytest.mark.parametrize("fields", [{}, {"environment": {"EPOCHS": "3"}}])
def test_what_a_job_says_itself_goes_before_its_teams_secrets(
    script: Path, fields: dict[str, Any]
) -> None:
    shared = {**UNQUEUED, "teams": {"red": {"secrets": ["hub=HF_TOKEN", "hub=EPOCHS"]}}}
    parcel = submitted(script, "mine=HF_TOKEN", config=shared, team="red", **fields)
    expected = {"HF_TOKEN": "mine", **({} if fields else {"EPOCHS": "hub"})}
    assert {key: it["name"] for key, it in references(parcel).items()} == expected


def test_a_named_secret_goes_before_the_stacks_own_and_no_variable_stands_twice(
    script: Path,
) -> None:
    parcel = submitted(script, "mine=HF_TOKEN")
    assert references(parcel)["HF_TOKEN"] == {"name": "mine", "key": "HF_TOKEN"}
    names = [it["name"] for it in container(parcel)["env"]]
    assert len(names) == len(set(names))


ON_RAY = {"ray": {"lab": {**LAB["ray"]["lab"], "secrets": ["hub=HF_TOKEN", "others"]}}}


def on_ray(script: Path, *secrets: str, config: Any, **options: Any) -> Parcel:
    request = Request(
        name="mine", files=[script], fields={"secrets": list(secrets)}, options=NAMED, **options
    )
    return checked(request, Config(config, ALL_SECRETS), (), "lab").parcel


def test_a_job_on_a_raycluster_may_name_what_the_clusters_pods_have(script: Path) -> None:
    parcel = on_ray(script, "hub=HF_TOKEN", "others=KEY", config={**LAB, **ON_RAY})
    assert parcel.work.kind.name == "RayJob"
    assert "HF_TOKEN" not in str(parcel.work.obj)


@pytest.mark.parametrize("ray", [None, "lab"])
def test_another_is_refused_with_who_could_have_it(script: Path, ray: str | None) -> None:
    with pytest.raises(CannotRunError) as refused:
        on_ray(script, "hub=HF_TOKEN", "mine=KEY", config={**LAB, **ON_RAY}, ray=ray)
    (line,) = refused.value.reasons
    assert line == (
        "--secret: pods of the RayCluster lab do not have it, and what Ray gives to a job of its "
        "own stands there in plain; nearest: mine=KEY in ray.lab.secrets, which makes another "
        "cluster, or --image, --cpu and --memory, without --ray, for pods of its own"
    )


@pytest.mark.parametrize("strange", [3, "hub", {"hub": "HF_TOKEN"}, [3]])
def test_secrets_of_a_team_that_are_none_are_refused_in_the_words_of_the_config(
    script: Path, strange: object
) -> None:
    with pytest.raises(VerbError, match=r"teams\.red\.secrets"):
        submitted(script, config={**UNQUEUED, "teams": {"red": {"secrets": strange}}}, team="red")


@pytest.mark.parametrize(
    ("secret", "fields", "told"),
    [
        ("My_Secret", {}, "jobs.mine.secrets[0]"),
        ("mine=api-key", {}, "or NAME=KEY:VARIABLE where the key is no variable's name"),
        ("mine=key:NODE_RANK", {}, "nearest: mine=key:VARIABLE with another one"),
        ("mine=NODE_RANK", {}, "which the pods have already"),
        ("mine=EPOCHS", {"environment": {"EPOCHS": "3"}}, "which the pods have already"),
    ],
)
def test_what_cannot_be_a_variable_is_refused(
    script: Path, secret: str, fields: dict[str, Any], told: str
) -> None:
    with pytest.raises(VerbError, match=re.escape(told)):
        submitted(script, secret, **fields)


def secret(name: str, *keys: str) -> JsonObject:
    return {
        "kind": "Secret",
        "metadata": {"name": name},
        "data": dict.fromkeys(keys, "cHJpdmF0ZQ=="),
    }


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ([secret("wandb", "KEY"), secret("hub", "HF_TOKEN")], "; in red there are hub, wandb"),
        ([], "; in red there is none yet"),
        (
            [secret(f"s{number}", "KEY") for number in range(7)],
            "; in red there are s0, s1, s2, s3, s4 and 2 more",
        ),
    ],
)
def test_a_secret_in_plain_is_refused_with_the_names_of_those_that_are_there(
    script: Path, there: list[JsonObject], told: str
) -> None:
    with pytest.raises(InPlainError) as refused:
        submitted(script, config=UNQUEUED, team="red", environment={"HF_TOKEN": "private"})
    said = str(refused.value.with_those_there(Answering(*there), "red"))
    assert said.startswith("jobs.mine.environment.HF_TOKEN: looks like a secret")
    assert said.endswith(told)


MISSING = [
    ([], '"hub" is no Secret of red; nearest: kubectl create secret generic hub --namespace red'),
    ([secret("hub", "TOKEN")], '"hub" has no key HF_TOKEN; nearest: TOKEN'),
]


@pytest.mark.parametrize(("there", "told"), MISSING)
def test_a_secret_that_is_not_there_is_refused_before_anything_is_made(
    script: Path, there: list[JsonObject], told: str
) -> None:
    parcel = submitted(
        script,
        "hub=HF_TOKEN",
        config=UNQUEUED,
        team="red",
    )
    cluster = Answering(*there)
    before = dict(cluster.objects)
    with pytest.raises(VerbError, match=re.escape(f"--secret: {told}")) as refused:
        hand_over(cluster, parcel, never)
    assert cluster.objects == before
    assert "cHJpdmF0ZQ" not in str(refused.value)


def test_a_missing_secret_is_told_by_who_names_it(script: Path) -> None:
    shared = {**UNQUEUED, "teams": {"red": {"secrets": ["hub=HF_TOKEN"]}}}
    parcel = submitted(script, "mine", config=shared, team="red")
    with pytest.raises(VerbError) as refused:
        hand_over(Answering(), parcel, never)
    assert 'teams.red.secrets: "hub" is no Secret of red' in str(refused.value)
    assert '--secret: "mine" is no Secret of red' in str(refused.value)


class Secretive(Answering):
    def get(self, kind: Kind, namespace: str, name: str) -> JsonObject | None:
        if kind == SECRET:
            raise ForbiddenError("secrets is forbidden")
        return super().get(kind, namespace, name)

    def pages(self, kind: Kind, namespace: str = "", **options: str) -> Iterator[JsonObject]:
        if kind == SECRET:
            raise ForbiddenError("secrets is forbidden")
        return super().pages(kind, namespace, **options)


def test_who_may_not_list_secrets_is_told_of_none(script: Path) -> None:
    with pytest.raises(InPlainError) as refused:
        submitted(script, environment={"HF_TOKEN": "private"})
    assert refused.value.with_those_there(Secretive(), "lab") is refused.value


class HalfSecretive(Answering):
    """Lets somebody read all Secrets but one (a Role with resourceNames)."""

    def get(self, kind: Kind, namespace: str, name: str) -> JsonObject | None:
        if kind == SECRET and name == "closed":
            raise ForbiddenError("secrets is forbidden")
        return super().get(kind, namespace, name)


def test_who_may_read_some_secrets_is_told_of_those_that_are_missing(script: Path) -> None:
    parcel = submitted(script, "closed=A", "hub=HF_TOKEN", config=UNQUEUED, team="red")
    with pytest.raises(VerbError, match='"hub" is no Secret of red'):
        hand_over(HalfSecretive(), parcel, never)


def test_who_may_not_read_secrets_may_name_them(script: Path) -> None:
    parcel = submitted(
        script,
        "hub=HF_TOKEN",
        config=UNQUEUED,
        team="red",
    )
    cluster = Secretive()
    hand_over(cluster, parcel, never)
    assert (parcel.work.kind.name, "mine") in cluster.objects


def asks(
    script: Path,
    command: str,
    *secrets: str,
    config: Any = PLATFORM,
    team: str | None = None,
    of_stack: frozenset[str] = frozenset(),
) -> None:
    request = Request(
        name="mine",
        files=[script],
        command=command,
        team=team,
        fields={**PODS, "secrets": list(secrets)},
    )
    checked(request, Config(config, of_stack), (), "any")


@pytest.mark.parametrize(
    ("team", "of_stack", "near"),
    [
        # The stack's Secret is not in the team's namespace.
        ("red", ALL_SECRETS, "--secret NAME=HF_TOKEN, with a Secret of the job's namespace."),
        (None, frozenset[str](), "--secret NAME=HF_TOKEN, with a Secret of the job's namespace."),
        (None, ALL_SECRETS, "HF_TOKEN, which the job's pods have from the stack."),
    ],
)
def test_of_a_token_in_a_file_what_is_offered_is_what_its_pods_can_have(
    script: Path, team: str | None, of_stack: frozenset[str], near: str
) -> None:
    script.write_text(f"{FILE_SECRETS['Hugging Face token'][0]}\n")
    with pytest.raises(VerbError, match=re.escape(f"nearest: {near}")):
        asks(script, RUN, team=team, of_stack=of_stack)


def test_a_secret_that_no_stack_has_belongs_into_one_of_the_jobs(script: Path) -> None:
    script.write_text(FILE_SECRETS["Private Key"][0])
    with pytest.raises(VerbError, match="nearest: --secret NAME=KEY, with a Secret of the job's"):
        asks(script, RUN)


@pytest.mark.parametrize("team", [None, "red"])
def test_a_token_that_its_pods_lack_is_no_variable_of_theirs(
    script: Path, team: str | None
) -> None:
    said = r'"\$\(HF_TOKEN\)" is no variable of the pods, .* nearest: --secret NAME=HF_TOKEN'
    with pytest.raises(VerbError, match=said):
        asks(script, f"{RUN} $(HF_TOKEN)", team=team, of_stack=ALL_SECRETS if team else frozenset())
    asks(script, f"{RUN} $(HF_TOKEN)", "hub=HF_TOKEN", team=team)
    asks(script, f"{RUN} $(HF_TOKEN)", of_stack=ALL_SECRETS)


def test_nor_is_the_key_of_a_server_that_asks_for_none(script: Path) -> None:
    served = {**LAB["servers"]["chat"], "api_key": False}
    config = {**LAB, "servers": {"chat": served}}
    request = Request(
        name="mine",
        files=[script],
        command=f"{RUN} $(SERVER_KEY)",
        fields={**PODS, "server": "chat"},
    )
    with pytest.raises(VerbError, match=r'"\$\(SERVER_KEY\)" is no variable of the pods'):
        checked(request, Config(config, ALL_SECRETS), (), "lab")
    config["servers"]["chat"]["api_key"] = True
    assert checked(request, Config(config, ALL_SECRETS), (), "lab").parcel


def test_what_a_whole_secret_has_its_user_knows(script: Path) -> None:
    """Kubelets put its variables into commands, too."""
    asks(script, f"{RUN} $(NGC_API_KEY)", "mine")
    with pytest.raises(VerbError, match=r'"\$\(NGC_API_KEY\)" is no variable of the pods'):
        asks(script, f"{RUN} $(NGC_API_KEY)", "mine=HF_TOKEN")
    with pytest.raises(VerbError, match="bash -c for a command in a command"):
        asks(script, f"{RUN} '$(date +%s)'", "mine")
