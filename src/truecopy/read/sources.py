"""From what the user names (folders, files, patterns, `-`) to files, in an order that never varies.

Source     one file to be read, or what is wrong with it already
discover   every source below the given paths
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from truecopy.errors import NotFound
from truecopy.read.links import (
    CIRCLE,
    LEFT_OUT,
    NOT_FOLLOWED,
    READ_ALREADY,
    Guard,
    LinkInTheWayError,
    is_link,
    open_folder,
)
from truecopy.read.names import UniqueNames, name_shown
from truecopy.read.native import CASE, by_drive, reachable, slashed
from truecopy.read.patterns import excluder, fixed_folder, is_pattern, translate
from truecopy.read.settings import ReadSettings

STDIN = "-"
_Identity = tuple[int, int | str]
_IN_USE = (32, 33)
"""What Windows answers for a file that another program has locked."""
_IN_CIRCLES = 1921
"""What Windows answers for a link that leads back to itself."""


class Source(NamedTuple):
    """One file to be read, or what is wrong with it already."""

    root: str
    """What was given; like the path, valid Unicode whatever bytes the system has."""
    path: str
    """Relative to root, with `/`."""
    location: str
    """Where the file system has it; `-` for standard input."""
    size: int
    status: str = ""
    reason: str = ""
    guard: Guard | None = None
    """What it must be when it is opened; None where links may be followed."""


@dataclass(frozen=True, slots=True)
class _Given:
    """The user's arguments, sorted by what they are."""

    folders: list[str]
    patterns: list[tuple[str, str]]
    files: list[str]
    stdin: bool


def discover(paths: Iterable[str | Path], settings: ReadSettings, skip: frozenset[Path] = frozenset()) -> list[Source]:
    """Every file below the given paths, sorted by root and path.

    A path that does not exist is reported before anything is read. `skip` holds folders to leave out: the
    matter's own.
    """
    given = _sort_out(paths)
    walk = _Walk(skip, settings.follow_links)
    for folder in given.folders:
        walk.folder(folder)
    for folder, rest in given.patterns:
        walk.pattern(folder, rest)
    walk.files(given.files)
    found = walk.found
    if given.stdin:
        found.append(Source("", "stdin", STDIN, 0))
    excluded = excluder(settings.exclude)
    if settings.exclude:
        found = [
            source._replace(status="excluded", reason="excluded by a pattern") if excluded(source.path) else source
            for source in found
        ]
    found.sort(key=attrgetter("root", "path", "location"))
    return _told_apart(found)


def _told_apart(found: list[Source]) -> list[Source]:
    """Two names that are shown alike (a stray byte, and the same escape spelled out) get numbers."""
    if len({(source.root, source.path) for source in found}) == len(found):
        return found
    names: dict[str, UniqueNames] = {}
    numbered = [
        source._replace(path=names.setdefault(source.root, UniqueNames()).take(source.path)) for source in found
    ]
    return sorted(numbered, key=lambda source: (source.root, source.path))


def _sort_out(paths: Iterable[str | Path]) -> _Given:
    given = _Given([], [], [], False)
    stdin = False
    for path in [paths] if isinstance(paths, str | Path) else paths:
        text = os.fspath(path)
        if text == STDIN:
            stdin = True
            continue
        if not text:
            raise NotFound("An empty path was given, but a folder or file was expected.", "Use . for this folder.")
        # A name that exists means that file, even if it looks like a pattern.
        if os.path.lexists(text):
            place = os.path.abspath(text)  # noqa: PTH100 (Path.absolute keeps "..")
            (given.folders if os.path.isdir(text) else given.files).append(place)  # noqa: PTH112
        elif is_pattern(text):
            folder, rest = fixed_folder(slashed(text))
            given.patterns.append((os.path.abspath(folder), rest))  # noqa: PTH100
        else:
            raise NotFound(f"{name_shown(text)} does not exist.", "Check the spelling, and that the drive is mounted.")
    return _Given(sorted(set(given.folders)), sorted(set(given.patterns)), sorted(set(given.files)), stdin)


