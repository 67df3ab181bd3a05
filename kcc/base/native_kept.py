"""Compiled functions, kept so that a later run can call them without importing numba.

What is kept is the object code that numba made, with the entry that takes Python's arguments
apart. That needs a few functions of numba's own library in C, which is loaded by itself.
"""

from __future__ import annotations

import builtins
import ctypes
import json
import os
import pickle
import re
import sys
from collections.abc import Callable, Iterable
from functools import cache
from hashlib import sha256
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np

import kcc
from kcc.base.cache_folder import is_trusted, keep, kept, user_cache_dir
from kcc.base.native import Native, asked

_PACKAGES = ("base", "sim", "tracegen")
"""Those with native code."""

_DECLARED = re.compile(r'^(?:declare .*?@"?([\w.$]+)"?\(|@"?([\w.$]+)"? = external )', re.MULTILINE)


def kinds_of(arguments: Iterable[Any]) -> tuple[Any, ...]:
    """What numba would tell apart in the types of arguments; hashable, with a stable text."""
    return tuple(_kind(each) for each in arguments)


def _kind(value: Any) -> Any:
    kind: Any = value.__class__
    if kind is np.ndarray:
        flags, type_ = value.flags, value.dtype
        order = "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"
        name = type_.str if type_.names is None else str(type_)
        return name, value.ndim, order, flags.writeable, flags.aligned
    if kind is int:
        return "int" if -(2**63) <= value < 2**63 else "large"
    if issubclass(kind, tuple):
        return kind.__module__, kind.__qualname__, kinds_of(value)
    if isinstance(value, np.void):
        return str(value.dtype)
    return kind.__module__, kind.__qualname__


def load(function: Native, kinds: Any) -> Callable[[tuple[Any, ...]], Any] | None:
    """What calls the code that is kept of a function for arguments of these kinds; None if there is
    none, or it is of another processor, source or version."""
    folder = _folder()
    data = kept(folder, _name(function, kinds)) if folder else None
    if data is None:
        return None
    head, _, code = data.partition(b"\n")
    told = json.loads(head)
    if told["made"] != _made() or not _resolved(told["needs"]):
        return None
    return _entry(code, told)


def _entry(code: bytes, told: dict[str, Any]) -> Callable[[tuple[Any, ...]], Any]:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        codemodel="jitdefault", jit=True
    )
    module = llvm.parse_assembly("")
    module.triple = machine.triple
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    scope, constants = dict[str, Any](), pickle.loads(bytes.fromhex(told["constants"]))
    word = ctypes.sizeof(ctypes.c_void_p)
    environment = ctypes.create_string_buffer(told["constants_at"] + 2 * word)
    place = ctypes.addressof(environment) + told["constants_at"]
    (ctypes.c_void_p * 2).from_address(place)[:] = [id(scope), id(constants)]
    pointer = engine.get_global_value_address(told["environment"])
    ctypes.c_void_p.from_address(pointer).value = ctypes.addressof(environment)
    called = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    call = called(engine.get_function_address(told["entry"]))
    alive = engine, environment, scope, constants

    def entry(arguments: tuple[Any, ...], _: Any = alive) -> Any:
        return call(None, arguments, None)

    return entry


class Keeper:
    """Stands where numba has its cache, and keeps what it compiled for a call from Python."""

    def __init__(self, function: Native) -> None:
        self.function = function

    def load_overload(self, *_: Any) -> None:
        """Nothing: what is kept was looked for before numba was."""

    def save_overload(self, _: Any, result: Any) -> None:
        """Keep the code of a function that was compiled for the arguments of a call."""
        folder, by = _folder(), getattr(asked, "by", None)
        if folder is None or by is None or by[0] is not self.function:
            return
        body: Any = import_module("numba._dynfunc")
        library, told = result.library, result.fndesc
        needs = {a or b for a, b in _DECLARED.findall(library.get_llvm_str())}
        head: dict[str, Any] = {
            "made": _made(),
            "entry": told.llvm_cpython_wrapper_name,
            "environment": told.env_name,
            "constants": pickle.dumps(result.environment.consts).hex(),
            "constants_at": body._impl_info["offsetof_env_body"],  # noqa: SLF001 -- likewise
            "needs": sorted(each for each in needs if not each.startswith("llvm.")),
        }
        code: bytes = library._get_compiled_object()  # noqa: SLF001 -- numba has no other way
        keep(folder, _name(*by), json.dumps(head).encode() + b"\n" + code)


