"""The version lock: what goes with which GKE, and which image and API version is used."""

from enum import StrEnum
from typing import Self

from pydantic import Field, PositiveInt, model_validator

from catalog.gke_version import GkeVersion, GkeVersionField
from catalog.table import Fact, FactError, Table


class ReleaseChannel(StrEnum):
    """Where a cluster's GKE versions come from, the newest first."""

    RAPID = "RAPID"
    REGULAR = "REGULAR"
    STABLE = "STABLE"
    EXTENDED = "EXTENDED"


class GpuDriver(StrEnum):
    """Which NVIDIA driver GKE installs on a GPU pool."""

    DEFAULT = "default"
    LATEST = "latest"
    DISABLED = "disabled"

    @property
    def api_value(self) -> str:
        """The value in a node pool's GPU driver installation config."""
        return "INSTALLATION_DISABLED" if self is GpuDriver.DISABLED else self.name


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


class HelmChart(Fact):
    """Where Helm finds a chart; a chart in an OCI registry is named by its whole address."""

    name: str
    repository: str | None = None


class Release(Fact):
    """The apiVersions that a release serves each kind as, the stored one first. With
    `guarded_dashboard` it has a page that can ask who calls it."""

    apis: dict[str, tuple[str, ...]]
    guarded_dashboard: bool = False


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
    it takes of a node's disk, an estimate."""

    reference: str
    unpacked_gib: PositiveInt | None = None
    ray_version: str | None = None
    moving: bool = False
    source: str

    @model_validator(mode="after")
    def _tagged(self) -> Self:
        if ":" not in self.reference.rpartition("/")[2]:
            raise ValueError(f"{self.reference} names no tag, so what it runs is not fixed")
        return self


class NcclStack(Fact):
    """NCCL over RDMA on one machine family: the plug-in that is installed on its nodes, the image
    that tests it, the `network` that every process has to take, and further `environment`, which is
    for what the plug-in's own script leaves open. `feature` has the oldest GKE, and
    `installer_accelerators` the nodes of the plug-in's installer on Autopilot, which brings a
    libnccl, too; with `installs_nccl` it does so everywhere."""

    feature: str
    plugin_image: str
    diagnostic_image: str
    pause_image: str
    installer_accelerators: tuple[str, ...]
    tuner_config: str | None = None
    network: str
    environment: dict[str, str]
    installs_nccl: bool = False
    source: str

    @property
    def variables(self) -> dict[str, str]:
        """Of every process: without it NCCL that finds no RDMA takes TCP, and says nothing."""
        return {"NCCL_NET": self.network}

    @property
    def settings(self) -> dict[str, str]:
        """Where neither a process nor the plug-in's script says otherwise."""
        tuner = self.tuner_config
        return {
            **self.environment,
            **({} if tuner is None else {"NCCL_TUNER_CONFIG_PATH": tuner}),
        }


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
