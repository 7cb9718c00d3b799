"""Which GKE versions are offered on a day, and what a stack with one is told. Cannot prove that
Google keeps to the days."""

import re
from datetime import UTC, date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from catalog import Catalog, FactError, GkeVersion, ReleaseChannel
from catalog.gke_calendar import FRESH
from catalog.gke_version import EXAMPLES
from stacks import clock, gke_upgrades
from stacks.config import ConfigError, validate
from stacks.on_record import Record
from stacks.parts.cluster.rules import support_problems
from stacks.plan import Plan
from stacks.refusal import CLUSTER
from tests.conftest import changed, stack_config
from tests.parts.samples import SERVE

CALENDAR = Catalog.load().gke_calendar
TODAY = date(2026, 12, 1)
NOW = datetime(2026, 11, 26, tzinfo=UTC)
REGULAR, EXTENDED = ReleaseChannel.REGULAR, ReleaseChannel.EXTENDED
PRESETS = sorted(
    it.name.removeprefix("Pulumi.").removesuffix(".yaml")
    for it in Path(__file__).parent.parent.parent.glob("Pulumi.*.yaml")
)
WINDOW = {"start": "2026-12-05T09:00:00Z", "end": "2026-12-06T09:00:00Z"}


def plan(preset: str = "dev", **values: Any) -> Plan:
    return validate(changed(stack_config(preset), **values), secrets_set=SECRETS)


SECRETS = frozenset({"hugging_face_token", "wandb_api_key"})


def on_record(
    wanted: Plan, running: str, minimum: str | None = None, channel: str | None = None
) -> Record:
    outputs: dict[str, Any] = {
        "name": wanted.cluster_name,
        "masterVersion": running,
        "minMasterVersion": minimum or running,
        "releaseChannel": channel and {"channel": channel},
    }
    return Record({"urn:x::gke-cluster": {"type": CLUSTER, "outputs": outputs}})


# The calendar


@pytest.mark.parametrize(
    ("version", "channel", "end"),
    [
        # endoflife-date/endoflife.date products/google-kubernetes-engine.md, a70eca33.
        ("1.33", REGULAR, date(2026, 8, 3)),
        ("1.34.1-gke.1829001", REGULAR, date(2026, 11, 30)),
        ("1.35", REGULAR, date(2027, 4, 11)),
        ("1.36", ReleaseChannel.STABLE, date(2027, 8, 9)),
        # 24 months after it came to Regular.
        ("1.33", EXTENDED, date(2027, 6, 3)),
        ("1.37", REGULAR, None),
    ],
)
def test_a_minor_is_supported_until_the_day_that_google_says(
    version: str, channel: ReleaseChannel, end: date | None
) -> None:
    assert CALENDAR.end_of_support(GkeVersion.parse(version), channel) == end


@pytest.mark.parametrize(
    ("version", "channel", "message"),
    [
        ("1.20", REGULAR, "is older than all that Google offers; nearest: 1.35"),
        (
            "1.30",
            REGULAR,
            "is out of support in the channel REGULAR since 2025-09-30, and Google makes no "
            "cluster of it; nearest: 1.35",
        ),
        (
            "1.33.2-gke.1111000",
            REGULAR,
            "since 2026-08-03, and Google makes no cluster of it; nearest: 1.35, or "
            "cluster.release_channel EXTENDED until 2027-06-03",
        ),
        ("1.31", EXTENDED, "since 2026-10-25, and Google makes no cluster of it; nearest: 1.32"),
        (
            "1.99",
            REGULAR,
            "is newer than what the channel REGULAR is known to have: 1.36 as of 2026-10-08; "
            "nearest: 1.36",
        ),
        ("1.36", ReleaseChannel.STABLE, "known to have: 1.35 as of 2026-10-08; nearest: 1.35"),
    ],
)
def test_a_version_that_is_over_or_not_there_is_refused_with_one_that_is(
    version: str, channel: ReleaseChannel, message: str
) -> None:
    with pytest.raises(FactError, match=re.escape(message) + "$"):
        CALENDAR.check_offered(GkeVersion.parse(version), channel, TODAY)


