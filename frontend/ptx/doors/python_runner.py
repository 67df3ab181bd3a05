# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
"""Runs alone, with Triton or Numba: compiles kernels of Python files to PTX.

Reads requests from standard input and answers each on standard output, a line of JSON each; what
kernels' files print goes to standard error. Imports nothing of kcc: what runs it is any Python that
has the compiler.
"""

from __future__ import annotations

import ast
import inspect
import json
import linecache
import os
import re
import sys
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

LARGEST_MESSAGE = 2000


def main() -> None:
    """Answer requests until there are no more: ``ptx`` and what belongs to it, or ``error``."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = _compiled(request)
        except BaseException as error:  # noqa: BLE001 -- whatever a file does is the answer
            text = f"{type(error).__name__}: {error}"
            answer = {"error": text[:LARGEST_MESSAGE], "line": _line_of(error, request["file"])}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _line_of(error: BaseException, file: str) -> int:
    """The line of the user's file where an error came from; 0 for none."""
    found, trace = 0, error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename) == Path(file):
            found = trace.tb_lineno
        trace = trace.tb_next
    node = getattr(error, "node", None)
    return getattr(node, "lineno", 0) or found


def _compiled(request: dict[str, Any]) -> dict[str, Any]:
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # its default changes by version
    os.environ.setdefault("NUMBA_CUDA_ENABLE_PYNVJITLINK", "0")
    stat = Path(request["file"]).stat()
    module = _module(request["file"], (stat.st_mtime_ns, stat.st_size))
    kernel = getattr(module, request["name"], None)
    if kernel is None:
        names = [
            n for n, v in vars(module).items() if hasattr(v, "arg_names") or hasattr(v, "py_func")
        ]
        errors = vars(module)["__kcc_errors__"]
        if errors and not names:
            raise errors[0]
        return {"error": f"there is no '{request['name']}' in it", "line": 0, "kernels": names}
    while not hasattr(kernel, "arg_names") and hasattr(kernel, "fn"):
        kernel = kernel.fn
    if hasattr(kernel, "arg_names"):
        return _triton(kernel, request)
    return _numba(getattr(kernel, "py_func", kernel), request)


@lru_cache(maxsize=1)
def _module(path: str, stamp: tuple[int, int]) -> ModuleType:
    """A file as a module; ``stamp`` tells its versions apart. Of a script that needs a GPU, or
    packages that are not there, the statements that work."""
    del stamp
    text = Path(path).read_text(encoding="utf-8")
    linecache.checkcache(path)
    sys.path.insert(0, str(Path(path).parent))
    module = ModuleType("kcc_kernels")
    module.__file__ = path
    sys.modules["kcc_kernels"] = module
    errors = list[Exception]()
    for statement in ast.parse(text, path).body:
        for attempt in (statement, _plain(statement)):
            try:
                code = compile(ast.Module([attempt], []), path, "exec")
                exec(code, vars(module))
                break
            except Exception as error:  # noqa: BLE001 -- whatever it does, others may work
                errors.append(error)
    vars(module)["__kcc_errors__"] = errors
    return module


def _plain(statement: ast.stmt) -> ast.stmt:
    """A function with the decorator of its compiler alone: those of autotuners ask for a GPU."""
    if isinstance(statement, ast.FunctionDef):
        kept = [d for d in statement.decorator_list if "jit" in ast.unparse(d)]
        statement.decorator_list = kept
    return statement


# Triton

_INTEGERS = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "i1")


