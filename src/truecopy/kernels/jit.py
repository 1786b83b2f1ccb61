"""The decorators of every kernel, and where compiled kernels are kept.

Kernels release the GIL, so callers run them in threads, and never use `parallel=True`.
Compiled code is kept in the user's cache folder and not beside the source, so that read-only
installs work; its stamp covers every kernel source, because Numba alone does not notice when a
kernel that another one calls has changed. No global Numba setting is touched.

Compiled code is executed, so nobody else may be able to write it. The folder is used only if every level of the way to
it is safe (`trusted.py`), and only with files that this user wrote and nobody else may write. Otherwise kernels are
kept in a fresh folder that ends with the process; where there is none, in memory.

`TRUECOPY_CACHE` names another folder, which is looked at in the same way.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, TypeVar, cast

import llvmlite.binding
import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator
from numba.core.environment import Environment
from numba.core.runtime.nrt import rtsys

from truecopy.caches import cache_folder
from truecopy.fresh import FreshFolder
from truecopy.progress import compiling
from truecopy.trusted import is_ours, walked

_DIGEST = hashlib.sha256().digest_size
_BINARY = getattr(os, "O_BINARY", 0)
F = TypeVar("F", bound=Callable[..., Any])


@functools.lru_cache(maxsize=1)
def source_stamp() -> str:
    """A digest of every kernel source and of Numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:16]


def _name() -> str:
    return f"kernels-{source_stamp()}-py{sys.version_info.major}{sys.version_info.minor}"


_kept_alive: list[FreshFolder] = []
"""The folder of this process, if it has one: it goes when nobody refers to it."""


@functools.lru_cache(maxsize=1)
def kernel_folder() -> Path | None:
    """Where compiled kernels are kept: the cache, else a folder of this process, else nowhere."""
    try:
        return _usable(cache_folder() / _name())
    except OSError:
        pass  # somebody else can write there, or nobody can
    try:
        fresh = FreshFolder("kernels")
        _kept_alive.append(fresh)
        return _usable(fresh.path / _name())
    except OSError:
        return None


def refused() -> str:
    """Why the cache folder is not used; "" if it is."""
    try:
        _usable(cache_folder() / _name())
    except OSError as error:
        return f"{cache_folder()} is not used: {error.strerror or error}"
    return ""


def _usable(folder: Path) -> Path:
    """The folder, if nobody else can write there and this user can; raises OSError if not."""
    found = walked(folder, make=True)
    # Files that others have left, or could have changed, while the folder was open to them.
    for entry in list(os.scandir(found)):
        if not entry.is_dir(follow_symlinks=False) and not is_ours(entry.stat(follow_symlinks=False)):
            os.unlink(entry.path)  # noqa: PTH108
    with tempfile.TemporaryFile(dir=found):
        pass
    return found


class _Locator(_CacheLocator):
    """Tells Numba to keep one kernel's machine code in `kernel_folder()`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return source_stamp()

    def get_disambiguator(self) -> str:
        return ""

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> _Locator | None:  # noqa: ARG003
        folder = kernel_folder()
        return None if folder is None else cls(folder)


class _Implementation(CompileResultCacheImpl):
    _locator_classes: Any = (_Locator,)

    def reduce(self, cres: Any) -> Any:
        """The machine code alone.

        Numba also keeps what other functions need to inline this one, and loading that takes longer than all the rest.
        A kernel calls parts, which are compiled into it, and never another kernel.
        """
        made: Any = super().reduce(cres)  # type: ignore[no-untyped-call]
        (name, kind, (code, _)), descriptor, *others, environments = made
        # Numba takes from here the names to look for in the machine code: one, the entry point from Python.
        way_in = f'define void @"{descriptor.llvm_cpython_wrapper_name}"() {{ ret void }}'
        names = bytes(llvmlite.binding.parse_assembly(way_in).as_bitcode())
        kept = tuple(map(_kept_environment, environments))
        return (name, kind, (hashlib.sha256(code).digest() + code, names)), descriptor, *others, kept

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Make it ready to run; refuse damaged code."""
        (name, kind, (kept, names)), *others = payload
        digest, code = kept[:_DIGEST], kept[_DIGEST:]
        if hashlib.sha256(code).digest() != digest:
            raise ValueError("damaged")
        whole = ((name, kind, (code, names)), *others)
        return super().rebuild(target_context, whole)  # type: ignore[no-untyped-call]


def _kept_environment(environment: Any) -> Any:
    """What a function of a kernel is kept with: its constants, and the module that it is of.

    Functions of Numba's own, such as those that make arrays, would have their modules imported whenever a kernel is
    loaded. Only interpreted code looks into the module, and kernels have none: ours stands for it.
    """
    if not environment.globals["__name__"].startswith("numba."):
        return environment
    kept = Environment({"__name__": __name__})
    kept.consts[:] = environment.consts
    kept.env_name = environment.env_name
    return kept


class _Files(IndexDataCacheFile):
    """A kernel's files, for this user alone whatever the umask says."""

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[IO[bytes]]:
        part = f"{filepath}.tmp.{uuid.uuid4().hex[:16]}"
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600), "wb") as file:
                yield file
            os.replace(part, filepath)  # noqa: PTH105
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(part)  # noqa: PTH108
            raise


class _Cache(FunctionCache):
    _impl_class = _Implementation

    def __init__(self, function: Any) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        files: Any = _Files
        locator = self._impl.locator
        self._cache_file = files(self._cache_path, self._impl.filename_base, locator.get_source_stamp())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Load machine code without first importing all that Numba could compile.

        Numba does that before it looks for a kernel, for half a second in every process, though compiled code needs
        no more than the runtime for arrays. A kernel that is not found is compiled, and the compiler imports what
        it needs.
        """
        rtsys.initialize(target_context)
        found = None
        try:
            found = self._load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:
            # The file is cut off or damaged: make it again.
            with contextlib.suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call]
        if found is None:
            compiling()
        return found


def kernel(function: F) -> F:
    """Compile on first use, release the GIL, keep the machine code for the next process."""
    dispatcher: Any = numba.njit(nogil=True, no_cfunc_wrapper=True)(function)
    if kernel_folder() is not None and hasattr(dispatcher, "py_func"):  # plain Python with NUMBA_DISABLE_JIT=1
        cache: Any = _Cache
        dispatcher._cache = cache(function)
    return cast("F", dispatcher)


# Only compiled code calls parts: without entry points for Python and C they compile a third faster. They allocate
# nothing, so they need not count references to arrays: in small parts, counting takes longer than the work.
_PART: dict[str, Any] = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}


def part(function: F) -> F:
    """A part of kernels that allocates nothing: compiled into each caller."""
    return cast("F", numba.njit(forceinline=True, **_PART)(function))


def rare_part(function: F) -> F:
    """A part that seldom runs: called and not inlined, because that compiles faster."""
    return cast("F", numba.njit(**_PART)(function))
