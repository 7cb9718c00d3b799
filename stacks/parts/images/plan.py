"""Which registries are mirrored, and where an image is then. No Pulumi import."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from catalog import Catalog
from components.base.naming import NameKind, cloud_name
from stacks.parts.images.config import UpstreamCredentials
from stacks.parts.images.repositories import Repository, repository_of
from stacks.parts.pools.plan import PlannedPool
from stacks.stack import Stack

DOCKER_HUB = "docker.io"
_OFFICIAL = "library/"
# Artifact Registry's own hosts, and those of its predecessor, which it serves.
_OF_GOOGLE = ("docker.pkg.dev", "gcr.io")


@dataclass(frozen=True, kw_only=True)
class Mirror:
    """A repository that stands in for a registry; `made` is one of the stack's own."""

    host: str
    location: str
    project: str
    name: str
    made: bool
    credentials: UpstreamCredentials | None = None

    @property
    def key(self) -> str:
        """What logical names have of it."""
        return key_of(self.host)

    @property
    def path(self) -> str:
        return f"{self.location}-docker.pkg.dev/{self.project}/{self.name}"

    @property
    def repository(self) -> Repository:
        return Repository(location=self.location, project=self.project, name=self.name)


@dataclass(frozen=True, kw_only=True)
class ImageUse:
    """An image of the stack's own pods, the field that names it, and the pools that these may be
    on."""

    field: str
    reference: str
    pools: Sequence[PlannedPool]


@dataclass(frozen=True, kw_only=True)
class Preload:
    """Images that are pulled onto the nodes of pools before anything runs there."""

    images: tuple[str, ...]
    pools: tuple[PlannedPool, ...]


@dataclass(frozen=True, kw_only=True)
class DiskImage:
    """What the nodes of a pool get a further disk of; `images` are those of the pool's pods, as the
    config has them, which are taken to be on it."""

    project: str
    name: str
    images: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"projects/{self.project}/global/images/{self.name}"


@dataclass(frozen=True, kw_only=True)
class PlannedImages:
    """`mirrors` are by the host of the registry that each stands in for; `streamed` are the names
    of pools whose nodes stream; `named` are the repositories of the stack's own project that images
    of its config are in, with the field of the first of each, which nodes get the right to read;
    `preloads` are those that images are pulled onto, and `disks` are by the names of pools that
    have them on a disk of their own."""

    mirrors: Mapping[str, Mirror] = field(default_factory=dict[str, Mirror])
    streamed: frozenset[str] = frozenset()
    named: Mapping[Repository, str] = field(default_factory=dict[Repository, str])
    preloads: tuple[Preload, ...] = ()
    disks: Mapping[str, DiskImage] = field(default_factory=dict[str, DiskImage])

    @property
    def made(self) -> list[Mirror]:
        return [it for it in self.mirrors.values() if it.made]

    def streams(self, pool: str) -> bool:
        return pool in self.streamed

    def disk_of(self, pool: str) -> str | None:
        """The disk image that a pool's nodes get a further disk of, as Google's APIs name it."""
        disk = self.disks.get(pool)
        return None if disk is None else disk.path

    def of(self, reference: str) -> str:
        """Where pods get an image from, by the same tag and digest."""
        host, name = split(reference)
        mirror = self.mirrors.get(host)
        return reference if mirror is None else f"{mirror.path}/{name}"

    def is_near(self, reference: str) -> bool:
        """Whether it comes out of Artifact Registry."""
        return of_google(split(self.of(reference))[0])


def may_stream(stack: Stack, *, accelerated: bool) -> bool:
    """Whether nodes may stream images, as far as it is known before any pod is."""
    config = stack.images
    if stack.cluster.autopilot or config.streaming is not None:
        return stack.cluster.autopilot or bool(config.streaming)
    own = accelerated if config.mirror is None else config.mirror
    mirrored = bool(own or config.repositories or config.credentials)
    return config.mirror is not False and mirrored


def planned_images(
    stack: Stack, uses: Sequence[ImageUse], facts: Catalog, *, accelerated: bool
) -> PlannedImages:
    """`accelerated` says whether a pool has accelerators."""
    config = stack.images
    mirrors = _mirrors(stack, uses, facts, accelerated=accelerated)
    found = PlannedImages(mirrors=mirrors, named=_named(stack, uses, mirrors.values()))
    if stack.cluster.autopilot:
        return found
    streams = bool(mirrors) if config.streaming is None else config.streaming
    preloads = accelerated if config.preload is None else config.preload
    near = [it for it in uses if found.is_near(it.reference)]
    disks = _disks(stack, uses)
    streamed = {pool.name for it in near for pool in it.pools if streams}
    return replace(
        found,
        # A pool takes such a disk only with streaming.
        streamed=frozenset(streamed | disks.keys()),
        preloads=tuple(_preloads(found, uses, disks)) if preloads else (),
        disks=disks,
    )


