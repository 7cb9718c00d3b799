"""What fills a bucket for verl, on a mount with the options of the pod that it runs in.

It cannot prove how long a real Cloud Storage takes for as many files.
"""

import threading
from collections.abc import Callable
from http.server import ThreadingHTTPServer

from tests.unit.model_hub import LARGE, Handler, Hub, source
from tests.unit.test_verl_prepare import ALL, FIRST, SECOND, Job
from tests.workloads.mounts.conftest import Mounting
from tests.workloads.mounts.stack_buckets import buckets_of

# verl has a thousand; so many are more than one page of a listing in its folder.
MODULES = [f"module_{number}" for number in range(300)]
POD = next(pod for owner, pod in buckets_of("verl-b200").items() if owner.startswith("Job "))


class LosingHandler(Handler):
    """The first who asks for the second file is lost, with its pod."""

    lose: list[Callable[[], None]]

    def do_GET(self) -> None:
        if SECOND in self.path and self.lose:
            return self.lose.pop()()
        return super().do_GET()


def test_a_preparation_whose_pod_is_lost_goes_on_in_the_next(mount: Mounting) -> None:
    mounted, hub = mount(POD), Hub(tags={"v1": source("1", "old", *MODULES)})
    handler = type("OneHub", (LosingHandler,), {"hub": hub, "lose": []})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        job = Job(hub, server.server_port, mounted.folder.parent)
        script, lost = job.start(), threading.Event()

        def lose() -> None:
            script.kill()
            mounted.kill()
            lost.set()

        handler.lose.append(lose)
        assert lost.wait(300)
        script.communicate()
        assert script.returncode == -9
        mounted.start()
        assert job.rerun() == ""
        assert job.hub.asked() == [SECOND]
        assert job.has() == ALL | {f"verl/verl/{name}.py" for name in MODULES}
        assert job.model(FIRST).read_bytes() == LARGE[FIRST]
        server.shutdown()
    mounted.measure()
    print(f"{mounted.memory_mib} MiB of memory, {mounted.disk_mib} MiB of disk")
    assert POD.memory_mib
    assert mounted.memory_mib < POD.memory_mib