@pytest.mark.parametrize(
    ("version", "channel"),
    [
        ("1.35", REGULAR),
        ("1.36.3-gke.1767000", REGULAR),
        ("1.33", EXTENDED),
        ("1.37", ReleaseChannel.RAPID),
    ],
)
def test_a_version_that_the_channel_has_is_taken(version: str, channel: ReleaseChannel) -> None:
    CALENDAR.check_offered(GkeVersion.parse(version), channel, TODAY)


def test_a_fresh_book_knows_the_newest_and_an_old_one_lets_minors_come() -> None:
    fresh, old = CALENDAR.date + FRESH, CALENDAR.date + FRESH + timedelta(days=1)
    assert str(CALENDAR.newest_possible(REGULAR, fresh)) == "1.36"
    assert str(CALENDAR.newest_possible(REGULAR, old)) == "1.37"
    assert str(CALENDAR.newest_possible(REGULAR, old + timedelta(weeks=15))) == "1.38"
    CALENDAR.check_offered(GkeVersion.parse("1.37"), REGULAR, old)
    with pytest.raises(FactError, match="newer than"):
        CALENDAR.check_offered(GkeVersion.parse("1.99"), REGULAR, old)


@pytest.mark.parametrize(
    ("version", "channel", "today", "message"),
    [
        (
            "1.38",
            REGULAR,
            date(2027, 3, 1),
            "1.36 as of 2026-10-08, and no newer than 1.37 by now; nearest: 1.36",
        ),
        ("1.39", ReleaseChannel.RAPID, TODAY, "1.37 as of 2026-10-08; nearest: 1.37"),
        (
            "1.45",
            REGULAR,
            date(2027, 12, 1),
            "1.36 as of 2026-10-08, and no newer than 1.40 by now; nearest: 1.40",
        ),
    ],
)
def test_what_is_too_new_is_told_the_newest_that_is_taken(
    version: str, channel: ReleaseChannel, today: date, message: str
) -> None:
    with pytest.raises(FactError, match=re.escape(message) + "$") as caught:
        CALENDAR.check_offered(GkeVersion.parse(version), channel, today)
    nearest = str(caught.value).rpartition(" ")[2]
    CALENDAR.check_offered(GkeVersion.parse(nearest), channel, today)


def test_nothing_is_offered_that_is_over_on_the_day() -> None:
    for days in range(0, 700, 7):
        today = TODAY + timedelta(days=days)
        for channel in ReleaseChannel:
            for minor in CALENDAR.offered(channel, today):
                CALENDAR.check_offered(minor, channel, today)


def test_the_nearest_for_a_feature_is_the_features_own_while_that_is_offered() -> None:
    least = GkeVersion.parse("1.33.2-gke.1111000")
    assert CALENDAR.nearest(REGULAR, date(2026, 8, 2), least) == str(least)
    assert CALENDAR.nearest(REGULAR, date(2026, 8, 3), least) == "1.34"
    assert CALENDAR.nearest(REGULAR, TODAY, least) == "1.35"
    assert CALENDAR.nearest(EXTENDED, TODAY, least) == str(least)
    assert CALENDAR.nearest(REGULAR, date(2028, 1, 1), least) == "leave it out"


def test_a_version_too_old_for_a_feature_is_told_one_that_google_still_offers() -> None:
    with pytest.raises(ConfigError) as caught:
        plan("b200-lustre", cluster__version="1.31")
    (line,) = caught.value.lines
    assert line == (
        "stack.cluster.version: GKE 1.31 is older than lustre_csi needs; "
        'nearest: "1.35", with quotes'
    )


def test_the_examples_of_a_version_are_of_the_minor_that_stacks_have_by_default() -> None:
    lock = Catalog.load().versions.gke.version
    minors = {(it.major, it.minor) for it in map(GkeVersion.parse, EXAMPLES)}
    assert minors == {(lock.major, lock.minor)}


