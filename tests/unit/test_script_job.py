"""The Job that runs a script, as registered; that it runs to its end is for a control plane."""

from dataclasses import replace
from typing import Any

import pulumi_gcp as gcp
import pulumi_kubernetes as k8s
import pytest

from components.base.script_file import versioned_file_name
from components.base.static_volume import VolumeMount
from components.jobs.script_job import ScriptJob, ScriptJobArgs
from tests.conftest import Recording, Register, inside

ARGS = ScriptJobArgs(
    namespace="rl",
    job_name="prepare",
    image="image:1",
    script_name="prepare",
    script="echo one",
    arguments=["model=m"],
    environment={"HF_HOME": "/data/cache"},
    secret_name="tokens",
    secret_keys=["HF_TOKEN"],
    service_account="trainer",
    annotations={"gke-gcsfuse/volumes": "true"},
    node_selector={"cloud.google.com/gke-nodepool": "cpu"},
    cpu_millicores=3500,
    memory_gib=12,
    ephemeral_storage_gib=20,
    minutes=60,
    labels={"stack": "test"},
)


def mount() -> VolumeMount:
    return VolumeMount(
        backing=[gcp.storage.Bucket("bucket", location="US-EAST1")],
        volume=k8s.core.v1.PersistentVolume("volume", metadata={"name": "data-pv"}),
        claim=k8s.core.v1.PersistentVolumeClaim("claim", metadata={"name": "data-pvc"}),
    )


def made(register: Register, *, mounted: bool = False, **values: Any) -> Recording:
    def program() -> None:
        volume = {"volume": mount(), "mount_path": "/data"} if mounted else {}
        ScriptJob("data", replace(ARGS, **volume, **values), opts=inside())

    return register(program)


def job(register: Register, **values: Any) -> dict[str, Any]:
    return made(register, **values).named("data-job").inputs


def pod(register: Register, **values: Any) -> dict[str, Any]:
    return job(register, **values)["spec"]["template"]["spec"]


def test_a_finished_job_stays_as_the_record_that_the_work_is_done(register: Register) -> None:
    assert "ttlSecondsAfterFinished" not in job(register)["spec"]


def test_a_failed_job_is_made_anew_by_the_next_up(register: Register) -> None:
    assert job(register)["metadata"]["annotations"] == {"pulumi.com/replaceUnready": "true"}


@pytest.mark.parametrize("minutes", [60, 240])
def test_the_jobs_own_deadline_comes_before_the_engines(register: Register, minutes: int) -> None:
    made_job = made(register, minutes=minutes).named("data-job")
    assert made_job.inputs["spec"]["activeDeadlineSeconds"] == minutes * 60
    assert made_job.create_timeout == f"{minutes + 1}m"


def test_a_changed_script_runs_under_a_new_name(register: Register) -> None:
    for script in ("echo one", "echo two"):
        name = versioned_file_name("prepare", script)
        recording = made(register, script=script)
        assert recording.one(":ConfigMap").inputs["data"] == {name: script}
        container = recording.named("data-job").inputs["spec"]["template"]["spec"]["containers"][0]
        assert container["command"] == ["bash", f"/etc/script/{name}", "model=m"]


def test_changed_modules_of_a_script_run_it_under_a_new_name(register: Register) -> None:
    def there(**modules: str) -> set[str]:
        config_map = made(register, modules={f"{it}.py": modules[it] for it in modules})
        return set(config_map.named("data-script").inputs["data"])

    one, two = there(helper="a = 1"), there(helper="a = 2")
    assert one & two == {"helper.py"}
    assert len(one | two) == 3


def test_the_script_is_there_before_the_job_and_is_the_one_it_mounts(register: Register) -> None:
    recording = made(register)
    assert "data-script" in recording.waits_for("data-job")
    spec = recording.named("data-job").inputs["spec"]["template"]["spec"]
    name = recording.one(":ConfigMap").inputs["metadata"]["name"]
    assert spec["volumes"] == [{"name": "script", "configMap": {"name": name}}]


def test_a_job_cannot_change_so_a_changed_one_takes_its_place(register: Register) -> None:
    changed = made(register).named("data-job")
    assert changed.replace_on_changes == ("spec",)
    assert changed.delete_before_replace


def test_without_storage_there_is_nothing_to_be_replaced_with(register: Register) -> None:
    assert made(register).named("data-job").replace_with == frozenset()


def test_storage_is_mounted_and_a_job_is_run_again_on_new_storage(register: Register) -> None:
    recording = made(register, mounted=True)
    made_job = recording.named("data-job")
    assert made_job.replace_with == {
        recording.named(name).urn for name in ("bucket", "volume", "claim")
    }
    spec = made_job.inputs["spec"]["template"]["spec"]
    assert {"name": "storage", "persistentVolumeClaim": {"claimName": "data-pvc"}} in spec[
        "volumes"
    ]
    assert {"name": "storage", "mountPath": "/data"} in spec["containers"][0]["volumeMounts"]


def test_tokens_come_from_the_secret_and_all_else_in_the_open(register: Register) -> None:
    assert pod(register)["containers"][0]["env"] == [
        {"name": "HF_HOME", "value": "/data/cache"},
        {
            "name": "HF_TOKEN",
            "valueFrom": {"secretKeyRef": {"name": "tokens", "key": "HF_TOKEN"}},
        },
    ]
