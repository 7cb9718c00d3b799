"""What configs are made of: blocks, and constrained types, named once. No Pulumi import."""

from difflib import get_close_matches
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, Field

from catalog import Catalog
from catalog.bounds import Bounds
from catalog.text_check import like
from components.base.labels import check_label_value, check_user_label_key, check_user_labels
from components.base.naming import NameKind, check_bucket_name, check_own_account
from stacks.value_checks import (
    KMS_KEY,
    MOST_SLICES,
    PROJECT_ID,
    Octal,
    flag_text,
    ipv4_range,
    kms_key_parts,
    moment,
    mount_path,
    named,
    own_namespace,
    recurrence,
    slice_numbers,
    whole_millicores,
)


class Block(BaseModel, frozen=True, extra="forbid", use_attribute_docstrings=True):
    """Read-only, and a key that it does not have is a mistake.

    A string below a field is its description in the schema of configs.
    """


# What the largest machine has (x4-megamem-1920-metal), and its memory in GiB.
MOST_CPUS = 1920
MOST_MEMORY_GIB = 32_768
# Nodes of a pool in one zone (GKE documentation, "Quotas and limits", 2026-11-22).
MOST_NODES = 1000
# What the largest GPU machine has (a2-megagpu-16g).
MOST_GPUS = 16
_DISK_GIB = 65_536
_PODS_PER_NODE = 256
_MOST_PODS = MOST_NODES * MOST_GPUS
_INT32 = 2**31 - 1
_WEEK_SECONDS = 7 * 24 * 3600