# Presets


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_has_a_version_that_google_offers_for_four_months_or_more(preset: str) -> None:
    wanted = plan(preset)
    assert list(gke_upgrades.refused(wanted, Record(), TODAY)) == []
    if wanted.gke_version is not None:
        end = CALENDAR.end_of_support(wanted.gke_version, wanted.stack.cluster.release_channel)
        assert end is not None
        assert end == date(2027, 4, 11)
        assert list(gke_upgrades.refused(wanted, Record(), end - timedelta(days=1))) == []
        assert list(gke_upgrades.refused(wanted, Record(), end)) != []


@pytest.mark.parametrize(("days", "told"), [(91, 0), (90, 1), (1, 1), (0, 1)])
def test_a_preview_speaks_of_the_end_of_support_90_days_before(days: int, told: int) -> None:
    wanted = plan("b200-lustre")
    now = datetime(2027, 4, 11, tzinfo=UTC) - timedelta(days=days)
    lines = list(gke_upgrades.told(wanted, Record(), now))
    assert len(lines) == told
    assert all("2027-04-11" in it and it.endswith("nearest: 1.36") for it in lines)


# A new cluster


@pytest.mark.parametrize(
    ("version", "channel", "ending"),
    [
        ("1.33", "REGULAR", "or cluster.release_channel EXTENDED until 2027-06-03"),
        ("1.32", "REGULAR", "or cluster.release_channel EXTENDED until 2027-02-11"),
        ("1.99", "REGULAR", "nearest: 1.36"),
        ("1.99", "EXTENDED", "nearest: 1.36"),
    ],
)
def test_no_cluster_is_made_of_a_version_that_google_does_not_offer(
    version: str, channel: str, ending: str
) -> None:
    wanted = plan(cluster__version=version, cluster__release_channel=channel)
    (line,) = gke_upgrades.refused(wanted, Record(), TODAY)
    assert line.startswith(f"stack.cluster.version: GKE {version} ")
    assert line.endswith(ending)


def test_the_extended_channel_still_has_what_the_others_lost() -> None:
    wanted = plan(cluster__version="1.33", cluster__release_channel="EXTENDED")
    assert list(gke_upgrades.refused(wanted, Record(), TODAY)) == []


def test_a_program_refuses_it_before_the_first_resource() -> None:
    wanted = plan(cluster__version="1.33")
    with pytest.raises(ConfigError, match=r"stack\.cluster\.version: GKE 1\.33"):
        gke_upgrades.check(wanted, Record())


# A cluster that stands


def test_a_version_that_was_asked_for_all_along_is_not_refused_when_its_support_ends() -> None:
    wanted = plan(cluster__version="1.33")
    record = on_record(wanted, "1.34.9-gke.1655001", minimum="1.33")
    assert list(gke_upgrades.refused(wanted, record, TODAY)) == []
    (line,) = gke_upgrades.told(wanted, record, NOW)
    assert "out of support" in line
    assert line.endswith("nearest: 1.35")


@pytest.mark.parametrize(
    ("version", "running"),
    [(None, "1.34.9-gke.1655001"), (None, "1.35.1-gke.1395999"), ("1.35", "1.35.0-gke.2232000")],
)
def test_what_no_version_raises_has_what_the_stack_uses(version: str | None, running: str) -> None:
    """catalog/data/versions.yaml, custom_metrics."""
    scaled = changed(SERVE, cluster__version=version, servers__gemma__autoscaling={"max": 3})
    wanted = validate(scaled, secrets_set=SECRETS)
    (line,) = gke_upgrades.refused(wanted, on_record(wanted, running, version), TODAY)
    assert line == (
        f"stack.cluster.version: the cluster stays at its version, and GKE {running} is older than "
        "custom_metrics needs; nearest: 1.35.1-gke.1396000"
    )
    record = on_record(wanted, "1.35.1-gke.1396000", version)
    assert list(gke_upgrades.refused(wanted, record, TODAY)) == []


