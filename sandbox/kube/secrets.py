"""Secret values leave the process only as keyed digests: nothing on disk holds them."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

from kube.objects import JsonObject, dig

DIGESTS = "sandboxSecretDigests"
# The keys that came as stringData, which server-side apply never takes away again
# (kubernetes/kubernetes#108008, 2022-02-08).
_KEPT = "sandboxSecretKept"
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def seal(secret: Mapping[str, Any], salt: str) -> JsonObject:
    """A copy of a Secret with `data` and `stringData` replaced by one digest a key."""
    sealed = {k: v for k, v in secret.items() if k not in ("data", "stringData")}
    # kubectl's annotation repeats the whole manifest, values included.
    annotations = dig(secret, "metadata", "annotations")
    if annotations and _LAST_APPLIED in annotations:
        kept = {key: value for key, value in annotations.items() if key != _LAST_APPLIED}
        sealed["metadata"] = {**secret["metadata"], "annotations": kept}
    sealed[DIGESTS] = digests(secret.get("data"), secret.get("stringData"), salt)
    if plain := secret.get("stringData"):
        sealed[_KEPT] = sorted(plain)
    return sealed


def keep(live: Mapping[str, Any], sealed: JsonObject) -> None:
    """Leave in the Secret that takes the place of `live` what applying it does not take away."""
    if kept := live.get(_KEPT):
        old, new = live[DIGESTS], sealed[DIGESTS]
        sealed[DIGESTS] = {key: old[key] for key in kept if key not in new} | new
        sealed[_KEPT] = sorted({*kept, *sealed.get(_KEPT, ())})


def digests(
    data: Mapping[str, str | None] | None, string_data: Mapping[str, str | None] | None, salt: str
) -> dict[str, str]:
    values = {key: base64.b64decode(text or "") for key, text in (data or {}).items()}
    values |= {key: (text or "").encode() for key, text in (string_data or {}).items()}
    return {key: _digest(salt, key, values[key]) for key in sorted(values)}


def bad_base64(data: object) -> list[str]:
    """Keys of `data` whose value is not base64."""
    if not isinstance(data, Mapping):
        return []
    return [str(key) for key, text in data.items() if not _is_base64(text)]


def _is_base64(text: object) -> bool:
    if not isinstance(text, str):
        return True
    try:
        base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return False
    return True


def _digest(salt: str, key: str, value: bytes) -> str:
    message = key.encode() + b"\0" + value
    return hmac.new(bytes.fromhex(salt), message, hashlib.sha256).hexdigest()
