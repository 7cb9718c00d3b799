"""Who reaches a model server: the key that it asks for, who has it, and what a preview says."""

import base64
from collections.abc import Callable
from typing import Any

import pulumi
import pytest

from stacks.build import build
from stacks.config import ConfigError, validate
from stacks.parts.servers.access import lines
from stacks.tokens import required_secrets
from tests.conftest import Recording, Register, changed
from tests.unit.script_samples import CHAT, RAY, STACK

KEY = "model_server_key"
POOL = {"machine_type": "g2-standard-24", "nodes": 1}
ON_IT = {**RAY, "workers": {"gpu": {**RAY["workers"]["gpu"], "pools": "ray"}}}
KEYED = {**CHAT, "servers__chat__api_key": True}
SECRETS = frozenset({"hugging_face_token", KEY})


@pytest.fixture
def made(register: Register, tmp_path: Any) -> Callable[..., Recording]:
    def of(**values: Any) -> Recording:
        plain = {"jobs__train__file": None, "jobs__train__command": ["python3", "-m", "train"]}
        plan = validate(changed(STACK, **(plain | values)), secrets_set=SECRETS)
        secrets = {it: pulumi.Output.secret(it) for it in SECRETS}
        return register(lambda: build(plan, secrets, tmp_path, None))

    return of


def keys_in(pod: Any) -> set[tuple[str, str]]:
    """Variables of a pod's only container that come from a Secret, with their keys there."""
    (container,) = pod["containers"]
    return {
        (it["name"], it["valueFrom"]["secretKeyRef"]["key"])
        for it in container.get("env", ())
        if "secretKeyRef" in it.get("valueFrom", ())
    }


def server_pod(recording: Recording) -> Any:
    return recording.named("chat-deployment").inputs["spec"]["template"]["spec"]


def job_pod(recording: Recording) -> Any:
    (one,) = recording.named("train-job-set").inputs["spec"]["replicatedJobs"]
    return one["template"]["spec"]["template"]["spec"]


@pytest.mark.parametrize(("engine", "variable"), [("vllm", "VLLM_API_KEY"), ("tgi", "API_KEY")])
def test_a_server_with_a_key_has_it_from_the_secret_and_in_no_command(
    made: Any, engine: str, variable: str
) -> None:
    recording = made(**KEYED, servers__chat__engine=engine)
    assert (variable, "SERVER_KEY") in keys_in(server_pod(recording))
    assert not any("key" in it for it in server_pod(recording)["containers"][0].get("command", ()))
    given = recording.named("tokens-secret").inputs["data"]["SERVER_KEY"]
    assert base64.b64decode(given).decode() == KEY


def test_a_server_has_no_key_that_its_config_does_not_name(made: Any) -> None:
    recording = made(**CHAT)
    assert keys_in(server_pod(recording)) == {("HF_TOKEN", "HF_TOKEN")}
    assert recording.named("tokens-secret").inputs["data"].keys() == {"HF_TOKEN"}


def test_a_job_has_the_key_of_the_server_that_it_calls_and_no_other(made: Any) -> None:
    pair = ("SERVER_KEY", "SERVER_KEY")
    assert pair in keys_in(job_pod(made(**KEYED, jobs__train__server="chat")))
    assert pair not in keys_in(job_pod(made(**KEYED)))
    assert pair not in keys_in(job_pod(made(**CHAT, jobs__train__server="chat")))


def test_pods_of_ray_have_no_key_of_servers(made: Any) -> None:
    ray = made(**KEYED, pools__ray=POOL, ray={"small": ON_IT}).one("ray.io/v1:RayCluster")
    spec = ray.inputs["spec"]
    pods = [spec["headGroupSpec"], *spec["workerGroupSpecs"]]
    variables = {name for it in pods for name, _ in keys_in(it["template"]["spec"])}
    assert variables == {"HF_TOKEN"}


def test_a_key_that_is_not_set_is_asked_for_before_anything_is_made() -> None:
    assert KEY in required_secrets(changed(STACK, **KEYED))
    with pytest.raises(ConfigError) as refused:
        validate(changed(STACK, **KEYED), secrets_set=frozenset({"hugging_face_token"}))
    assert f"pulumi config set --secret {KEY}" in str(refused.value)


def test_a_jobs_own_variable_does_not_hide_the_servers_key() -> None:
    own = {"SERVER_KEY": "none"}
    with pytest.raises(ConfigError) as refused:
        validate(
            changed(STACK, **KEYED, jobs__train__server="chat", jobs__train__environment=own),
            secrets_set=SECRETS,
        )
    assert "jobs.train.environment.SERVER_KEY: each pod has its own" in str(refused.value)


def test_a_preview_says_of_each_server_who_reaches_it_and_with_what(made: Any) -> None:
    def said(**values: Any) -> str:
        (line,) = lines(validate(changed(STACK, **values), secrets_set=SECRETS))
        return line

    assert said(**CHAT).startswith("servers.chat: port 8000 has nothing but paths")
    assert "client-of: chat" in said(**CHAT)
    assert said(**CHAT).endswith("it asks nobody for a key")
    assert said(**KEYED).endswith(f"they bring the key of {KEY}")
