"""Shapes of tokens that detect-secrets has no plugin for, as plugins of it."""
# The library's base class declares properties and asks for variables of the class
# (detect_secrets/plugins/base.py, 1.5.0).
# pyright: reportAssignmentType=false, reportIncompatibleMethodOverride=false

import base64
import binascii
import re
from collections.abc import Iterator

from detect_secrets.plugins.base import RegexBasedDetector


class HuggingFaceDetector(RegexBasedDetector):
    """User tokens, and those of organizations, which Hugging Face no longer gives out: letters
    alone (gitleaks/gitleaks cmd/generate/config/rules/huggingface.go, 7c56229a;
    trufflesecurity/trufflehog pkg/detectors/huggingface/huggingface.go, 02294e63; both read
    2026-11-27)."""

    secret_type = "Hugging Face token"
    denylist = (re.compile(r"(?<![A-Za-z0-9_])(?:hf|api_org)_[A-Za-z]{34}(?![A-Za-z0-9_])"),)


class WeightsAndBiasesDetector(RegexBasedDetector):
    """Keys of the first kind look like a commit, and count where the line says what they are
    (trufflesecurity/trufflehog pkg/detectors/weightsandbiases/v1 and v2, 382ad5f8, read
    2026-11-27)."""

    secret_type = "Weights & Biases key"
    denylist = (
        re.compile(r"(?<![A-Za-z0-9_])wandb_v1_[A-Za-z0-9]{27}_[A-Za-z0-9]{49}(?![A-Za-z0-9_])"),
        re.compile(
            r"wandb[^\n]{0,40}?(?:key|login|password|token)[^\n]{0,40}?"
            r"(?<![A-Za-z0-9_])([0-9a-f]{40})(?![A-Za-z0-9_])",
            re.IGNORECASE,
        ),
    )


class NvidiaDetector(RegexBasedDetector):
    """Keys of NGC and of build.nvidia.com (trufflesecurity/trufflehog pkg/detectors/nvapi/nvapi.go,
    a8a347e2, read 2026-11-27)."""

    secret_type = "NVIDIA key"
    denylist = (re.compile(r"(?<![A-Za-z0-9_])nvapi-[A-Za-z0-9_-]{64}(?![A-Za-z0-9_-])"),)


