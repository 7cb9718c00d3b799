"""The update plan of a stack that does not exist yet, as a stand-in for the engine registers it."""

from __future__ import annotations

from typing import Any

from tests.conftest import Recording


def goals_of(made: Recording) -> dict[str, Any]:
    """By URN, as `pulumi preview --save-plan` writes it."""
    return {
        it.urn: {
            "goal": {
                "parent": it.parent,
                "provider": it.provider,
                "dependencies": sorted(it.dependencies),
                "propertyDependencies": {
                    key: sorted(urns) for key, urns in it.property_dependencies.items()
                },
            },
            "steps": ["create"],
        }
        for it in made.resources
    }


def inputs_of(made: Recording) -> dict[str, Any]:
    return {it.urn: it.inputs for it in made.resources}
