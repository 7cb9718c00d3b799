"""The version lock: what goes with which GKE, and which image and API version is used."""

from enum import StrEnum
from typing import Annotated, Self

from packaging.version import Version
from pydantic import AfterValidator, Field, PositiveInt, model_validator

from .gke_version import GkeVersion, GkeVersionField
from .image_name import ImageName
from .table import Fact, FactError, Table

# Version raises ValueError for what is none.
RayRelease = Annotated[str, AfterValidator(lambda text: str(Version(text)))]


class ReleaseChannel(StrEnum):
    """Where a cluster's GKE versions come from, the newest first."""

    RAPID = "RAPID"
    REGULAR = "REGULAR"
    STABLE = "STABLE"
    EXTENDED = "EXTENDED"


class GpuDriver(StrEnum):
    """Which NVIDIA driver GKE installs on a GPU pool. With `operator` it installs none, and no
    device plug-in either: NVIDIA's GPU Operator, which is somebody else's, has the nodes."""

    DEFAULT = "default"
    LATEST = "latest"
    DISABLED = "disabled"
    OPERATOR = "operator"

    @property
    def api_value(self) -> str:
        """The value in a node pool's GPU driver installation config."""
        return self.name if self.is_gkes else "INSTALLATION_DISABLED"

    @property
    def is_gkes(self) -> bool:
        return self in (GpuDriver.DEFAULT, GpuDriver.LATEST)


class Feature(Fact):
    """Something that a stack uses and that GKE has from `minimum_gke` on. `machines` are the only
    ones that have it; empty where it is not a matter of machines."""

    minimum_gke: GkeVersionField
    machines: tuple[str, ...] = ()
    what: str
    source: str

    def is_had(self, machine: str, version: GkeVersion | None) -> bool:
        """Whether nodes of the machine type can have it; without a version, whatever is newest."""
        there = not self.machines or machine in self.machines
        return there and (version is None or version.meets(self.minimum_gke))


class PublishedDigest(Fact):
    """The SHA256 of a chart as its publisher states it: the digest of the manifest in an OCI
    registry, or of the archive in a repository's index."""

    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    source: str


class ControllerPod(Fact):
    """What the one pod of a chart's controller asks for by the chart's own values."""

    cpu_millicores: PositiveInt
    memory_mib: PositiveInt


class HelmChart(Fact):
    """Where Helm finds a chart; a chart in an OCI registry is named by its whole address. `digests`
    are by version; a version without one is installed by its number alone."""

    name: str
    repository: str | None = None
    controller: ControllerPod | None = None
    digests: dict[str, PublishedDigest] = Field(default_factory=dict)

    @property
    def in_oci_registry(self) -> bool:
        return self.name.startswith("oci://")

    def checked_digest(self, version: str) -> str | None:
        """The digest by which Helm pulls a version of the chart. Of a repository that is no
        registry Helm compares nothing, so there is none."""
        known = self.digests.get(version)
        return f"sha256:{known.sha256}" if known and self.in_oci_registry else None


class Release(Fact):
    """The apiVersions that a release serves each kind as, the stored one first. `token_from_ray`
    is the oldest Ray whose clusters it can have ask for a token; None where it has none ask."""

    apis: dict[str, tuple[str, ...]]
    token_from_ray: RayRelease | None = None

    def asks_for_token(self, ray_version: str) -> bool:
        """Whether it can have a cluster of this Ray ask its clients for a token."""
        oldest = self.token_from_ray
        return oldest is not None and Version(ray_version) >= Version(oldest)


