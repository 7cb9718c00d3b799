"""docs/hardened.md: what `hardened` closes, and what stacks do of the CIS benchmark for GKE.

`make inventory` writes the page from catalog/data/cis_gke.yaml; `--check` says instead
whether the one that is there is the same.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from catalog.cis_gke import CisGkeTable, Recommendation, State
from catalog.customer_keys import customer_keys
from catalog.table import load_table
from tools.written_page import table_row, write_or_check

PAGE = Path(__file__).resolve().parent.parent / "docs" / "hardened.md"
_SHOWN = {
    State.MET: "met",
    State.HARDENED: "`hardened`",
    State.KEY: "by key",
    State.GKE: "GKE's",
    State.NOT: "not",
}
_INTRODUCTION = """# A hardened stack

`hardened: true` closes what costs money or effort to have closed, as the table says. Every stack
has what the rows below call met; a row that is `not` says why.

| key | with `hardened: true` | on a running stack |
| --- | --- | --- |
| `cluster.binary_authorization` | true | in place |
| `cluster.intranode_visibility` | true; Autopilot always has it | in place |
| `network.flow_logs` | true; a network that exists already is its owner's | in place |
| `cmek` | required | Secrets and buckets in place, all else made anew; on Autopilot refused |
| `namespace` | required, any but `default` | all that runs in it made anew |
| `cluster.endpoint` | `dns`, unless `cluster.authorized_networks` stands there | in place |

Objects that are in a bucket keep the key that they were written with. On Autopilot nodes have the
cluster's key, which is there from its creation: one that comes, changes or goes is refused before
anything is changed.

A key that stands in the config wins over `hardened`: whoever sets one to false has a reason, and a
review shows the line. A cluster that exists already, or another stack's, is closed by its owner,
so `hardened` is refused there.

## The key

`cmek` names a key that exists, in the region of the stack. Google's services use it, not the
stack's caller. `make kms-grants STACK=NAME PROJECT=PROJECT` prints the commands that let
them, and whoever administers the key runs them before `up`: the first ones turn on the APIs and
make the services' identities, which a new project lacks, and the last ones give these the key.
The output `kms_grants` has the same commands; a preview shortens long lines. The key's project
may be another one. Without the grants `up` fails where the key is first used. So does the sandbox,
in the service's words where somebody has published them: under `keys` its
[project](sandbox.md#the-simulated-project) has the keys, and the services that were given each. A
key that is disabled or destroyed takes with it all that it encrypts.

What the key encrypts, and whose identity uses it there:

"""
_AFTER_KEYS = """
An instance of Lustre or Redis has its key from its creation, and another one replaces it, with
all that it holds: `up` is refused until `acknowledge` agrees to that, or until `lustre.cmek: false`
or `redis.cmek: false` leaves it with the key that it has. So a stack of an earlier release, with
`cmek` and with an instance that has Google's key, keeps its data. Mirrors are made anew unasked,
and pull their images again.

By a copy of the Managed Lustre documentation, "Customer-managed encryption keys for Managed
Lustre", read 2026-11-27, an instance with such a key is for Compute Engine and not for GKE.
Google's own daily test mounts one on GKE (GoogleCloudPlatform/cluster-toolkit
tools/cloud-build/daily-tests/tests/gke-managed-lustre.yml, 38a3c02b of 2026-06-11), by a volume
that names the instance, as stacks do. A preview says so. Where it does not mount,
`lustre.cmek: false` does.

