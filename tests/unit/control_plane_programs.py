"""Programs that take the real ones' flags and only say that they are ready."""

from __future__ import annotations

import sys
from pathlib import Path

from sandbox.control_plane import programs

_NAMES = (
    "etcd",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kwok",
    "kueue",
    "ray-operator",
    "jobset",
)
# Ends at once with the text of the file `crash` beside it, if that is there.
_PROGRAM = """#!{python} -S
import re, socket, ssl, sys
from pathlib import Path
name = Path(sys.argv[0]).name
crash = Path(sys.argv[0]).with_name(name + ".crash")
if crash.exists():
    sys.exit(crash.read_text())
flags = dict(each[2:].split("=", 1) for each in sys.argv[1:] if "=" in each)
config = Path(flags["config"]).read_text() if name in ("kueue", "jobset") else ""
port = next(
    int(re.search(r"\\d+$", found)[0])
    for found in (
        flags.get("listen-client-urls"),
        flags.get("secure-port"),
        flags.get("server-address"),
        flags.get("health-probe-bind-address"),
        *re.findall(r"healthProbeBindAddress: (.+)", config),
    )
    if found
)
listener = socket.create_server(("127.0.0.1", port))
certificate = flags.get("cert-file") or flags.get("tls-cert-file")
if certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, flags.get("key-file") or flags["tls-private-key-file"])
    if "client-cert-auth" in " ".join(sys.argv):
        context.load_verify_locations(flags["trusted-ca-file"])
        context.verify_mode = ssl.CERT_REQUIRED
    listener = context.wrap_socket(listener, server_side=True)
while True:
    try:
        connection, _ = listener.accept()
        connection.recv(4096)
        connection.sendall(b"HTTP/1.0 200 OK\\r\\n\\r\\n")
        connection.close()
    except OSError:
        pass
"""


def write_programs(folder: Path) -> None:
    """All that a control plane runs, but for the agent, into this folder."""
    folder.mkdir()
    for name in _NAMES:
        file = folder / name
        file.write_text(_PROGRAM.format(python=sys.executable))
        file.chmod(0o755)


def crash(folder: Path, name: str, words: str) -> None:
    """Let the program end as soon as it starts, with these words."""
    (folder / f"{name}.crash").write_text(words)


CORE = [name for wave in programs.WAVES for name in wave][:5]
