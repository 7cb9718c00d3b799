"""What `destroy` does with a private service access peering. Pure."""

from enum import StrEnum


class PeeringRemoval(StrEnum):
    """The provider's deletion policies for the connection (pulumi-gcp 10.2, its own description).

    Producers hold on to a peering for a while after their last instance is gone, and Google
    refuses to delete the connection until then. REMOVE deletes the connection, and where Google
    refuses takes the peering off the VPC, so that the VPC can go: the only one with which `destroy`
    always ends. DELETE fails while a producer holds on. ABANDON leaves the peering in place, and
    the VPC cannot go while it is there: for a VPC that others use too.
    """

    REMOVE = "remove"
    DELETE = "delete"
    ABANDON = "abandon"

    @property
    def provider_value(self) -> str:
        return "REMOVE_PEERING" if self is PeeringRemoval.REMOVE else self.value.upper()
