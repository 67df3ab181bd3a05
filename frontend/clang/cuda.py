"""CUDA through clang: device code of a .cu file, whatever its host code needs."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.records import dataclass
from kcc.base.scratch import scratch_folder
from kcc.frontend.clang.canonical import canonical, source_lines, without_functions
from kcc.frontend.clang.cuda_ir import lower_cuda, settle_spaces, with_kernel_metadata
from kcc.frontend.clang.debug_nodes import DebugNodes
from kcc.frontend.clang.find import Clang, need_clang
from kcc.frontend.clang.host_code import Editable, Item, masked
from kcc.frontend.clang.host_headers import KNOWN, is_expected, missing_includes, overlay
from kcc.frontend.clang.inline_ptx import with_known_constraints, with_ptx_functions
from kcc.frontend.clang.invoke import (
    HEADERS,
    Compilation,
    Message,
    compile_text,
    macro_arguments,
    quoted,
)
from kcc.frontend.clang.launch_bounds import with_launch_bounds
from kcc.frontend.clang.messages import as_diagnostics, missing_header
from kcc.frontend.clang.precompiled import TESTED, header_arguments
from kcc.frontend.clang.refusals import Refusal, has_calls_through_pointers, refused_kernels
from kcc.frontend.clang.templates import (
    FunctionTemplate,
    by_defaults,
    function_templates,
    instantiations,
    namespaces_of_kernels,
    substituted,
)
from kcc.frontend.kernel import CompiledUnit, Language, Refused
from kcc.frontend.optimise import optimise
from kcc.frontend.options import BuildOptions, MacroOption, OptLevel, SourceText
from kcc.frontend.unit import link_builtins, unit_from_ir

NAME = "clang"

_OPTIONS = (
    "-triple", "spirv64-unknown-unknown", "-x", "cuda", "-fcuda-is-device", "-std=gnu++17",
    "-fdeclspec", "-fcxx-exceptions", "-fexceptions", "-fno-builtin", "-fnative-half-type",
    "-debug-info-kind=standalone", "-fgnuc-version=4.2.1", "-Wno-register", "-nostdsysteminc",
    "-internal-isystem", str(HEADERS),
)  # fmt: skip

_MAX_ROUNDS = 40

MOST_REASONS = 5
"""Errors in code that was taken out which are told where templates cannot be instantiated."""

_TAIL = "kcc-instantiations"
"""What the lines after the source are called in messages."""

_UNSUPPORTED = (
    (
        re.compile(r"reference to __global__ function|kernel launch from|__host__ function 'cuda"),
        "dynamic_parallelism",
    ),
    (re.compile(r"inline assembly|invalid (?:input|output) constraint|\basm\b"), "inline_ptx"),
)  # fmt: skip


_CONSTRAINT = re.compile(r"invalid (?:input|output) constraint")
_TEXTURE = re.compile(r"\b(?:texture|surface)\s*<")
_SIZED_SHARED = re.compile(r"\bextern(?=[^;{}\[\]]*\b__shared__\b[^;{}\[\]]*\[\s*[^\]\s])")


def compile_cuda(
    source: SourceText, options: BuildOptions, *, partial: bool = False
) -> CompiledUnit:
    """Compile the device code of a CUDA source. With ``partial``, kernels in which clang finds
    errors, or that use what has some, are refused and the others compiled.

    Raises :class:`DiagnosticError`: clang's errors in device code, K011 without clang, K420 when
    no kernel is left.
    """
    session = _Session(need_clang("CUDA"), source, _of_hip(source, options), partial)
    session.compile()
    assert session.done is not None
    assert session.done.ir is not None
    text = lower_cuda(
        canonical(with_launch_bounds(session.done.ir), source.name), fast=options.fast_relaxed_math
    )
    return _unit(text, session)


_HIP = re.compile(r'#[ \t]*include[ \t]*[<"]hip/')


def _of_hip(source: SourceText, options: BuildOptions) -> BuildOptions:
    """With the wavefronts of the GPU, which HIP's sources read as warpSize; in CUDA's own warps
    have 32 lanes."""
    is_hip = ".hip" in Path(source.name).suffixes or _HIP.search(source.text) is not None
    if not is_hip or options.sub_group_size != 64:
        return replace(options, sub_group_size=32)
    return replace(options, macros=(*options.macros, MacroOption("__KCC_WARP", "64")))


def _as_clang_takes(text: str) -> str:
    """A source in which operands of ``asm`` are all ``r``, and arrays in shared memory that have a
    size are not ``extern``, which nvcc lets them be and reads over; offsets stay."""
    parts, start = list[str](), 0
    for match in _SIZED_SHARED.finditer(masked(text)):
        parts += text[start : match.start()], " " * len(match[0])
        start = match.end()
    return with_known_constraints("".join((*parts, text[start:])))


@dataclass(slots=True)
class _Session:
    """A source on its way through clang, which says piece by piece what it does not take."""

    clang: Clang
    source: SourceText
    options: BuildOptions
    partial: bool = False
    main: Editable = field(init=False)
    others: dict[str, Editable] = field(default_factory=dict[str, Editable])
    stubs: set[str] = field(default_factory=set[str])
    missing: list[str] = field(default_factory=list[str])
    warnings: list[Diagnostic] = field(default_factory=list[Diagnostic])
    templates: list[FunctionTemplate] = field(default_factory=list[FunctionTemplate])
    tail: list[str] = field(default_factory=list[str])
    """Lines after the source that instantiate templates."""
    spaces: str = ""
    """What makes names in namespaces known there."""
    asked: frozenset[str] = frozenset()
    with_defaults: bool = False
    wrong: list[Diagnostic] = field(default_factory=list[Diagnostic])
    """Errors in device code that was taken out for them; calls of what was name the number."""
    lost: dict[str, Diagnostic] = field(default_factory=dict[str, Diagnostic])
    """Kernels that were taken out whole, each with the error in its head."""
    done: Compilation | None = None

    def __post_init__(self) -> None:
        self.main = Editable(_as_clang_takes(self.source.text))
        self.stubs = set(KNOWN)
        folders = [self.source.folder or ".", *self.options.include_dirs]
        for name in missing_includes(masked_directives(self.source.text), folders):
            self._stub(name)
        plain = masked(self.source.text)
        self.templates = function_templates(plain)
        self.asked = frozenset(self.options.instantiate)
        known = substituted(plain, self.templates)
        wanted = dict.fromkeys([*self.options.instantiate, *known])
        self.tail = [_instantiation(n, text) for n, text in enumerate(wanted)]
        spaces = namespaces_of_kernels(plain, self.templates)
        self.spaces = " ".join(f"namespace {s} {{}} using namespace {s};" for s in spaces)

    def _stub(self, name: str) -> None:
        self.stubs.add(name)
        if not is_expected(name):
            self.missing.append(name)

    def compile(self) -> None:
        """Compile until clang accepts what is left; raises for errors in device code."""
        for _ in range(_MAX_ROUNDS):
            self.done = self._attempt()
            if self.done.ir is not None:
                if not self._add_defaults(self.done.ir):
                    return
                continue
            before = self._state()
            if not self._repair(self.done.errors) or self._state() == before:
                break
        assert self.done is not None
        refused = self._refused_instantiations()
        raise DiagnosticError(
            [
                *refused,
                *(self.wrong[:MOST_REASONS] if refused else ()),
                *as_diagnostics([m for m in self.done.messages if m.file != _TAIL]),
                *self.missing_notes(),
            ]
        )

    def _add_defaults(self, ir: str) -> bool:
        """Instantiate, once, kernels of which there is no instance as the host launches them, or
        by their parameters' defaults; whether there are any."""
        made = {t.name for t in self.templates if f"{len(t.name)}{t.name}I" in ir}
        wanted = list[str]()
        if not self.with_defaults:
            wanted = [*self._as_launched(made), *by_defaults(self.templates, made)]
        self.with_defaults = True
        self.tail += [_instantiation(len(self.tail) + n, text) for n, text in enumerate(wanted)]
        return bool(wanted)

    def _as_launched(self, made: Collection[str]) -> list[str]:
        """Instances that the host's code, interpreted, launches: where its text has the arguments
        in macros, or as parameters of templates that call each other."""
        left = {t.name for t in self.templates if t.is_kernel} - set(made)
        if not left:
            return []
        from kcc.frontend.cuda.host_launches import host_launches

        launches = host_launches(self.source.text, {})
        return list(dict.fromkeys(each.name for each in launches if each.kernel in left))

    def _state(self) -> tuple[object, ...]:
        """What the next attempt compiles."""
        others = tuple((name, other.text) for name, other in self.others.items())
        return self.main.text, others, frozenset(self.stubs), tuple(self.tail)

    def _refused_instantiations(self) -> list[Diagnostic]:
        """Those asked for that do not exist, with what the source itself instantiates."""
        assert self.done is not None
        wrong = {m.line - 1 for m in self.done.errors if m.file == _TAIL}
        offered = [i.text for i in instantiations(masked(self.source.text), self.templates)]
        known = [f"{t.name}<{t.parameters}>" for t in self.templates if t.is_kernel]
        hint = f"the source has {', '.join(offered or known) or 'no kernel template'}"
        return [
            Diagnostic("K421", f"'{name}' cannot be instantiated", hint=hint)
            for number, name in enumerate(self.options.instantiate)
            if number in wrong
        ]

    def _attempt(self) -> Compilation:
        with scratch_folder("headers-") as folder:
            empty, listing = Path(folder, "empty.h"), Path(folder, "overlay.yaml")
            empty.write_text("\n", encoding="utf-8")
            root = f"{folder}/stubs"
            listing.write_text(overlay(self.stubs, root, empty), encoding="utf-8")
            arguments = [*_OPTIONS, *header_arguments(self.clang, _OPTIONS, self.options)]
            macros = Path(folder, "macros.h")
            macros.write_text(_macro_text(self.options), encoding="utf-8")
            tested = tuple(m for m in self.options.macros if m.name in TESTED)
            arguments += macro_arguments(replace(self.options, macros=tested, forced_includes=()))
            for file in (str(macros), *self.options.forced_includes):
                arguments += ["-include", file]
            arguments += ["-DKCC_FAST_MATH"] * self.options.fast_relaxed_math
            arguments += ["-ivfsoverlay", str(listing), "-isystem", root]
            text = "\n".join([self.main.text, *self._tail_lines()])
            source = SourceText(self.source.name, text, self.source.folder)
            remapped = {name: other.text for name, other in self.others.items()}
            return compile_text(self.clang, source, arguments, remapped)

    def _tail_lines(self) -> list[str]:
        """The instantiations, as a file of their own; the end of the text is the source's, as
        that is where clang misses what closes."""
        if not self.tail:
            return []
        end = f'#line {self.main.text.count(chr(10)) + 1} "{quoted(self.source.name)}"'
        return [self.spaces, f'#line 1 "{_TAIL}"', *self.tail, end]

    def _repair(self, errors: Sequence[Message]) -> bool:
        """Take out what the errors are about, as far as it is not device code."""
        if self._move_textures():
            return True  # what else is said may be a consequence
        changed = False
        for error in errors:
            header = missing_header(error)
            if header is not None:
                if header not in self.stubs:
                    self._stub(header)
                    changed = True
            elif error.file == _TAIL:
                changed |= self._drop_instantiation(error)
            else:
                changed |= self._take_out(error)
        return changed

    def _move_textures(self) -> bool:
        """Texture references are variables of the device, which only their type says."""
        assert self.done is not None
        changed = False
        places = [m for m in self.done.messages if m.text.startswith("host variable declared here")]
        for place in sorted(set(places), key=lambda m: (m.file, -m.line)):
            editable = self._editable(place.file)
            item = editable.item_at(place.line, place.column) if editable else None
            if editable and item and _TEXTURE.search(item.head) and not item.is_device:
                editable.mark_device(item)
                changed = True
        return changed

    def _drop_instantiation(self, error: Message) -> bool:
        index = error.line - 1
        if not 0 <= index < len(self.tail) or not self.tail[index]:
            return False
        text = self.tail[index]
        if any(name in text for name in self.asked):
            return False
        self.tail[index] = ""
        return True

    def _take_out(self, error: Message) -> bool:
        is_new = error.file not in self.others
        editable = self._editable(error.file)
        if editable is None or not error.line:
            return False
        if is_new and _CONSTRAINT.search(error.text):
            return True  # an included file, whose constraints are spelled anew
        item = editable.item_at(error.line, error.column)
        if item is None or not editable.text[item.start : item.end].strip():
            return False
        if item.body is None and editable.hide_member(item, error.line, error.column):
            return True
        if item.is_device:
            return self._poison(editable, item, error)
        before = editable.text
        if not editable.text[editable.offset(error.line, error.column)].strip():
            return True  # gone already, for another error
        editable.remove(item, error.line, error.column, [t.name for t in self.templates])
        if editable.text == before:
            editable.remove(item, editable.line_of(item.start), 1)
        return editable.text != before

    def _poison(self, editable: Editable, item: Item, error: Message) -> bool:
        """A device function with something that is not supported calls its refusal instead."""
        construct = next((name for rule, name in _UNSUPPORTED if rule.search(error.text)), None)
        if construct is None:
            return self.partial and self._take_out_device(editable, item, error)
        if item.body is None:
            return False
        start, end = item.body
        call = f"__kcc_refuse_{construct}();"
        if call in editable.text[start:end]:
            return False
        line_start = editable.offset(error.line, 1)
        line_end = editable.text.find("\n", line_start)
        editable.poison(item, call, max(start, line_start), line_end)
        return True

    def _take_out_device(self, editable: Editable, item: Item, error: Message) -> bool:
        """A function with an error in its body calls the refusal that stands for the error; what
        is wrong elsewhere goes whole, and with it those who use it."""
        self.wrong += as_diagnostics([error])
        call = f"__kcc_refuse_source<{len(self.wrong) - 1}>();"
        where = editable.offset(error.line, error.column)
        if item.body and item.body[0] <= where <= item.body[1]:
            start, end = item.body
            if "__kcc_refuse_source<" not in editable.text[start:end]:
                editable.poison(item, call, start, min(start + len(call), end))
                return True
        name = _NAME_BEFORE.search(item.head) if "__global__" in item.head else None
        if name is not None:
            self.lost[name[1]] = self.wrong[-1]
        editable.hide(item)
        return True

    def _editable(self, file: str) -> Editable | None:
        if file == self.source.name:
            return self.main
        if file not in self.others and Path(file).is_file() and str(HEADERS) not in file:
            from kcc.frontend.source_file import read_source

            self.others[file] = Editable(_as_clang_takes(read_source(file).text))
        return self.others.get(file)

    def _line_of_include(self, name: str) -> int:
        """Where the source itself includes a header; 0 where another file does."""
        match = re.search(rf'#[ \t]*include[ \t]*[<"]{re.escape(name)}[>"]', self.source.text)
        return self.source.text.count("\n", 0, match.start()) + 1 if match else 0

    def missing_notes(self) -> list[Diagnostic]:
        return [
            Diagnostic(
                "K419",
                f"'{name}' is not found and is taken as empty",
                Span(self.source.name, self._line_of_include(name)),
                hint="-I FOLDER tells where to look for included files",
            )
            for name in self.missing
        ]


