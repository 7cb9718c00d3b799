"""Volume and claim, as registered; that they bind is for tests with a control plane."""

from components.lustre.volume import LustreVolume, LustreVolumeArgs
from tests.conftest import Register, inside
from tests.unit.lustre_samples import instance


def test_whatever_mounts_it_is_replaced_with_all_that_is_under_it(register: Register) -> None:
    seen: list[str] = []

    def program() -> None:
        args = LustreVolumeArgs(
            backing=[instance()],
            namespace="rl",
            base_name="fs",
            handle="p/us-east1-b/fs",
            address="10.10.0.2",
            filesystem="lustre",
            capacity_gib="9000",
            labels={},
        )
        mount = LustreVolume("volume", args, opts=inside()).mount
        for resource in mount.resources():
            resource.urn.apply(lambda urn: seen.append(urn.rpartition("::")[2]))

    register(program)
    assert sorted(seen) == ["instance", "volume-claim", "volume-volume"]
