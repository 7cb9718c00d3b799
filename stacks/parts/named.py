"""A part under the name that its config is listed by. No Pulumi import."""

from typing import Any, TypeVar

from pydantic import BaseModel

_Model = TypeVar("_Model", bound=BaseModel)


def named(model: type[_Model], options: BaseModel, name: str, **others: Any) -> _Model:
    """The part as rules and launchers take it that know no other parts: its options with its name
    among them, and `others` in place of what the options say."""
    own = {key: getattr(options, key) for key in model.model_fields.keys() - {"name", *others}}
    return model.model_construct(**own, **others, name=name)
