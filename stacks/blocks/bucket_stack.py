"""A stack with a bucket that its pods mount."""

from collections.abc import Iterator

from catalog import Sidecar
from components.naming import NameKind, check_bucket_name, check_name
from stacks.blocks.bucket import Bucket
from stacks.blocks.cluster_stack import ClusterStack
from stacks.problems import Problem, problem_of
from stacks.rules.bucket import bucket_problems, mount_problems, sized_sidecar


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
    def sidecar(self) -> Sidecar:
        """Cloud Storage FUSE's, at the size that GKE gives it unless the config has another."""
        return sized_sidecar(self.bucket.mount.sidecar, self.facts.gcsfuse_sidecar)

    def features(self) -> tuple[str, ...]:
        return (*super().features(), "gcsfuse_streaming_writes")

    def rules(self) -> Iterator[Problem]:
        yield from super().rules()
        yield from bucket_problems(self.bucket)
        usual = self.facts.gcsfuse_sidecar
        yield from mount_problems(self.bucket.mount, usual, autopilot=self.autopilot)
        yield from problem_of("bucket.name", self._check_bucket_name)

    def _check_bucket_name(self) -> None:
        check_bucket_name(check_name(NameKind.BUCKET, self.bucket_name))
