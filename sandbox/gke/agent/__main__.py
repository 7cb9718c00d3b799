"""python -m sandbox.gke.agent: started for each control plane; SIGTERM ends it at once."""

from __future__ import annotations

import argparse
from pathlib import Path

from sandbox.gke.agent.agent import Agent, Options


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m sandbox.gke.agent", description=__doc__)
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--cloud", type=Path, required=True, help="the simulated cloud's file")
    parser.add_argument("--cluster", required=True, help="id or name of the cluster in it")
    parser.add_argument("--webhook-port", type=int, required=True)
    parser.add_argument("--health-port", type=int, required=True)
    parser.add_argument("--dashboard-port", type=int, required=True)
    parser.add_argument(
        "--certificates", type=Path, required=True, help="folder of agent.crt, agent.key, ca.crt"
    )
    Agent(Options(**vars(parser.parse_args()))).run()


if __name__ == "__main__":
    main()