def _triton(kernel: Any, request: dict[str, Any]) -> dict[str, Any]:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    names = list(kernel.arg_names)
    marked = {p.name for p in kernel.params if p.is_constexpr}
    given, options = _constants(request["macros"], names)
    unknown = [n for n in marked if n not in given and not _has_default(kernel, n)]
    if unknown:
        return {"error": f"-D gives no value for {', '.join(unknown)}", "line": 0}
    for parameter in kernel.params:
        if parameter.name in marked and parameter.name not in given:
            given[parameter.name] = parameter.default
    types = _types([n for n in names if n not in given], request["signature"])
    if isinstance(types, str):
        return {"error": types, "line": 0}
    attributes, said, ones = dict[Any, Any](), list[str](), list[str]()
    places = {name: str(place) for place, name in enumerate(types)}
    for index, name in enumerate(names):
        if name not in types:
            continue
        value = request["values"].get(name, request["values"].get(places[name]))
        if types[name] in _INTEGERS and value == 1:
            del types[name]
            given[name] = 1
            ones.append(name)
            said.append(f"{name} is the constant 1")
        elif _divisible(types[name], value):
            attributes[index,] = [["tt.divisibility", 16]]
            said.append(f"{name} is a multiple of 16")
    signature = {n: types.get(n, "constexpr") for n in names}
    source = ASTSource(kernel, signature, constexprs=given, attrs=attributes)
    target = GPUTarget("cuda", request["capability"], 32)
    triton.knobs.runtime.add_stages_inspection_hook = _without_assembler
    made = triton.compile(source, target=target, options=options)
    return {
        "ptx": made.asm["ptx"],
        "names": [part for n in names if n not in given for part in _parts(n, types[n])],
        "shared": made.metadata.shared,
        "threads": made.metadata.num_warps * 32,
        "compiler": f"Triton {triton.__version__}",
        "specialised": said,
        "constant": {name: int(places[name]) for name in ones},
        "symbol": made.metadata.name,
    }


def _without_assembler(*stages: Any) -> tuple[str, str] | None:
    """Leaves out machine code, a third of the time; names itself for the cache."""
    if not stages:
        return "without machine code", "without machine code"
    stages[1]["cubin"] = lambda *_: b""
    return None


def _has_default(kernel: Any, name: str) -> bool:
    found = next(p for p in kernel.params if p.name == name)
    return bool(found.has_default) if hasattr(found, "has_default") else False


def _divisible(type_: str, value: Any) -> bool:
    """Whether Triton's JIT would mark it: pointers of an allocator are; integers by their value."""
    if type_.startswith("*"):
        return True
    return type_ in _INTEGERS and isinstance(value, int) and value % 16 == 0


_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


def _constants(macros: list[list[str]], names: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Meta-parameters and options of the compiler among ``-D NAME=VALUE``."""
    constants, options = dict[str, Any](), dict[str, Any]()
    for name, text in macros:
        value = _value(text)
        if name in names:
            constants[name] = value
        elif name in _OPTIONS:
            options[name] = value
    return constants, options


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _types(names: list[str], signature: str) -> dict[str, str] | str:
    """The types of a signature by name; a message where they do not fit."""
    found = [t.strip() for t in re.split(r",(?![^\[<]*[\]>])", signature) if t.strip()]
    if len(found) != len(names):
        return (
            f"--signature has {len(found)} types, and the kernel {len(names)} arguments beside its "
            f"constants: {', '.join(names)}"
        )
    return dict(zip(names, found, strict=True))


def _parts(name: str, type_: str) -> list[str]:
    """What an argument is in the PTX: of a tensor descriptor its map, sizes and strides."""
    match = re.fullmatch(r"tensordesc<\w+\[(.*)\]>", type_)
    axes = range(len(match[1].split(","))) if match else ()
    return [name, *(f"{name}_shape{n}" for n in axes), *(f"{name}_stride{n}" for n in axes)]


# Numba


def _numba(function: Any, request: dict[str, Any]) -> dict[str, Any]:
    from numba import cuda, types
    from numba.core import sigutils

    signature = request["signature"].strip()
    if not signature.endswith(")"):
        signature = f"void({signature})"
    arguments, _ = sigutils.normalize_signature(signature)
    major, minor = divmod(request["capability"], 10)
    ptx, _ = cuda.compile_ptx(function, signature, cc=(major, minor), lineinfo=True)
    names = list[str]()
    for name, type_ in zip(inspect.signature(function).parameters, arguments, strict=True):
        if isinstance(type_, types.Array):
            n = type_.ndim
            parts = ["meminfo", "parent", "nitems", "itemsize", "data"]
            parts += [f"shape{i}" for i in range(n)] + [f"strides{i}" for i in range(n)]
            names += [f"{name}.{part}" for part in parts]
        else:
            names.append(name)
    import numba

    return {
        "ptx": ptx, "names": names, "shared": 0, "threads": 0,
        "compiler": f"Numba {numba.__version__}", "specialised": [], "constant": {},
        "symbol": function.__name__,
    }  # fmt: skip


if __name__ == "__main__":
    main()
