"""Mistakes in where data is, one a line: Lustre, buckets."""

from tests.parts.refusals import Refused
from tests.parts.samples import AUTOPILOT, DEV, RL, VERL

# Names and sizes of files, which the sidecar has in its memory.
_KEPT = {"stat_cache_mib": 2048, "metadata_ttl_s": 60}

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
]
