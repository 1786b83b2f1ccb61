"""Every error that truecopy raises, and what each means to the user.

    TruecopyError                 something failed; exit code 1
    ├── UsageError                the call itself is wrong; exit code 2
    │   ├── BadSetting            a setting's value is out of range or of the wrong form
    │   ├── BelowFloor            a threshold under the floor that the pairs were stored at
    │   ├── MissingExtra          an optional part is not installed
    │   └── UnknownKeyword        a function was called with a keyword that it does not have; a TypeError too
    ├── NotFound                  a path, document, group or matter that is not there
    ├── UnreadableInput           one file that must be read cannot be
    ├── MatterError               the store refuses: newer format, foreign file, network drive
    │   ├── MatterBusy            another process is writing
    │   ├── DiskTrouble           the disk fails, and nothing says that what it holds is damaged
    │   │   ├── DiskFull          no room is left, or the quota is used up
    │   │   ├── Unwritable        a read-only disk, or no permission to write
    │   │   ├── Forbidden         the user may not read it
    │   │   └── Unreachable       the disk or drive does not answer, or was taken away
    │   └── DamagedMatter         what is stored is not what was written
    │       └── DamagedSegment    a checksum does not agree, or a file does not hold what it should
    └── SpecMismatch              two signatures that must not be compared

A message is one sentence: what was given, what was expected; `hint` says what to do.
Messages never hold document text.
"""

from __future__ import annotations


class TruecopyError(Exception):
    """Something failed; `message` says what, `hint` what to do about it."""

    code = "failed"
    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(TruecopyError):
    """The call itself is wrong."""

    code = "usage"
    exit_code = 2


class BadSetting(UsageError):
    """A setting's value is out of range or of the wrong form."""

    code = "bad-setting"


class BelowFloor(UsageError):
    """A threshold under the floor that the pairs were stored at."""

    code = "below-floor"


class MissingExtra(UsageError):
    """An optional part is not installed."""

    code = "missing-extra"


class UnknownKeyword(UsageError, TypeError):
    """A function was called with a keyword that it does not have."""

    code = "unknown-keyword"


class NotFound(TruecopyError):
    """A path, document, group or matter that is not there."""

    code = "not-found"


class UnreadableInput(TruecopyError):
    """One file that must be read cannot be."""

    code = "unreadable"


class MatterError(TruecopyError):
    """The store refuses: newer format, network drive."""

    code = "matter"


class MatterBusy(MatterError):
    """Another process is writing to the matter."""

    code = "busy"


class DiskTrouble(MatterError):
    """The disk fails, of a matter or of a file that is to be written; nothing says that what it holds is damaged."""

    code = "disk"


class DiskFull(DiskTrouble):
    """No room is left on the disk, or the user's quota is used up."""

    code = "full"


class Unwritable(DiskTrouble):
    """The disk is read-only, or the user may not write there."""

    code = "unwritable"


class Forbidden(DiskTrouble):
    """The user has no permission to read it."""

    code = "forbidden"


class Unreachable(DiskTrouble):
    """The disk or drive does not answer, or was taken away."""

    code = "unreachable"


class DamagedMatter(MatterError):
    """What is stored is not what was written."""

    code = "damaged"


class DamagedSegment(DamagedMatter):
    """A stored file's checksum does not agree with its content, or the file does not hold what it should."""


class SpecMismatch(TruecopyError):
    """Two signatures made in different ways must not be compared."""

    code = "spec-mismatch"


def empty_name() -> UsageError:
    """What is said of an empty name, which mostly is a variable of the shell that was never set."""
    return UsageError("An empty name was given, but one document was expected.", "Give its id or its path.")
