"""Runs programs under Pulumi's mocks and prints what they register, and what modules they have.

It knows nothing of the tree: a program that imports `pulumi_gke_ai` must not have its folders.
"""

from __future__ import annotations

import asyncio
import json
import runpy
import sys
from pathlib import Path
from typing import Any, cast

import pulumi
import yaml
from google.protobuf.json_format import MessageToDict
from pulumi.runtime import mocks, set_all_config, set_mocks
from pulumi.runtime.settings import set_root_resource

Inputs = dict[str, Any]


class Monitor(mocks.MockMonitor):
    def __init__(self, answers: mocks.Mocks) -> None:
        super().__init__(answers)
        self.registered: list[Inputs] = []

    def RegisterResource(self, request: Any) -> Any:
        self.registered.append(
            {
                "type": request.type,
                "name": request.name,
                "parent": request.parent,
                "custom": bool(request.custom),
                "provider": request.provider,
                "inputs": MessageToDict(request.object),
            }
        )
        return super().RegisterResource(request)


class Answers(mocks.Mocks):
    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, Inputs]:
        given: Inputs = dict(args.inputs)
        match args.typ:
            case "gcp:serviceaccount/account:Account":
                given["email"] = f"{given['accountId']}@{given['project']}.iam.gserviceaccount.com"
            case "gcp:container/cluster:Cluster":
                given |= {"endpoint": "203.0.113.7", "masterAuth": {"clusterCaCertificate": "Y2E="}}
                given["controlPlaneEndpointsConfig"] = {"dnsEndpointConfig": {"endpoint": "a.goog"}}
            case "gcp:lustre/instance:Instance":
                given["mountPoint"] = f"10.12.0.2@tcp:/{given['filesystem']}"
            case _:
                pass
        return f"{args.name}-id", given

    def call(self, args: mocks.MockCallArgs) -> Any:
        assert args.token == "gcp:organizations/getProject:getProject", args.token
        return {**args.args, "number": "123456789012"}


def registered(program: Path) -> list[Inputs]:
    asyncio.set_event_loop(asyncio.new_event_loop())
    # The root of an earlier program is not this one's.
    set_root_resource(cast("Any", None))
    answers = Answers()
    monitor = Monitor(answers)
    set_mocks(answers, project=program.name, stack="dev", preview=True, monitor=monitor)
    config = yaml.safe_load((program / "Pulumi.dev.yaml").read_text(encoding="utf-8"))["config"]
    set_all_config(config)

    @pulumi.runtime.test
    def under_test() -> None:
        runpy.run_path(str(program / "__main__.py"), run_name="__main__")

    under_test()
    return monitor.registered


if __name__ == "__main__":
    found = {it: registered(Path(it)) for it in sys.argv[1:]}
    json.dump({"programs": found, "modules": sorted(sys.modules)}, sys.stdout)
