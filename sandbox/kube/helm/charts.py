"""The charts that the sandbox can install; a chart is added by adding it here."""

from collections.abc import Mapping

from sandbox.kube.helm.chart import Chart
from sandbox.kube.helm.gpu_claims_chart import GpuClaimsChart
from sandbox.kube.helm.jobset_chart import JobSetChart
from sandbox.kube.helm.kuberay_chart import KubeRayChart
from sandbox.kube.helm.kueue_chart import KueueChart

CHARTS: Mapping[str, Chart] = {
    chart.name: chart for chart in (KueueChart(), KubeRayChart(), JobSetChart(), GpuClaimsChart())
}
