"""Says at the top whether the buckets are real mounts."""

from tests.workloads.mounts.needs import missing


def pytest_report_header() -> str:
    return missing() or "buckets are mounted by Cloud Storage FUSE"
