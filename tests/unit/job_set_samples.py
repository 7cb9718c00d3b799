"""JobSet's controller, a job of two nodes, the files of two on Ray, and the release."""

from typing import Any

from catalog import Catalog
from components.base.helm import HelmChartArgs
from components.buckets.mount import BucketMountArgs
from components.jobs.job_set_manifest import JobSetPods
from components.jobs.jobset_controller import JobSetController, JobSetControllerArgs
from components.jobs.script_job_set import ScriptJobSet, ScriptJobSetArgs, ScriptMountArgs
from components.lustre.access import LustreAccess, LustreAccessArgs
from components.ray.launchers import RayLaunchers, RayLaunchersArgs
from components.ray.manifest import Quantity
from kube.objects import JsonObject, Ref
from tests.conftest import inside

CONTROLLER = JobSetControllerArgs(
    chart=HelmChartArgs(chart="oci://charts.example/jobset", version="1.2.3"),
    labels={"stack": "test"},
)
JOB = ScriptJobSetArgs(
    namespace="llm",
    job_name="train",
    image="torch:1",
    command=["torchrun", "/etc/script/train.py"],
    files={"train.py": "print(1)"},
    environment={"EPOCHS": "2"},
    nodes=2,
    gpus=8,
    cpu_millicores=100000,
    memory_gib=800,
    ephemeral_storage_gib=100,
    shm_gib=200,
    grace_seconds=60,
    node_selector={"cloud.google.com/gke-accelerator": "nvidia-b200"},
    mounts=[
        ScriptMountArgs(
            name="data",
            path="/data",
            bucket=BucketMountArgs(
                bucket_name="data",
                options=["implicit-dirs"],
                skip_access_check=True,
                prefetch_metadata=False,
            ),
        )
    ],
    annotations={"gke-gcsfuse/volumes": "true"},
    secret_name="tokens",
    secret_keys=["HF_TOKEN"],
    service_account="trainer",
    labels={"stack": "test"},
)
LAUNCHERS = RayLaunchersArgs(
    namespace="llm",
    ray_cluster="ray",
    jobs=["one", "other"],
    files={"one.sh": "", "other.sh": ""},
    labels={"stack": "test"},
)
PODS = JobSetPods(
    job_name="train",
    image="torch:1",
    command=["run"],
    nodes=2,
    gpus=8,
    size=Quantity(millicores=1500, memory_gib=8, ephemeral_storage_gib=10),
    shm_gib=2,
    environment={},
    secret_name=None,
    secret_keys=[],
    service_account=None,
    files=None,
    volumes=[],
    annotations={},
    node_selector={"pool": "gpu"},
    priority_class=None,
    rdma=False,
    queued=False,
    max_restarts=0,
    minutes=None,
    grace_seconds=60,
)
RELEASE = Ref(api_version="helm.sh/v3", kind="Release", namespace="jobset-system", name="jobset")
_CHART = Catalog.load().component("jobset")


def release(**values: Any) -> JsonObject:
    assert _CHART.chart is not None
    spec = {
        "chart": _CHART.chart.name,
        "version": _CHART.version,
        "values": values,
        "skipAwait": True,
    }
    metadata = {"name": RELEASE.name, "namespace": RELEASE.namespace}
    return {"apiVersion": "helm.sh/v3", "kind": "Release", "metadata": metadata, "spec": spec}


ACCESS = LustreAccessArgs(
    project="p",
    network_id="projects/p/global/networks/theirs",
    base_name="demo",
    instance="fast",
    peering_range="10.10.0.0/22",
    port=988,
)


def beside_the_stacks() -> None:
    JobSetController("jobset", CONTROLLER, opts=inside())
    ScriptJobSet("job", JOB, opts=inside())
    RayLaunchers("ray-launchers", LAUNCHERS, opts=inside())
    LustreAccess("lustre-access", ACCESS)
