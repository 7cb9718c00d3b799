"""The library's wheel in an environment without the rest of this tree, and a program that has
folders named like ours.

The program registers its resources with mocks: what the engine makes of them, this does not show.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.stacks.wheels import Installed, build

pytestmark = pytest.mark.thorough
_PAGE = (ROOT / "components" / "README.md").read_text(encoding="utf-8")
_BLOCK = re.compile(r"^```python\n(.*?)^```", re.M | re.S)
_OWN = {
    "components/__init__.py": "",
    "components/bucket.py": """\
import pulumi
import pulumi_gke_ai as ai


def bucket(project: pulumi.Input[str]) -> ai.Bucket:
    args = ai.BucketArgs(
        project=project,
        location="us-central1",
        bucket_name="own-data",
        hierarchical_namespace=True,
        soft_delete_days=0,
        labels={},
    )
    return ai.Bucket("own", args)
""",
    "stacks/__init__.py": "NAMESPACE = 'default'\n",
    "config.py": "LABELS: dict[str, str] = {'owner': 'me'}\n",
}
_ON_KUBERNETES = """
from components.bucket import bucket
from config import LABELS
from stacks import NAMESPACE

bucket(PROJECT)
inside = pulumi.ResourceOptions(provider=cluster.kubernetes)
ai.ResourceClaimTemplate(
    "claims",
    ai.ResourceClaimTemplateArgs(
        template_name="claims",
        namespace=NAMESPACE,
        count=8,
        labels=LABELS,
    ),
    inside,
)
ai.TokenSecret(
    "tokens",
    ai.TokenSecretArgs(
        secret_name="tokens", namespace=NAMESPACE, tokens={"TOKEN": "secret"}, labels=LABELS
    ),
    inside,
)
ai.KubeRayOperator(
    "operator",
    ai.KubeRayOperatorArgs(
        chart=ai.HelmChartArgs(
            chart="kuberay-operator", version="1.6.2", repository="https://example.com"
        ),
        labels=LABELS,
    ),
    inside,
)
"""
# As Pulumi's host for Python does it: the program's folder comes first.
_RUN = """
import json, runpy, sys
from pathlib import Path
import pulumi
from pulumi.runtime import mocks

made = []
CLUSTER = {
    "masterAuth": {"clusterCaCertificate": "Y2E="},
    "controlPlaneEndpointsConfig": {"dnsEndpointConfig": {"endpoint": "gke-1.example.com"}},
}

class Answers(mocks.Mocks):
    def new_resource(self, args):
        made.append(args.typ)
        more = CLUSTER if args.typ.endswith(":Cluster") else {}
        return f"{args.name}-id", {**args.inputs, **more}

    def call(self, args):
        return {}

@pulumi.runtime.test
def program():
    runpy.run_path("__main__.py", run_name="__main__")

pulumi.runtime.set_mocks(Answers(), project="own", stack="dev")
sys.path[0] = str(Path.cwd())
program()
import pulumi_gke_ai
for name in pulumi_gke_ai.__all__:
    getattr(pulumi_gke_ai, name)
ours = ("catalog", "components", "config", "stacks", "pulumi_gke_ai")
loaded = {name: sys.modules[name].__file__ for name in ours if name in sys.modules}
print(json.dumps({"made": made, "loaded": loaded}))
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT / "components", tmp_path_factory.mktemp("library"))


def lowest() -> Path:
    (found,) = (ROOT / ".venv-lowest").glob("lib/python*/site-packages")
    return found


@pytest.fixture(params=["lowest", "pinned"])
def own(library: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Installed:
    """A program of one's own, with the lowest versions that are promised or those of this tree."""
    lent = lowest() if request.param == "lowest" else Path(sysconfig.get_path("purelib"))
    made = Installed.of(tmp_path, library, lent=lent)
    (block,) = _BLOCK.findall(_PAGE)
    made.write({**_OWN, "__main__.py": block + _ON_KUBERNETES})
    return made


def test_a_program_with_folders_named_like_ours_uses_the_library(own: Installed) -> None:
    (own.folder.parent / "run.py").write_text(_RUN, encoding="utf-8")
    said = json.loads(own.succeed("python", str(own.folder.parent / "run.py")))
    components = {it.rpartition(":")[2] for it in said["made"] if it.startswith("gke-ai:index:")}
    assert components == {
        "Bucket",
        "ClusterNetwork",
        "GkeCluster",
        "KubeRayOperator",
        "NodePool",
        "NodeServiceAccount",
        "ProjectApis",
        "ResourceClaimTemplate",
        "TokenSecret",
    }
    assert "kubernetes:resource.k8s.io/v1:ResourceClaimTemplate" in said["made"]
    mine = {it: str(own.folder / it / "__init__.py") for it in ("components", "stacks")}
    mine["config"] = str(own.folder / "config.py")
    library = said["loaded"].pop("pulumi_gke_ai")
    assert said["loaded"] == mine
    assert Path(library).is_relative_to(own.environment)


def test_a_type_checker_finds_nothing_wrong_with_it_and_a_wrong_name(own: Installed) -> None:
    own.write({"pyrightconfig.json": json.dumps({"typeCheckingMode": "strict"})})
    done = check(own)
    assert done.returncode == 0, done.stdout
    with (own.folder / "__main__.py").open("a", encoding="utf-8") as program:
        program.write("ai.Bucket('other', ai.BucketArgs(bucket_nam='other'))\nai.Bukcet\n")
    found = check(own).stdout
    assert 'No parameter named "bucket_nam"' in found
    assert '"Bukcet" is not a known attribute of module' in found


def check(own: Installed) -> subprocess.CompletedProcess[str]:
    words = (str(Path(sys.executable).with_name("basedpyright")), "--level", "error")
    where = ("--pythonpath", str(own.python), "--project", str(own.folder))
    return subprocess.run([*words, *where], capture_output=True, text=True, check=False)
