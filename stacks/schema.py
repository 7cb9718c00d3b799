"""The JSON schema of a stack of parts, and of the file that it stands in. No Pulumi import."""

import re
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema

from stacks.stack import Stack
from stacks.tokens import SECRETS
from stacks.types import ProjectId, Region, Zone

Schema = dict[str, Any]

STACK_FILE = "stack.schema.json"
PULUMI_FILE = "pulumi-stack.schema.json"
# As in Pulumi.yaml.
_PROJECT = "gke-ai-stacks"
_PLACES: dict[str, tuple[Any, str]] = {
    "project": (ProjectId, "Project ID."),
    "region": (Region, "Region of networks, buckets and a regional control plane."),
    "zone": (Zone, "Zone of the nodes."),
}
_SECRETS = {
    "hugging_face_token": "Token for Hugging Face, which pods have as HF_TOKEN.",
    "wandb_api_key": "Key for Weights & Biases, which pods have as WANDB_API_KEY.",
    "model_server_key": "Key that clients bring to model servers with `api_key`.",
}


class _ForEditors(GenerateJsonSchema):
    """Without the titles of fields, which are their names again, and strict about names that users
    choose."""

    def field_title_should_be_set(self, schema: CoreSchema | Any) -> bool:
        return False

    def dict_schema(self, schema: Any) -> JsonSchemaValue:
        found = super().dict_schema(schema)
        return {**found, "additionalProperties": False} if "patternProperties" in found else found


def stack_schema() -> Schema:
    """The schema of the stack's config object, without what is not written into it."""
    found = Stack.model_json_schema(schema_generator=_ForEditors)
    return {"$schema": GenerateJsonSchema.schema_dialect, **_flowing(found)}


def pulumi_schema() -> Schema:
    """The schema of a whole `Pulumi.<stack>.yaml`; Pulumi keeps more in it than stands here."""
    config = {
        **{f"gcp:{name}": _place(*of) for name, of in _PLACES.items()},
        **{f"{_PROJECT}:{name}": _secret(_SECRETS[name]) for name in SECRETS},
        f"{_PROJECT}:stack": {"$ref": STACK_FILE},
    }
    return {
        "$schema": GenerateJsonSchema.schema_dialect,
        "title": "Pulumi.<stack>.yaml",
        "description": "The config of one stack, built from its parts.",
        "type": "object",
        "required": ["config"],
        "properties": {
            "config": {
                "description": "What Pulumi hands to the program.",
                "type": "object",
                "required": ["gcp:region", "gcp:zone", f"{_PROJECT}:stack"],
                "properties": config,
            }
        },
    }


def _place(kind: Any, description: str) -> Schema:
    plain = TypeAdapter(kind).json_schema()
    return {"description": description, "anyOf": [plain, _ENCRYPTED]}


_ENCRYPTED: Schema = {
    "type": "object",
    "required": ["secure"],
    "properties": {
        "secure": {"description": "What `pulumi config set --secret` wrote.", "type": "string"}
    },
    "additionalProperties": False,
}


def _secret(description: str) -> Schema:
    return {"description": description, **_ENCRYPTED}


def _flowing(value: Any) -> Any:
    """Descriptions without the line breaks of the source; paragraphs stay."""
    if isinstance(value, list):
        return [_flowing(it) for it in value]
    if not isinstance(value, dict):
        return value
    return {
        key: _joined(it) if key == "description" and isinstance(it, str) else _flowing(it)
        for key, it in value.items()
    }


def _joined(text: str) -> str:
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text)
