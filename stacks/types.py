"""Constrained types of stack configs, named once. No Pulumi import."""

import json
import re
from collections.abc import Callable
from ipaddress import IPv4Network
from typing import Annotated, Any, cast

from pydantic import AfterValidator, BeforeValidator, Field, NonNegativeInt, PositiveInt

from components.labels import check_user_labels
from components.naming import NameKind, check_bucket_name, check_name

GiB = PositiveInt
Gpus = PositiveInt
NodeCount = PositiveInt


def _named(kind: NameKind) -> AfterValidator:
    def check(value: str) -> str:
        return check_name(kind, value)

    return AfterValidator(check)


def _like(pattern: str, what: str, example: str) -> AfterValidator:
    compiled = re.compile(pattern)

    def check(value: str) -> str:
        if not compiled.fullmatch(value):
            raise ValueError(f'"{value}" is not {what}; nearest: one like {example}')
        return value

    return AfterValidator(check)


def _range(low: int, high: int, what: str) -> Callable[[str], str]:
    """A check for an IPv4 range whose prefix length lies from `low` to `high`."""

    def check(value: str) -> str:
        try:
            block = IPv4Network(value, strict=False)
        except ValueError:
            raise ValueError(
                f'"{value}" is not an IPv4 range; nearest: one like 10.0.0.0/{low}'
            ) from None
        fitted = IPv4Network((block.network_address, min(max(block.prefixlen, low), high)), False)
        if block.prefixlen > high:
            raise ValueError(f"{value} is too small for {what}; nearest: {fitted}")
        if block.prefixlen < low:
            raise ValueError(f"{value} is too large for {what}; nearest: {fitted}")
        if value != str(block):
            raise ValueError(f'"{value}" is not how that range is written; nearest: {block}')
        return value

    return check


def _slice_numbers(value: Any) -> Any:
    """A number of slices is the numbers from 0."""
    if isinstance(value, list | tuple) and value:
        return cast("list[Any] | tuple[Any, ...]", value)
    text = str(value)
    if not text.isdecimal() or int(text) == 0:
        raise ValueError(
            f"{json.dumps(value)} is neither how many slices there are nor a list of their "
            "numbers; nearest: 1"
        )
    return tuple(range(int(text)))


def _flag_text(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, bool | int | float) else value


ProjectId = Annotated[str, _named(NameKind.PROJECT)]
Region = Annotated[str, _like(r"[a-z]+-[a-z]+\d+", "a region", "us-east1")]
Zone = Annotated[str, _like(r"[a-z]+-[a-z]+\d+-[a-z][a-z0-9]*", "a zone", "us-east1-b")]
MachineTypeName = Annotated[
    str, _like(r"[a-z][a-z0-9]*(-[a-z0-9]+)+", "a machine type", "a4-highgpu-8g")
]
ReservationPart = Annotated[
    str, _like(r"[a-z]([a-z0-9-]{0,61}[a-z0-9])?", "a name in a reservation", "my-reservation")
]
# Compute Engine: a flex-start machine runs for seven days at most.
RunHours = Annotated[int, Field(ge=1, le=168)]
NetworkKey = Annotated[
    str, _like(r"[a-z]([a-z0-9-]{0,18}[a-z0-9])?", "a short name for a network", "net-1")
]
PoolKey = Annotated[
    str, _like(r"[a-z]([a-z0-9-]{0,28}[a-z0-9])?", "a short name for a pool", "spot")
]
Labels = Annotated[dict[str, str], AfterValidator(check_user_labels)]