def _name(function: Native, kinds: Any) -> str:
    """Of the file: one for each function and kinds of arguments, which newer code replaces."""
    text = f"{function.__module__}.{function.__name__} {kinds}"
    return f"{function.__name__.strip('_')}-{sha256(text.encode()).hexdigest()[:24]}"


@cache
def _made() -> str:
    """What the code depends on: sources, compilers, processor, and the variables that numba
    reads."""
    parts = [
        sources(), sys.version, _numbas_version(), llvmlite.__version__, np.__version__,
        llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(),
        *(f"{name}={os.environ[name]}" for name in sorted(os.environ) if name.startswith("NUMBA_")),
    ]  # fmt: skip
    return sha256("\0".join(parts).encode()).hexdigest()


@cache
def sources() -> str:
    """A digest of all sources of native code. What a function calls and the layout of its records
    stand in other files than its own, of other packages too."""
    digest = sha256()
    for package in _PACKAGES:  # links to them, in a checkout
        for rule in ("native*.py", "*_native.py", "*layout.py"):
            for path in sorted((Path(kcc.__path__[0]) / package).rglob(rule)):
                digest.update(path.read_bytes())
    return digest.hexdigest()


def _folder() -> Path | None:
    """Where numba would keep its own: what its variable names, beside this file, or the user's
    cache."""
    beside = Path(__file__).parent / "__pycache__"
    own = user_cache_dir()
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    for folder in [Path(chosen)] if chosen else [beside, *([own] if own else [])]:
        there = folder if folder.exists() else folder.parent
        if os.access(there, os.W_OK) and is_trusted(folder):
            return folder
    return None


@cache
def _numba() -> Path | None:
    """Where numba's files are."""
    package = find_spec("numba")
    return Path(package.origin).parent if package and package.origin else None


def _numbas_version() -> str:
    folder = _numba()
    return (folder / "_version.py").read_text() if folder else ""


@cache
def _helpers() -> dict[str, int]:
    """Addresses of what numba's code calls, by symbol."""
    found = {"_Py_NoneStruct": id(None)}
    for value in vars(builtins).values():
        if isinstance(value, type) and issubclass(value, BaseException):
            found[f"PyExc_{value.__name__}"] = id(value)
    for name, address in _library("_helperlib").items():
        found[f"numba_{name}"] = found[name] = address
    for name, address in _library("core.runtime._nrt_python").items():
        found[name if name.startswith("_") else f"NRT_{name}"] = address
    found["numba_unpickle"] = ctypes.cast(_unpickle, ctypes.c_void_p).value or 0
    return found


@ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
def _unpickle(place: int, size: int, _: int) -> Any:
    """A type or an error that stands in compiled code; numba's own would import the rest of it."""
    return pickle.loads(ctypes.string_at(place, size))


def _library(name: str) -> dict[str, int]:
    """Addresses of the functions that one of numba's own libraries in C has for compiled code."""
    folder = _numba()
    places = [f"{name.replace('.', '/')}{suffix}" for suffix in EXTENSION_SUFFIXES]
    for path in (folder / place for place in places if folder and (folder / place).exists()):
        spec = spec_from_file_location(f"numba.{name}", path)
        if spec is not None and spec.loader is not None:
            library: Any = module_from_spec(spec)
            spec.loader.exec_module(library)
            return library.c_helpers
    return {}


def _resolved(needs: Iterable[str]) -> bool:
    """Whether all symbols are there: code with one that is not would end the process."""
    helpers = _helpers()
    for name in needs:
        address = helpers.get(name)
        if address is None and hasattr(ctypes.pythonapi, name):
            address = ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value
        if address is not None:
            llvm.add_symbol(name, address)
        if llvm.address_of_symbol(name) is None:
            return False
    return True