def _macro_text(options: BuildOptions) -> str:
    """The macros of the options, which kcc's own headers are not to see."""
    lines = list[str]()
    for macro in options.macros:
        if macro.name not in TESTED:
            given = macro.value is not None
            lines.append(f"#define {macro.name} {macro.value}" if given else f"#undef {macro.name}")
    return "\n".join([*lines, ""])


_NAME_BEFORE = re.compile(r"(?!__launch_bounds__|__attribute__)\b(\w+)\s*(?:<[^<>]*>)?\s*\((?!\()")
"""A function's name in the head of its definition."""

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def masked_directives(text: str) -> str:
    """The text without comments, directives kept."""
    return _COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def _instantiation(number: int, text: str) -> str:
    return (
        f"template <auto kernel> struct __kcc_keep{number} "
        "{ static constexpr auto use = kernel; }; "
        f"template struct __kcc_keep{number}<&{text}>;"
    )


_KEPT = re.compile(r"^@_ZN\d+__kcc_keep\d.*\n", re.MULTILINE)
"""What instantiated a template, and would keep it alive."""


def _unit(text: str, session: _Session) -> CompiledUnit:
    nodes = DebugNodes(text)
    subprograms = nodes.subprograms()
    kernels = re.findall(r"^define [^\n]*?spir_kernel void @([\w.$]+)\(", text, re.MULTILINE)
    names = {k: nodes.name_of(subprograms.get(k, "")) or k for k in kernels}
    text, reasons = with_ptx_functions(text)
    if has_calls_through_pointers(text):  # to functions that are known when all is in its place
        text = optimise(text, OptLevel.O1).text
    left_out = refused_kernels(text, kernels, names, session.wrong, reasons)
    gone = [r.symbol for r in left_out]
    refused = _refused(session, left_out, names)
    warnings = [r.diagnostic for r in left_out if r.diagnostic not in session.wrong]
    warnings += _template_notes(session, {*names.values(), *session.lost})
    warnings += session.missing_notes()
    if len(gone) == len(kernels):
        raise _nothing_left(session, [*session.wrong, *warnings], bool(kernels))
    text = without_functions(_KEPT.sub("", with_kernel_metadata(text)), gone)
    level = session.options.opt_level
    text = settle_spaces(link_builtins(_without_orphans(text)), level)
    return unit_from_ir(
        text,
        name=session.source.name,
        frontend=NAME,
        language=Language.CUDA,
        level=level,
        costs=session.options.costs,
        sources=source_lines(text, session.source),
        warnings=tuple(warnings),
        refused=refused,
        sub_group_size=session.options.sub_group_size,
    )


