"""The Job as registered; that a queue admits it is for a control plane."""

from dataclasses import replace
from typing import Any

from components.base.script_file import versioned_file_name
from components.buckets.mount import BucketMountArgs
from components.jobs.fine_tune import FineTuneJob, FineTuneJobArgs
from tests.conftest import Recording, Register, inside

ARGS = FineTuneJobArgs(
    namespace="llm",
    job_name="tune",
    image="fine-tune:1",
    script_name="launch.sh",
    script="echo one",
    environment={"MODEL_PATH": "/model-data/run"},
    pods=2,
    gpus=2,
    cpu_millicores=20000,
    memory_gib=50,
    ephemeral_storage_gib=40,
    shm_gib=8,
    bucket=BucketMountArgs(
        bucket_name="models",
        options=["implicit-dirs"],
        skip_access_check=True,
        prefetch_metadata=False,
    ),
    mount_path="/model-data",
    annotations={"gke-gcsfuse/volumes": "true"},
    service_account="tuner",
    secret_name="tokens",
    secret_key="HF_TOKEN",
    priority_class="low",
    queue="lq",
    node_selector={"cloud.google.com/gke-accelerator": "nvidia-l4"},
    labels={"stack": "test"},
    backoff_limit=4,
)


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: FineTuneJob("training", replace(ARGS, **values), opts=inside()))


def test_the_provider_waits_for_the_job_to_be_gone_but_not_for_its_end(register: Register) -> None:
    annotations = made(register).named("training-job").inputs["metadata"]["annotations"]
    assert annotations == {"pulumi.com/waitFor": "jsonpath={.metadata.uid}"}


def test_it_is_suspended_at_first_and_then_its_queue_decides(register: Register) -> None:
    job = made(register).named("training-job")
    assert job.inputs["spec"]["suspend"] is True
    assert job.ignore_changes == (
        "spec.suspend",
        "spec.template.spec.nodeSelector",
        "spec.template.spec.tolerations",
    )


def test_other_nodes_make_a_new_job_though_its_node_selector_is_kueues(register: Register) -> None:
    job = made(register, node_selector={"pool": "other"}).named("training-job")
    assert job.replacement_trigger == {"pool": "other"}


def test_a_changed_job_queue_or_priority_makes_a_new_job(register: Register) -> None:
    job = made(register).named("training-job")
    assert job.replace_on_changes == (
        "spec",
        'metadata.labels["kueue.x-k8s.io/queue-name"]',
        'metadata.labels["kueue.x-k8s.io/priority-class"]',
    )
    assert job.delete_before_replace


def test_the_names_and_the_script_are_there_before_the_pods(register: Register) -> None:
    recording = made(register)
    assert {"training-service", "training-script"} <= recording.waits_for("training-job")
    service = recording.named("training-service").inputs
    pod = recording.named("training-job").inputs["spec"]["template"]["spec"]
    assert pod["subdomain"] == service["metadata"]["name"]
    assert service["spec"]["selector"] == {"batch.kubernetes.io/job-name": "tune"}


def test_a_changed_script_runs_under_a_new_name(register: Register) -> None:
    for script in ("echo one", "echo two"):
        name = versioned_file_name("launch.sh", script)
        recording = made(register, script=script)
        assert recording.one(":ConfigMap").inputs["data"] == {name: script}
        pod = recording.named("training-job").inputs["spec"]["template"]["spec"]
        assert pod["containers"][0]["command"] == ["bash", f"/etc/script/{name}"]


def test_its_output_is_the_name_of_the_job(register: Register) -> None:
    recording = made(register)
    assert recording.outputs[recording.named("training").urn] == {"job_name": "tune"}
