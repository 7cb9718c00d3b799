"""The dashboard, as registered."""

import json

from components.monitoring_dashboard import MonitoringDashboard, MonitoringDashboardArgs
from tests.conftest import Register


def titles(register: Register, lustre: str | None) -> list[str]:
    args = MonitoringDashboardArgs(
        project="p",
        title="demo",
        cluster_name="demo",
        zone="us-east1-b",
        lustre_instance=lustre,
        labels={"stack": "test"},
    )
    made = register(lambda: MonitoringDashboard("monitoring", args)).one(":Dashboard")
    value = json.loads(made.inputs["dashboardJson"])
    return [tile["widget"]["title"] for tile in value["mosaicLayout"]["tiles"]]


def test_it_shows_lustre_and_gpus(register: Register) -> None:
    assert titles(register, "fs") == [
        *("Lustre throughput", "Lustre capacity"),
        *("GPU duty cycle", "GPU memory in use (DCGM)"),
    ]


def test_without_lustre_it_shows_gpus_alone(register: Register) -> None:
    assert titles(register, None) == ["GPU duty cycle", "GPU memory in use (DCGM)"]
