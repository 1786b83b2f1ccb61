"""The decorators of every kernel, and where compiled kernels are kept.

Kernels release the GIL, so callers run them in threads, and never use `parallel=True`.
Compiled code is kept in the user's cache folder and not beside the source, so that read-only
installs work; its stamp covers every kernel source, because Numba alone does not notice when a
kernel that another one calls has changed. No global Numba setting is touched.

`TRUECOPY_CACHE` names another folder. Where nothing can be written, kernels compile in memory.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import llvmlite.binding
import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.runtime.nrt import rtsys

from truecopy.progress import compiling

_DIGEST = hashlib.sha256().digest_size
F = TypeVar("F", bound=Callable[..., Any])


def cache_folder() -> Path:
    """The folder for everything that truecopy can make again."""
    given = os.environ.get("TRUECOPY_CACHE")
    if given:
        return Path(given)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "truecopy"


@functools.lru_cache(maxsize=1)
def source_stamp() -> str:
    """A digest of every kernel source and of Numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.name.encode() + b"\0" + source.read_bytes())
    return digest.hexdigest()[:16]


@functools.lru_cache(maxsize=1)
def kernel_folder() -> Path | None:
    """Where compiled kernels are kept: the cache, else a private temporary folder, else nowhere."""
    name = f"kernels-{source_stamp()}-py{sys.version_info.major}{sys.version_info.minor}"
    private = Path(tempfile.gettempdir()) / f"truecopy-{os.getuid() if hasattr(os, 'getuid') else 'user'}"
    for base in (cache_folder(), private):
        folder = base / name
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            continue  # cannot write here: try the next
        if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
            continue  # compiled code is executed: never trust another user's folder
        return folder
    return None


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
        (name, kind, (code, _)), descriptor, *others = made
        # Numba takes from here the names to look for in the machine code: one, the entry point from Python.
        way_in = f'define void @"{descriptor.llvm_cpython_wrapper_name}"() {{ ret void }}'
        names = bytes(llvmlite.binding.parse_assembly(way_in).as_bitcode())
        return (name, kind, (hashlib.sha256(code).digest() + code, names)), descriptor, *others

    def rebuild(self, target_context: Any, payload: Any) -> Any:
        """Make it ready to run; refuse damaged code."""
        (name, kind, (kept, names)), *others = payload
        digest, code = kept[:_DIGEST], kept[_DIGEST:]
        if hashlib.sha256(code).digest() != digest:
            raise ValueError("damaged")
        whole = ((name, kind, (code, names)), *others)
        return super().rebuild(target_context, whole)  # type: ignore[no-untyped-call]


class _Cache(FunctionCache):
    _impl_class = _Implementation

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