class GoogleDetector(RegexBasedDetector):
    """API keys (gitleaks/gitleaks cmd/generate/config/rules/gcp.go, 56e409d9, read
    2026-11-27)."""

    secret_type = "Google API key"
    denylist = (re.compile(r"(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),)


class GoogleCredentialsDetector(RegexBasedDetector):
    """What `application_default_credentials.json` has, and access tokens, which last an hour
    (trufflesecurity/trufflehog pkg/detectors/googleoauth2/googleoauth2_access_token.go, 3c532f45;
    that refresh tokens begin with 1//0 and client secrets with GOCSPX- is what public scanners
    agree on and no page of Google's promises, read 2026-11-27). Keys for Cloud Storage's XML API
    are told by their id, which stands beside them (Google Cloud documentation, "HMAC keys": 61
    characters of a service account's, 24 of a user's)."""

    secret_type = "Google credentials"
    denylist = (
        re.compile(r"(?<![A-Za-z0-9_/.-])1//0[A-Za-z0-9_-]{30,}"),
        re.compile(r"(?<![A-Za-z0-9_-])GOCSPX-[A-Za-z0-9_-]{28}(?![A-Za-z0-9_-])"),
        re.compile(r"(?<![A-Za-z0-9_-])ya29\.[A-Za-z0-9_-]{20,}"),
        re.compile(r"(?<![A-Za-z0-9_])(?:GOOG1E[A-Z0-9]{55}|GOOG[A-Z0-9]{20})(?![A-Za-z0-9_])"),
    )


class GitHubDetector(RegexBasedDetector):
    """Fine-grained tokens, which detect-secrets does not know (GitHub documentation, "Managing
    your personal access tokens"; trufflesecurity/trufflehog pkg/detectors/github/v2)."""

    secret_type = "GitHub fine-grained token"
    denylist = (re.compile(r"(?<![A-Za-z0-9_])github_pat_[A-Za-z0-9_]{82}(?![A-Za-z0-9_])"),)


class ModelServiceDetector(RegexBasedDetector):
    """Keys of who serves models and watches their runs (gitleaks/gitleaks
    cmd/generate/config/rules/anthropic.go, 71ab52c7, groq.go, 90039844, and langsmith.go, a650223f;
    trufflesecurity/trufflehog pkg/detectors/replicate/replicate.go, 259f375d; all read 2026-11-27).
    Of OpenAI's kinds detect-secrets knows the oldest."""

    secret_type = "key of a model service"
    denylist = (
        re.compile(r"(?<![A-Za-z0-9_-])sk-ant-[a-z]{3,8}\d\d-[A-Za-z0-9_-]{40,}"),
        re.compile(r"(?<![A-Za-z0-9_-])sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,}"),
        re.compile(r"(?<![A-Za-z0-9_])r8_[A-Za-z0-9_-]{37}(?![A-Za-z0-9_-])"),
        re.compile(r"(?<![A-Za-z0-9_])gsk_[A-Za-z0-9]{48}(?![A-Za-z0-9_])"),
        re.compile(r"(?<![A-Za-z0-9_])lsv2_(?:pt|sk)_[a-z0-9]{32}_[a-z0-9]{10}(?![A-Za-z0-9_])"),
    )


class PlatformDetector(RegexBasedDetector):
    """Tokens of Databricks, Vault and Pulumi (gitleaks/gitleaks cmd/generate/config/rules/
    databricks.go and pulumi.go, 07562da0, and hashicorp_vault.go, 09eba9f6, read 2026-11-27)."""

    secret_type = "token of a platform"
    denylist = (
        re.compile(r"(?<![A-Za-z0-9_-])dapi[a-f0-9]{32}(?:-\d)?(?![A-Za-z0-9_])"),
        re.compile(r"(?<![A-Za-z0-9_.])hv[sb]\.[A-Za-z0-9_-]{90,}"),
        re.compile(r"(?<![A-Za-z0-9_-])pul-[a-f0-9]{40}(?![A-Za-z0-9_])"),
    )


class EncryptedKeyDetector(RegexBasedDetector):
    """PKCS #8 under a passphrase (RFC 7468, section 11), and PGP is detect-secrets' own."""

    secret_type = "encrypted private key"
    denylist = (re.compile(r"BEGIN ENCRYPTED[ ]PRIVATE KEY"),)


class AwsSecretDetector(RegexBasedDetector):
    """Without quotes, as AWS's own files have it (AWS documentation, "Configuration and credential
    file settings"); with them it is detect-secrets' to find. Its examples end in EXAMPLEKEY."""

    secret_type = "AWS secret key"
    denylist = (
        re.compile(
            r"aws_?secret_?access_?key\s*[=:]\s*"
            r"(?![A-Za-z0-9/+]*EXAMPLEKEY)([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=\"'])",
            re.IGNORECASE,
        ),
    )


class CredentialFileDetector(RegexBasedDetector):
    """Lines of files that programs keep passwords in: of .netrc in one line (GNU inetutils manual,
    "The .netrc file"), of kaggle.json and Kaggle's variable (Kaggle/kaggle-api, README,
    "API credentials")."""

    secret_type = "line of a file of credentials"
    denylist = (
        re.compile(r"\bmachine\s+\S+\s+login\s+\S+\s+password\s+([^\s<$\"'{]{6,})"),
        re.compile(r"[\"']username[\"']\s*:.{0,80}[\"']key[\"']\s*:\s*[\"'][0-9a-f]{32}[\"']"),
        re.compile(r"kaggle_key[\"']?\s*[=:]\s*[\"']?([0-9a-f]{32})\b", re.IGNORECASE),
    )


class RegistryDetector(RegexBasedDetector):
    """`auths` of Docker's config.json: USER:PASSWORD in base 64 (docker/cli
    cli/config/configfile/file.go, decodeAuth)."""

    secret_type = "password of a registry"
    denylist = (re.compile(r"[\"']auth[\"']\s*:\s*[\"']([A-Za-z0-9+/]{12,}={0,2})[\"']"),)

    def analyze_string(self, string: str) -> Iterator[str]:
        for found in super().analyze_string(string):
            try:
                user, colon, password = base64.b64decode(found, validate=True).partition(b":")
            except (binascii.Error, ValueError):
                continue
            if user and colon and password and (user + password).decode("latin-1").isprintable():
                yield found


# Files that are credentials as a whole, by the names that their own programs give them: of gcloud,
# of curl and Weights & Biases, and of Kaggle.
CREDENTIAL_FILES = frozenset(
    {"application_default_credentials.json", ".netrc", "_netrc", "kaggle.json"}
)
