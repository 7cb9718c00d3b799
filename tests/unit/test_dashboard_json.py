"""The dashboard's layout; whether the metrics exist only Google's Monitoring can tell."""

import json

from components.monitoring.dashboard import dashboard, gpu_charts, lustre_charts, tpu_charts


def tiles(value: dict) -> list[dict]:
    return value["mosaicLayout"]["tiles"]


def test_tiles_stand_two_in_a_row_without_overlap() -> None:
    made = dashboard("t", (*lustre_charts("fs", "us-east1-b"), *gpu_charts("c")), {"a": "b"})
    places = [(tile.get("xPos", 0), tile.get("yPos", 0)) for tile in tiles(made)]
    assert places == [(0, 0), (24, 0), (0, 16), (24, 16)]
    assert made["labels"] == {"a": "b"}


def test_lustre_charts_look_at_one_instance() -> None:
    filters = [
        one["timeSeriesQuery"]["timeSeriesFilter"]["filter"]
        for tile in tiles(dashboard("t", lustre_charts("fs", "us-east1-b"), {}))
        for one in tile["widget"]["xyChart"]["dataSets"]
    ]
    assert len(filters) == 4
    for text in filters:
        assert 'resource.type="lustre.googleapis.com/Instance"' in text
        assert 'resource.label.instance_id="fs"' in text
        assert 'resource.label.location="us-east1-b"' in text


def test_gpu_charts_show_the_duty_cycle_of_one_cluster() -> None:
    text = json.dumps(dashboard("t", gpu_charts("demo"), {}))
    assert "kubernetes.io/container/accelerator/duty_cycle" in text
    assert "DCGM_FI_DEV_FB_USED" in text
    assert text.count('\\"demo\\"') == 2


def test_tpus_are_shown_by_the_metrics_that_gke_has_of_them() -> None:
    titles = [chart.title for chart in tpu_charts("cluster")]
    assert titles[:2] == ["TPU duty cycle", "TPU memory in use"]
    metrics = [chart.series[0].metric for chart in tpu_charts("cluster")]
    assert metrics == [
        "kubernetes.io/container/accelerator/duty_cycle",
        "kubernetes.io/container/accelerator/memory_used",
        "kubernetes.io/container/multislice/network/dcn_transfer_latencies",
        "kubernetes.io/container/multislice/network/collective_end_to_end_latencies",
        "kubernetes.io/node_pool/multi_host/available",
        "kubernetes.io/node_pool/interruption_count",
    ]
