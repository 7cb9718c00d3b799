"""A stack that two teams share, and what is said of it when it is not right."""

from typing import Any

from stacks.config import validate
from stacks.plan import Plan
from tests.conftest import changed

LAB: dict[str, Any] = {
    "name": "lab",
    "namespace": "platform",
    "project": "my-project",
    "region": "us-central1",
    "zone": "us-central1-a",
    "cluster": {"security_group": "gke-security-groups@example.com"},
    "pools": {
        "cpu": {"machine_type": "e2-standard-4", "nodes": 1},
        "gpu": {"machine_type": "g2-standard-8", "nodes": 1, "autoscaling": {"min": 0, "max": 2}},
    },
    "buckets": {"data": {}, "runs": {"mount_path": "/runs"}},
    "queues": {"flavors": {"l4": {}}, "cluster_queues": {"gpus": {"flavors": {"l4": {"gpus": 1}}}}},
    "teams": {
        "vision": {
            "groups": {"edit": ["vision@example.com"]},
            "users": {"view": ["ada@example.com"]},
            "queue": "gpus",
            "buckets": {"data": "objectViewer", "runs": "objectUser"},
            "pod_security": "privileged",
        },
        "audio": {
            "users": {"edit": ["ada@example.com"]},
            "quota": {"cpu": 2.5, "memory_gib": 4, "gpus": 1, "pods": 3},
            "service_account": "trainer",
        },
    },
}


def planned(**values: Any) -> Plan:
    return validate(changed(LAB, **values))
