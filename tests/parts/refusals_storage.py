"""Mistakes in where data is, one a line: Lustre, buckets."""

from typing import Any

from tests.parts.refusals import Refused
from tests.parts.samples import AUTOPILOT, BARE, DEV, RL, VERL

# Names and sizes of files, which the sidecar has in its memory.
_KEPT = {"stat_cache_mib": 2048, "metadata_ttl_s": 60}


def _ruled(*rules: dict[str, Any], **bucket: Any) -> dict[str, Any]:
    """A bucket with these rules for its objects."""
    return {"buckets__data": {"lifecycle": list(rules), **bucket}}


STORAGE = [
    Refused(
        RL, {"lustre__throughput_mbps_per_tib": 750}, "lustre.throughput_mbps_per_tib", "500, 1000"
    ),
    Refused(RL, {"lustre__capacity_gib": 9500}, "lustre.capacity_gib", "nearest: 9000, 18000"),
    Refused(
        RL,
        {"lustre__mount_path": "/etc/lustre"},
        "lustre.mount_path",
        "lies in /etc, which the image, the node or the stack has files in; nearest: /lustre",
    ),
    Refused(
        {**RL, "region": "us-west2", "zone": "us-west2-c"}, {}, "zone", "has no Managed Lustre"
    ),
    Refused(
        DEV,
        {"buckets__bucket__mount_path": "/home/ray"},
        "buckets.bucket.mount_path",
        "would hide what the image has there; nearest: /data",
    ),
    Refused(
        DEV,
        {"buckets__bucket__hierarchical_namespace": True},
        "buckets.bucket.force_destroy",
        "nearest: false, or hierarchical_namespace false",
    ),
    Refused(
        DEV,
        {"buckets__bucket__soft_delete_days": 3},
        "buckets.bucket.soft_delete_days",
        "nearest: 7",
    ),
    Refused(
        VERL,
        {"buckets__data__mount": {"write_global_max_blocks": 4}},
        "buckets.data.mount.write_global_max_blocks",
        "4 files are streamed at once, and a pod writes 8",
    ),
    Refused(
        VERL,
        {
            "buckets__data__mount": {
                "sidecar": {"memory_gib": 1},
                "stat_cache_mib": 2048,
                "metadata_ttl_s": 60,
            }
        },
        "buckets.data.mount.sidecar.memory_gib",
        "1 GiB are less than the",
    ),
    Refused(
        DEV,
        {"buckets__bucket__mount__file_cache_mib": -1},
        "buckets.bucket.mount.file_cache_mib",
        "-1 has no bound",
    ),
    Refused(
        AUTOPILOT,
        {"buckets__data__mount": {"sidecar": {"cpu": 0}}},
        "buckets.data.mount.sidecar.cpu",
        "0 is no limit, and Autopilot has every container limited",
    ),
    Refused(
        DEV,
        {"buckets__bucket__name": "a-google-bucket"},
        "buckets.bucket.name",
        "google",
    ),
    Refused(
        DEV,
        {"buckets__bucket__name": "mine", "buckets__more": {"name": "mine"}},
        "buckets.more.name",
        '"mine" is the name of buckets.bucket; nearest: mine-more',
    ),
    Refused(
        DEV,
        {"buckets__more": {"mount_path": "/mnt/bucket/more"}},
        "buckets.more.mount_path",
        'is not apart from "/mnt/bucket" of buckets.bucket; nearest: /more',
    ),
    Refused(
        RL,
        {"buckets__more": {"mount_path": "/lustre"}},
        "buckets.more.mount_path",
        'is not apart from "/lustre" of lustre; nearest: /more',
    ),
    Refused(
        BARE,
        _ruled({"action": "set-storage-class", "age_days": 30}),
        "buckets.data.lifecycle[0].storage_class",
        "missing; nearest: nearline, coldline, archive",
    ),
    Refused(
        BARE,
        _ruled({"action": "delete", "age_days": 30, "storage_class": "archive"}),
        "buckets.data.lifecycle[0].storage_class",
        "what is deleted has no class; nearest: leave it out, or action set-storage-class",
    ),
    Refused(
        BARE,
        _ruled({"action": "set-storage-class", "storage_class": "archive"}),
        "buckets.data.lifecycle[0]",
        "takes no rule without a condition; nearest: age_days 30",
    ),
    Refused(
        BARE,
        _ruled({"action": "delete", "prefixes": ["runs/"]}),
        "buckets.data.lifecycle[0].age_days",
        "missing; without it all that the rule is for goes as soon as it is written; nearest: 30",
    ),
    Refused(
        BARE,
        _ruled({"action": "delete", "age_days": 0}),
        "buckets.data.lifecycle[0].age_days",
        "0 is less than 1; nearest: 1",
    ),
    Refused(
        BARE,
        _ruled({"action": "delete", "num_newer_versions": 3}),
        "buckets.data.lifecycle[0].num_newer_versions",
        "nearest: leave it out, or versioning true with hierarchical_namespace false",
    ),
    Refused(
        BARE,
        _ruled({"action": "delete", "days_since_noncurrent": 3}, hierarchical_namespace=False),
        "buckets.data.lifecycle[0].days_since_noncurrent",
        "3: the bucket keeps no versions, so the rule would never find any; "
        "nearest: leave it out, or versioning true",
    ),
    Refused(
        BARE,
        _ruled({"action": "delete", "age_days": 1, "prefixes": ["/runs"]}),
        "buckets.data.lifecycle[0].prefixes[0]",
        '"/runs" is not a part of an object\'s name; nearest: one like runs/old/',
    ),
    Refused(
        BARE,
        _ruled(*[{"action": "delete", "age_days": 1}] * 101),
        "buckets.data.lifecycle",
        "101 rules are more than a bucket takes; nearest: 100 of them",
    ),
    Refused(
        VERL,
        {"buckets__data__lifecycle": [{"action": "delete", "age_days": 30}]},
        "buckets.data.lifecycle[0].prefixes",
        "missing; jobs.grpo would lose what it goes on from at that age, too",
    ),
    Refused(
        BARE,
        _ruled(
            {"action": "delete", "age_days": 30},
            hierarchical_namespace=False,
            mount={"implicit_dirs": False},
        ),
        "buckets.data.mount.implicit_dirs",
        "false: lifecycle[0] deletes the objects that stand for directories",
    ),
]
