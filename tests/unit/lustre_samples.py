"""A Managed Lustre instance, for tests of what stands on one. To be made in a program."""

import pulumi_gcp as gcp


def instance() -> gcp.lustre.Instance:
    return gcp.lustre.Instance(
        "instance",
        instance_id="fs",
        filesystem="lustre",
        location="us-east1-b",
        network="net",
        capacity_gib="9000",
        per_unit_storage_throughput="1000",
    )
