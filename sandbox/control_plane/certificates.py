"""The cluster's own certificates: an authority, and a serving pair for each that listens.

They are made together and the authority's key is not kept: nobody can make another.
"""

from __future__ import annotations

import datetime
import ipaddress
import shutil

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from sandbox.control_plane.layout import Layout
from sandbox.control_plane.private_files import write_private

_SERVING = ("etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "agent")
_IN_FOLDERS = ("kueue", "jobset")
_LOOPBACK = ipaddress.ip_address("127.0.0.1")
_VALID = datetime.timedelta(days=3650)
# For a clock that was put back a little.
_BEFORE = datetime.timedelta(days=1)


def make_certificates(layout: Layout) -> None:
    """Make all of them, in one step."""
    draft = layout.certificates.with_name(".certificates.draft")
    shutil.rmtree(draft, ignore_errors=True)
    authority = _Authority()
    write_private(draft / "ca.crt", authority.pem)
    write_private(draft / "service-account.key", _private_pem(_new_key()))
    for name in (*_SERVING, *_IN_FOLDERS):
        key, certificate = authority.serving_pair(name)
        folder = layout.webhook_certificates(name).name
        stem = f"{folder}/tls" if name in _IN_FOLDERS else name
        write_private(draft / f"{stem}.key", key)
        write_private(draft / f"{stem}.crt", certificate)
    draft.rename(layout.certificates)


class _Authority:
    def __init__(self) -> None:
        self._key = _new_key()
        self._name = _named("sandbox")
        self._certificate = (
            _unsigned(self._name, self._name, self._key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_USAGE_OF_AUTHORITY, critical=True)
            .sign(self._key, hashes.SHA256())
        )

    @property
    def pem(self) -> str:
        return self._certificate.public_bytes(Encoding.PEM).decode()

    def serving_pair(self, name: str) -> tuple[str, str]:
        """PEM of a new key and its certificate; the API server is etcd's client with its own."""
        key = _new_key()
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        addresses = [x509.IPAddress(_LOOPBACK), x509.DNSName("localhost")]
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        certificate = (
            _unsigned(_named(name), self._name, key)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName(addresses), critical=False)
            .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
            .add_extension(issuer, critical=False)
            .sign(self._key, hashes.SHA256())
        )
        return _private_pem(key), certificate.public_bytes(Encoding.PEM).decode()


_USAGE_OF_AUTHORITY = x509.KeyUsage(
    digital_signature=True,
    key_cert_sign=True,
    crl_sign=True,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    encipher_only=False,
    decipher_only=False,
)


def _unsigned(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    public = key.public_key()
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _BEFORE)
        .not_valid_after(now + _VALID)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _new_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


def _private_pem(key: ec.EllipticCurvePrivateKey) -> str:
    # The API server reads a service account's key in this form only, not as PKCS #8.
    return key.private_bytes(
        Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption()
    ).decode()
