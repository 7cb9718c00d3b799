"""What Cloud Storage keeps of a bucket: objects, and the folders of a hierarchical one.

Source: Cloud Storage's JSON API (discovery document, objects) and google/storage/control/v2
(googleapis/googleapis). A hierarchical bucket makes the folders above an object, deletes none that
is not empty, and renames one with all below it at once. Checksums, versions and access lists are
left out: nothing here asks for them.
"""

from __future__ import annotations

import itertools
import os
import shutil
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path
from typing import Any

PAGE = 1000


class RefusedError(Exception):
    """A call that Cloud Storage refuses."""

    def __init__(self, status: HTTPStatus, name: str) -> None:
        super().__init__(f"{status.phrase}: {name}")
        self.status = status


@dataclass(frozen=True)
class StoredObject:
    """One generation of an object; its content is never written to again."""

    name: str
    content: Path
    generation: int
    metadata: Mapping[str, str]
    metageneration: int = 1
    updated: str = field(default_factory=lambda: datetime.now(UTC).isoformat())

    @property
    def size(self) -> int:
        return self.content.stat().st_size

    def resource(self, bucket: str) -> dict[str, Any]:
        return {
            "kind": "storage#object",
            "bucket": bucket,
            "name": self.name,
            "size": str(self.size),
            "generation": str(self.generation),
            "metageneration": str(self.metageneration),
            "metadata": dict(self.metadata),
            "timeCreated": self.updated,
            "updated": self.updated,
        }


@dataclass(frozen=True)
class Wanted:
    """What a call wants to find: these generations; 0 is that there is no object."""

    generation: int | None = None
    metageneration: int | None = None

    def check(self, name: str, found: StoredObject | None) -> None:
        there = (0, 0) if found is None else (found.generation, found.metageneration)
        for wanted, held in zip((self.generation, self.metageneration), there, strict=True):
            if wanted is not None and wanted != held:
                raise RefusedError(HTTPStatus.PRECONDITION_FAILED, name)


class Bucket:
    def __init__(self, name: str, disk: Path, *, hierarchical: bool) -> None:
        self.name = name
        self.hierarchical = hierarchical
        self.objects: dict[str, StoredObject] = {}
        self.folders: set[str] = set()
        self._disk = disk
        self._lock = threading.RLock()
        self._numbers = itertools.count(1)

    def new_file(self) -> Path:
        """Where content is written before it is an object's."""
        return self._disk / f"{next(self._numbers)}"

    def find(self, name: str, generation: int | None = None) -> StoredObject:
        found = self.objects.get(name)
        if found is None or generation not in (None, 0, found.generation):
            raise RefusedError(HTTPStatus.NOT_FOUND, name)
        return found

    def put(
        self, name: str, content: Path, metadata: Mapping[str, str], wanted: Wanted
    ) -> StoredObject:
        with self._lock:
            wanted.check(name, self.objects.get(name))
            made = StoredObject(name, content, next(self._numbers), metadata)
            self.objects[name] = made
            if self.hierarchical:
                self.folders |= {*folders_above(name)}
            return made

    def delete(self, name: str, generation: int | None, wanted: Wanted) -> None:
        with self._lock:
            found = self.find(name, generation)
            wanted.check(name, found)
            del self.objects[name]

    def update(self, name: str, metadata: Mapping[str, str], wanted: Wanted) -> StoredObject:
        with self._lock:
            found = self.find(name)
            wanted.check(name, found)
            number = found.metageneration + 1
            made = replace(found, metadata={**found.metadata, **metadata}, metageneration=number)
            self.objects[name] = made
            return made

    def copy(self, source: str, target: str, generation: int | None) -> StoredObject:
        with self._lock:
            found = self.find(source, generation)
            return self.put(target, found.content, found.metadata, Wanted())

    def move(self, source: str, target: str, wanted: Wanted) -> StoredObject:
        with self._lock:
            wanted.check(source, self.find(source))
            made = self.copy(source, target, None)
            del self.objects[source]
            return made

    def compose(
        self, sources: Sequence[str], target: str, metadata: Mapping[str, str], wanted: Wanted
    ) -> StoredObject:
        with self._lock:
            whole = self.new_file()
            with whole.open("wb") as out:
                for source in sources:
                    with self.find(source).content.open("rb") as part:
                        shutil.copyfileobj(part, out)
            return self.put(target, whole, metadata, wanted)

    def listed(self, prefix: str, delimiter: str, *, folders: bool, both: bool) -> Listing:
        """With `folders` those count as prefixes; with `both` an object that ends with the
        delimiter is an object, too."""
        with self._lock:
            listing = Listing()
            for name, found in self.objects.items():
                head = _collapsed(name, prefix, delimiter)
                if head is not None and head != name:
                    listing.prefixes.add(head)
                elif head is not None and delimiter and name.endswith(delimiter) and name != prefix:
                    listing.prefixes.add(name)
                    if both:
                        listing.objects[name] = found
                elif head is not None:
                    listing.objects[name] = found
            for name in self.folders if folders else ():
                head = _collapsed(name, prefix, delimiter)
                if head is not None and head != prefix:
                    listing.prefixes.add(head)
            return listing

    def make_folder(self, name: str) -> None:
        with self._lock:
            if name in self.folders:
                raise RefusedError(HTTPStatus.CONFLICT, name)
            self.folders |= {name, *folders_above(name)}

    def delete_folder(self, name: str) -> None:
        with self._lock:
            self.find_folder(name)
            below = {it for it in (*self.objects, *self.folders) if it.startswith(name)}
            if below - {name}:
                raise RefusedError(HTTPStatus.PRECONDITION_FAILED, name)
            self.folders.remove(name)
            self.objects.pop(name, None)

    def find_folder(self, name: str) -> None:
        if name not in self.folders:
            raise RefusedError(HTTPStatus.NOT_FOUND, name)

    def rename_folder(self, source: str, target: str) -> None:
        with self._lock:
            self.find_folder(source)
            if target in self.folders:
                raise RefusedError(HTTPStatus.CONFLICT, target)
            moved = {it for it in self.folders if it.startswith(source)}
            self.folders -= moved
            self.folders |= {target + it.removeprefix(source) for it in moved}
            self.folders |= {*folders_above(target)}
            for name in [it for it in self.objects if it.startswith(source)]:
                self.move(name, target + name.removeprefix(source), Wanted())


@dataclass(frozen=True)
class Listing:
    objects: dict[str, StoredObject] = field(default_factory=dict[str, StoredObject])
    prefixes: set[str] = field(default_factory=set[str])

    def page(self, bucket: str, after: str, most: int) -> dict[str, Any]:
        names = sorted(it for it in {*self.objects, *self.prefixes} if it > after)
        shown, rest = names[:most], names[most:]
        items = [self.objects[it].resource(bucket) for it in shown if it in self.objects]
        found = {"items": items, "prefixes": [it for it in shown if it in self.prefixes]}
        return found | ({"nextPageToken": shown[-1]} if rest else {})


def folders_above(name: str) -> Iterator[str]:
    parts = name.rstrip("/").split("/")[:-1]
    return itertools.accumulate((f"{it}/" for it in parts), os.path.join)


def _collapsed(name: str, prefix: str, delimiter: str) -> str | None:
    """The name, or as much of it as ends with the first delimiter behind the prefix; None for one
    that has another prefix."""
    if not name.startswith(prefix):
        return None
    if not delimiter or (at := name.find(delimiter, len(prefix))) < 0:
        return name
    return name[: at + len(delimiter)]
