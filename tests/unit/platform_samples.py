"""A platform for teams, with no work of its own."""

from typing import Any

PLATFORM: dict[str, Any] = {
    "name": "plat",
    "project": "my-project",
    "region": "us-central1",
    "zone": "us-central1-a",
    "pools": {
        "cpu": {"machine_type": "e2-standard-8", "nodes": 1},
        "gpu": {"machine_type": "g2-standard-24", "nodes": 2},
    },
    "queues": {
        "frameworks": ["batch/job", "pod", "jobset.x-k8s.io/jobset"],
        "flavors": {"gpu": {"pool": "gpu"}, "cpu": {"pool": "cpu"}},
        "cluster_queues": {"all": {}},
    },
    "teams": {"red": {"queue": "all"}, "blue": {"queue": "all"}},
}
