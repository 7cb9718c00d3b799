"""The user's own way into a stack's cluster: a context of their kubeconfig, else by what Google
Cloud says of the cluster. What a state says of the way is never taken: who may push a branch may
write it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import yaml
from kubernetes import config
from kubernetes.client import ApiClient
from kubernetes.config.config_exception import ConfigException

from aistack.control_plane import ClusterId
from aistack.errors import VerbError
from aistack.offered import offered_start
from aistack.stack import Stack
from catalog.strict_yaml import load_yaml
from kube.objects import dig

# What the client's loader raises for files that are no kubeconfig
# (kubernetes-client/python kubernetes/base/config/kube_config.py).
_NO_KUBECONFIG = (yaml.YAMLError, AttributeError, KeyError, TypeError, ValueError)


def client_of(stack: Stack) -> ApiClient:
    """Raises VerbError where there is none, or it cannot be taken."""
    if stack.kubeconfig_file is not None:
        try:
            return config.new_client_from_config(str(stack.kubeconfig_file))
        except ConfigException:
            why = "its control plane was never started"
            raise VerbError(
                f'--stack: "{stack.name}": {why}; nearest: `{offered_start()}`'
            ) from None
    cluster = stack.cluster_id
    try:
        with _told_apart():
            return _client(cluster)
    except ConfigException as error:
        raise VerbError(f"credentials for cluster {cluster.context}: {error}") from None
    except _NO_KUBECONFIG as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        nearest = f"nearest: {cluster.credentials_command}"
        raise VerbError(f"KUBECONFIG: is no kubeconfig: {said}; {nearest}") from None


def _client(cluster: ClusterId) -> ApiClient:
    try:
        contexts, _ = config.list_kube_config_contexts()
    except ConfigException:
        contexts = []
    if any(dig(it, "name") == cluster.context for it in contexts):
        return config.new_client_from_config(context=cluster.context)
    return config.new_client_from_config_dict(load_yaml(cluster.kubeconfig()))


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