@pytest.mark.parametrize(
    ("running", "wanted_version", "ending"),
    [
        ("1.34.9-gke.1655001", "1.36", "nearest: 1.35, and 1.36 in a later run"),
        ("1.36.3-gke.1767000", "1.35", "takes no control plane back to 1.35; nearest: 1.36"),
        ("1.36.3-gke.1767000", "1.36.2", "takes no control plane back to 1.36.2; nearest: 1.36"),
    ],
)
def test_a_control_plane_goes_up_by_one_minor_and_never_down(
    running: str, wanted_version: str, ending: str
) -> None:
    wanted = plan(cluster__version=wanted_version)
    (line,) = gke_upgrades.refused(wanted, on_record(wanted, running), TODAY)
    assert line.startswith(f"stack.cluster.version: the cluster runs {running}, and GKE ")
    assert line.endswith(ending)


def test_one_minor_up_is_taken_and_says_what_happens_to_the_nodes() -> None:
    wanted = plan(
        cluster__version="1.36",
        cluster__maintenance={
            **WINDOW,
            "exclusions": [{"name": "run", "start": "2026-11-01T00:00:00Z"}],
        },
    )
    record = on_record(wanted, "1.35.7-gke.1222000")
    assert list(gke_upgrades.refused(wanted, record, TODAY)) == []
    (line,) = gke_upgrades.told(wanted, record, NOW)
    assert "raises the control plane alone" in line
    assert '"run" (NO_MINOR_OR_NODE_UPGRADES) until the end of support keeps them there' in line
    assert f"gcloud container clusters upgrade {wanted.cluster_name}" in line


def test_without_an_exclusion_gke_raises_the_nodes_by_itself() -> None:
    wanted = plan(cluster__version="1.36")
    (line,) = gke_upgrades.told(wanted, on_record(wanted, "1.35.7-gke.1222000"), NOW)
    assert "GKE raises them by itself, in a maintenance window" in line


def test_nodes_of_a_version_with_lustres_old_port_are_named() -> None:
    wanted = plan("b200-lustre", cluster__version="1.34", cluster__release_channel="EXTENDED")
    lines = gke_upgrades.told(wanted, on_record(wanted, "1.33.2-gke.1111000"), NOW)
    assert any("mount Lustre on port 6988" in it for it in lines)


@pytest.mark.parametrize("version", ["1.35.7-gke.1222000", "1.35.1", "1.35.1-gke.1396000"])
def test_a_patch_of_the_same_minor_is_taken(version: str) -> None:
    wanted = plan(cluster__version=version)
    record = on_record(wanted, "1.35.1-gke.1396000", minimum="1.35")
    assert list(gke_upgrades.refused(wanted, record, TODAY)) == []


@pytest.mark.parametrize(
    ("channel", "told"), [("STABLE", True), ("REGULAR", False), ("EXTENDED", False)]
)
def test_a_cluster_is_ahead_of_a_channel_that_has_not_its_version(
    channel: str, *, told: bool
) -> None:
    wanted = plan(cluster__release_channel=channel, cluster__version=None)
    record = on_record(wanted, "1.36.3-gke.1767000", channel="RAPID")
    lines = list(gke_upgrades.told(wanted, record, NOW))
    begin = f"cluster.release_channel: RAPID -> {channel}: the cluster runs 1.36.3-gke.1767000"
    assert [it.startswith(begin) for it in lines] == [True] * told


@pytest.mark.parametrize("version", ["1.35.99", "1.35.7-gke.9999999"])
def test_a_patch_is_said_to_be_unconfirmed_when_it_is_asked_for(version: str) -> None:
    wanted = plan(cluster__version=version)
    (line,) = gke_upgrades.told(wanted, Record(), NOW)
    assert line.startswith(
        f"cluster.version: of GKE {version} the catalog knows the minor version 1.35 alone, as of "
        "2026-10-08: whether the channel REGULAR has that patch is not confirmed"
    )
    assert "nearest: 1.35, of which GKE takes a patch that is there" in line


@pytest.mark.parametrize(
    ("version", "running", "minimum"),
    [
        (None, "1.35.7-gke.1222000", "1.35"),
        ("1.35", "1.35.7-gke.1222000", "1.35"),
        ("1.35.7-gke.1222000", "1.35.7-gke.1222000", "1.35"),
        ("1.35.1", "1.35.7-gke.1222000", "1.35.1"),
    ],
)
def test_what_runs_and_what_was_asked_for_before_is_confirmed(
    version: str | None, running: str, minimum: str
) -> None:
    wanted = plan(cluster__version=version)
    assert list(gke_upgrades.told(wanted, on_record(wanted, running, minimum), NOW)) == []