class Component(Fact):
    """A controller or add-on. `version` is None where GKE chooses it; `apis` maps kind to the
    apiVersion that our objects use. `releases` are what else can be installed, and `version`.
    `tree` is git's id of the folder that a tag holds, by which an archive of it is known.
    `disk_gib` is what a Python package and all that it needs take while they are installed."""

    version: str | None = None
    tree: str | None = None
    disk_gib: PositiveInt | None = None
    apis: dict[str, str] = Field(default_factory=dict)
    chart: HelmChart | None = None
    releases: dict[str, Release] = Field(default_factory=dict)
    source: str

    @model_validator(mode="after")
    def _serves_its_objects(self) -> Self:
        if self.releases and (self.version not in self.releases or self.unserved(self.version)):
            raise ValueError(f"{self.version} is no release that serves {sorted(self.apis)}")
        if self.chart and (unknown := self.chart.digests.keys() - self.releases.keys()):
            raise ValueError(f"digests of {sorted(unknown)}, which are no releases")
        return self

    def unserved(self, version: str) -> list[str]:
        """The kinds that a release does not serve as our objects have them."""
        served = self.releases[version].apis
        return [kind for kind, api in self.apis.items() if api not in served.get(kind, ())]

    def serves(self, version: str) -> bool:
        """Whether a release serves every kind of our objects as they have it."""
        return not self.unserved(version)

    def check_serves(self, name: str, version: str | None) -> None:
        """Raises FactError when `version` is a release that does not serve our objects; `name` is
        the component's."""
        if version not in self.releases:
            return
        for kind in self.unserved(version):
            served = ", ".join(self.releases[version].apis.get(kind, ())) or "nothing"
            raise FactError(
                f"{name} {version} serves {kind} as {served}, and the stack's objects are "
                f"{self.apis[kind]}; nearest: {self.version}"
            )


class Registry(Fact):
    """A registry that Artifact Registry can mirror; `public` is its own word for one that it
    knows."""

    public: str | None = None
    source: str


class ContainerImage(Fact):
    """An image that a stack runs. `moving` tags change under the same name. `unpacked_gib` is what
    it takes of a node's disk, an estimate. `cuda` is the major version of CUDA that its programs
    are built for; None where it has none, or where that is not known. `finds_driver` is of one
    that needs no word of where GKE mounts the driver. `software` are
    versions of what is in it besides Ray, by which `known_holes.yaml` is asked."""

    reference: str
    unpacked_gib: PositiveInt | None = None
    cuda: PositiveInt | None = None
    finds_driver: bool = False
    ray_version: str | None = None
    software: dict[str, str] = Field(default_factory=dict)
    moving: bool = False
    source: str

    @property
    def name(self) -> ImageName:
        return ImageName.parse(self.reference)

    @property
    def versions(self) -> dict[str, str]:
        """Of the software in it, Ray's included."""
        ray = {} if self.ray_version is None else {"ray": self.ray_version}
        return ray | self.software

    def is_named_by(self, reference: str) -> bool:
        """Whether a reference names this image, by its tag, its digest or both, in its own registry
        or in a mirror."""
        return ImageName.parse(reference).is_same(self.name)

    @model_validator(mode="after")
    def _tagged(self) -> Self:
        if not (self.name.tag or self.name.digest):
            raise ValueError(f"{self.reference} names no tag, so what it runs is not fixed")
        return self


class NcclStack(Fact):
    """NCCL over RDMA on one machine family: the plug-in that is installed on its nodes and the
    `network` that every process has to take. `tuner_config` is what Google's trainings on the
    family set over the plug-in's own script. `feature` has the oldest GKE, and
    `installer_accelerators` the nodes of the plug-in's installer on Autopilot, which brings a
    libnccl, too."""

    feature: str
    plugin_image: str
    pause_image: str
    installer_accelerators: tuple[str, ...]
    tuner_config: str | None = None
    network: str
    source: str

    @property
    def variables(self) -> dict[str, str]:
        """Of every process: without it NCCL that finds no RDMA takes TCP, and says nothing."""
        return {"NCCL_NET": self.network}

    @property
    def settings(self) -> dict[str, str]:
        """Values that take precedence over those of the plug-in's own script."""
        return {} if self.tuner_config is None else {"NCCL_TUNER_CONFIG_PATH": self.tuner_config}


class GkeDefault(Fact):
    """The version of a cluster whose config names none, as GKE's alias: its newest patch."""

    version: GkeVersionField
    source: str


class VersionTable(Table):
    gke: GkeDefault
    features: dict[str, Feature]
    components: dict[str, Component]
    images: dict[str, ContainerImage]
    registries: dict[str, Registry]
    nccl: dict[str, NcclStack]
