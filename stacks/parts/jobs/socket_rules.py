"""The interface that the processes of a job talk over."""

from collections.abc import Iterator, Sequence

from stacks.problems import Problem


def socket_problems(interface: str, devices: Sequence[str]) -> Iterator[Problem]:
    """What the processes of a job talk over is an interface of the workers."""
    if interface not in devices:
        yield Problem(
            "job.socket_interface",
            f"{interface} is not an interface of the workers ({', '.join(devices)}); "
            f"nearest: {devices[0]}",
        )
