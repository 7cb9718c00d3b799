"""A container image's reference in its parts. Pure.

Grammar: distribution/reference v0.6.0 reference.go, `name [ ":" tag ] [ "@" digest ]`, where a
host may have a port. With a tag and a digest the digest alone says what is pulled.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ImageName:
    """`repository` has the host, if the reference has one; `tag` and `digest` are empty where the
    reference has none."""

    repository: str
    tag: str
    digest: str

    @classmethod
    def parse(cls, reference: str) -> ImageName:
        name, _, digest = reference.partition("@")
        colon = name.rfind(":")
        if colon <= name.rfind("/"):
            return cls(name, "", digest)
        return cls(name[:colon], name[colon + 1 :], digest)

    def is_same(self, known: ImageName) -> bool:
        """Whether this is the `known` image: of the same repository or of a mirror of it, and of
        the same digest, or of the same tag where one of the two has no digest."""
        at = self.repository
        if at != known.repository and not at.endswith(f"/{known._path}"):
            return False
        if self.digest and known.digest:
            return self.digest == known.digest
        return bool(self.tag) and self.tag == known.tag

    @property
    def _path(self) -> str:
        """The repository without its host, which has a dot."""
        host, slash, rest = self.repository.partition("/")
        return rest if slash and "." in host else self.repository
