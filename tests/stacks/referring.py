"""Two programs: one that exports what it has, and one that reads it."""

import pulumi

from stacks.problems import BrokenRulesError
from stacks.reference import cluster_of, refer


def platform() -> None:
    pulumi.export("project", "p")
    pulumi.export("cluster_location", "us-east1")
    pulumi.export("cluster_name", pulumi.Config().get("cluster") or "shared")
    pulumi.export("token", pulumi.Output.secret("hush-hush"))


def tenant() -> None:
    """Config `platform` is the stack to read. Raises pulumi.RunError where it cannot be."""
    try:
        found = refer("cluster.stack", pulumi.Config().require("platform"))
        cluster = cluster_of(found)
    except BrokenRulesError as error:
        raise pulumi.RunError(str(error)) from None
    pulumi.export("cluster", cluster.cluster)
    pulumi.export("token", found.output("token"))
