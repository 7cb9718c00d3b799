"""What Cloud Storage takes together, and where pods can mount a bucket. No Pulumi import."""

from collections.abc import Iterator
from pathlib import PurePosixPath

from components.naming import NameKind, check_bucket_name, check_name
from stacks.beside import beside_problems
from stacks.fields import under
from stacks.parts.buckets.lifecycle_rules import lifecycle_problems
from stacks.parts.buckets.mount_rules import bucket_problems, mount_problems
from stacks.parts.buckets.plan import PlannedBucket
from stacks.plan import Plan
from stacks.problems import Problem, problem_of
from stacks.rules.mount_paths import mount_path_problems

_OF_MADE = ("name", "versioning", "soft_delete_days", "force_destroy", "lifecycle")


def existing_problems(plan: Plan) -> Iterator[Problem]:
    """What a bucket that exists already is, its owner decides."""
    for bucket in plan.buckets.values():
        if bucket.config.existing is not None:
            whose = "the bucket is there already, with its own"
            yield from beside_problems(bucket.field, bucket.config, _OF_MADE, whose)


def own_problems(plan: Plan) -> Iterator[Problem]:
    for bucket in plan.buckets.values():
        config, fuse = bucket.config, plan.facts.gcsfuse
        broken = (
            *bucket_problems(config),
            *mount_path_problems("bucket.mount_path", config.mount_path, nearest="/data"),
            *mount_problems(
                config.mount,
                bucket.limits_for(bucket.files_at_once),
                plan.facts.gcsfuse_sidecar,
                fuse,
                files=bucket.files_at_once,
                autopilot=plan.autopilot,
            ),
        )
        yield from under({"bucket": bucket.field}, broken)
        yield from problem_of(bucket.name_field, lambda it=bucket: _check_name(it))


def apart_problems(plan: Plan) -> Iterator[Problem]:
    """No two buckets of one name, and nothing is mounted in or over anything else."""
    names: dict[str, str] = {}
    for bucket in plan.buckets.values():
        if bucket.name in names:
            yield Problem(
                bucket.name_field,
                f'"{bucket.name}" is the name of {names[bucket.name]}; nearest: '
                + (f"{bucket.name}-{bucket.key}" if bucket.config.existing is None else "another"),
            )
        names.setdefault(bucket.name, bucket.field)
    lustre = plan.stack.lustre
    paths = {} if lustre is None else {"lustre": lustre.mount_path}
    for bucket in plan.buckets.values():
        path = bucket.config.mount_path
        other = next((at for at, it in paths.items() if _meet(it, path)), None)
        if other is not None:
            yield Problem(
                f"{bucket.field}.mount_path",
                f'"{path}" is not apart from "{paths[other]}" of {other}; nearest: /{bucket.key}',
            )
        paths[bucket.field] = path


def _check_name(bucket: PlannedBucket) -> None:
    check_bucket_name(check_name(NameKind.BUCKET, bucket.name))


def _meet(one: str, other: str) -> bool:
    first, second = PurePosixPath(one), PurePosixPath(other)
    return first == second or first in second.parents or second in first.parents


RULES = (existing_problems, own_problems, apart_problems, lifecycle_problems)