ProjectId = Annotated[str, named(NameKind.PROJECT)]
Region = Annotated[
    str, like(r"[a-z]+-[a-z]+\d+", "a region", "us-east1", near=Catalog.load().nearest_regions)
]
Zone = Annotated[
    str,
    like(
        r"[a-z]+-[a-z]+\d+-[a-z][a-z0-9]*",
        "a zone",
        "us-east1-b",
        near=Catalog.load().nearest_zones,
    ),
]
MachineTypeName = Annotated[
    str,
    like(
        r"[a-z][a-z0-9]*(-[a-z0-9]+)+",
        "a machine type",
        "a4-highgpu-8g",
        near=Catalog.load().nearest_machines,
    ),
]
ReservationPart = Annotated[
    str, like(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?", "a name in a reservation", "my-reservation")
]
# hashicorp/terraform-provider-google-beta resource_compute_image.go, 0123f388: of an image's name.
DiskImageName = Annotated[
    str,
    like(
        rf"(projects/{PROJECT_ID}/)?global/images/[a-z]([a-z0-9-]{{0,61}}[a-z0-9])?",
        "a disk image",
        "projects/my-project/global/images/my-image",
    ),
]

# Cloud KMS REST reference, projects.locations.keyRings.cryptoKeys: `CryptoKey.name`.
KmsKeyName = Annotated[
    str,
    BeforeValidator(kms_key_parts),
    like(
        rf"projects/{PROJECT_ID}/locations/[a-z0-9-]+/keyRings/[\w-]{{1,63}}"
        r"/cryptoKeys/[\w-]{1,63}",
        "a Cloud KMS key",
        KMS_KEY,
    ),
]

# Numbers, each with the reason of its bounds.

GiB = Annotated[int, Bounds(1, 100_000_000, "any file system of Google's has")]
MemoryGiB = Annotated[int, Bounds(1, MOST_MEMORY_GIB, "the largest machine has")]
StorageGiB = Annotated[int, Bounds(1, _DISK_GIB, "the largest boot disk has")]
Gpus = Annotated[int, Bounds(1, MOST_GPUS, "the largest machine has")]
Cpus = Annotated[
    float, Bounds(0.001, MOST_CPUS, "the largest machine has"), AfterValidator(whole_millicores)
]
# 0 is no limit of the sidecar's.
SidecarCpus = Annotated[
    float, Bounds(0, MOST_CPUS, "the largest machine has"), AfterValidator(whole_millicores)
]
SidecarMemoryGiB = Annotated[int, Bounds(0, MOST_MEMORY_GIB, "the largest machine has")]
SidecarStorageGiB = Annotated[int, Bounds(0, _DISK_GIB, "the largest boot disk has")]

NodeCount = Annotated[int, Bounds(1, MOST_NODES, "GKE gives a pool in one zone")]
LeastNodes = Annotated[int, Bounds(0, MOST_NODES, "GKE gives a pool in one zone")]
PodsPerNode = Annotated[int, Bounds(8, _PODS_PER_NODE, "GKE lets a node have")]
DiskGb = Annotated[int, Bounds(20, _DISK_GIB, "the largest boot disk has")]
SliceNumber = Annotated[int, Bounds(0, 9999, "the name of a pool has room for")]
PodCount = Annotated[int, Bounds(1, _MOST_PODS, "the GPUs of the largest pool")]
WorkerCount = Annotated[int, Bounds(0, _MOST_PODS, "the GPUs of the largest pool")]
Retries = Annotated[int, Bounds(0, 1000, "a job that can succeed ever needs")]
# -1 is any number of them.
Losses = Annotated[int, Bounds(-1, 1_000_000, "a run can ever have")]

QueueCpus = Annotated[float, Bounds(0, MOST_CPUS * MOST_NODES, "the largest pool has")]
QueueGiB = Annotated[int, Bounds(0, MOST_MEMORY_GIB * MOST_NODES, "the largest pool has")]
PodQuota = Annotated[
    int, Bounds(0, MOST_NODES * _PODS_PER_NODE, "the nodes of the largest pool have room for")
]
QueueGpus = Annotated[int, Bounds(0, _MOST_PODS, "the largest pool has")]
# Kubernetes keeps values from a billion on for its own classes.
PriorityValue = Annotated[int, Bounds(-(2**31), 10**9, "Kubernetes leaves to users")]

# The longest pause between two of Kueue's requests is half an hour: a week has so many.
CheckRetries = Annotated[int, Bounds(0, 336, "a week has time for")]
# Compute Engine: a flex-start machine runs for seven days at most.
RunHours = Annotated[int, Bounds(1, 168, "a flex-start machine runs for")]
# kubernetes/autoscaler 55c37cd5e cluster-autoscaler/FAQ.md, max-graceful-termination-sec.
GraceSeconds = Annotated[int, Bounds(1, 600, "GKE's autoscaler leaves pods of a node")]
Minutes = Annotated[int, Bounds(1, 7 * 24 * 60, "a week has")]
Seconds = Annotated[int, Bounds(1, _WEEK_SECONDS, "a week has")]
# -1 is for ever; the other is an age that is counted from 0.
CacheSeconds = Annotated[int, Bounds(-1, _INT32, "32 bits hold")]
NegativeCacheSeconds = Annotated[int, Bounds(0, _INT32, "32 bits hold")]
CacheMiB = Annotated[int, Bounds(-1, _DISK_GIB * 1024, "the largest boot disk has")]
ReadAheadKiB = Annotated[int, Bounds(1, 1_048_576, "a GiB has")]
BlockCount = Annotated[int, Bounds(1, 1600, "Cloud Storage FUSE has on the largest machines")]
RenameLimit = Annotated[int, Bounds(0, _INT32, "32 bits hold")]
# Kubernetes' validation of runAsUser and runAsGroup ends there.
UserId = Annotated[int, Bounds(0, _INT32, "Kubernetes lets a user or a group be")]
SoftDeleteDays = Annotated[int, Bounds(0, 90, "Cloud Storage keeps deleted objects for")]
# A 0 is left out on the way to the API, and with it the condition (hashicorp/
# terraform-provider-google issue 17990).
StoredDays = Annotated[int, Bounds(1, 36_500, "anybody keeps an object for")]
KeptVersions = Annotated[int, Bounds(1, 1_000_000, "anybody keeps of an object")]

Steps = Annotated[int, Bounds(1, 10_000_000, "any training takes")]
Epochs = Annotated[int, Bounds(1, 10_000, "any training takes")]
KeptCheckpoints = Annotated[int, Bounds(1, 10_000, "a run ever writes")]
# verl deletes the oldest before it writes the newest.
KeptVerlCheckpoints = Annotated[int, Bounds(2, 10_000, "a run ever writes")]
BatchSize = Annotated[int, Bounds(1, 1_048_576, "any batch has")]
Tokens = Annotated[int, Bounds(1, 1_048_576, "any model here takes at once")]
Examples = Annotated[int, Bounds(1, 10**9, "any data set here has")]
Parts = Annotated[int, Bounds(1, _MOST_PODS, "the GPUs of the largest pool")]
# -1 takes what the other factors leave.
Factor = Annotated[int, Bounds(-1, 65_536, "a run has chips for")]
LearningRate = Annotated[float, Bounds(1e-12, 10, "any training learns with")]
Coefficient = Annotated[float, Bounds(1e-12, 1000, "any loss is weighed with")]
MemoryShare = Annotated[float, Bounds(0.01, 0.99, "vLLM can take of a GPU")]
GigabytesPerSecond = Annotated[float, Bounds(0, 10_000, "any network of a machine carries")]
MbpsPerTib = Annotated[int, Bounds(1, 100_000, "any tier of Lustre has")]
RequestCount = Annotated[int, Bounds(1, 1_000_000, "a server can have waiting")]
Mtu = Annotated[int, Bounds(1300, 8896, "a VPC network carries")]
PrefixLength = Annotated[int, Bounds(8, 29, "a subnetwork's range has")]

# Text.

NetworkKey = Annotated[str, named(NameKind.NETWORK_KEY)]
PoolKey = Annotated[str, named(NameKind.POOL_KEY)]
BucketKey = Annotated[str, named(NameKind.BUCKET_KEY)]
LabelKey = Annotated[str, AfterValidator(check_user_label_key)]
LabelValue = Annotated[str, AfterValidator(check_label_value)]
Labels = Annotated[dict[LabelKey, LabelValue], AfterValidator(check_user_labels)]

ClusterPlace = Annotated[
    str, like(r"[a-z]+-[a-z]+\d+(-[a-z][a-z0-9]*)?", "a region or a zone", "us-east1")
]
StackReference = Annotated[
    str, like(r"[^/\s]+/[^/\s]+/[^/\s]+", "ORG/PROJECT/STACK", "organization/gke-ai-stacks/dev")
]
ClusterName = Annotated[str, named(NameKind.CLUSTER)]
StackName = Annotated[str, named(NameKind.STACK)]
LustreName = Annotated[str, named(NameKind.LUSTRE)]
# Of a subnetwork and its secondary ranges, too: Google has one rule for all.
NetworkName = Annotated[str, named(NameKind.NETWORK)]
FileMode = Annotated[str, Octal(), like(r"[0-7]{3}", "a file mode", '"775"')]
ObjectName = Annotated[str, named(NameKind.KUBERNETES)]
AccountName = Annotated[ObjectName, AfterValidator(check_own_account)]
# A workload names its queue in a label, whose value has 63 characters at most.
QueueName = Annotated[str, Field(max_length=63), named(NameKind.KUBERNETES)]
FlavorName = QueueName
BucketName = Annotated[str, named(NameKind.BUCKET), AfterValidator(check_bucket_name)]
NamespaceName = Annotated[str, named(NameKind.NAMESPACE), AfterValidator(own_namespace)]
RayClusterName = Annotated[str, named(NameKind.RAY_CLUSTER)]
GroupName = Annotated[str, named(NameKind.WORKER_GROUP)]
RayJobName = Annotated[str, named(NameKind.RAY_JOB)]

AnyRange = Annotated[str, AfterValidator(ipv4_range(0, 32, "a network", "203.0.113.0/24"))]
SubnetRange = Annotated[str, AfterValidator(ipv4_range(8, 29, "a subnetwork", "172.24.0.0/20"))]
check_pods_range = ipv4_range(8, 24, "a cluster's pods", "172.20.0.0/16")
check_services_range = ipv4_range(16, 27, "a cluster's services", "172.21.0.0/20")
PodsRange = Annotated[str, AfterValidator(check_pods_range)]
ServicesRange = Annotated[str, AfterValidator(check_services_range)]
ControlPlaneRange = Annotated[
    str, AfterValidator(ipv4_range(28, 28, "a control plane", "172.22.0.0/28"))
]
# A Managed Lustre instance takes this much of it (catalog/data/lustre.yaml, range_prefix_length).
PeeringRange = Annotated[
    str, AfterValidator(ipv4_range(8, 23, "private service access", "172.23.0.0/23"))
]

RayVersion = Annotated[str, like(r"\d+\.\d+\.\d+", "a Ray version", "2.54.0")]
ImageReference = Annotated[
    str,
    like(
        r"([a-z0-9][a-z0-9.-]*:\d+/)?[a-z0-9][a-z0-9./_-]*"
        r"(:(?!latest$)[A-Za-z0-9_][A-Za-z0-9_.-]*(@sha256:[0-9a-f]{64})?"
        r"|@sha256:[0-9a-f]{64})",
        "an image with a fixed tag or digest",
        "registry/name:1.2.3",
    ),
]
AbsolutePath = Annotated[
    str, like(r"(/[A-Za-z0-9._-]+)+", "an absolute path without blanks", "/lustre")
]
BucketPath = Annotated[AbsolutePath, AfterValidator(mount_path("/data"))]
LustrePath = Annotated[AbsolutePath, AfterValidator(mount_path("/lustre"))]
RelativePath = Annotated[
    str,
    like(
        r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*",
        "a relative path",
        "runs/first",
    ),
]
ObjectNamePart = Annotated[
    str,
    Field(max_length=1024),
    like(r"[A-Za-z0-9._-][A-Za-z0-9._/-]*", "a part of an object's name", "runs/old/"),
]
DataSource = Annotated[
    str,
    like(
        r"generated|https://[\w./-]+\.zip|[A-Za-z0-9_][\w.-]*(/[A-Za-z0-9_][\w.-]*)*",
        "a folder on the bucket, the URL of a zip, or generated",
        "generated",
    ),
]


def models_like(text: str) -> list[str]:
    """Models that the catalog knows, by the part of the name after the slash."""
    known = {it.rpartition("/")[2].lower(): it for it in Catalog.load().served_models.models}
    word = text.rpartition("/")[2].lower()[:80]
    close = [word] if word in known else get_close_matches(word, known, n=3, cutoff=0.6)
    return [known[it] for it in close]


ModelName = Annotated[
    str,
    like(
        r"(?!.*(\.\.|--))[A-Za-z0-9][\w.-]*/[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?",
        "a model on Hugging Face, with a name of at most 63 characters, which is a label, too",
        "Qwen/Qwen2.5-72B-Instruct",
        models_like,
    ),
]
Architecture = Annotated[str, like(r"\w+ForCausalLM", "a model architecture", "Qwen2ForCausalLM")]
SliceCount = Annotated[int, Bounds(1, MOST_SLICES, "a cluster has pools for")]
SliceNumbers = Annotated[
    tuple[SliceNumber, ...],
    BeforeValidator(slice_numbers, json_schema_input_type=SliceCount | tuple[SliceNumber, ...]),
]
FlagName = Annotated[
    str, like(r"(xla|megascale)_[a-z0-9_]+", "a flag of libtpu", "xla_enable_async_all_gather")
]
FlagValue = Annotated[
    str,
    BeforeValidator(flag_text, json_schema_input_type=str | bool | float),
    like(r"[\w.,:/-]+", "a value of a flag", "true"),
]
TopologyName = Annotated[str, like(r"\d+x\d+(x\d+)?", "a TPU topology", "4x4")]
RunName = Annotated[str, like(r"[A-Za-z0-9][\w.-]{0,62}", "a name for a run", "first-run")]
GitTag = Annotated[str, like(r"[A-Za-z0-9][\w.-]*", "a tag", "v0.6.1")]
Revision = Annotated[str, like(r"[0-9a-f]{40}|[\w.-]+", "a revision of a model", "main")]
InterfaceName = Annotated[str, like(r"[a-z][a-z0-9.]{0,14}", "a network interface", "eth0")]
Recurrence = Annotated[str, AfterValidator(recurrence)]
Moment = Annotated[AwareDatetime, BeforeValidator(moment)]


class Resources(Block, frozen=True):
    """What a container has."""

    cpu: Cpus
    """CPUs, in thousandths at the finest."""
    memory_gib: MemoryGiB
    """GiB of memory."""
    ephemeral_storage_gib: StorageGiB | None = None
    """GiB on the node's own disks."""

    @property
    def millicores(self) -> int:
        return round(self.cpu * 1000)
