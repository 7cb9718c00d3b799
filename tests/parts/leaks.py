"""Where a secret stands in plain, as it is or as Kubernetes encodes it."""

from __future__ import annotations

import base64
from pathlib import Path


def files_with(secret: str, folder: Path) -> list[Path]:
    """Those in or below the folder that anybody who reads them knows the secret from."""
    plain = secret.encode()
    forms = (plain, base64.b64encode(plain))
    files = [it for it in folder.rglob("*") if it.is_file()]
    return [it for it in files if any(form in it.read_bytes() for form in forms)]
