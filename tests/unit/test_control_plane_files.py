"""What a control plane writes for its programs."""

from __future__ import annotations

import base64
import csv
import json
import ssl
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from cryptography import x509

from sandbox.control_plane import ports
from sandbox.control_plane.certificates import make_certificates
from sandbox.control_plane.identities import IDENTITIES, make_tokens
from sandbox.control_plane.kubeconfigs import write_kubeconfigs
from sandbox.control_plane.layout import Layout
from sandbox.control_plane.ports import choose_ports
from sandbox.control_plane.programs import KWOK_CONFIGURATION, Program

STAGES = {
    each["metadata"]["name"]: each["spec"]
    for each in yaml.safe_load_all(KWOK_CONFIGURATION.read_text())
    if each["kind"] == "Stage"
}
DELAY = '.metadata.annotations["pod-complete.stage.kwok.x-k8s.io/delay"]'


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    layout = Layout(tmp_path / "plane")
    make_certificates(layout)
    return layout


def test_every_serving_certificate_is_the_authoritys_and_for_loopback(layout: Layout) -> None:
    authority = x509.load_pem_x509_certificate(layout.authority.read_bytes())
    found = [file for file in layout.certificates.rglob("*.crt") if file.name != "ca.crt"]
    assert {file.stem for file in found} > {"etcd", "kube-apiserver", "agent", "tls"}
    for file in found:
        certificate = x509.load_pem_x509_certificate(file.read_bytes())
        certificate.verify_directly_issued_by(authority)
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName)
        assert [str(each) for each in names.value.get_values_for_type(x509.IPAddress)] == [
            "127.0.0.1"
        ]
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(file, file.with_suffix(".key"))


def test_the_authoritys_key_is_not_kept(layout: Layout) -> None:
    assert not list(layout.root.rglob("ca.key"))


def test_the_service_account_key_is_in_the_form_that_the_api_server_reads(layout: Layout) -> None:
    assert layout.service_account_key.read_text().startswith("-----BEGIN EC " + "PRIVATE KEY-----")


def test_tokens_last_and_a_missing_one_is_added(tmp_path: Path) -> None:
    file = tmp_path / "tokens.csv"
    tokens = make_tokens(file)
    assert set(tokens) == set(IDENTITIES)
    assert len(set(tokens.values())) == len(IDENTITIES)
    assert make_tokens(file) == tokens
    rows = list(csv.reader(file.read_text().splitlines()))
    file.write_text("".join(f"{','.join(row)}\n" for row in rows if row[1] != "kwok"))
    mended = make_tokens(file)
    assert {name for name in tokens if mended[name] != tokens[name]} == {"kwok"}
    assert rows[0] == [tokens["admin"], "admin", "admin", "system:masters"]


def test_a_kubeconfig_has_all_that_a_client_needs(layout: Layout) -> None:
    write_kubeconfigs(layout, 12345, {"admin": "secret"}, {})
    document = yaml.safe_load(layout.kubeconfig("admin").read_text())
    cluster = document["clusters"][0]["cluster"]
    assert cluster["server"] == "https://127.0.0.1:12345"
    authority = base64.b64decode(cluster["certificate-authority-data"])
    assert authority == layout.authority.read_bytes()
    assert document["users"][0]["user"] == {"token": "secret"}
    assert document["current-context"] == document["contexts"][0]["name"]


def test_no_two_clusters_kubeconfigs_have_a_name_in_common(tmp_path: Path) -> None:
    names = list[str]()
    for cluster in ("one", "two"):
        layout = Layout(tmp_path / cluster)
        make_certificates(layout)
        write_kubeconfigs(layout, 1, {"admin": "secret"}, {})
        document = yaml.safe_load(layout.kubeconfig("admin").read_text())
        names += [document[kind][0]["name"] for kind in ("clusters", "users")]
    assert len(set(names)) == 4


def test_ports_are_kept_even_if_they_are_in_use_by_whom_they_are_for(tmp_path: Path) -> None:
    file = tmp_path / "ports.json"
    chosen = choose_ports(file, ["a", "b"], ["a", "b"])
    assert len(set(chosen.values())) == 2
    assert choose_ports(file, ["a", "b", "c"], []).items() > chosen.items()
    assert json.loads(file.read_text()).keys() == {"a", "b", "c"}


def test_a_port_that_another_sandbox_has_chosen_is_not_free_before_anybody_listens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ports, "_RANGE", range(20000, 20008))
    monkeypatch.setattr(ports, "_is_free", lambda _: True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    one = choose_ports(tmp_path / "one.json", "abcd", "abcd").values()
    two = choose_ports(tmp_path / "two.json", "abcd", "abcd").values()
    assert {*one, *two} == {*range(20000, 20008)}
    (tmp_path / "one.json").unlink()
    assert {*choose_ports(tmp_path / "three.json", "abcd", "abcd").values()} == {*one}


def test_a_program_that_reads_another_file_or_is_called_otherwise_is_another(
    tmp_path: Path,
) -> None:
    binary, config = tmp_path / "binary", tmp_path / "config"
    binary.write_text("old")
    config.write_text("old")
    program = Program(name="p", command=(str(binary),), ready="", inputs=(config,))
    first = program.digest
    assert program.digest == first
    assert replace(program, command=(str(binary), "--flag")).digest != first
    assert replace(program, environment={"A": "b"}).digest != first
    config.write_text("new")
    assert program.digest != first


def test_pods_end_by_themselves_only_where_their_annotation_says_when() -> None:
    keys = [each["key"] for each in STAGES["pod-complete"]["selector"]["matchExpressions"]]
    assert DELAY in keys
    assert STAGES["pod-complete"]["delay"] == {"durationFrom": {"expressionFrom": DELAY}}


def test_no_stage_takes_a_finalizer_away() -> None:
    assert "pod-delete" in STAGES
    for name, stage in STAGES.items():
        assert "finalizers" not in stage["next"], name
