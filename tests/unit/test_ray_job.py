"""The RayJob and the launchers that it waits for, as registered."""

from dataclasses import replace
from typing import Any

import pulumi_kubernetes as k8s

from components.base.script_file import versioned_file_name
from components.network.resource_claim_template import PodClaimArgs
from components.ray.cluster import RayCluster
from components.ray.job import RayJob, RayJobArgs
from components.ray.launchers import RayLaunchers, RayLaunchersArgs
from tests.conftest import Recording, Register, inside
from tests.unit.test_ray_cluster import ARGS as RAY


def made(register: Register, **values: Any) -> Recording:
    def program() -> None:
        cluster = RayCluster("cluster", RAY, opts=inside())
        args = RayJobArgs(
            namespace="rl",
            job_name="train",
            ray_cluster=cluster,
            launcher_name="launch",
            launcher="echo one",
            parameters={"steps": "20"},
            environment={"HF_HOME": "/lustre/cache"},
            labels={"stack": "test"},
        )
        args = replace(args, **values)
        launchers = RayLaunchers(
            "demo-launchers",
            RayLaunchersArgs(
                namespace="rl",
                ray_cluster="demo",
                jobs=["training"],
                files={**args.scripts, **args.files},
                labels={"stack": "test"},
            ),
            opts=inside(),
        )
        RayJob("training", replace(args, launchers=launchers), opts=inside())

    return register(program)


def spec(register: Register, **values: Any) -> dict[str, Any]:
    return made(register, **values).named("training-job").inputs["spec"]


def test_it_runs_on_the_cluster_that_is_there(register: Register) -> None:
    job = spec(register)
    assert job["clusterSelector"] == {"ray.io/cluster": "demo"}
    assert job["runtimeEnvYAML"] == 'env_vars:\n  HF_HOME: "/lustre/cache"\n'


def test_a_changed_parameter_changes_the_job_and_replaces_it(register: Register) -> None:
    assert spec(register) != spec(register, parameters={"steps": "30"})
    job = made(register).named("training-job")
    assert job.replace_on_changes == ("spec",)
    assert job.delete_before_replace


def test_a_changed_script_runs_under_a_new_name(register: Register) -> None:
    before, after = spec(register), spec(register, launcher="echo two")
    assert before["entrypoint"] != after["entrypoint"]
    name = versioned_file_name("launch", "echo two")
    assert f"bash /etc/launcher/{name} " in after["entrypoint"]
    assert after["entrypoint"].endswith(" steps=20")
    launcher = made(register, launcher="echo two").one(":ConfigMap")
    assert launcher.inputs["data"] == {name: "echo two"}


def test_what_a_file_beside_the_script_holds_changes_no_job(register: Register) -> None:
    before, after = (made(register, files={"slices": text}) for text in ("2", "3"))
    assert before.named("training-job").inputs == after.named("training-job").inputs
    assert [it.one(":ConfigMap").inputs["data"]["slices"] for it in (before, after)] == ["2", "3"]


def test_a_job_is_run_again_on_a_cluster_that_was_replaced(register: Register) -> None:
    recording = made(register)
    job = recording.named("training-job")
    assert job.replace_with == frozenset({recording.named("cluster-cluster").urn})


def test_a_job_goes_with_what_the_pods_of_its_cluster_hold_on_to(register: Register) -> None:
    def claim() -> PodClaimArgs:
        source = k8s.core.v1.ConfigMap("source", metadata={"name": "stands-for-a-template"})
        return PodClaimArgs(template_name="one", source=source)

    def program() -> None:
        head = replace(RAY.head, claims={"netdev": claim()})
        args = RayJobArgs(
            namespace="rl",
            job_name="train",
            ray_cluster=RayCluster("cluster", replace(RAY, head=head), opts=inside()),
            launcher_name="launch",
            launcher="echo one",
            parameters={},
            environment={},
            labels={},
        )
        RayJob("training", args, opts=inside())

    recording = register(program)
    held = {recording.named("source").urn}
    assert recording.named("cluster-cluster").replace_with == held
    cluster = recording.named("cluster-cluster").urn
    assert recording.named("training-job").replace_with == {cluster, *held}


def test_the_launcher_is_there_before_the_job(register: Register) -> None:
    assert "demo-launchers-files" in made(register).waits_for("training-job")
