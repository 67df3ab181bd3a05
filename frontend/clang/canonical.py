"""From the IR that clang writes to the canonical dialect, as far as all languages share it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from kcc.frontend.clang.choices import with_selects
from kcc.frontend.lowering.debug import quote
from kcc.frontend.options import SourceText

_TRIPLE = re.compile(r'^target triple = ".*"$', re.MULTILINE)
_LAYOUT = re.compile(r'^target datalayout = ".*"$', re.MULTILINE)

LAYOUT = (
    'target datalayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-'
    'v1024:1024-G1"'
)
TRIPLE = 'target triple = "spir64-unknown-unknown"'

_OLD_CONVENTION = "DW_CC_LLVM_OpenCLKernel"
_NEW_CONVENTION = "DW_CC_LLVM_DeviceKernel"
"""Renamed in LLVM 21."""

_DOUBLE = "__clang_ocl_kern_imp_"
"""What clang 21 and later prefix to the body of an OpenCL kernel; the kernel calls it."""

_IMPLEMENTATION = re.compile(rf"^define [^@\n]*@{_DOUBLE}([\w.$]+)\(", re.MULTILINE)

_DEFINITION = re.compile(
    r"^define [^@\n]*@([\w.$]+|\"[^\"]*\")\(.*?^\}\n", re.MULTILINE | re.DOTALL
)

_FILE = re.compile(r'!DIFile\(filename: "([^"]*)", directory: "([^"]*)"')


_SOURCE = re.compile(r'^source_filename = ".*"$', re.MULTILINE)


_OPAQUE_TYPES = (
    (re.compile(r'target\("spirv\.Image"[^)]*\)'), "ptr addrspace(1)"),
    (re.compile(r'target\("spirv\.Sampler"\)'), "ptr addrspace(2)"),
    (re.compile(r'target\("spirv\.(?:Event|DeviceEvent)"\)'), "ptr"),
)
"""Images, samplers and events are pointers in the dialect."""


def _by_its_name(found: re.Match[str], name: str) -> str:
    """The source by its own name: clang calls one of another folder by what comes after that."""
    if Path(found[2], found[1]) != Path.cwd() / name:
        return found[0]
    return f'!DIFile(filename: {quote(name)}, directory: "{found[2]}"'


def canonical(text: str, name: str) -> str:
    """What holds for every language: the dialect's triple, the source's name, kernels once."""
    text = _SOURCE.sub(lambda _: f"source_filename = {quote(name)}", text)
    text = text.replace(_OLD_CONVENTION, _NEW_CONVENTION)
    text = _FILE.sub(lambda found: _by_its_name(found, name), text)
    for pattern, pointer in _OPAQUE_TYPES:
        text = pattern.sub(pointer, text)
    text = _LAYOUT.sub(LAYOUT, _TRIPLE.sub(TRIPLE, text))
    return with_selects(_join_doubles(text))


def _join_doubles(text: str) -> str:
    """Each kernel has its own body again, unless another kernel calls that body too."""
    for name in _IMPLEMENTATION.findall(text):
        double = f"@{_DOUBLE}{name}("
        if text.count(double) != 2:
            continue
        text = _without_definition(text, name)
        start = text.index(double)
        head = text.rindex("define ", 0, start)
        text = f"{text[:head]}define spir_kernel void @{name}({text[start + len(double) :]}"
    return text


def _without_definition(text: str, name: str) -> str:
    return _DEFINITION.sub(lambda m: "" if m[1] == name else m[0], text)


def functions(text: str) -> dict[str, str]:
    """The text of each function that is defined, by name."""
    return {m[1].strip('"'): m[0] for m in _DEFINITION.finditer(text)}


_NAMED_VALUE = re.compile(r", value: ptr(?: addrspace\(\d\))? @([\w.$]+)(?=[,)])")
"""A function as the argument of a template, in debug information."""


def without_functions(text: str, names: Sequence[str]) -> str:
    """The module without these definitions."""
    gone = set(names)
    text = _NAMED_VALUE.sub(lambda m: ", value: ptr null" if m[1] in gone else m[0], text)
    return _DEFINITION.sub(lambda m: "" if m[1].strip('"') in gone else m[0], text)


def source_lines(text: str, source: SourceText) -> Mapping[str, Sequence[str]]:
    """The lines of the source and of every file the debug information names and that is there."""
    from kcc.base.diagnostics import DiagnosticError
    from kcc.frontend.source_file import read_source

    found: dict[str, Sequence[str]] = {source.name: source.text.split("\n")}
    for match in _FILE.finditer(text):
        name = match[1]
        if name in found or name.startswith("<"):
            continue
        try:
            found[name] = read_source(name).text.split("\n")
        except DiagnosticError:
            continue
    return found
