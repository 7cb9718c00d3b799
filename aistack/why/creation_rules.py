"""Why pods of a job cannot even be made: what the API server answers its controller. Pure.

kubernetes/kubernetes v1.35.4: staging/src/k8s.io/apiserver/pkg/admission/plugin/webhook/generic (a
webhook that does not answer), and of plugin/pkg/admission resourcequota/controller.go,
security/podsecurity and serviceaccount/admission.go.
"""

from __future__ import annotations

import re

from aistack.why.saying import Saying, first_said
from aistack.why.snapshot import Reason, Rule, Snapshot

_OTHER = re.compile(r"Fail\w*Creat\w*|\w*Create?(ion)?Failed")
_MADE_BY = ("Job", "JobSet", "RayJob", "RayCluster")

_SAYINGS = (
    Saying(
        "webhook-away",
        re.compile(r'failed calling webhook "(?P<hook>[^"]+)"'),
        "The webhook {hook}, which is asked of every pod, does not answer.",
        "See whether its operator runs; its pods are made by themselves once it does.",
    ),
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
    Saying(
        "refused-by-webhook",
        re.compile(r'admission webhook "(?P<hook>[^"]+)" denied the request: (?P<what>.+)'),
        "The webhook {hook} refuses its pods: {what}.",
        "Change the pods as it says, and submit the job again.",
    ),
)


def cannot_be_made(it: Snapshot) -> Reason | None:
    """The newest word of whoever makes the pods, while some are missing."""
    if len(it.pods) >= max(1, it.wanted):
        return None
    for event in it.said(*_MADE_BY):
        if not event.warns or not _OTHER.fullmatch(event.reason):
            continue
        return first_said(_SAYINGS, [event.message]) or Reason(
            "pods-refused",
            f"Its pods cannot be made: {event.message.rstrip('.')}.",
            "Change the job as that says, and submit it again.",
        )
    return None


RULES: tuple[Rule, ...] = (cannot_be_made,)
