"""Google APIs of the project, switched on and never off: other stacks in the project use them too.

Which APIs a component needs, its class says: `NodePool.required_apis()`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pulumi
import pulumi_gcp as gcp

from ..base.arguments import ArgumentError, nearest_of, refuse
from ..base.component import Component
from ..base.lifecycle import child_of
from ..base.tokens import formerly

_DOMAIN = ".googleapis.com"


@dataclass(frozen=True, kw_only=True)
class ProjectApisArgs:
    """`services` are names such as compute or compute.googleapis.com."""

    project: pulumi.Input[str]
    services: Sequence[str]

    def check(self) -> None:
        for one in map(_short, self.services):
            if "." in one or not one:
                near = one.split(".")[0] or "compute"
                refuse("services", one, "is not the name of a Google API", near)


class ProjectApis(Component):
    """Hands out the project ID, or an API's own name, once that API is on.

    Resources that take them from here wait for just the API that they need; so do components that
    have this as their `apis`.
    """

    def __init__(
        self, name: str, args: ProjectApisArgs, opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gke-ai:index:ProjectApis", name, args, formerly("apis:ProjectApis", opts))
        self.services = tuple(dict.fromkeys(map(_short, args.services)))
        self._made = {
            service: gcp.projects.Service(
                f"{name}-{service}",
                project=args.project,
                service=service + _DOMAIN,
                disable_on_destroy=False,
                opts=child_of(self),
            )
            for service in self.services
        }
        self.register_outputs({})

    def project_with(self, *services: str) -> pulumi.Output[str]:
        """The project, known once all of these are on."""
        projects = [self._service(it).project for it in services]
        if len(projects) == 1:
            return projects[0]
        return pulumi.Output.all(*projects).apply(lambda it: it[0])

    def full_name(self, service: str) -> pulumi.Output[str]:
        return self._service(service).service

    def _service(self, service: str) -> gcp.projects.Service:
        short = _short(service)
        if short not in self._made:
            raise ArgumentError(
                "services",
                f'"{service}" is none of {", ".join(self.services)}; nearest: '
                f"{nearest_of(short, self.services)}, or {short} among services",
                f"{type(self).__name__} {self.pulumi_resource_name}",
            )
        return self._made[short]


@dataclass(frozen=True, kw_only=True)
class ProjectArgs:
    """`project` is the one whose resources a component makes. Given that project's `apis`, they
    wait for those that they need."""

    project: pulumi.Input[str]
    apis: ProjectApis | None = None

    def project_with(self, *services: str) -> pulumi.Input[str]:
        """The project, known once these are on where they are switched on beside it."""
        return self.project if self.apis is None else self.apis.project_with(*services)


def _short(service: str) -> str:
    return service.removesuffix(_DOMAIN)
