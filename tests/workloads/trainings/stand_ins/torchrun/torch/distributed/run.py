"""In place of torchrun: writes how it was called, and ends or waits as a file of the test says."""

import json
import os
import signal
import sys
import time
from pathlib import Path

words = sys.argv[1:]
folder = Path(os.environ["CALLS"])
options = {words[place]: words[place + 1] for place in range(0, 12, 2)}
number = options["--node-rank"]
call = {
    "options": options,
    "script": Path(words[12]).read_text(encoding="utf-8"),
    "arguments": words[13:],
    "gpus": os.environ.get("CUDA_VISIBLE_DEVICES", ""),
    "network": os.environ.get("NCCL_NET", ""),
}


def stopped(*_: object) -> None:
    (folder / f"stopped-{number}").touch()
    sys.exit(0)


signal.signal(signal.SIGTERM, stopped)
(folder / f"call-{number}").write_text(json.dumps(call), encoding="utf-8")
plan = json.loads((folder / "plan").read_text(encoding="utf-8"))
if plan.get(number) == "wait":
    time.sleep(600)
sys.exit(plan.get(number, 0))