class _Walk:
    """Finds files, each once, however many arguments and links lead to it."""

    def __init__(self, skip: frozenset[Path], follow: bool) -> None:
        self.found: list[Source] = []
        self._follow = follow
        skipped = {_identity(os.fspath(folder)) for folder in skip}
        self._skipped: set[_Identity] = {identity for identity in skipped if identity is not None}
        self._walked = set(self._skipped)
        self._single: set[tuple[_Identity, str]] = set()

    def folder(self, root: str) -> None:
        """Everything below a folder; real folders first, so that no link takes the place of what it shows."""
        self._below(root, [(reachable(root), "")], self._walked, None)

    def pattern(self, folder: str, rest: str) -> None:
        """What a pattern matches below its fixed folder; a folder that matches is taken whole."""
        chosen = _Chosen(rest)
        if not self._below(folder, [(reachable(folder), "")], set(self._skipped), chosen):
            whole = os.path.join(folder, rest)  # noqa: PTH118
            raise NotFound(f"The pattern {name_shown(whole)} matches no file.", "Check the pattern, and quote it.")

    def files(self, files: list[str]) -> None:
        """Single files; their root is the folder that holds them all, or all of one drive."""
        for together in by_drive(files):
            root = os.path.commonpath([os.path.dirname(file) for file in together])  # noqa: PTH120
            for file in together:
                parent, name = os.path.split(file)
                identity = _identity(reachable(parent))
                if identity is None or self._is_new(identity, os.path.normcase(name)):
                    self._add(root, slashed(os.path.relpath(file, root)), reachable(file))

    def _is_new(self, folder: _Identity, name: str) -> bool:
        """Whether no other argument has led to this file yet."""
        if folder in self._walked - self._skipped or (folder, name) in self._single:
            return False
        self._single.add((folder, name))
        return True

    def _below(
        self,
        root: str,
        start: list[tuple[str, str]],
        visited: set[_Identity],
        chosen: _Chosen | None,
    ) -> int:
        """Add the files below the folders of `start`; returns how many of them the pattern chose."""
        matched = 0
        queue = start
        links: list[_Link] = []
        while queue or links:
            link = None
            if not queue:
                links.sort(reverse=True)
                link = links.pop()
                queue.append((link.location, link.prefix))
            folder, prefix = queue.pop()
            try:
                with open_folder(reachable(root), prefix.rstrip("/"), folder, self._follow) as opened:
                    identity = _identified(folder, os.stat(opened))  # noqa: PTH116
                    if identity in visited:
                        matched += link is not None and self._skip(root, link, identity, chosen)
                        continue
                    visited.add(identity)
                    with os.scandir(opened) as listed:
                        inside = self._inside(root, folder, prefix, identity, list(listed), chosen)
            except OSError as error:
                if not prefix and isinstance(error, FileNotFoundError):
                    continue  # a pattern's folder that is not there: it matches nothing
                path = prefix.rstrip("/") or "."
                self._list(root, path, folder, "unreadable", folder_reason(error))
                matched += 1
                continue
            queue += inside.folders
            links += inside.links
            matched += inside.matched
        return matched

    def _skip(self, root: str, link: _Link, leads_to: _Identity, chosen: _Chosen | None) -> bool:
        """List a link to a folder that is not read again; False where a pattern does not choose it."""
        path = link.prefix.rstrip("/")
        if chosen is not None and not chosen.may_be_behind(path):
            return False
        if chosen is None or self._is_new(link.parent, os.path.normcase(os.path.basename(path))):  # noqa: PTH119
            reason = LEFT_OUT if leads_to in self._skipped else READ_ALREADY
            self._list(root, path, link.location, "excluded", reason)
        return True

    def _inside(
        self,
        root: str,
        folder: str,
        prefix: str,
        identity: _Identity,
        entries: list[os.DirEntry[str]],
        chosen: _Chosen | None,
    ) -> _Inside:
        """Add the files of a folder, while it is open."""
        inside = _Inside()
        for entry in entries:
            path, location = prefix + entry.name, os.path.join(folder, entry.name)  # noqa: PTH118
            link = is_link(entry)
            if not link and entry.is_dir(follow_symlinks=False):
                inside.folders.append((location, path + "/"))
            elif link and self._follow and _is_folder(entry):
                inside.links.append(_Link(location, path + "/", identity))
            elif chosen is None or (chosen.may_be_behind(path) if link and not self._follow else chosen.matches(path)):
                inside.matched += 1
                if chosen is None or self._is_new(identity, os.path.normcase(entry.name)):
                    self._add(root, path, location, entry, link and not self._follow)
        return inside

    def _list(
        self,
        root: str,
        path: str,
        location: str,
        status: str = "",
        reason: str = "",
        *,
        size: int = 0,
        guard: Guard | None = None,
    ) -> None:
        """Root and path become what documents carry; location and guard stay what the system has."""
        self.found.append(Source(name_shown(root), name_shown(path), location, size, status, reason, guard))

    def _add(
        self, root: str, path: str, location: str, entry: os.DirEntry[str] | None = None, unfollowed: bool = False
    ) -> None:
        if unfollowed:
            self._list(root, path, location, "excluded", NOT_FOLLOWED)
            return
        guarded = entry is not None and not self._follow
        try:
            about = entry.stat(follow_symlinks=not guarded) if entry is not None else os.stat(location)  # noqa: PTH116
        except OSError as error:
            status, reason = _no_target(location, error)
            self._list(root, path, location, status, reason)
            return
        if stat.S_ISREG(about.st_mode):
            guard = Guard(reachable(root), path, about.st_dev, about.st_ino) if guarded else None
            self._list(root, path, location, size=about.st_size, guard=guard)
        else:
            self._list(root, path, location, "unreadable", "not a regular file")


