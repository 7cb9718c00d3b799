"""The script that fills a bucket for verl, run for real; the hub and the code host are stand-ins.

It cannot prove that Hugging Face and GitHub answer like these; they follow the documented API.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.unit.model_hub import LARGE, MODEL, SMALL, Handler, Hub, source, tree_of

SCRIPT = ROOT / "workloads" / "verl" / "prepare_data.py"


@dataclass
class Job:
    """A bucket, a scratch disk, and the script with them."""

    hub: Hub
    port: int
    folder: Path

    @property
    def mount(self) -> Path:
        return self.folder / "bucket"

    def start(self, *extra: str, token: str = "", tag: str = "v1") -> subprocess.Popen[str]:
        here = f"http://127.0.0.1:{self.port}"
        environment = {"PATH": os.environ["PATH"], "HF_ENDPOINT": here, "MOUNT": str(self.mount)}
        command = [sys.executable, str(SCRIPT), "--mount", str(self.mount), "--model", MODEL]
        command += ["--scratch", str(self.folder / "scratch"), "--code-tag", tag]
        command += ["--code-url", f"{here}/code/{{tag}}", "--retry-delay", "0", *extra]
        environment |= {"HF_TOKEN": token} if token else {}
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=environment)

    def run(self, *extra: str, token: str = "", tag: str = "v1") -> str:
        """The error line, empty after a success."""
        script = self.start(*extra, token=token, tag=tag)
        printed, said = script.communicate()
        assert not token or token not in printed + said
        assert script.returncode == (1 if said else 0)
        assert len(said.splitlines()) <= 1, said
        return said.strip()

    def rerun(self, *extra: str, tag: str = "v1") -> str:
        self.hub.requests.clear()
        return self.run(*extra, tag=tag)

    def has(self) -> set[str]:
        found = [path for path in self.mount.rglob("*") if not path.is_dir()]
        assert not any(path.is_symlink() or path.suffix == ".part" for path in found)
        return {path.relative_to(self.mount).as_posix() for path in found}

    def model(self, name: str) -> Path:
        return self.mount / "Tiny-Instruct" / name


@pytest.fixture
def job(tmp_path: Path) -> Iterator[Job]:
    handler = type("OneHub", (Handler,), {"hub": Hub()})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        (tmp_path / "bucket").mkdir()
        yield Job(handler.hub, server.server_port, tmp_path)
        server.shutdown()
        thread.join()


ALL = {
    *("verl/verl/__init__.py", "verl/verl/old.py", "verl/examples/data_preprocess/gsm8k.py"),
    *("gsm8k/train.parquet", "gsm8k/test.parquet"),
    *(f"Tiny-Instruct/{name}" for name in SMALL | LARGE),
    *(f".prepared/{part}.json" for part in ("code", "dataset", "model")),
    *(f".prepared/{part}.files.json" for part in ("code", "dataset", "model")),
}
FIRST, SECOND = LARGE


def test_a_run_fills_the_bucket_and_says_what_from(job: Job) -> None:
    assert job.run() == ""
    assert job.has() == ALL
    for name, content in (SMALL | LARGE).items():
        assert job.model(name).read_bytes() == content
    assert (job.mount / "gsm8k" / "test.parquet").read_text().startswith("gsm8k test 1")
    marker = json.loads((job.mount / ".prepared" / "model.json").read_text())
    assert marker["made_from"] == {"model": MODEL, "revision": "main"}
    assert marker["commit"] == "commit-of-main"


def test_a_second_run_asks_for_nothing_and_writes_nothing(job: Job) -> None:
    job.run()
    before = {path: path.stat().st_mtime_ns for path in job.mount.rglob("*")}
    assert job.rerun() == ""
    assert job.hub.requests == []
    assert {path: path.stat().st_mtime_ns for path in job.mount.rglob("*")} == before


def test_after_a_lost_connection_the_next_run_asks_only_for_what_is_missing(job: Job) -> None:
    job.hub.refusals[FIRST] = [503] * 99
    assert "HTTP 503" in job.run()
    done = job.hub.asked()
    job.hub.refusals.clear()
    job.hub.cuts[FIRST] = 1
    assert job.rerun() == ""
    assert job.has() == ALL
    assert job.hub.asked() == [FIRST, FIRST, SECOND]
    assert not {*done} & {SECOND}


def test_a_file_that_was_cut_off_goes_on_where_it_ended_in_the_next_run_too(job: Job) -> None:
    job.hub.cuts[FIRST] = 99
    assert "6300 of 6400 bytes came" in job.run()
    job.hub.cuts.clear()
    assert job.rerun() == ""
    ranges = [asked for path, asked in job.hub.requests if path.endswith(FIRST)]
    assert ranges == ["bytes=6300-"]  # each of 6 attempts got half of the rest
    assert job.model(FIRST).read_bytes() == LARGE[FIRST]


def test_a_wrong_checksum_is_loaded_again_and_then_an_error(job: Job) -> None:
    job.hub.corrupt.add(FIRST)
    assert "wrong checksum twice" in job.run()
    assert job.hub.asked().count(FIRST) == 2
    assert not job.model(FIRST).exists()
    job.hub.corrupt.clear()
    assert job.rerun() == ""
    assert job.hub.asked() == [FIRST, SECOND]


def test_a_file_that_was_spoilt_in_the_bucket_is_loaded_again(job: Job) -> None:
    job.run()
    job.model(FIRST).write_bytes(b"short")
    assert job.rerun() == ""
    assert job.hub.asked() == [FIRST]


def test_no_file_of_the_model_is_read_from_the_bucket(job: Job) -> None:
    """Through the mount that would be a download of the whole model, and fill its cache."""
    job.hub.refusals[SECOND] = [503] * 99
    job.run()
    job.model(FIRST).chmod(0)
    job.hub.refusals.clear()
    assert job.rerun() == ""
    assert job.hub.asked() == [SECOND]


def test_what_somebody_else_put_there_stays_as_it_is(job: Job) -> None:
    job.run()
    mine = {
        *("Tiny-Instruct/notes.md", "verl/verl/mine.py", "verl/checkpoints/step_10/model.pt"),
        *("gsm8k/other.parquet", ".prepared/mine.json"),
    }
    for name in mine:
        (job.mount / name).parent.mkdir(parents=True, exist_ok=True)
        (job.mount / name).write_text("mine")
    job.hub.tags["v2"] = source("2", "new")
    job.hub.commits["v2"] = {"config.json": b"[]"}
    assert job.rerun("--revision", "v2", tag="v2") == ""
    assert {(job.mount / name).read_text() for name in mine} == {"mine"}
    assert "verl/verl/old.py" not in job.has()
    assert f"Tiny-Instruct/{FIRST}" not in job.has()


def test_what_somebody_else_put_there_is_not_written_over(job: Job) -> None:
    job.model("config.json").parent.mkdir()
    job.model("config.json").write_text("mine")
    assert "config.json: is there, and was not put there by this job" in job.run()
    assert job.model("config.json").read_text() == "mine"
    assert job.hub.asked() == []


@pytest.mark.parametrize("model", ["owner/verl", "owner/gsm8k", "owner/.prepared"])
def test_a_model_with_another_parts_folder_is_refused(job: Job, model: str) -> None:
    assert "its folder is another part's" in job.run("--model", model)
    assert job.has() == set()


def test_an_archive_that_holds_something_else_than_the_tag_is_refused(job: Job) -> None:
    tree = tree_of(source("1", "old"))
    assert job.run("--code-tree", tree) == ""
    job.hub.tags["v1"] = source("1", "old", text="not the same")
    assert job.rerun("--code-tree", tree) == ""
    assert f"not {'0' * 40}" in job.run("--code-tree", "0" * 40)
    assert "use_verl" not in job.has()


@pytest.mark.parametrize(
    ("part", "code", "token", "message"),
    [
        ("/api/", 401, "", "no such model, or HF_TOKEN is not set"),
        ("/resolve/", 401, "hf_wrong", "HF_TOKEN is not set, or not valid"),
        ("/resolve/", 403, "hf_other", "accept the model's terms with its account"),
    ],
)
def test_a_refused_token_is_named(job: Job, part: str, code: int, token: str, message: str) -> None:
    job.hub.refusals[part] = [code]
    error = job.run(token=token)
    assert error.startswith(f"error: --model {MODEL} --revision main: HTTP {code}: ")
    assert message in error


@pytest.mark.parametrize(
    ("arguments", "tag", "error"),
    [
        ((), "v9", "--code-tag v9: HTTP 404"),
        (("--model", "owner/None"), "v1", "--model owner/None --revision main: HTTP 404"),
        (("--revision", "v9"), "v1", f"--model {MODEL} --revision v9: HTTP 404"),
        (("--dataset", "none"), "v1", "--dataset none: not among this tag's scripts: gsm8k"),
        (("--model", "owner/.."), "v1", "--model owner/..: is not of the form OWNER/NAME"),
        (("--mount", "nowhere"), "v1", "--mount nowhere: there is no such folder"),
    ],
)
def test_what_does_not_exist_is_named(
    job: Job, arguments: tuple[str, ...], tag: str, error: str
) -> None:
    assert job.run(*arguments, tag=tag).startswith(f"error: {error}")


def test_another_tag_makes_the_code_anew_and_keeps_the_checkpoints(job: Job) -> None:
    job.run()
    checkpoint = job.mount / "verl" / "checkpoints" / "step_10"
    checkpoint.mkdir(parents=True)
    (checkpoint / "model.pt").write_text("trained")
    job.hub.tags["v2"] = source("2", "new")
    assert job.rerun(tag="v2") == ""
    assert [path for path, _ in job.hub.requests] == ["/code/v2"]
    kept = {"verl/verl/new.py", "verl/checkpoints/step_10/model.pt"}
    assert job.has() == ALL - {"verl/verl/old.py"} | kept


def test_a_tag_that_could_not_be_made_leaves_no_other_marked_as_done(job: Job) -> None:
    job.run()
    job.hub.tags["v2"] = source("2")[:200]
    assert "--code-tag v2: no whole tar.gz" in job.run(tag="v2")
    assert job.rerun() == ""
    assert [path for path, _ in job.hub.requests] == ["/code/v1"]


def test_another_script_for_the_data_makes_the_data_anew(job: Job) -> None:
    job.run()
    job.hub.tags["v0"] = source("0", text="changed", option="--local_dir")
    assert job.rerun(tag="v0") == ""
    assert (job.mount / "gsm8k" / "train.parquet").read_text().startswith("changed train 0")


def test_another_revision_loads_what_differs_and_drops_what_is_gone(job: Job) -> None:
    job.run()
    job.hub.commits["v2"] = {"config.json": b"[]", FIRST: LARGE[FIRST]}
    assert job.rerun("--revision", "v2") == ""
    assert job.hub.asked() == ["config.json"]
    assert {name for name in job.has() if name.startswith("Tiny")} == {
        "Tiny-Instruct/config.json",
        f"Tiny-Instruct/{FIRST}",
    }


def test_only_the_hub_sees_the_token(job: Job) -> None:
    job.hub.far = f"http://localhost:{job.port}"
    assert job.run(token="hf_secret") == ""
    by_place = {
        place: {token for path, token in job.hub.tokens.items() if path.startswith(place)}
        for place in ("/code/", "/api/", f"/{MODEL}/", "/far/")
    }
    bearer = {"Bearer hf_secret"}
    assert by_place == {"/code/": {""}, "/far/": {""}, "/api/": bearer, f"/{MODEL}/": bearer}
    assert not any(b"hf_secret" in (job.mount / name).read_bytes() for name in job.has())


def test_what_does_not_fit_is_said_before_it_is_loaded(job: Job) -> None:
    job.hub.sizes[FIRST] = 10**18
    assert "bytes needed" in job.run()
    assert job.hub.asked() == []


def test_a_file_name_that_leads_out_of_the_folder_is_refused(job: Job) -> None:
    job.hub.commits["main"]["../outside"] = b"x"
    assert "leads out of" in job.run()
    assert not (job.mount / "outside").exists()