@pytest.mark.parametrize("channel", ReleaseChannel)
def test_autopilot_takes_every_channel(channel: ReleaseChannel) -> None:
    wanted = plan("verl-b200-autopilot", cluster__release_channel=channel.value)
    assert wanted.autopilot
    assert wanted.stack.cluster.release_channel is channel


# Exclusions


@pytest.mark.parametrize(
    ("version", "channel", "start", "end"),
    [
        ("1.33", "REGULAR", "2026-11-27", "2026-08-03"),
        ("1.35", "REGULAR", "2027-04-11", "2027-04-11"),
        ("1.35", "EXTENDED", "2028-03-01", "2028-02-11"),
        (None, "REGULAR", "2030-01-01", "2027-04-11"),
    ],
)
def test_an_exclusion_until_the_end_of_support_starts_before_that(
    version: str | None, channel: str, start: str, end: str
) -> None:
    exclusions = [{"name": "stay", "start": f"{start}T00:00:00Z"}]
    config = changed(
        stack_config("dev"),
        cluster={
            "release_channel": channel,
            "maintenance": {**WINDOW, "exclusions": exclusions},
            **({} if version is None else {"version": version}),
        },
        lustre=None,
    )
    with pytest.raises(ConfigError) as caught:
        validate(config, secrets_set=SECRETS)
    (line,) = caught.value.lines
    assert line.startswith("stack.cluster.maintenance.exclusions[0].start: ")
    assert f"is not before {end}" in line


@pytest.mark.parametrize(
    ("scope", "end", "refused"),
    [
        ("NO_MINOR_UPGRADES", "2028-12-15", True),
        ("NO_MINOR_OR_NODE_UPGRADES", "2027-04-12", True),
        ("NO_MINOR_OR_NODE_UPGRADES", "2027-04-11", False),
        ("NO_UPGRADES", "2027-05-01", False),
    ],
)
def test_an_exclusion_of_minor_versions_ends_with_their_support(
    scope: str, end: str, refused: bool
) -> None:
    one = {"name": "stay", "start": "2027-03-01T00:00:00Z", "end": f"{end}T00:00:00Z"}
    window = {**WINDOW, "exclusions": [{**one, "scope": scope}]}
    wanted = partial(plan, cluster__version="1.35", cluster__maintenance=window)
    if not refused:
        assert list(support_problems(wanted())) == []
        return
    with pytest.raises(
        ConfigError, match=r"is after 2027-04-11, when the support of GKE 1\.35 ends"
    ):
        wanted()


@pytest.mark.parametrize("start", ["2026-01-03", "2027-04-10"])
def test_an_exclusion_that_starts_before_the_end_of_support_is_taken(start: str) -> None:
    exclusions = [{"name": "stay", "start": f"{start}T00:00:00Z"}]
    wanted = plan(
        cluster__version="1.35", cluster__maintenance={**WINDOW, "exclusions": exclusions}
    )
    assert list(support_problems(wanted)) == []


# Books


def test_a_book_that_nobody_read_for_90_days_is_named_in_one_line() -> None:
    (line,) = gke_upgrades.old_books(plan(), TODAY + timedelta(days=180))
    assert line.startswith("the catalog is older than 90 days: machine types of 2026-11-21, zones")
    assert "GKE versions of 2026-10-08" in line


def test_a_book_is_as_old_as_its_figures_however_late_it_was_read() -> None:
    wanted = plan(pools__gpu__capacity={"mode": "spot"})
    (line,) = gke_upgrades.old_books(wanted, TODAY)
    assert line == (
        "the catalog is older than 90 days: zones of 2026-03-05, prices of e2-standard-4 of "
        "2026-07-16, spot prices of g2-standard-8 of 2026-07-16. What Google has changed since is "
        "not in it; a newer release may know"
    )
    assert list(gke_upgrades.old_books(wanted, date(2026, 6, 1))) == []


