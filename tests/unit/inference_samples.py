"""A model server's pod for each engine."""

from components.ray.manifest import BucketMount, Quantity
from components.servers.engine import InferenceEngine, ServedModel
from components.servers.manifest import ModelFolder, ServerPod

GEMMA = ServedModel(name="google/gemma-2-9b-it", source="google/gemma-2-9b-it", shards=2)
TGI = ServerPod(
    server_name="chat",
    engine=InferenceEngine.TGI,
    image="tgi:1",
    model=GEMMA,
    gpus=2,
    size=Quantity(millicores=4000, memory_gib=30, ephemeral_storage_gib=20),
    shm_gib=1,
    secret_name="tokens",
    secret_key="hf_api_token",
    node_selector={"cloud.google.com/gke-accelerator": "nvidia-l4"},
    priority_class="high",
    queue="lq",
    workload_priority=None,
    minutes=25,
)
FOLDER = ModelFolder(
    bucket=BucketMount(
        bucket_name="tuned",
        options=("implicit-dirs",),
        skip_access_check=True,
        prefetch_metadata=False,
    ),
    mount_path="/bucket",
    model_path="gemma/last",
    annotations={"gke-gcsfuse/volumes": "true"},
    service_account="reader",
)
