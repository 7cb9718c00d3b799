"""What `destroy` does with a private service access peering. Pure."""

from enum import StrEnum


class PeeringRemoval(StrEnum):
    """DELETE asks Google to take the peering down, which works once no managed service uses it.

    Some services hold on for hours after their last instance is gone (seen with Cloud SQL and
    NetApp), and Google refuses until then. ABANDON is the way for `destroy` to get past that: the
    peering itself stays behind. The provider's third way, REMOVE_PEERING (magic-modules #18476,
    July 2026), is younger than 9.9.
    """

    DELETE = "delete"
    ABANDON = "abandon"

    @property
    def provider_value(self) -> str | None:
        """Provider 9.9 knows one word, ABANDON; to it, none means to delete."""
        return "ABANDON" if self is PeeringRemoval.ABANDON else None
