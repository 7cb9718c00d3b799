"""Type tokens of the components, which never change.

A token is in the URN of every child in users' states, so the engine takes a resource under another
token for a new one and deletes the old. A component's token is `gke-ai:index:CLASS`, wherever its
file stands, as in Pulumi's own component packages. A token that a release has had
before is an alias for ever: `tests/unit/component_tokens.yaml` lists all of them.
"""

import re

import pulumi

PACKAGE = "gke-ai"
_FORMER = "gke-ai-stacks"
_COMPONENT = re.compile(rf"\b{_FORMER}:\w+:(\w+)")


def formerly(token: str, options: pulumi.ResourceOptions | None) -> pulumi.ResourceOptions:
    """Options of a component that was `gke-ai-stacks:MODULE:CLASS`, which `token` ends in, and then
    `gke-ai-stacks:index:CLASS`."""
    former = (token, f"index:{token.partition(':')[2]}")
    aliases = [pulumi.Alias(type_=f"{_FORMER}:{it}") for it in former]
    return pulumi.ResourceOptions.merge(options, pulumi.ResourceOptions(aliases=aliases))


def is_component(token: str) -> bool:
    """Whether a type is a component's, of this release or an earlier one."""
    return token.startswith((f"{PACKAGE}:", f"{_FORMER}:"))


def current(text: str) -> str:
    """A type or a URN of any release as this one writes it."""
    return _COMPONENT.sub(rf"{PACKAGE}:index:\1", text)
