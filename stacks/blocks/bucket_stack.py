"""A stack with a bucket that its pods mount."""

from collections.abc import Iterator

from catalog import Sidecar
from components.naming import NameKind, check_bucket_name, check_name
from stacks.blocks.bucket import Bucket, GcsFuseSidecar
from stacks.blocks.cluster_stack import ClusterStack
from stacks.blocks.ray_stack import RayStack
from stacks.problems import Problem, problem_of
from stacks.rules.bucket import (
    bucket_problems,
    mount_problems,
    sidecar_limits,
    sized_sidecar,
    streamed_files,
    with_prefetch,
)
from stacks.rules.mount_paths import mount_path_problems
from stacks.rules.pod_disk import pod_disk_problems

# Ray's logs.
_LOGS_GIB = 1


class BucketStack(ClusterStack, frozen=True):
    bucket: Bucket = Bucket()

    @property
    def bucket_name(self) -> str:
        return self.bucket.name or f"{self.name}-{self.project}"

    @property
    def account_name(self) -> str:
        """The Kubernetes service account that may use the bucket."""
        return self.bucket.account or self.name

    @property
    def files_at_once(self) -> int:
        """How many files a pod writes to the bucket at once."""
        return 1

    @property
    def written_gib(self) -> int:
        """What a pod writes to its node's disk, beside the bucket's read cache."""
        return _LOGS_GIB

    @property
    def streamed_files(self) -> int:
        """How many files FUSE streams at once."""
        return streamed_files(self.bucket.mount, self.facts.gcsfuse, files=self.files_at_once)

    @property
    def rename_dir_limit(self) -> int | None:
        """How many files a directory may have to be renamed; a hierarchical bucket has no limit."""
        asked = self.bucket.mount.rename_dir_limit
        if asked is None and not self.bucket.hierarchical_namespace:
            return self.facts.gcsfuse.rename_dir_limit
        return asked

    @property
    def mount_limits(self) -> GcsFuseSidecar:
        """Limits of the container that mounts the bucket in pods that write to it."""
        return self.limits_for(self.files_at_once)

    @property
    def sidecar(self) -> Sidecar:
        """What GKE puts beside the container of such a pod."""
        return self.sidecar_of(self.mount_limits)

    @property
    def head_sidecar(self) -> Sidecar:
        return self.sidecar_of(self.limits_for(1))

    def limits_for(self, files: int) -> GcsFuseSidecar:
        """Limits of the container that mounts the bucket in a pod that writes `files` at once."""
        facts = self.facts
        return sidecar_limits(self.bucket.mount, facts.gcsfuse_sidecar, facts.gcsfuse, files=files)

    def sidecar_of(self, limits: GcsFuseSidecar) -> Sidecar:
        """What containers with these limits request, the one that reads names and sizes, too."""
        sized = sized_sidecar(limits, self.facts.gcsfuse_sidecar)
        if not self.bucket.mount.metadata_prefetch:
            return sized
        return with_prefetch(sized, self.facts.gcsfuse_prefetch)

    def features(self) -> tuple[str, ...]:
        return (*super().features(), "gcsfuse_streaming_writes")

    def rules(self) -> Iterator[Problem]:
        yield from super().rules()
        yield from bucket_problems(self.bucket)
        path = self.bucket.mount_path
        yield from mount_path_problems("bucket.mount_path", path, nearest="/data")
        yield from mount_problems(
            self.bucket.mount,
            self.mount_limits,
            self.facts.gcsfuse_sidecar,
            self.facts.gcsfuse,
            files=self.files_at_once,
            autopilot=self.autopilot,
        )
        if isinstance(self, RayStack):
            for field, pod in (("ray.head", self.ray.head), ("ray.worker", self.ray.worker)):
                yield from pod_disk_problems(
                    field,
                    pod,
                    sidecar_gib=self.mount_limits.ephemeral_storage_gib,
                    cache_mib=self.bucket.mount.file_cache_mib,
                    written_gib=self.written_gib,
                    autopilot=self.autopilot,
                )
        yield from problem_of("bucket.name", self._check_bucket_name)

    def _check_bucket_name(self) -> None:
        check_bucket_name(check_name(NameKind.BUCKET, self.bucket_name))
