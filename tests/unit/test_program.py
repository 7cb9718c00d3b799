"""The whole program, run as Pulumi runs it, against the recording engine."""

import json
import re
import runpy
from collections.abc import Callable, Mapping
from typing import Any

import pulumi
import pytest
import yaml
from pulumi.runtime import set_all_config

from cli.project import TEMPLATE
from stacks import after_jobs
from stacks.config import validate
from tests.conftest import PROJECT, ROOT, TOKEN, Recording, Register, stack_config
from tests.programs import WITH_ALL_SECRETS

_TOKEN_KEY = f"{PROJECT}:hugging_face_token"


def run(
    register: Register,
    stack: str,
    then: Callable[[], Any] | None = None,
    changes: Mapping[str, str] | None = None,
) -> Recording:
    text = (ROOT / f"Pulumi.{stack}.yaml").read_text(encoding="utf-8")
    config = {
        key: value if isinstance(value, str) else json.dumps(value)
        for key, value in yaml.safe_load(text)["config"].items()
    }
    values = {**config, "gcp:project": "my-project", _TOKEN_KEY: TOKEN, **(changes or {})}

    def program() -> None:
        set_all_config(values, secret_keys=[_TOKEN_KEY])
        runpy.run_path(str(ROOT / "__main__.py"), run_name="__main__")
        if then is not None:
            then()

    return register(program, stack=stack)


@pytest.mark.parametrize(
    ("stack", "cluster"),
    [
        ("b200-lustre", "ray-a4-gpu-spot-cluster"),
        ("dev", "dev-cluster"),
        ("tpu-multislice", "maxtext-tpu-cluster-cluster"),
        ("tpu-elastic", "maxtext-tpu-cluster-cluster"),
    ],
)
def test_the_program_runs_from_each_stacks_file(
    register: Register, stack: str, cluster: str
) -> None:
    made = run(register, stack)
    assert made.one(":RayCluster").name == cluster


def outputs_of(register: Register, monkeypatch: pytest.MonkeyPatch, stack: str) -> dict[str, Any]:
    exports: dict[str, Any] = {}
    outputs: dict[str, Any] = {}
    monkeypatch.setattr(pulumi, "export", exports.__setitem__)
    run(register, stack, lambda: pulumi.Output.all(**exports).apply(outputs.update))
    return outputs


def test_it_tells_how_to_get_in_look_run_and_clean_up(
    register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = outputs_of(register, monkeypatch, "b200-lustre")
    assert outputs["kubeconfig_command"] == (
        "gcloud container clusters get-credentials ray-a4-gpu-spot "
        "--location=us-east1 --project=my-project"
    )
    assert outputs["lustre_mount_point"] == "10.10.0.2@tcp:/lustre"
    assert outputs["ray_dashboard_command"] == (
        "kubectl --namespace=default port-forward service/ray-a4-gpu-spot-head-svc 8265:8265"
    )
    assert outputs["job_submit_command"].startswith(
        "ray job submit --address=http://localhost:8265 "
    )
    assert "pulumi destroy" in outputs["cleanup_note"]
    assert re.fullmatch(
        r"1\.\d\d to 26\d USD at the prices of 20[-\d]{8}", outputs["machines_hourly_cost"]
    )
    assert outputs["control_plane_access"].startswith("from everywhere;")


@pytest.mark.parametrize(("stack", "stays"), [("tpu-multislice", True), ("dev", False)])
def test_it_tells_which_machines_stay_after_their_jobs(
    register: Register, monkeypatch: pytest.MonkeyPatch, stack: str, stays: bool
) -> None:
    outputs = outputs_of(register, monkeypatch, stack)
    sentences = after_jobs.sentences(
        validate(stack_config(stack), secrets_set=WITH_ALL_SECRETS), pulumi.get_stack()
    )
    assert bool(sentences) is stays
    assert outputs.get("machines_after_jobs", []) == sentences


def test_a_command_for_a_ray_that_asks_for_a_token_reads_it_as_it_runs(
    register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    outputs = outputs_of(register, monkeypatch, "gcsfuse-checkpoint")
    (cluster,) = stack_config("gcsfuse-checkpoint")["ray"]
    assert outputs["job_submit_command"].startswith(
        f'RAY_AUTH_MODE=token RAY_AUTH_TOKEN="$(kubectl get secret {cluster} --namespace=default '
        "--output=jsonpath='{.data.auth_token}' | base64 --decode)\" "
        "ray job submit --address=http://localhost:8265 "
    )


def test_a_mistake_is_told_once(register: Register, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(pulumi.log, "error", told.append)
    with pytest.raises(SystemExit) as left:
        run(register, "dev", changes={f"{PROJECT}:stack": '{"kind": "dev"}'})
    (error,) = told
    title, *lines = error.splitlines()
    assert title == "The config has 1 mistake; nothing was changed."
    assert [line.partition(": ")[0].strip() for line in lines] == ["stack.kind"]
    # Of any other code the language host makes an error of its own (pulumi/pulumi
    # sdk/python/cmd/pulumi-language-python/main.go, v3.256.0).
    assert left.value.code == 32


def test_a_new_project_has_the_program_of_this_one() -> None:
    ours, new = (folder / "__main__.py" for folder in (ROOT, TEMPLATE))
    assert new.read_text(encoding="utf-8") == ours.read_text(encoding="utf-8")