While `up` gives Secrets another key, or none, GKE writes all of them anew: the key before stays
enabled until that has ended (GKE documentation, "Troubleshoot application-layer secrets
encryption", read 2026-11-27).

Persistent disks that teams claim (`teams.NAME.storage_gib`) have Google's keys: a StorageClass
names another, which is the cluster administrator's to make.

## Where the control plane answers

| `cluster.endpoint` | who reaches it | who runs `pulumi up` |
| --- | --- | --- |
| `public` | the Internet, or `cluster.authorized_networks` | anywhere in these |
| `private` | nodes, pods, and `cluster.authorized_networks` | in the VPC network |
| `dns` | everybody who has container.clusters.connect; addresses are off | anywhere |

The VPC network is reached by a machine in it, Cloud VPN or an interconnect; ranges are of it.
The [workflows](pull-requests.md#the-real-stacks) reach `dns` from GitHub's runners, whose addresses
change; ranges and `private` take a runner of your own.
IAM checks every call by name before the control plane hears of it, and VPC Service Controls can
narrow it. `roles/container.viewer` and `roles/container.admin` have the permission; members of
teams get `roles/container.clusterViewer`, which may not, and then need a role of the project's own.
Tokens of Kubernetes' service accounts and client certificates do not work by name.

A change is made in place, and nothing in the cluster is replaced: the Kubernetes provider knows the
cluster by its name at Google Cloud, whatever its address. A stack of before that knew it by its
address alone is asked for one `pulumi up` first. A preview of a change cannot ask the new endpoint
yet, so Pulumi warns that the cluster is unreachable; `up` changes the cluster first.

## Namespaces and tokens

Namespaces that a stack makes enforce the Pod Security level `baseline`: no pod of theirs mounts
folders of its node, is privileged, or shares the node's network. In a stack with RDMA they enforce
`privileged`, for pods that speak it mount two folders of their node. `restricted` is for none: it
wants images that run as another user than root. No pod has a token for the API server but a Ray
head whose autoscaler uses it.
"""
_EARLIER = """## Stacks of an earlier release

`up` changes in place who may be bound to roles (4.1.8 to 4.1.10), and whom the control plane
answers without a name; bindings that are there already stay. The kubelet's read-only port (3.2.4)
stays as it is on nodes that run: it is their pool's, or the Autopilot cluster's. What closes it:

- `gcloud container node-pools update POOL --cluster CLUSTER --location LOCATION
  --no-enable-insecure-kubelet-readonly-port`, which changes the kubelet of each node of the pool;
- `gcloud container clusters update CLUSTER --location LOCATION
  --no-autoprovisioning-enable-insecure-kubelet-readonly-port` for Autopilot.

Either may make nodes anew, one after another, under work that runs. A pool that is made anew, as by
`cmek`, has what the cluster gives to new pools, which `up` closes where Google says that it is
open.
"""


def _key_lines() -> Iterator[str]:
    """Of each service that uses keys: what it encrypts, by whose identity, and who says so."""
    yield table_row("what", "identity, after `service-NUMBER@`", "source")
    yield table_row(*["---"] * 3)
    for one in customer_keys().services.values():
        yield table_row(one.encrypts, f"`{one.account}.iam.gserviceaccount.com`", one.source)


def page() -> str:
    table = load_table(CisGkeTable, "cis_gke")
    rows = table.rows
    counts = Counter(it.state for it in rows.values())
    counted = ", ".join(f"{counts[it]} {_SHOWN[it]}" for it in State)
    return "\n".join(
        [
            _INTRODUCTION.rstrip("\n"),
            "",
            *_key_lines(),
            _AFTER_KEYS,
            "## The CIS benchmark for GKE",
            "",
            f"Version {table.version}, whose part 1, of the control plane, recommends nothing.",
            f"Newer versions, whose rows are not looked at: {', '.join(table.newer)}. Of",
            f"{len(rows)} recommendations: {counted}. What is GKE's no input sets.",
            "`make inventory` writes this page from",
            "[cis_gke.yaml](../catalog/data/cis_gke.yaml), which has the source of the numbers.",
            "The rows are held against what stacks and their operators send. No scanner of a",
            "running cluster was asked.",
            "",
            table_row("row", "what", "state", "key", "how, or why not"),
            table_row(*["---"] * 5),
            *(_row(number, it) for number, it in rows.items()),
            "",
            _EARLIER,
        ]
    )


def _row(number: str, it: Recommendation) -> str:
    keys = ", ".join(f"`{key}`" for key in it.by.split(", ") if key)
    return table_row(number, it.what, _SHOWN[it.state], keys, it.why)


def main(arguments: Sequence[str]) -> int:
    remedy = "docs/hardened.md is not what the table says; nearest: make inventory"
    return write_or_check(PAGE, page(), arguments, remedy)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
