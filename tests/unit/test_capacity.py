"""How machines are had, in the provider's words."""

import pytest

from components.base.capacity import CapacityArgs, CapacityMode, ReservationArgs
from components.base.component import check_arguments

NAMED = ReservationArgs(name="b200s")


def capacity(mode: CapacityMode) -> CapacityArgs:
    reservation = NAMED if mode is CapacityMode.RESERVATION else None
    return CapacityArgs(mode=mode.value, reservation=reservation)


@pytest.mark.parametrize(
    ("reservation", "value"),
    [
        (NAMED, "b200s"),
        (ReservationArgs(name="b200s", project="owner"), "projects/owner/reservations/b200s"),
        (ReservationArgs(name="b200s", block="b1"), "b200s/reservationBlocks/b1"),
        (
            ReservationArgs(name="b200s", project="owner", block="b1", sub_block="s2"),
            "projects/owner/reservations/b200s/reservationBlocks/b1/reservationSubBlocks/s2",
        ),
    ],
)
def test_a_reservation_is_named_down_to_its_part(reservation: ReservationArgs, value: str) -> None:
    assert reservation.value == value


def test_a_part_of_no_block_is_refused() -> None:
    with pytest.raises(ValueError, match=r'sub_block: "s2" .*; nearest: block with the block'):
        check_arguments(ReservationArgs(name="b200s", sub_block="s2"))


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (CapacityMode.ON_DEMAND, None),
        (CapacityMode.SPOT, None),
        (CapacityMode.RESERVATION, "SPECIFIC_RESERVATION"),
        (CapacityMode.ANY_RESERVATION, "ANY_RESERVATION"),
        (CapacityMode.FLEX_START, "NO_RESERVATION"),
        (CapacityMode.QUEUED, "NO_RESERVATION"),
    ],
)
def test_each_mode_takes_from_its_own_kind_of_reservation(
    mode: CapacityMode, expected: str | None
) -> None:
    assert capacity(mode).reservation_type == expected


def test_only_spot_is_spot_and_only_queued_is_queued() -> None:
    assert [mode for mode in CapacityMode if capacity(mode).spot] == [CapacityMode.SPOT]
    assert [mode for mode in CapacityMode if capacity(mode).queued] == [CapacityMode.QUEUED]


def test_flex_start_and_queued_machines_come_on_request() -> None:
    assert {mode for mode in CapacityMode if capacity(mode).on_request} == {
        CapacityMode.FLEX_START,
        CapacityMode.QUEUED,
    }


def test_a_run_is_bounded_in_seconds() -> None:
    assert CapacityArgs(mode="flex-start", max_run_seconds=3600).max_run_duration == "3600s"
    assert CapacityArgs(mode="flex-start").max_run_duration is None


def test_a_mode_and_a_reservation_go_together_or_not_at_all() -> None:
    with pytest.raises(ValueError, match=r"names no reservation; nearest: any-reservation"):
        check_arguments(CapacityArgs(mode="reservation"))
    with pytest.raises(ValueError, match=r'never takes from reservation "b200s"; nearest: res'):
        check_arguments(CapacityArgs(mode="spot", reservation=NAMED))


def test_a_mode_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match=r"preemptible.*; nearest: "):
        check_arguments(CapacityArgs(mode="preemptible"))
