"""Where things lie in the folder of one control plane."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Layout:
    """Paths, all under `root`; nothing is made or read here."""

    root: Path

    @property
    def certificates(self) -> Path:
        return self.root / "certificates"

    @property
    def authority(self) -> Path:
        return self.certificates / "ca.crt"

    @property
    def service_account_key(self) -> Path:
        return self.certificates / "service-account.key"

    def webhook_certificates(self, operator: str) -> Path:
        """A folder of its own: Kueue and JobSet want their pair as tls.crt and tls.key."""
        return self.certificates / operator

    @property
    def tokens(self) -> Path:
        return self.root / "tokens.csv"

    @property
    def encryption(self) -> Path:
        return self.root / "encryption.yaml"

    @property
    def ports(self) -> Path:
        return self.root / "ports.json"

    @property
    def scheduler_configuration(self) -> Path:
        return self.root / "kube-scheduler.yaml"

    def configuration(self, operator: str) -> Path:
        return self.root / f"{operator}.yaml"

    @property
    def data(self) -> Path:
        return self.root / "etcd"

    def certificate(self, name: str) -> Path:
        return self.certificates / f"{name}.crt"

    def key(self, name: str) -> Path:
        return self.certificates / f"{name}.key"

    def kubeconfig(self, identity: str) -> Path:
        return self.root / "kubeconfigs" / f"{identity}.yaml"

    def operator(self, name: str) -> Path:
        """What an operator was last run with; the file is there while it is to run."""
        return self.root / "operators" / f"{name}.json"

    def log(self, program: str) -> Path:
        return self.root / "logs" / f"{program}.log"

    def record(self, program: str) -> Path:
        return self.root / "processes" / f"{program}.json"
