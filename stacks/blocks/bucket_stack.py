"""A stack with a bucket that its pods mount."""

from collections.abc import Iterator

from catalog import Sidecar
from components.naming import NameKind, check_bucket_name, check_name
from stacks.blocks.bucket import Bucket
from stacks.blocks.ray_stack import RayStack
from stacks.problems import Problem, problem_of
from stacks.rules.bucket import bucket_problems


class BucketStack(RayStack, frozen=True):
    bucket: Bucket = Bucket()

    @property
    def bucket_name(self) -> str:
        return self.bucket.name or f"{self.name}-{self.project}"

    @property
    def account_name(self) -> str:
        """The Kubernetes service account that may use the bucket."""
        return self.name

    @property
    def sidecar(self) -> Sidecar | None:
        """Cloud Storage FUSE's, at the size that GKE gives it unasked."""
        return self.facts.gcsfuse_sidecar

    def features(self) -> tuple[str, ...]:
        return (*super().features(), "gcsfuse_streaming_writes")

    def rules(self) -> Iterator[Problem]:
        yield from super().rules()
        yield from bucket_problems(self.bucket)
        yield from problem_of("bucket.name", self._check_bucket_name)

    def _check_bucket_name(self) -> None:
        check_bucket_name(check_name(NameKind.BUCKET, self.bucket_name))