def _refused(
    session: _Session, left_out: Sequence[Refusal], names: Mapping[str, str]
) -> tuple[Refused, ...]:
    """The kernels left out with their reasons; errors that cost no kernel stand before them."""
    found = {names.get(r.symbol, r.symbol): r.diagnostic for r in left_out} | session.lost
    others = tuple(d for d in session.wrong if d not in found.values())
    rows = [Refused("", others)] if others and not found else []
    return (*rows, *(Refused(kernel, (reason,)) for kernel, reason in found.items()))


_TABLE = re.compile(
    r"^(@_ZT[VIS]\w+ = )(?:dso_local |linkonce_odr |weak_odr |hidden )*(?=unnamed_addr |addrspace)",
    re.MULTILINE,
)


def _without_orphans(text: str) -> str:
    """Device functions have no callers outside: those of refused kernels alone go, and with them
    tables of virtual functions."""
    text = _TABLE.sub(r"\1internal ", text)
    return re.sub(
        r"^define (?:dso_local |linkonce_odr |weak_odr |hidden |protected |internal )*spir_func ",
        "define internal spir_func ",
        text,
        flags=re.MULTILINE,
    )


def _template_notes(session: _Session, names: set[str]) -> list[Diagnostic]:
    """Kernel templates nobody instantiates, with what the file offers."""
    made = {name.partition("<")[0] for name in names if "<" in name}
    return [
        Diagnostic(
            "K418",
            f"kernel template '{template.name}<{template.parameters}>' is not instantiated",
            Span(session.source.name, template.line),
            hint=f"--instantiate '{template.name}<...>' gives the arguments",
        )
        for template in session.templates
        if template.is_kernel and template.name not in made
    ]


def _nothing_left(session: _Session, found: list[Diagnostic], any_kernels: bool) -> DiagnosticError:
    where = Span(session.source.name, 0)
    if not any_kernels and not found:
        hint = "a kernel is a function marked __global__"
        return DiagnosticError([Diagnostic("K003", "the source holds no kernel", where, hint=hint)])
    message = "no kernel of the source can be analysed"
    return DiagnosticError([*found, Diagnostic("K420", message, where)])
