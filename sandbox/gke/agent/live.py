"""What is in the cluster now: watched kinds in memory, as the store that all rules read."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from kube.objects import JsonObject, Ref
from sandbox.kube.store import Store
from sandbox.live_kube.api import Api, ApiError, Kind

_RETRY_SECONDS = 0.5


class Live:
    """`changed` is set with each change that the API server tells."""

    def __init__(self, api: Api, kinds: Sequence[Kind]) -> None:
        self.changed = threading.Event()
        self._api = api
        self._lock = threading.Lock()
        self._objects: dict[Kind, dict[str, JsonObject]] = {kind: {} for kind in kinds}
        # Up to which version each kind is known whole.
        self._known = dict.fromkeys(kinds, 0)
        self._synced = {kind: threading.Event() for kind in kinds}

    def start(self) -> None:
        for kind in self._objects:
            threading.Thread(target=self._follow, args=(kind,), daemon=True).start()

    def wait_until_synced(self) -> None:
        for event in self._synced.values():
            event.wait()

    def objects(self, kind: Kind) -> list[JsonObject]:
        with self._lock:
            return list(self._objects[kind].values())

    def store(self) -> Store:
        """Everything that is known now; changes to it stay in it."""
        with self._lock:
            found = [each for kind in self._objects.values() for each in kind.values()]
        return Store(state_of(found))

    def put(self, obj: JsonObject) -> None:
        """An answer of the API server, which is true before its event arrives, unless what came
        after it is known already."""
        ref = Ref.of(obj)
        kind = ref.api_version, ref.kind
        with self._lock:
            found = self._objects[kind].get(ref.key)
            if _version(obj) > (_version(found) if found else self._known[kind]):
                self._objects[kind][ref.key] = obj

    def refresh(self, *kinds: Kind) -> None:
        """Read kinds anew: a webhook decides by what is there, not by what was told."""
        for kind in kinds:
            self._read(kind)

    def _read(self, kind: Kind) -> str:
        items, version = self._api.list(kind)
        with self._lock:
            # Meanwhile events may have told more.
            if int(version) >= self._known[kind]:
                self._objects[kind] = {Ref.of(item).key: item for item in items}
                self._known[kind] = int(version)
        return version

    def _follow(self, kind: Kind) -> None:
        pause = threading.Event()
        while True:
            try:
                version = self._read(kind)
                self._synced[kind].set()
                self.changed.set()
                for event, obj in self._api.watch(kind, version):
                    self._take(kind, event, obj)
            except ApiError:
                pause.wait(_RETRY_SECONDS)
            except Exception as error:
                # Nothing of the kind would ever be known again.
                print(f"{kind[1]}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
                pause.wait(_RETRY_SECONDS)

    def _take(self, kind: Kind, event: str, obj: JsonObject) -> None:
        key, version = Ref.of(obj).key, _version(obj)
        with self._lock:
            if version <= self._known[kind]:
                return
            self._known[kind] = version
            found = self._objects[kind].get(key)
            if found and _version(found) > version:
                return
            if event == "DELETED":
                self._objects[kind].pop(key, None)
            else:
                self._objects[kind][key] = obj
        self.changed.set()


def _version(obj: Mapping[str, Any]) -> int:
    """Those of one kind compare as numbers (kubernetes/enhancements KEP-5504, stable in 1.35)."""
    return int(obj["metadata"]["resourceVersion"])


def state_of(objects: Sequence[Mapping[str, Any]]) -> JsonObject:
    """A store's state with the objects, oldest first."""
    oldest = sorted(objects, key=lambda obj: obj["metadata"].get("creationTimestamp") or "")
    entries = {
        Ref.of(obj).key: {"serial": serial, "object": obj} for serial, obj in enumerate(oldest)
    }
    return {"serial": len(entries), "objects": entries}
