"""What a URN says: `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME`."""


def token_of(urn: str) -> str:
    """The resource's own type, without its parents'."""
    return urn.split("::")[2].rpartition("$")[2]


def name_of(urn: str) -> str:
    """The resource's logical name."""
    return urn.rpartition("::")[2]
