"""The random provider: values that are made once and stay, as many programs name things with them.

What they are made of: hashicorp/terraform-provider-random internal/provider/resource_*.go and
internal/random/string.go (ad788e2), and names of pulumi/pulumi-random provider/resources.go
(f64d872). Words of pets are others, a seed gives other values than there, and a password has no
`bcryptHash`.
"""

from __future__ import annotations

import base64
import random
import string
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from pulumi.provider.experimental import provider as rpc
from pulumi.provider.experimental.property_value import PropertyValue

from cli.urns import token_of
from sandbox.errors import CloudError
from sandbox.providers.values import plain_map, wrap_map

Inputs = Mapping[str, Any]
_SPECIAL = "!@#$%&*()-_=+[]{}<>:?"
_ADJECTIVES = ("able", "brave", "calm", "eager", "fair", "glad", "keen", "neat", "proud", "wise")
_ANIMALS = ("badger", "crane", "eagle", "finch", "heron", "lynx", "otter", "robin", "seal", "wren")
# They are made by the same state each time, so none is a secret.
_SOURCE = random.SystemRandom()


def _text(inputs: Inputs) -> dict[str, Any]:
    kinds = {
        "upper": string.ascii_uppercase,
        "lower": string.ascii_lowercase,
        "numeric": string.digits,
        "special": inputs.get("overrideSpecial") or _SPECIAL,
    }
    # `number` is what `numeric` was called.
    numeric = inputs.get("numeric", inputs.get("number"))
    taken = {key: inputs.get(key) is not False for key in kinds} | {"numeric": numeric is not False}
    least = {key: int(inputs.get(_least(key)) or 0) for key in kinds}
    letters = "".join(kinds[key] for key, it in taken.items() if it)
    if not letters:
        raise ValueError("the character set specified is empty")
    word = [_SOURCE.choice(kinds[key]) for key, it in least.items() for _ in range(it)]
    if (more := int(inputs["length"]) - len(word)) < 0:
        raise ValueError("length is less than the sum of what there is at least")
    word += [_SOURCE.choice(letters) for _ in range(more)]
    _SOURCE.shuffle(word)
    state = {**taken, "number": taken["numeric"], **{_least(key): it for key, it in least.items()}}
    return {"result": "".join(word), **state}


def _least(kind: str) -> str:
    return f"min{kind.capitalize()}"


def _pet(inputs: Inputs) -> dict[str, Any]:
    separator, length = inputs.get("separator", "-"), int(inputs.get("length") or 2)
    words = [_SOURCE.choice(_ADJECTIVES) for _ in range(length - 1)] + [_SOURCE.choice(_ANIMALS)]
    prefix = [inputs["prefix"]] if inputs.get("prefix") else []
    return {"id": separator.join([*prefix, *words]), "separator": separator, "length": length}


def _id(inputs: Inputs) -> dict[str, Any]:
    found = _SOURCE.randbytes(int(inputs["byteLength"]))
    prefix, text = inputs.get("prefix") or "", base64.urlsafe_b64encode(found).decode().rstrip("=")
    return {
        "id": text,
        "b64Url": prefix + text,
        "b64Std": prefix + base64.b64encode(found).decode(),
        "hex": prefix + found.hex(),
        "dec": prefix + str(int.from_bytes(found)),
    }


def _seeded(inputs: Inputs) -> random.Random:
    return random.Random(inputs["seed"]) if inputs.get("seed") else _SOURCE


def _integer(inputs: Inputs) -> dict[str, Any]:
    return {"result": _seeded(inputs).randint(int(inputs["min"]), int(inputs["max"]))}


def _uuid(inputs: Inputs) -> dict[str, Any]:
    del inputs
    return {"result": str(uuid.uuid4())}


def _shuffle(inputs: Inputs) -> dict[str, Any]:
    """One permutation after another, until there are as many as asked."""
    given, source = list(inputs["inputs"]), _seeded(inputs)
    count = int(inputs.get("resultCount", len(given))) if given else 0
    found: list[Any] = []
    while len(found) < count:
        found += source.sample(given, len(given))
    return {"id": "-", "results": found[:count]}


_MAKERS: Mapping[str, Callable[[Inputs], dict[str, Any]]] = {
    "random:index/randomId:RandomId": _id,
    "random:index/randomInteger:RandomInteger": _integer,
    "random:index/randomPassword:RandomPassword": _text,
    "random:index/randomPet:RandomPet": _pet,
    "random:index/randomShuffle:RandomShuffle": _shuffle,
    "random:index/randomString:RandomString": _text,
    "random:index/randomUuid:RandomUuid": _uuid,
}
# What an input that is left out is as good as.
_LEFT_OUT: Inputs = {
    **dict.fromkeys(("upper", "lower", "numeric", "special"), True),
    **dict.fromkeys(("minUpper", "minLower", "minNumeric", "minSpecial"), 0),
    **dict.fromkeys(("keepers", "overrideSpecial", "prefix", "resultCount", "seed")),
    "length": 2,
    "separator": "-",
}
_SECRET = "random:index/randomPassword:RandomPassword"


class RandomStandIn(rpc.Provider):
    """Answers the engine in place of the pulumi-random plugin."""

    async def configure(self, request: rpc.ConfigureRequest) -> rpc.ConfigureResponse:
        del request
        return rpc.ConfigureResponse(supports_preview=True)

    async def check(self, request: rpc.CheckRequest) -> rpc.CheckResponse:
        if (token := token_of(request.urn)) not in _MAKERS:
            reason = f"the sandbox does not know the resource type {token}"
            return rpc.CheckResponse(failures=[rpc.CheckFailure("", reason)])
        return rpc.CheckResponse(inputs=request.new_inputs)

    async def diff(self, request: rpc.DiffRequest) -> rpc.DiffResponse:
        olds, news = plain_map(request.old_state), plain_map(request.new_inputs)
        moved = sorted(
            key
            for key in {*news, *_LEFT_OUT}
            if olds.get(key, _LEFT_OUT.get(key)) != news.get(key, _LEFT_OUT.get(key))
        )
        return rpc.DiffResponse(changes=bool(moved), replaces=moved, diffs=moved)

    async def create(self, request: rpc.CreateRequest) -> rpc.CreateResponse:
        inputs = plain_map(request.properties)
        if request.preview:
            return rpc.CreateResponse("", request.properties)
        token = token_of(request.urn)
        try:
            made = _MAKERS[token](inputs)
        except (KeyError, ValueError) as error:
            raise CloudError("INVALID_ARGUMENT", f"{token}: {error}") from None
        resource_id = str(made.pop("id", None) or made.get("result") or request.urn)
        state = wrap_map({**inputs, **made})
        if token == _SECRET:
            resource_id = "none"
            state["result"] = PropertyValue(made["result"], is_secret=True)
        return rpc.CreateResponse(resource_id, state)

    async def read(self, request: rpc.ReadRequest) -> rpc.ReadResponse:
        return rpc.ReadResponse(request.resource_id, request.properties, request.inputs)

    async def delete(self, request: rpc.DeleteRequest) -> None:
        del request