# The day


def test_the_day_of_judgement_can_be_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(clock.VARIABLE, "2027-04-11")
    assert clock.now() == datetime(2027, 4, 11, tzinfo=UTC)
    wanted = plan("b200-lustre")
    with pytest.raises(ConfigError, match=r"GKE 1\.35 is out of support"):
        gke_upgrades.check(wanted, Record())


def test_a_day_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(clock.VARIABLE, "soon")
    with pytest.raises(ValueError, match="AI_STACKS_TODAY: 'soon' is not a date; nearest: "):
        clock.now()


def test_without_a_day_it_is_the_present_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(clock.VARIABLE)
    before = datetime.now(UTC)
    assert before <= clock.now() <= datetime.now(UTC)


# Buckets. GKE release notes, gke-main-release-notes.xml, 2026-10-20.

MENDED = ("1.36.5-gke.1032000", "1.37.1-gke.1552000")


@pytest.mark.parametrize(
    ("version", "nearest"),
    [
        ("1.36.4", MENDED[0]),
        ("1.36.5-gke.1031999", MENDED[0]),
        (MENDED[0], None),
        ("1.36.6", None),
        ("1.36", None),
        ("1.35.8", None),
        ("1.37.0", MENDED[1]),
    ],
)
def test_a_version_that_may_mount_no_buckets_is_refused_where_it_is_named(
    version: str, nearest: str | None
) -> None:
    values = {"cluster__version": version, "cluster__release_channel": "RAPID"}
    lines = list(gke_upgrades.refused(plan(**values), Record(), TODAY))
    assert [it.rpartition(" ")[2] for it in lines] == ([] if nearest is None else [nearest])
    assert all(
        it.startswith(f"stack.cluster.version: under a control plane of GKE {version} ")
        for it in lines
    )
    without = plan("b200-lustre", **values)
    assert list(gke_upgrades.refused(without, Record(), TODAY)) == []
    assert list(gke_upgrades.unmounted(without, Record(), NOW)) == []


@pytest.mark.parametrize(
    ("version", "channel", "told"),
    [
        (None, "RAPID", MENDED[0]),
        ("1.36", "REGULAR", MENDED[0]),
        ("1.35", "REGULAR", MENDED[0]),
        ("1.35", "STABLE", None),
        (MENDED[0], "REGULAR", None),
        (MENDED[0], "RAPID", MENDED[1]),
        (MENDED[1], "RAPID", None),
    ],
)
def test_a_channel_that_may_bring_one_is_told(
    version: str | None, channel: str, told: str | None
) -> None:
    wanted = plan(cluster__version=version, cluster__release_channel=channel)
    lines = list(gke_upgrades.unmounted(wanted, Record(), NOW))
    assert [it.partition("nearest: ")[2].split()[1] for it in lines] == ([told] if told else [])


def test_an_exclusion_keeps_it_away() -> None:
    exclusion = {"name": "run", "start": "2026-11-01T00:00:00Z"}
    window = {**WINDOW, "exclusions": [exclusion]}
    kept = plan(cluster__version="1.35", cluster__maintenance=window)
    assert list(gke_upgrades.unmounted(kept, Record(), NOW)) == []
    later = {**exclusion, "start": "2026-12-01T00:00:00Z"}
    coming = changed(window, exclusions=[later])
    assert list(gke_upgrades.unmounted(plan(cluster__maintenance=coming), Record(), NOW))


def test_a_cluster_that_runs_one_is_told_how_it_gets_out() -> None:
    wanted = plan(cluster__version="1.36")
    record = on_record(wanted, "1.36.4-gke.1000000", minimum="1.36")
    (line,) = gke_upgrades.unmounted(wanted, record, NOW)
    assert line.endswith(
        f"nearest: gcloud container clusters upgrade {wanted.cluster_name} --location "
        f"{wanted.location} --master --cluster-version {MENDED[0]}"
    )
    assert list(gke_upgrades.refused(wanted, record, TODAY)) == []
    assert not list(gke_upgrades.unmounted(wanted, on_record(wanted, MENDED[0]), NOW))
