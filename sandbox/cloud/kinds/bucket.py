"""Cloud Storage buckets and the role bindings on them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

from sandbox.cloud.kind import Kind, birth_time, digest
from sandbox.cloud.kinds.iam import IamMember, check_binding
from sandbox.cloud.resource import Inputs, Resource
from sandbox.cloud.view import View
from sandbox.errors import CloudError

# Cloud Storage documentation, "About Cloud Storage buckets" and "Soft delete", read 2026-11-21.
NAME = re.compile(r"[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]")
DAY = 86_400
SOFT_DELETE_SECONDS = range(7 * DAY, 90 * DAY + 1)
# hashicorp/terraform-provider-google-beta google-beta/services/storage/resource_storage_bucket.go,
# 0241f12b.
MOST_LIFECYCLE_RULES = 100
LIFECYCLE_ACTIONS = ("Delete", "SetStorageClass", "AbortIncompleteMultipartUpload")
# percona/mongo_terraform_ansible issue 24.
NOT_AVAILABLE = (
    "The requested bucket name is not available. The bucket namespace is shared by all users of "
    "the system. Please select a different name and try again."
)
ALREADY_OWNED = "Your previous request to create the named bucket succeeded and you already own it."


class Bucket(Kind):
    """A test says that a bucket holds objects, in folders where it has any, with the output
    `objects`."""

    token = "gcp:storage/bucket:Bucket"
    api = "storage.googleapis.com"

    def taken(self, existing: Inputs, inputs: Inputs) -> str:
        if existing.get("project") != inputs.get("project"):
            return f"{inputs['name']}: {NOT_AVAILABLE}"
        return f"{inputs['name']}: {ALREADY_OWNED}"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        name = str(inputs["name"])
        _check_name(name)
        if name in cloud.reservations.taken_bucket_names:
            raise CloudError("ALREADY_EXISTS", f"{name}: {NOT_AVAILABLE}")
        _check_policies(inputs)

    def change(self, resource: Resource, news: Inputs, cloud: View) -> None:
        del resource, cloud
        _check_policies(news)

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        return {
            "url": f"gs://{resource_id}",
            "selfLink": f"https://www.googleapis.com/storage/v1/b/{resource_id}",
            "timeCreated": birth_time(cloud, resource_id),
            "projectNumber": int(cloud.project_number(inputs["project"])),
            "effectiveLabels": dict(inputs.get("labels") or {}),
        }

    def release(self, resource: Resource, cloud: View) -> None:
        del cloud
        # hashicorp/terraform-provider-google-beta resource_storage_bucket.go, 93c65b2d: with force
        # the provider deletes the objects that it lists, and it never lists folders.
        if resource.outputs.get("objects") and resource["forceDestroy"] is not True:
            raise CloudError(
                "FAILED_PRECONDITION",
                f"Error trying to delete bucket {resource.id} containing objects without "
                "`forceDestroy` set to true",
            )
        if resource.outputs.get("objects") and _has_folders(resource.inputs):
            raise CloudError(
                "FAILED_PRECONDITION",
                f"The bucket you tried to delete is not empty: {resource.id} has folders; delete "
                f"them with `gcloud storage rm --recursive {shlex.quote(f'gs://{resource.id}/**')}`",
            )

    def after_delete(self, resource: Resource, cloud: View) -> None:
        for member in list(cloud.find(BucketIamMember.token)):
            if member["bucket"] == resource.id:
                cloud.drop(member)


class BucketIamMember(IamMember):
    """On a bucket. It names no project: its bucket stands for the API."""

    token = "gcp:storage/bucketIAMMember:BucketIAMMember"

    def admit(self, inputs: Inputs, cloud: View) -> None:
        bucket = cloud.require(Bucket.token, inputs["bucket"], "bucket")
        check_binding(inputs, bucket["project"], cloud)

    def outputs(self, inputs: Inputs, cloud: View, resource_id: str) -> dict[str, Any]:
        del inputs, cloud
        return {"etag": digest(resource_id)}


def _has_folders(inputs: Inputs) -> bool:
    """Whether directories are things of their own, beside the objects in them."""
    return bool((inputs.get("hierarchicalNamespace") or {}).get("enabled"))


def _check_name(name: str) -> None:
    if not NAME.fullmatch(name) or name.startswith("goog") or "google" in name:
        raise CloudError(
            "INVALID_ARGUMENT",
            f'bucket name "{name}" must have 3 to 63 of a-z, 0-9, "-", "_" and ".", with a letter '
            'or digit first and last, no "goog" first and no "google" in it',
        )


def _check_policies(inputs: Inputs) -> None:
    message = next(_policy_conflicts(inputs), None)
    if message is not None:
        raise CloudError("INVALID_ARGUMENT", message)


def _policy_conflicts(inputs: Inputs) -> Iterator[str]:
    if _has_folders(inputs):
        # hashicorp/terraform-provider-google-beta website/docs/r/storage_bucket.html.markdown:262,
        # 93c65b2d.
        if inputs.get("uniformBucketLevelAccess") is not True:
            yield (
                "Hierarchical namespace requires uniform bucket-level access; nearest: "
                "uniformBucketLevelAccess true"
            )
        if (inputs.get("versioning") or {}).get("enabled"):
            yield (
                "Hierarchical namespace does not support object versioning; nearest: "
                "versioning.enabled false"
            )
    yield from _lifecycle_conflicts(inputs.get("lifecycleRules") or [])
    seconds = (inputs.get("softDeletePolicy") or {}).get("retentionDurationSeconds")
    if seconds not in (None, 0) and int(seconds) not in SOFT_DELETE_SECONDS:
        yield (
            f"softDeletePolicy.retentionDurationSeconds {int(seconds)} must be 0 or from "
            f"{SOFT_DELETE_SECONDS[0]} to {SOFT_DELETE_SECONDS[-1]}"
        )


def _lifecycle_conflicts(rules: list[dict[str, Any]]) -> Iterator[str]:
    """Cloud Storage documentation, "Object Lifecycle Management", read 2026-11-21; no condition is
    refused, too (hashicorp/terraform-provider-google issue 12585)."""
    if len(rules) > MOST_LIFECYCLE_RULES:
        yield f"lifecycleRules: {len(rules)} are more than {MOST_LIFECYCLE_RULES}"
    for place, rule in enumerate(rules):
        field, action = f"lifecycleRules[{place}]", rule["action"]
        kind, storage_class = action["type"], action.get("storageClass")
        if kind not in LIFECYCLE_ACTIONS:
            yield f"{field}.action.type {kind} is not one of {', '.join(LIFECYCLE_ACTIONS)}"
        if (kind == "SetStorageClass") != bool(storage_class):
            yield f"{field}.action.storageClass goes with SetStorageClass and nothing else"
        # The provider leaves out zeros.
        if not any(rule["condition"].values()):
            yield f"{field}.condition: Invalid argument; nearest: one condition at least"
