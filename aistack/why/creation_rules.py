"""Why pods of a job cannot even be made: what the API server answers its controller. Pure.

kubernetes/kubernetes v1.35.4: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/generic (a
webhook that does not answer), and of plugin/pkg/admission resourcequota/controller.go,
security/podsecurity and serviceaccount/admission.go.
"""

from __future__ import annotations

import re
from dataclasses import replace

from aistack.why.saying import Saying, first_said, spoken
from aistack.why.snapshot import Reason, Rule, Snapshot
from kube.objects import dig

_OTHER = re.compile(r"Fail\w*Creat\w*|\w*Create?(ion)?Failed")
# What was read a moment too early: k8s.io/apimachinery v0.35.4 pkg/api/errors/errors.go,
# NewAlreadyExists; k8s.io/apiserver v0.35.4 pkg/registry/generic/registry/store.go,
# OptimisticLockErrorMsg. The controller asks again by itself. JobSet's webhook refuses followers
# until their leader has a node: what keeps the leader is the cause (kubernetes-sigs/jobset issue
# 1187 of 2026-03-13).
_PASSING = re.compile(
    r"already exists|the object has been modified"
    r"|follower pod node selector not set|leader pod not yet scheduled"
    r"|expected 1 leader pod \(\S+\), but got 0"
)
_MADE_BY = ("Job", "JobSet", "RayJob", "RayCluster", "Deployment", "ReplicaSet")

_SAYINGS = (
    Saying(
        "webhook-away",
        re.compile(r'failed calling webhook "(?P<hook>[^"]+)"'),
        "The webhook {hook}, which is asked of every pod, does not answer.",
        "See whether its operator runs; its pods are made by themselves once it does.",
    ),
    # k8s.io/apiserver v0.35.4 pkg/admission/plugin/resourcequota/controller.go:471 and :622.
    Saying(
        "namespace-quota",
        re.compile(r"exceeded quota: (?P<quota>[^,]+), requested: (?P<asked>.+?), used: .*limited"),
        "The namespace's quota {quota} has no {asked} left.",
        "Cancel another job of the namespace, ask for less, or have the team's quota raised.",
    ),
    Saying(
        "pod-security",
        re.compile(r'violates PodSecurity "(?P<level>[^"]+)": (?P<what>.+?)(?= \(|$)'),
        "The namespace's pod security, {level}, refuses its pods: {what}.",
        "Take that out of the pods, or have the team's `pod_security` widened.",
    ),
    Saying(
        "service-account-missing",
        re.compile(r'serviceaccount "(?P<name>[^"]+)" not found'),
        "The service account {name} that its pods run as is not in the namespace.",
        "Name one that is there, or leave it out.",
    ),
    # kubernetes-sigs/jobset pull 1276 of 2026-07-13: not in 0.12.0.
    Saying(
        "refused-by-webhook",
        re.compile(r"expected 1 leader pod \((?P<pod>\S+)\), but got \d+"),
        "JobSet makes no more of its pods, for its pod {pod} that failed stands beside the one "
        "that was made in its place.",
        "Delete the one that failed; JobSet releases after 0.12.0 look past it.",
    ),
    Saying(
        "refused-by-webhook",
        # GKE's Warden names its rules on a second line (argoproj/argo-workflows issue 13073 of
        # 2024-05-21).
        re.compile(
            r'admission webhook "(?P<hook>[^"]+)" denied the request: (?P<what>.+?)\s*'
            r"(Requested by user|$(?!\n))",
            re.DOTALL,
        ),
        "The webhook {hook} refuses its pods: {what}.",
        "Change the pods as it says, and submit the job again.",
    ),
)


def cannot_be_made(it: Snapshot) -> Reason | None:
    """The newest word of whoever makes the pods, while some are missing."""
    alive = [one for one in it.pods if dig(one.pod, "status", "phase") != "Failed"]
    if it.job.state.has_ended or len(alive) >= max(1, it.wanted):
        return None
    for event in it.said(*_MADE_BY):
        if not event.warns or not _OTHER.fullmatch(event.reason):
            continue
        if _PASSING.search(event.message):
            continue
        known = first_said(_SAYINGS, [event.message])
        ago = spoken((it.now - event.at).total_seconds())
        if known is not None:
            return replace(known, sentence=f"{known.sentence} It was so {ago} ago.")
        return Reason(
            "pods-refused",
            f"Its pods cannot be made, {ago} ago: {event.message.rstrip('.')}.",
            "No rule knows these words: change the job as they say, and submit it again.",
        )
    return None


RULES: tuple[Rule, ...] = (cannot_be_made,)
