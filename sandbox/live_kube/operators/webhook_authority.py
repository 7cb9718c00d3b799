"""The Secret of Kueue's chart, filled so that Kueue leaves the certificate of its webhooks alone.

Kueue insists on an authority whose key it has: it signs a certificate for the chart's Service with
it, keeps both in this Secret, and writes the authority into every webhook configuration as the one
to trust. Here that authority is made for nothing else, and the one that really signed the webhooks'
certificate stands behind it in the same file. Source: open-policy-agent/cert-controller
pkg/rotator, v0.16.0 (read 2026-11-21).
"""

from __future__ import annotations

import base64
import datetime
from collections.abc import Mapping
from typing import Any

from kube.objects import JsonObject
from sandbox.live_kube.operators.kueue import chart_object

# Kueue makes another under any other name, or within 90 days of the end.
_NAME = "kueue-ca"
_VALID = datetime.timedelta(days=3650)
_BEFORE = datetime.timedelta(days=1)


def webhook_authority(release: Mapping[str, Any], ca_bundle: str) -> JsonObject:
    """A new one each time; `ca_bundle` is that of `kueue_objects`."""
    certificate, key = _authority()
    trusted = certificate + base64.b64decode(ca_bundle)
    data = {"ca.crt": trusted, "ca.key": key}
    encoded = {name: base64.b64encode(text).decode() for name, text in data.items()}
    return {**chart_object(release, "Secret"), "data": encoded}


def _authority() -> tuple[bytes, bytes]:
    """PEM of a certificate that is signed by itself, and of its key as PKCS #1."""
    # Imported here for the command line, which seldom needs it.
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import rsa
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, _NAME)])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _BEFORE)
        .not_valid_after(now + _VALID)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(_NAME)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, NoEncryption())
    return certificate.public_bytes(Encoding.PEM), pem
