"""The JobSet with its files, as registered; that it runs is for a control plane."""

from dataclasses import replace
from typing import Any

import pulumi
import pulumi_gcp as gcp
import pulumi_kubernetes as k8s

from components.jobs.script_job_set import ScriptJobSet
from components.network.resource_claim_template import PodClaimArgs
from tests.conftest import Recording, Register, Registered, inside
from tests.unit.job_set_samples import JOB


def made(register: Register, **values: Any) -> Recording:
    return register(lambda: ScriptJobSet("job", replace(JOB, **values), opts=inside()))


def job_set(register: Register, **values: Any) -> Registered:
    return made(register, **values).named("job-job-set")


def pod(register: Register, **values: Any) -> dict[str, Any]:
    (one,) = job_set(register, **values).inputs["spec"]["replicatedJobs"]
    return one["template"]["spec"]["template"]


def test_its_files_and_who_may_reach_it_are_there_before_the_pods(register: Register) -> None:
    recording = made(register)
    assert {"job-files", "job-access"} <= recording.waits_for("job-job-set")
    assert recording.named("job-files").inputs["data"] == {"train.py": "print(1)"}
    mounted = pod(register)["spec"]["volumes"][-1]["configMap"]["name"]
    assert mounted == recording.named("job-files").inputs["metadata"]["name"]


def test_a_job_keeps_the_pods_of_all_teams_out(register: Register) -> None:
    policy = made(register).named("job-access")
    (rule,) = policy.inputs["spec"]["ingress"]
    *_, of_teams = rule["from"][1]["namespaceSelector"]["matchExpressions"]
    assert of_teams == {"key": "gke-ai-stacks/team", "operator": "DoesNotExist"}


def test_other_files_are_another_config_map_and_so_another_run(register: Register) -> None:
    names = {
        made(register, files=files).named("job-files").inputs["metadata"]["name"]
        for files in ({"a": "1"}, {"a": "2"}, {"b": "1"})
    }
    assert len(names) == 3


def test_any_other_pod_is_another_jobset_and_that_takes_the_name(register: Register) -> None:
    job = job_set(register)
    assert job.replace_on_changes == ("spec",)
    assert job.delete_before_replace
    assert job.ignore_changes == ()
    assert job.replacement_trigger is None


def test_what_its_pods_hold_on_to_takes_it_along(register: Register) -> None:
    of_bucket = JOB.mounts[0].bucket
    assert of_bucket is not None
    of_stack = replace(of_bucket, bucket=None)

    def program() -> None:
        source = k8s.core.v1.ConfigMap("source", metadata={"name": "stands-for-a-template"})
        claims = {"netdev": PodClaimArgs(template_name="one", source=source)}
        pool = gcp.container.NodePool("pool", cluster="demo")
        bucket = gcp.storage.Bucket("bucket", location="EU")
        mount = replace(JOB.mounts[0], bucket=replace(of_stack, bucket=bucket))
        args = replace(JOB, claims=claims, pools=[pool], mounts=[mount])
        ScriptJobSet("job", args, opts=inside())

    recording = register(program)
    assert recording.named("job-job-set").replace_with == {
        recording.named(it).urn for it in ("source", "pool", "bucket")
    }
    assert "pool" in recording.waits_for("job-job-set")


def test_in_a_queue_it_is_suspended_and_kueues_changes_are_no_differences(
    register: Register,
) -> None:
    job = job_set(register, queue="lq")
    assert job.inputs["spec"]["suspend"] is True
    assert job.ignore_changes == ("spec.suspend", "spec.replicatedJobs")


def test_in_a_queue_another_pod_is_another_jobset_though_ignored(register: Register) -> None:
    job = job_set(register, queue="lq", node_selector=pulumi.Output.from_input({"pool": "other"}))
    assert job.replacement_trigger == job.inputs["spec"]["replicatedJobs"]
    (one,) = job.replacement_trigger
    pods = one["template"]["spec"]["template"]["spec"]
    assert pods["nodeSelector"] == {"pool": "other"}


def test_so_is_one_in_another_queue_or_of_another_priority(register: Register) -> None:
    assert job_set(register, queue="lq").replace_on_changes == (
        "spec",
        'metadata.labels["kueue.x-k8s.io/queue-name"]',
        'metadata.labels["kueue.x-k8s.io/priority-class"]',
    )


def test_its_output_is_the_name_of_the_jobset(register: Register) -> None:
    recording = made(register)
    assert recording.outputs[recording.named("job").urn] == {"job_name": "train"}
