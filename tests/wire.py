"""How the engine's protocol marks values, and secrets among them."""

from typing import Any

_MARK = "4dabf18193072939515e22adb298388d"
SECRET = "1b47061264138c4ac30d75fd1eb44270"


def revealed(value: Any) -> Any:
    """Without the wrappers that mark secrets."""
    if isinstance(value, dict):
        if value.get(_MARK) == SECRET:
            return revealed(value["value"])
        return {key: revealed(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [revealed(inner) for inner in value]
    return value