@dataclass(frozen=True, slots=True, order=True)
class _Link:
    """A link to a folder, which is followed once all real folders are read."""

    location: str
    prefix: str
    parent: _Identity = field(compare=False)
    """The folder that the link is in."""


@dataclass(slots=True)
class _Inside:
    """What is left to be walked of a folder, and how many of its entries a pattern chose."""

    folders: list[tuple[str, str]] = field(default_factory=list)
    links: list[_Link] = field(default_factory=list)
    matched: int = 0


class _Chosen:
    """What a pattern chooses: paths that match, and all that is below them."""

    def __init__(self, rest: str) -> None:
        self._pattern = re.compile(translate(rest.rstrip("/")) + "(?:/.*)?", re.DOTALL | CASE)
        self._deepest = None if "**" in rest else rest.rstrip("/").count("/")

    def matches(self, path: str) -> bool:
        """Whether a path is chosen."""
        return self._pattern.fullmatch(path) is not None

    def may_be_behind(self, path: str) -> bool:
        """Whether a link that nobody follows is chosen, or may hide what is: then it is listed."""
        return self.matches(path) or self._deepest is None or path.count("/") < self._deepest


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False


def _identity(folder: str) -> _Identity | None:
    try:
        return _identified(folder, os.stat(folder))  # noqa: PTH116
    except OSError:
        return None


def _identified(folder: str, about: os.stat_result) -> _Identity:
    """What tells a folder from all others; on drives that number nothing, the path."""
    return about.st_dev, about.st_ino or os.path.normcase(os.path.realpath(folder))


def _no_target(location: str, error: OSError) -> tuple[str, str]:
    """Status and reason of an entry that nothing can be asked of."""
    if error.errno == errno.ELOOP or getattr(error, "winerror", 0) == _IN_CIRCLES:
        return "excluded", CIRCLE
    if os.path.islink(location):  # noqa: PTH114
        return "unreadable", "a link to a file that is not there"
    return "unreadable", open_reason(error)


def folder_reason(error: OSError) -> str:
    """Why a folder could not be listed."""
    return f"this folder could not be listed: {open_reason(error)}"


def open_reason(error: OSError) -> str:
    """Why a file could not be opened or read, in plain words."""
    if getattr(error, "winerror", 0) in _IN_USE:
        return "another program has it open and lets nobody read it"
    if isinstance(error, LinkInTheWayError):
        return "a link has taken its place since it was listed, and is not followed"
    if isinstance(error, PermissionError):
        return "permission denied"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "vanished while being read"
    if error.errno == errno.ENAMETOOLONG:
        return "its path is too long for the system"
    if error.errno == errno.ELOOP:
        return "a link that leads back to itself"
    return "the disk or network drive reports an error"
