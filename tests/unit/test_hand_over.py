"""What a cluster is given of a job, and what is left where that goes wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from aistack.cancel import cancel
from aistack.cluster import Cluster
from aistack.errors import LostError, VerbError
from aistack.exit_codes import ExitCode
from aistack.find import Found, find_job
from aistack.submit.hand_over import hand_over
from aistack.submit.head_files import HeadFiles
from aistack.submit.parcel import MARK, Parcel
from kube.jobs import State
from kube.kinds import CONFIG_MAP, JOB, JOB_SET, RAY_JOB, Kind
from kube.objects import JsonObject, name_of

NAMESPACE = "default"


class Answering(Cluster):
    """Has objects in one namespace. `breaks` is raised by the creation of a kind, which is made
    first if `takes`."""

    def __init__(self, *there: JsonObject) -> None:
        self.objects = {(it["kind"], name_of(it)): it for it in there}
        self.applied: list[tuple[str, Mapping[str, str]]] = []
        self.breaks: dict[str, BaseException] = {}
        self.takes = False

    def get(self, kind: Kind, namespace: str, name: str) -> JsonObject | None:
        return self.objects.get((kind.name, name))

    def pages(
        self,
        kind: Kind,
        namespace: str = "",
        *,
        labels: str = "",
        fields: str = "",
        accept: str = "",
    ) -> Iterator[JsonObject]:
        yield from (it for (name, _), it in self.objects.items() if name == kind.name)

    def create(
        self, kind: Kind, namespace: str, obj: Mapping[str, Any], *, dry_run: bool = False
    ) -> JsonObject:
        made = deepcopy(dict(obj))
        made["metadata"]["uid"] = "1"
        error = None if dry_run else self.breaks.get(kind.name)
        if not dry_run and (error is None or self.takes):
            self.objects[kind.name, name_of(made)] = made
        if error is not None:
            raise error
        return made

    def apply(
        self,
        kind: Kind,
        namespace: str,
        obj: Mapping[str, Any],
        *,
        manager: str,
        dry_run: bool = False,
    ) -> None:
        if not dry_run:
            self.applied.append((manager, obj["data"]))

    def patch(self, kind: Kind, namespace: str, name: str, change: Mapping[str, Any]) -> None:
        self.objects[kind.name, name]["metadata"] |= change["metadata"]

    def delete(self, kind: Kind, namespace: str, name: str) -> bool:
        return self.objects.pop((kind.name, name), None) is not None


def marked(kind: Kind, name: str, mark: str = "ours", **more: Any) -> JsonObject:
    metadata = {"name": name, "namespace": NAMESPACE, "annotations": {MARK: mark}}
    return {"apiVersion": kind.api_version, "kind": kind.name, "metadata": metadata, **more}


def parcel() -> Parcel:
    beside = (Found(CONFIG_MAP, marked(CONFIG_MAP, "files", data={"a.py": "1"})),)
    return Parcel(Found(JOB_SET, marked(JOB_SET, "mine", spec={})), beside)


def never(what: str) -> None:
    raise AssertionError(what)


def test_what_goes_with_a_job_is_its_own() -> None:
    cluster = Answering()
    hand_over(cluster, parcel(), never)
    (owner,) = cluster.objects["ConfigMap", "files"]["metadata"]["ownerReferences"]
    assert (owner["kind"], owner["name"], owner["uid"]) == ("JobSet", "mine", "1")


@pytest.mark.parametrize("error", [VerbError("no"), LostError("gone"), KeyboardInterrupt()])
def test_what_was_not_made_leaves_nothing(error: BaseException) -> None:
    cluster = Answering()
    cluster.breaks["JobSet"] = error
    with pytest.raises(type(error)):
        hand_over(cluster, parcel(), never)
    assert cluster.objects == {}


def test_a_job_that_was_made_though_the_answer_was_lost_goes_on() -> None:
    cluster = Answering()
    cluster.breaks["JobSet"], cluster.takes = LostError("gone"), True
    assert name_of(hand_over(cluster, parcel(), never)) == "mine"
    assert set(cluster.objects) == {("ConfigMap", "files"), ("JobSet", "mine")}


def test_ctrl_c_takes_a_job_back_that_was_made_already() -> None:
    cluster = Answering()
    cluster.breaks["JobSet"], cluster.takes = KeyboardInterrupt(), True
    with pytest.raises(KeyboardInterrupt):
        hand_over(cluster, parcel(), never)
    assert cluster.objects == {}


def test_what_somebody_else_made_under_the_name_stays() -> None:
    theirs = marked(JOB_SET, "mine", "theirs")

    class Late(Answering):
        """Where somebody is faster by a moment."""

        def create(
            self, kind: Kind, namespace: str, obj: Mapping[str, Any], *, dry_run: bool = False
        ) -> JsonObject:
            if kind != JOB_SET or dry_run:
                return super().create(kind, namespace, obj, dry_run=dry_run)
            self.objects["JobSet", "mine"] = theirs
            raise VerbError("already exists")

    cluster = Late()
    with pytest.raises(VerbError, match="already exists"):
        hand_over(cluster, parcel(), never)
    assert cluster.objects == {("JobSet", "mine"): theirs}


@pytest.mark.parametrize("kind", [JOB, JOB_SET, RAY_JOB])
def test_a_name_that_a_job_has_is_refused(kind: Kind) -> None:
    theirs = marked(kind, "mine", "theirs")
    cluster = Answering(theirs)
    told = f"--name: there is a {kind.name} default/mine already; nearest: mine-2"
    with pytest.raises(VerbError, match=told):
        hand_over(cluster, parcel(), never)
    assert cluster.objects == {(kind.name, "mine"): theirs}


def ray_job(name: str, status: str, job_status: str = "") -> JsonObject:
    made = marked(RAY_JOB, name)
    made["metadata"] |= {"uid": name, "creationTimestamp": "2026-11-23T12:00:00Z"}
    made["spec"] = {
        "entrypoint": f"bash /launcher/{name}.sh",
        "clusterSelector": {"ray.io/cluster": "lab"},
    }
    return {**made, "status": {"jobDeploymentStatus": status, "jobStatus": job_status}}


def managed(manager: str, minutes: int) -> JsonObject:
    since = datetime.now(UTC) - timedelta(minutes=minutes)
    return {"manager": manager, "time": since.isoformat()}


def test_each_job_brings_its_own_files_and_takes_away_those_of_jobs_that_have_ended() -> None:
    there = marked(
        CONFIG_MAP, "lab-launcher", data={"mine.sh": "cp own.py", "own.py": "", "other.py": ""}
    )
    there["metadata"]["managedFields"] = [
        managed("pulumi-kubernetes", 99),
        managed("aistack-old", 99),
        managed("aistack-gone", 99),
        managed("aistack-now", 99),
        managed("aistack-young", 1),
    ]
    cluster = Answering(there, ray_job("old", "Complete"), ray_job("now", "Running"))
    found = HeadFiles.of(cluster, Parcel(Found(RAY_JOB, ray_job("mine", "")), (), {"new.py": "1"}))
    assert found is not None
    found.tidy()
    found.bring()
    mine = {"mine.sh": "cp own.py", "own.py": "", "new.py": "1"}
    assert cluster.applied == [("aistack-old", {}), ("aistack-gone", {}), ("aistack-mine", mine)]


def test_a_job_that_is_cancelled_takes_its_files_from_the_head() -> None:
    there = marked(CONFIG_MAP, "lab-launcher", data={"old.sh": "", "now.sh": ""})
    there["metadata"]["managedFields"] = [managed("aistack-old", 1), managed("aistack-now", 1)]
    old, of_the_stack = ray_job("old", "Running"), ray_job("own", "Running")
    cluster = Answering(there, old, of_the_stack)
    cancel(cluster, Found(RAY_JOB, of_the_stack))
    assert cluster.applied == []
    cancel(cluster, Found(RAY_JOB, old))
    assert cluster.applied == [("aistack-old", {})]
    assert set(cluster.objects) == {("ConfigMap", "lab-launcher")}


def test_a_ray_job_that_was_stopped_by_hand_has_not_succeeded() -> None:
    """ray-project/kuberay v1.4.2 ray-operator/controllers/ray/rayjob_controller.go, 299: all ends
    but a failure are complete."""
    assert Found(RAY_JOB, ray_job("a", "Complete", "STOPPED")).job.state is State.FAILED
    assert Found(RAY_JOB, ray_job("a", "Complete", "SUCCEEDED")).job.state is State.SUCCEEDED


@pytest.mark.parametrize("asked", ["reserch/old", "RayJobb/old", "a/b/c/old"])
def test_a_place_that_there_is_not_means_no_other(asked: str) -> None:
    cluster = Answering(ray_job("old", "Running"))
    with pytest.raises(VerbError, match="is neither a namespace of the stack nor a kind"):
        find_job(cluster, [NAMESPACE, "research"], asked)
    assert find_job(cluster, [NAMESPACE], "default/rayjob/old").job.name == "old"


@pytest.mark.parametrize("asked", ["", "default/", "old#", "old?a=1", "old/../old", "OLD"])
def test_what_no_object_can_be_called_is_none(asked: str) -> None:
    """It would be another path of the API server's, or this one's in disguise."""

    class Asked(Answering):
        def get(self, kind: Kind, namespace: str, name: str) -> JsonObject | None:
            assert name == "old"
            return super().get(kind, namespace, name)

    with pytest.raises(VerbError) as refused:
        find_job(Asked(ray_job("old", "Running")), [NAMESPACE], asked)
    assert refused.value.code is ExitCode.NOT_FOUND
