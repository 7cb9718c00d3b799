"""Tests the GPU network of a Ray cluster before a training takes it.

    python3 network_test.py WORKERS GPUS_PER_WORKER MIN_BUS_BANDWIDTH_GBPS

The driver runs on Ray's head as part of the training's job. On each worker a Ray task starts
torchrun, so image, pods, interfaces, environment and `/etc/nccl.conf` are the training's own. All
GPUs run an all-reduce, whose result is compared, and an all-gather, whose bus bandwidth is measured
as nccl-tests measure it (NVIDIA/nccl-tests doc/PERFORMANCE.md). The test fails on a wrong result,
below MIN_BUS_BANDWIDTH_GBPS (GB/s; 0 takes any), and after LIMIT_S. `NCCL_NET` in the environment
leaves NCCL no other network.
"""

import os
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

LIMIT_S = float(os.environ.get("NETWORK_TEST_LIMIT_S", "900"))
PORT = int(os.environ.get("NETWORK_TEST_PORT", "29531"))
# Gloo and less memory are for a machine without GPUs.
BACKEND = os.environ.get("NETWORK_TEST_BACKEND", "nccl")
GATHERED_MIB = int(os.environ.get("NETWORK_TEST_MIB", "8192"))
WARM_UP, ROUNDS = 5, 20
# What torchrun takes to end its processes, and Ray to say what came of it.
GRACE_S = 60
TOO_LATE = 124


def main(workers: int, gpus: int, least_gbps: float) -> int:
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    ray.init(ignore_reinit_error=True, log_to_driver=True)
    nodes = [it for it in ray.nodes() if it["Alive"] and it["Resources"].get("GPU", 0) >= gpus]
    if len(nodes) < workers:
        return failed(f"{len(nodes)} of {workers} workers have {gpus} GPUs")
    nodes = nodes[:workers]
    print(f"network test: {workers} workers of {gpus} GPUs", flush=True)
    source = Path(__file__).read_text(encoding="utf-8")
    run = ray.remote(max_retries=0, num_gpus=gpus)(torchrun)
    started = [
        run.options(
            scheduling_strategy=NodeAffinitySchedulingStrategy(it["NodeID"], soft=False)
        ).remote(source, workers, number, gpus, nodes[0]["NodeManagerAddress"], least_gbps)
        for number, it in enumerate(nodes)
    ]
    try:
        codes = ray.get(started, timeout=LIMIT_S + 2 * GRACE_S)
    except (ray.exceptions.RayError, TimeoutError) as error:
        return failed(f"a worker was lost: {str(error).splitlines()[0]}")
    if TOO_LATE in codes:
        return failed(f"no result in {LIMIT_S:.0f} s")
    bad = [it["NodeManagerAddress"] for it, code in zip(nodes, codes, strict=True) if code]
    if bad:
        return failed(f"torchrun failed on {', '.join(bad)}; its output is above")
    print("network test: passed", flush=True)
    return 0


def failed(why: str) -> int:
    print(f"network test: failed: {why}", flush=True)
    return 1


def torchrun(
    source: str, workers: int, number: int, gpus: int, address: str, least_gbps: float
) -> int:
    """Exit status of this worker's processes."""

    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "network_test.py"
        script.write_text(source, encoding="utf-8")
        command = [
            *(sys.executable, "-m", "torch.distributed.run"),
            *("--nnodes", str(workers), "--node-rank", str(number)),
            *("--nproc-per-node", str(gpus), "--max-restarts", "0"),
            *("--master-addr", address, "--master-port", str(PORT)),
            *(str(script), "collectives", str(least_gbps)),
        ]
        with subprocess.Popen(command) as process:
            try:
                return process.wait(LIMIT_S)
            except subprocess.TimeoutExpired:
                # On SIGTERM torchrun ends its processes; killed, it would leave them on the GPUs.
                process.terminate()
            try:
                process.wait(GRACE_S)
            except subprocess.TimeoutExpired:
                process.kill()
            return TOO_LATE


def collectives(least_gbps: float) -> int:
    """One process of torchrun, with one GPU."""
    rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    if rank == 0:
        # Which network NCCL takes, once.
        os.environ.setdefault("NCCL_DEBUG", "INFO")
        os.environ.setdefault("NCCL_DEBUG_SUBSYS", "INIT,NET,ENV")
    import torch
    from torch import distributed

    cuda = BACKEND == "nccl"
    device = torch.device(f"cuda:{os.environ['LOCAL_RANK']}" if cuda else "cpu")
    if cuda:
        torch.cuda.set_device(device)
    distributed.init_process_group(BACKEND, timeout=timedelta(seconds=LIMIT_S / 2))

    summed = torch.full((1 << 20,), float(rank + 1), device=device)
    distributed.all_reduce(summed)
    wanted = world * (world + 1) / 2
    right = bool((summed == wanted).all())

    mine = torch.full(((GATHERED_MIB << 20) // 4 // world,), float(rank), device=device)
    gathered = torch.empty(mine.numel() * world, device=device)

    def gather(rounds: int) -> float:
        if cuda:
            torch.cuda.synchronize()
        distributed.barrier()
        start = time.perf_counter()
        for _ in range(rounds):
            distributed.all_gather_into_tensor(gathered, mine)
        if cuda:
            torch.cuda.synchronize()
        return (time.perf_counter() - start) / rounds

    gather(WARM_UP)
    seconds = gather(ROUNDS)
    ranks = torch.arange(world, device=device, dtype=torch.float32)
    right = right and bool((gathered.view(world, -1) == ranks[:, None]).all())
    # The slowest and the wrong count for all, so that every process ends alike.
    verdict = torch.tensor([seconds, 0.0 if right else 1.0], device=device)
    distributed.all_reduce(verdict, op=distributed.ReduceOp.MAX)
    seconds, wrong = verdict.tolist()
    distributed.destroy_process_group()
    reached = gathered.numel() * 4 * (world - 1) / world / seconds / 1e9
    slow = reached < least_gbps
    if rank == 0:
        print(
            f"network test: {world} GPUs over {BACKEND}: results are "
            f"{'wrong' if wrong else 'right'}, all-gather of {GATHERED_MIB} MiB at "
            f"{reached:.1f} GB/s bus bandwidth"
            + (f", below the wanted {least_gbps:g} GB/s" if slow else ""),
            flush=True,
        )
    return 1 if wrong or slow else 0


if __name__ == "__main__":
    if sys.argv[1] == "collectives":
        sys.exit(collectives(float(sys.argv[2])))
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])))
