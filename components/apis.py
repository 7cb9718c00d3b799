"""Google APIs of the project, switched on and never off: other stacks in the project use them too.

Leaves out which APIs a stack needs; the stack says so.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from components.lifecycle import child_of
from components.tokens import formerly

_DOMAIN = ".googleapis.com"


@dataclass(frozen=True, kw_only=True)
class ProjectApisArgs:
    project: pulumi.Input[str]
    services: Sequence[str]


class ProjectApis(pulumi.ComponentResource):
    """Hands out the project ID, or an API's own name, once that API is on.

    Resources that take them from here wait for just the API that they need.
    """

    def __init__(
        self, name: str, args: ProjectApisArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai:index:ProjectApis", name, None, formerly("apis:ProjectApis", opts))
        self._services = {
            service: gcp.projects.Service(
                f"{name}-{service}",
                project=args.project,
                service=service + _DOMAIN,
                disable_on_destroy=False,
                opts=child_of(self),
            )
            for service in args.services
        }
        self.register_outputs({})

    def project_with(self, service: str) -> pulumi.Output[str]:
        return self._services[service].project

    def full_name(self, service: str) -> pulumi.Output[str]:
        return self._services[service].service
