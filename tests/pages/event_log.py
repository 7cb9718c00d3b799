"""`python -m tests.pages.event_log VERB --stack NAME FILE`: a verb on the sandbox that leaves the
engine's own event log in FILE, as `pulumi up --event-log FILE` does."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pulumi.automation import EngineEvent

from cli.app import run_app
from sandbox.__main__ import app


def main(words: Sequence[str], log: Path) -> int:
    seen: list[dict[str, Any]] = []
    read = EngineEvent.from_json

    def kept(data: dict[str, Any]) -> EngineEvent:
        seen.append(data)
        return read(data)

    with patch.object(EngineEvent, "from_json", kept), patch.object(sys, "argv", list(words)):
        code = run_app(app)
    log.write_text("".join(json.dumps(it) + "\n" for it in seen))
    return code


if __name__ == "__main__":
    *_words, _log = sys.argv
    sys.exit(main([*_words, "--speed", "inf", "--kube", "memory"], Path(_log)))
