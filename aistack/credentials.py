"""The user's own way into a stack's cluster: a context of their kubeconfig, else what the stack's
outputs say."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import yaml
from kubernetes import config
from kubernetes.client import ApiClient
from kubernetes.config.config_exception import ConfigException

from aistack.errors import VerbError
from aistack.stack import Stack
from sandbox.kube.objects import dig

# What the client's loader raises for files that are no kubeconfig
# (kubernetes-client/python kubernetes/base/config/kube_config.py).
_NO_KUBECONFIG = (yaml.YAMLError, AttributeError, KeyError, TypeError, ValueError)


def client_of(stack: Stack) -> ApiClient:
    """Raises VerbError where there is none, or it cannot be taken."""
    if stack.kubeconfig_file is not None:
        return config.new_client_from_config(str(stack.kubeconfig_file))
    nearest = f"nearest: {stack.outputs.get('kubeconfig_command') or '`pulumi up`'}"
    try:
        with _told_apart():
            return _made(stack, nearest)
    except ConfigException as error:
        raise VerbError(f"credentials for cluster {stack.context}: {error}") from None
    except _NO_KUBECONFIG as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise VerbError(f"KUBECONFIG: is no kubeconfig: {said}; {nearest}") from None


def _made(stack: Stack, nearest: str) -> ApiClient:
    try:
        contexts, _ = config.list_kube_config_contexts()
    except ConfigException:
        contexts = []
    if any(dig(it, "name") == stack.context for it in contexts):
        return config.new_client_from_config(context=stack.context)
    given = stack.outputs.get("kubeconfig")
    if not isinstance(given, str):
        raise VerbError(f"no kubeconfig has the context {stack.context}; {nearest}")
    return config.new_client_from_config_dict(yaml.safe_load(given))


@contextmanager
def _told_apart() -> Iterator[None]:
    """The client only logs that a plugin for credentials is not there, or fails, and then asks the
    cluster as nobody. Raises ConfigException."""
    heard: list[str] = []
    handler = _Handler(heard.append)
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield
    finally:
        root.removeHandler(handler)
    if heard:
        raise ConfigException(f"{heard[-1]}; nearest: the plugin that the kubeconfig names")


class _Handler(logging.Handler):
    def __init__(self, tell: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        self._tell(record.getMessage())