# A cluster takes the stack's name, so the stack has a cluster's limit.
StackName = Annotated[str, _named(NameKind.CLUSTER)]
ClusterName = StackName
LustreName = Annotated[str, _named(NameKind.LUSTRE)]
FileMode = Annotated[str, _like(r"[0-7]{3}", "a file mode", "775")]
ObjectName = Annotated[str, _named(NameKind.KUBERNETES)]
# A workload names its queue in a label, whose value has 63 characters at most.
QueueName = Annotated[str, Field(max_length=63), _named(NameKind.KUBERNETES)]
FlavorName = QueueName
BucketName = Annotated[str, _named(NameKind.BUCKET), AfterValidator(check_bucket_name)]
NamespaceName = Annotated[str, _named(NameKind.NAMESPACE)]
RayClusterName = Annotated[str, _named(NameKind.RAY_CLUSTER)]
RayJobName = Annotated[str, _named(NameKind.RAY_JOB)]

AnyRange = Annotated[str, AfterValidator(_range(0, 32, "a network"))]
SubnetRange = Annotated[str, AfterValidator(_range(8, 29, "a subnetwork"))]
PodsRange = Annotated[str, AfterValidator(_range(8, 24, "a cluster's pods"))]
ServicesRange = Annotated[str, AfterValidator(_range(16, 27, "a cluster's services"))]
ControlPlaneRange = Annotated[str, AfterValidator(_range(28, 28, "a control plane"))]
PeeringRange = Annotated[str, AfterValidator(_range(8, 24, "private service access"))]

RayVersion = Annotated[str, _like(r"\d+\.\d+\.\d+", "a Ray version", "2.54.0")]
ImageReference = Annotated[
    str,
    _like(
        r"[a-z0-9][a-z0-9./_-]*(:(?!latest$)[A-Za-z0-9_][A-Za-z0-9_.-]*(@sha256:[0-9a-f]{64})?"
        r"|@sha256:[0-9a-f]{64})",
        "an image with a fixed tag or digest",
        "registry/name:1.2.3",
    ),
]
Cpus = Annotated[float, Field(gt=0)]
AbsolutePath = Annotated[
    str, _like(r"(/[A-Za-z0-9._-]+)+", "an absolute path without blanks", "/lustre")
]
RelativePath = Annotated[
    str,
    _like(
        r"[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*",
        "a relative path",
        "runs/first",
    ),
]
DataSource = Annotated[
    str,
    _like(
        r"generated|https://[\w./-]+\.zip|[A-Za-z0-9_][\w.-]*(/[A-Za-z0-9_][\w.-]*)*",
        "a folder on the bucket, the URL of a zip, or generated",
        "generated",
    ),
]
ModelName = Annotated[
    str, _like(r"[\w.-]+/[\w.-]+", "a model on Hugging Face", "Qwen/Qwen2.5-72B-Instruct")
]
Architecture = Annotated[str, _like(r"\w+ForCausalLM", "a model architecture", "Qwen2ForCausalLM")]
SliceNumbers = Annotated[tuple[NonNegativeInt, ...], BeforeValidator(_slice_numbers)]
FlagName = Annotated[
    str, _like(r"(xla|megascale)_[a-z0-9_]+", "a flag of libtpu", "xla_enable_async_all_gather")
]
FlagValue = Annotated[
    str, BeforeValidator(_flag_text), _like(r"[\w.,:/-]+", "a value of a flag", "true")
]
TopologyName = Annotated[str, _like(r"\d+x\d+(x\d+)?", "a TPU topology", "4x4")]
RunName = Annotated[str, _like(r"[A-Za-z0-9][\w.-]{0,62}", "a name for a run", "first-run")]
GitTag = Annotated[str, _like(r"[A-Za-z0-9][\w.-]*", "a tag", "v0.6.1")]
Revision = Annotated[str, _like(r"[0-9a-f]{40}|[\w.-]+", "a revision of a model", "main")]
InterfaceName = Annotated[str, _like(r"[a-z][a-z0-9.]{0,14}", "a network interface", "eth0")]
Recurrence = Annotated[str, _like(r"FREQ=\S+", "an RFC 5545 recurrence", "FREQ=WEEKLY;BYDAY=SA,SU")]
