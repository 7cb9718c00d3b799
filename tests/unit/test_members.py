"""People and groups by e-mail, and what IAM asks of them."""

import pytest

from components.base.component import check_arguments
from components.base.members import MemberArgs, check_security_group, iam_members
from tests.conftest import Register
from tests.unit.team_samples import ADA, AUDIT, TEAM, VISION, make_teams


@pytest.mark.parametrize("email", ["ada@example.com", "a.b+c@sub.example.co.uk", "o'neil@x.org"])
def test_an_email_in_lower_case_is_taken(email: str) -> None:
    assert MemberArgs(email=email, kind="user", role="view").email == email


@pytest.mark.parametrize(
    ("values", "end"),
    [
        ({"email": "Ada@Example.com"}, "nearest: ada@example.com"),
        ({"email": "ada"}, "nearest: name@example.com"),
        ({"email": "ada @example.com"}, "nearest: ada@example.com"),
        ({"email": "user:grace@example.com"}, "nearest: grace@example.com"),
        ({"email": "group:ml@example.com"}, "nearest: the key groups, with ml@example.com"),
        ({"email": "Ada L. <Ada@example.com>"}, "nearest: ada@example.com"),
        # Without the blank, or the letter, it would be somebody else's.
        ({"email": "ada lovelace@example.com"}, "nearest: name@example.com"),
        ({"email": "ad\u00e1@example.com"}, "nearest: name@example.com"),
        ({"email": "ci@my-proj.iam.gserviceaccount.com"}, "nearest: leave it out"),
        ({"email": "serviceAccount:ci@my-proj.iam.gserviceaccount.com"}, "nearest: leave it out"),
        ({"email": "1-compute@developer.gserviceaccount.com"}, "nearest: leave it out"),
        ({"kind": "robot"}, "nearest: group"),
        ({"role": "admin"}, "nearest: edit"),
    ],
)
def test_other_members_are_refused_with_one_that_works(values: dict[str, str], end: str) -> None:
    with pytest.raises(ValueError, match=f"{end}$"):
        check_arguments(
            MemberArgs(**{"email": "ada@example.com", "kind": "user", "role": "view", **values})
        )


@pytest.mark.parametrize(
    ("email", "near"),
    [
        ("groups@example.com", "gke-security-groups@example.com"),
        ("GKE-security-groups@example.com", "gke-security-groups@example.com"),
        ("gke-security-groups", "gke-security-groups@example.com"),
        ("gke-security-groups@x y", "gke-security-groups@example.com"),
    ],
)
def test_the_group_of_groups_has_the_one_name_that_gke_knows(email: str, near: str) -> None:
    assert check_security_group(near) == near
    with pytest.raises(ValueError, match=f"nearest: {near}$"):
        check_security_group(email)


def test_iam_knows_each_member_once() -> None:
    again = MemberArgs(email=ADA.email, kind="user", role="view")
    assert iam_members([VISION, ADA, again, AUDIT]) == [
        "group:audit@example.com",
        "group:vision@example.com",
        "user:ada@example.com",
    ]


def test_members_may_find_the_cluster_and_no_more(register: Register) -> None:
    recording = register(make_teams)
    grants = recording.of_type("projects/iAMMember:IAMMember")
    assert {it.inputs["role"] for it in grants} == {"roles/container.clusterViewer"}
    wanted = iam_members(TEAM.members)
    assert sorted(it.inputs["member"] for it in grants) == wanted
    assert recording.outputs[recording.named("members").urn] == {"iam_members": wanted}
