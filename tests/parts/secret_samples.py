"""Lines of programs with what looks like a secret, by its kind, and lines without one.

The secrets are put together here, so that no scanner takes this file for one that has them.
"""

from base64 import b64encode

_LETTERS = "".join(chr(ord("a") + at * 7 % 26) for at in range(26)) + "QwErTyUi"
_HEX = "0f1e2d3c4b5a69788796a5b4c3d2e1f00a1b2c3d"
_MIXED = "Az09By18Cx27Dw36Ev45Fu54Gt63Hs72Ir81Jq90Kp"

_SECRETS = {
    "Hugging Face token": ("HfApi(token='{}')", "hf_" + _LETTERS),
    "Weights & Biases key": ("wandb.login(key='{}')", _HEX),
    "NVIDIA key": ("docker login --password {}", "nvapi-" + (_MIXED * 2)[:64]),
    "Google API key": ("genai.configure(api_key='{}')", "AIza" + _MIXED[:35]),
    "GitHub Token": ("git clone https://{}@example.com", "ghp_" + _MIXED[:36]),
    "AWS Access Key": ("aws_access_key_id = {}", "AKIA" + "QWERTYUIOPASDFGH"),
    "Private Key": ('  "private_key": "{}', "-----BEGIN " + "PRIVATE KEY-----"),
    "GitHub fine-grained token": ("TOKEN={}", "github_" + "pat_" + (_MIXED * 2)[:82]),
    "encrypted private key": ("{}", "-----BEGIN " + "ENCRYPTED PRIVATE KEY-----"),
    "AWS secret key": ("aws_secret_access_key = {}", (_MIXED + "/")[:40]),
    "password of a registry": ('"auth": "{}"', b64encode(b"user:" + b"hunter2hunter2").decode()),
    "Basic Auth Credentials": ("url = 'redis:/" + "/user:{}@host'", "Pw1" + "xyZ9"),
}
FILE_SECRETS = {kind: (line.format(it), it) for kind, (line, it) in _SECRETS.items()}
NEW_WANDB_KEY = "wandb_v1_" + _MIXED[:27] + "_" + (_MIXED * 2)[:49]

# Of one kind, by whose they are.
_LONG = _MIXED * 4
MORE_FILE_SECRETS = {
    "refresh token of gcloud": ("Google credentials", '"refresh_token": "{}"', "1//0" + _LONG[:99]),
    "client secret": ("Google credentials", '"client_secret": "{}"', "GOCSPX" + "-" + _LONG[:28]),
    "access token": ("Google credentials", "Bearer {}", "ya29" + ".a0" + _LONG),
    "HMAC key": ("Google credentials", "access_id={}", "GOOG" + "1E" + (_LONG.upper() * 2)[:55]),
    "Anthropic": ("key of a model service", "KEY='{}'", "sk-ant-" + "api03-" + _LONG[:93] + "AA"),
    "OpenAI": ("key of a model service", "KEY='{}'", "sk-" + "proj-" + _LONG[:120]),
    "Replicate": ("key of a model service", "KEY={}", "r8" + "_" + _LONG[:37]),
    "Groq": ("key of a model service", "KEY={}", "gsk" + "_" + _LONG[:48]),
    "LangSmith": (
        "key of a model service",
        "KEY={}",
        "lsv2" + "_pt_" + _HEX[:32] + "_" + _HEX[:10],
    ),
    "Databricks": ("token of a platform", "token = {}", "dapi" + _HEX[:32]),
    "Vault": ("token of a platform", "VAULT_TOKEN={}", "hvs" + "." + _LONG[:95]),
    "Pulumi": ("token of a platform", "PULUMI_ACCESS_TOKEN={}", "pul" + "-" + _HEX),
    "netrc": (
        "line of a file of credentials",
        "machine git.example login user password {}",
        _HEX,
    ),
    "Kaggle": ("line of a file of credentials", '{{"username":"a","key":"{}"}}', _HEX[:32]),
    "Kaggle's variable": ("line of a file of credentials", "export KAGGLE_KEY={}", _HEX[:32]),
}

NO_FILE_SECRETS = [
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCY" + "EXAMPLEKEY",
    '"auth": "authenticator"',
    '"auth": "' + b64encode(b"no password at all").decode() + '"',
    "machine HOST login USER password $PASSWORD",
    "machine api.wandb.ai login user password <your key>",
    "GOOGLE_CLOUD_PROJECT=GOOGLE",
    "url = 'https://example.com/a/1//0abc'",
    "sk-antelope-and-other-animals-of-the-savannah",
    "HF_TOKEN=hf_" + "x" * 34,
    "from transformers import hf_argument_parser_with_defaults_and_more",
    "token = os.environ['HF_TOKEN']",
    "wandb.login(key=os.environ['WANDB_API_KEY'])",
    "git+https://example.com/wandb/wandb.git@" + _HEX,
    "revision = '" + _HEX + "'",
    "password = 'changeme'",
    "init_method='tcp://10.0.0.1:29500'",
    "sha256 = '" + _HEX + _HEX[:24] + "'",
]