def _mirrors(
    stack: Stack, uses: Sequence[ImageUse], facts: Catalog, *, accelerated: bool
) -> dict[str, Mirror]:
    config = stack.images
    if config.mirror is False:
        return {}
    found = {host: _existing(host, path) for host, path in config.repositories.items()}
    wanted = dict.fromkeys(config.credentials)
    if config.mirror or (config.mirror is None and accelerated and owns_accounts(stack)):
        wanted |= dict.fromkeys(hosts_of((it.reference for it in uses), facts))
    return found | {host: _own(stack, host) for host in wanted if host not in found}


def _named(
    stack: Stack, uses: Sequence[ImageUse], mirrors: Iterable[Mirror]
) -> dict[Repository, str]:
    """Those of mirrors have a grant already, and none is the stack's before it is made."""
    if not owns_accounts(stack):
        return {}
    of_mirrors = {it.repository for it in mirrors}
    found: dict[Repository, str] = {}
    for use in uses:
        at = repository_in(use.reference)
        if at is not None and at.project == stack.project and at not in of_mirrors:
            found.setdefault(at, use.field)
    return found


def _disks(stack: Stack, uses: Sequence[ImageUse]) -> dict[str, DiskImage]:
    found: dict[str, DiskImage] = {}
    for name, pool in stack.pools.items():
        if pool.secondary_boot_disk is None:
            continue
        place, _, image = pool.secondary_boot_disk.rpartition("global/images/")
        on_it = [it.reference for it in uses if any(one.name == name for one in it.pools)]
        found[name] = DiskImage(
            project=place.removeprefix("projects/").rstrip("/") or stack.project,
            name=image,
            images=tuple(sorted(set(on_it))),
        )
    return found


def _preloads(
    images: PlannedImages, uses: Sequence[ImageUse], disks: Collection[str]
) -> Iterator[Preload]:
    """One for all pools with the same images; those with them on a disk have nothing to pull."""
    by_pool: dict[str, tuple[PlannedPool, dict[str, None]]] = {}
    for use in uses:
        for pool in (it for it in use.pools if it.name not in disks):
            by_pool.setdefault(pool.name, (pool, {}))[1][images.of(use.reference)] = None
    alike: dict[tuple[str, ...], list[PlannedPool]] = {}
    for pool, references in by_pool.values():
        alike.setdefault(tuple(sorted(references)), []).append(pool)
    for references, pools in alike.items():
        yield Preload(images=references, pools=tuple(pools))


def owns_accounts(stack: Stack) -> bool:
    """Whether nodes are accounts of the stack's, which it can give rights to."""
    return stack.cluster.is_made or not stack.cluster.autopilot


def hosts_of(references: Iterable[str], facts: Catalog) -> list[str]:
    """The registries among them that the catalog knows a mirror of, each once."""
    found = dict.fromkeys(split(it)[0] for it in references)
    return [it for it in found if it in facts.versions.registries]


def split(reference: str) -> tuple[str, str]:
    """Host and the rest of a reference, as container runtimes read it (distribution/reference
    v0.6.0 normalize.go, splitDockerDomain): what has no host is on Docker Hub, and what has no
    owner there is official."""
    first, slash, rest = reference.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        host, name = first, rest
    else:
        host, name = DOCKER_HUB, reference
    if host == DOCKER_HUB and "/" not in name:
        name = _OFFICIAL + name
    return host, name


def repository_in(reference: str) -> Repository | None:
    """The repository of Artifact Registry that an image is in."""
    return repository_of(*split(reference))


def of_google(host: str) -> bool:
    return any(host == it or host.endswith((f".{it}", f"-{it}")) for it in _OF_GOOGLE)


def key_of(host: str) -> str:
    return host.replace(".", "-").replace(":", "-")


def _own(stack: Stack, host: str) -> Mirror:
    return Mirror(
        host=host,
        location=stack.region,
        project=stack.project,
        name=cloud_name(NameKind.REPOSITORY, stack.name, key_of(host)),
        made=True,
        credentials=stack.images.credentials.get(host),
    )


def _existing(host: str, path: str) -> Mirror:
    registry, project, name = path.split("/")
    location = registry.removesuffix("-docker.pkg.dev")
    return Mirror(host=host, location=location, project=project, name=name, made=False)
