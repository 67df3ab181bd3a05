"""A PTX module as text of the canonical dialect: variables, kernels, metadata."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field

from kcc.base.diagnostics import Diagnostic, DiagnosticError, Span
from kcc.base.records import dataclass
from kcc.frontend.clang.canonical import LAYOUT, TRIPLE
from kcc.frontend.kernel import Refused
from kcc.frontend.lowering.debug import MAX_COLUMN, quote
from kcc.frontend.ptx.reading.body import write_body
from kcc.frontend.ptx.reading.flatten import Flat, flatten
from kcc.frontend.ptx.reading.model import (
    SIZES,
    Address,
    Function,
    Instruction,
    Integer,
    Module,
    Operand,
    Real,
    Register,
    Several,
    Symbol,
    Variable,
)
from kcc.frontend.ptx.reading.pointers import CONSTANT, GLOBAL, SPACES, find_pointers
from kcc.frontend.ptx.reading.tensor_maps import without_tensor_maps
from kcc.frontend.ptx.reading.textures import REFERENCES, Arguments, with_images
from kcc.frontend.ptx.reading.tokens import Places
from kcc.frontend.ptx.reading.typing import IR_TYPES, storage_types
from kcc.frontend.ptx.reading.writer import Writer, double_text, plain, variable

_SPELLED = {"i8": "char", "i16": "short", "i32": "int", "i64": "long", "half": "half",
            "float": "float", "double": "double", "i1": "char", "i128": "long2"}  # fmt: skip
_VENDORS = re.compile(r"/(?:nvidia/\w+|cuda[-.\d]*)/(?:.*/)?include/")
"""Files of a CUDA toolkit, as it is installed and as the package index has it: what of them is
inlined counts to the line that called it."""

_UNSIGNED = {"u8": "uchar", "u16": "ushort", "u32": "uint", "u64": "ulong"}


@dataclass(frozen=True, slots=True)
class Text:
    """A module of the dialect, kernels that are not in it, and what is to be said of the others."""

    ir: str
    kernels: tuple[str, ...]
    refused: tuple[Refused, ...]
    warnings: tuple[Diagnostic, ...]


def module_text(module: Module, places: Places) -> Text:
    """All kernels that can be taken in."""
    nodes = _Nodes(places)
    builder = _Builder(module, places, nodes)
    refused, warnings, kernels = list[Refused](), list[Diagnostic](), list[str]()
    for function in module.functions.values():
        if not function.is_entry or not function.is_defined:
            continue
        name = source_name(function.name)
        try:
            flat = flatten(function, module, places)
            assumed = without_tensor_maps(flat, places)
            builder.kernel(flat)
        except DiagnosticError as error:
            refused.append(Refused(name, tuple(error.diagnostics)))
            continue
        kernels.append(function.name)
        if assumed:
            warnings.append(Diagnostic("K438", assumed, places.span(function.at)))
        if flat.silent:
            warnings.append(
                Diagnostic(
                    "K433", f"printf prints nothing in kernel '{name}'", places.span(function.at)
                )
            )
    return Text(builder.text(), tuple(kernels), tuple(refused), tuple(warnings))


_MANGLED = re.compile(r"_ZL?(N?)(?=\d)")
_COMPONENT = re.compile(r"(\d+)([A-Za-z_]\w*)")


def source_name(symbol: str) -> str:
    """A kernel's name in the source: that of a mangled name without scopes and parameters."""
    match = _MANGLED.match(symbol)
    if match is None:
        return symbol
    name, here = "", match.end()
    while component := _COMPONENT.match(symbol, here):
        size = int(component[1])
        if size > len(component[2]):
            break
        name, here = component[2][:size], component.start(2) + size
        if not match[1]:
            break
    return name or symbol


def _local_name(symbol: str) -> str:
    """A variable's name in the source: of a mangled one that is declared in a function, the last
    component (Itanium C++ ABI, section 5.1.6)."""
    for match in re.finditer(r"E(\d+)", symbol if symbol.startswith("_ZZ") else ""):
        end = match.end() + int(match[1])
        if end <= len(symbol) and re.fullmatch(r"(?:_\d|__\d+_)?(?:_\d+)?", symbol[end:]):
            return symbol[match.end() : end]
    return symbol


@dataclass(slots=True)
class _Nodes:
    """Metadata: places of instructions and what describes kernels."""

    places: Places
    nodes: list[str] = field(default_factory=list[str])
    known: dict[str, str] = field(default_factory=dict[str, str])
    files: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, text: str, *, shared: bool = True) -> str:
        if shared and text in self.known:
            return self.known[text]
        name = f"!{len(self.nodes)}"
        self.nodes.append(f"{name} = {text}")
        if shared:
            self.known[text] = name
        return name

    def file(self, name: str) -> str:
        if name not in self.files:
            self.files[name] = self.add(f'!DIFile(filename: {quote(name)}, directory: "")')
        return self.files[name]

    def block(self, scope: str, file: str, discriminator: int) -> str:
        return self.add(
            f"!DILexicalBlockFile(scope: {scope}, file: {self.file(file)}, "
            f"discriminator: {discriminator})"
        )

    def loop(self) -> str:
        number = len(self.nodes)
        disable = f"!{number + 1}"
        self.nodes.append(f"!{number} = distinct !{{!{number}, {disable}}}")
        self.nodes.append(f'{disable} = !{{!"llvm.loop.unroll.disable"}}')
        return f"!{number}"


class _Builder:
    def __init__(self, module: Module, places: Places, nodes: _Nodes) -> None:
        self.module, self.places, self.nodes = module, places, nodes
        self.globals, self.functions = dict[str, str](), list[str]()
        self.declared = dict[str, str]()
        self.unit = ""
        self.images: Arguments = {}

    # text

    def text(self) -> str:
        head = [f"source_filename = {quote(self.places.file)}", LAYOUT, TRIPLE, ""]
        tail = [f"!llvm.dbg.cu = !{{{self.compile_unit()}}}"]
        version = self.nodes.add('!{i32 2, !"Debug Info Version", i32 3}')
        tail.append(f"!llvm.module.flags = !{{{version}}}")
        return "\n".join([
            *head, *self.globals.values(), "", *self.functions, *self.declared.values(), "",
            *tail, *self.nodes.nodes, "",
        ])  # fmt: skip

    def compile_unit(self) -> str:
        if not self.unit:
            file = self.nodes.file(self.places.file)
            self.unit = self.nodes.add(
                f'distinct !DICompileUnit(language: DW_LANG_C99, file: {file}, producer: "kcc", '
                "isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)",
                shared=False,
            )
        return self.unit

    # kernels

    def kernel(self, flat: Flat) -> None:
        self.images = with_images(flat, self.module.variables, self.places)
        function = flat.kernel
        pointers = find_pointers(flat, self.module.variables)
        pointers.parameters |= {
            n: CONSTANT if kind == "sampler_t" else GLOBAL for n, (kind, _) in self.images.items()
        }
        registers, parameters = storage_types(flat, pointers)
        w = Writer(
            flat, self.places, registers, parameters, pointers,
            {**self.module.variables, **flat.variables}, {},
            apart=f", !nontemporal {self.nodes.add('!{i32 1}')}",
        )  # fmt: skip
        own = dict[str, str]()
        allocas = self.place_variables(w, own)
        scope, file = self.subprogram(function, flat)
        write_body(w, lambda item: self.location(item, scope, file), self.nodes.loop)
        for name, type_ in registers.items():
            allocas.append(f"  {variable(name)} = alloca {type_}")
        if any("%r.CC" in line for line in w.lines):
            allocas.append("  %r.CC = alloca i1")
        header = self.header(function, w, scope)
        self.functions.append("\n".join([header, "entry:", *allocas, "  br label %start", "start:",
                                         *w.lines, "}", ""]))  # fmt: skip
        self.globals.update(own)
        self.declared.update(w.declared)

    def header(self, function: Function, w: Writer, scope: str) -> str:
        parameters, rows = list[str](), list[tuple[str, ...]]()
        elements = pointee_types(w)
        for each in function.parameters:
            type_ = w.parameters[each.name]
            name = f"%{plain(each.name)}"
            if type_ == "byval":
                size = SIZES[each.type] * (each.count or 0)
                parameters.append(f"ptr byval([{size} x i8]) align {max(each.alignment, 1)} {name}")
                rows.append(("i32 0", f"struct {each.name}", ""))
            elif type_.startswith("ptr"):
                parameters.append(f"{type_} {name}")
                space, kind = (
                    w.pointers.parameters[each.name],
                    f"{elements.get(each.name, 'char')}*",
                )
                if each.name in self.images:
                    kind = self.images[each.name][0]
                    space = 0 if kind == "sampler_t" else space
                rows.append((f"i32 {space}", kind, ""))
            else:
                parameters.append(f"{type_} {name}")
                spelled = _UNSIGNED.get(each.type) if type_.startswith("i") else None
                rows.append(("i32 0", spelled or _SPELLED[type_], ""))
        names = [f"!{quote(p.name)}" for p in function.parameters]
        columns = {
            "addr_space": [r[0] for r in rows],
            "access_qual": [
                f"!{quote(self.images.get(p.name, ('', 'none'))[1])}" for p in function.parameters
            ],
            "type": [f"!{quote(r[1])}" for r in rows],
            "base_type": [f"!{quote(r[1])}" for r in rows],
            "type_qual": ['!""'] * len(rows),
            "name": names,
        }
        words = [
            f"!kernel_arg_{key} {self.nodes.add('!{' + ', '.join(values) + '}')}"
            for key, values in columns.items()
        ]
        if function.threads:
            sizes = [*function.threads, 1, 1][:3]
            node = self.nodes.add("!{" + ", ".join(f"i32 {s}" for s in sizes) + "}")
            words.append(f"!reqd_work_group_size {node}")
        return (
            f"define spir_kernel void @{plain(function.name)}({', '.join(parameters)}) "
            f"convergent nounwind !dbg {scope} {' '.join(words)} {{"
        )

    def subprogram(self, function: Function, flat: Flat) -> tuple[str, str]:
        """The scope of a kernel and the name of its file."""
        first = next((i.line for i in flat.body if isinstance(i, Instruction) and i.line), None)
        if first is not None and first.file in self.module.files:
            span = Span(self.module.files[first.file], first.line, first.column)
        else:
            span = self.places.span(function.at)
        file = self.nodes.file(span.file)
        kind = self.nodes.add("!DISubroutineType(types: !{null})")
        node = self.nodes.add(
            f"distinct !DISubprogram(name: {quote(source_name(function.name))}, scope: {file}, "
            f"file: {file}, line: {span.line}, type: {kind}, scopeLine: {span.line}, "
            f"spFlags: DISPFlagDefinition, unit: {self.compile_unit()})",
            shared=False,
        )
        return node, span.file

    def location(self, item: Instruction, scope: str, file: str) -> str:
        """Where an instruction came from; the discriminator is the line of PTX that it is."""
        at = span = self.places.span(item.at)
        if item.line is not None and self.module.files:
            line = item.line
            name = self.module.files.get(line.file)
            while line.outer is not None and (line.line == 0 or _VENDORS.search(name or "")):
                line = line.outer
                name = self.module.files.get(line.file)
            span = Span(name or file, line.line, line.column)
            if name is None or line.line == 0:
                span = Span(file, 0)
        inner = scope
        if span.file != file:
            inner = self.nodes.block(scope, span.file, 0)
        inner = self.nodes.block(inner, span.file, at.line)
        column = span.column if span.column <= MAX_COLUMN else 0
        node = self.nodes.add(f"!DILocation(line: {span.line}, column: {column}, scope: {inner})")
        return f", !dbg {node}"

    # variables

    def place_variables(self, w: Writer, own: dict[str, str]) -> list[str]:
        """Names in the dialect for the variables a kernel uses; gives its stack objects."""
        named = used_symbols(w.flat)
        used = {n: v for n, v in w.variables.items() if n in named and v.type not in REFERENCES}
        shared = {n: v for n, v in used.items() if v.space == "shared"}
        allocas = list[str]()
        kernel = plain(w.flat.kernel.name)
        if w.pointers.offsets and shared:
            self.place_shared(w, shared, own)
        for name, each in used.items():
            if name in w.symbols or (w.base and each.space == "shared"):
                continue
            match each.space:
                case "local":
                    w.symbols[name] = f"%{plain(name)}"
                    size = _bytes_of(each)
                    allocas.append(
                        f"  %{plain(name)} = alloca [{size} x i8], align {each.alignment}"
                    )
                case "shared":
                    w.symbols[name] = f"@{self.shared_name(each, name, kernel)}"
                    own[w.symbols[name]] = shared_text(w.symbols[name], each)
                case "global" | "const":
                    w.symbols[name] = f"@{plain(name)}"
                    own[w.symbols[name]] = self.variable_text(w, each)
                case _:
                    pass
        return allocas

    def shared_name(self, each: Variable, name: str, kernel: str) -> str:
        if each.count is None:
            return plain(name)
        candidate = f"{kernel}.{plain(_local_name(name))}"
        while f"@{candidate}" in self.globals:
            candidate += "_"
        return candidate

    def place_shared(self, w: Writer, shared: Mapping[str, Variable], own: dict[str, str]) -> None:
        """One object for all of shared memory, which numbers count bytes of."""
        open_ended = [n for n, v in shared.items() if v.count is None]
        fixed = {n: v for n, v in shared.items() if v.count is not None}
        if open_ended and fixed:
            raise DiagnosticError([
                Diagnostic(
                    "K431",
                    "shared memory of the launch's size beside arrays, addressed by numbers, is "
                    "not supported", self.places.span(w.flat.kernel.at),
                )
            ])  # fmt: skip
        if open_ended:
            name = open_ended[0]
            w.base = w.symbols[name] = f"@{plain(name)}"
            own[w.base] = shared_text(w.base, shared[name])
            w.starts.update(dict.fromkeys(open_ended, 0))
            return
        end, alignment = 0, 16
        for name, each in fixed.items():
            end = -(-end // each.alignment) * each.alignment
            w.starts[name] = end
            end += _bytes_of(each)
            alignment = max(alignment, each.alignment)
        one = len(fixed) == 1
        only = next(iter(fixed))
        kernel = plain(w.flat.kernel.name)
        w.base = f"@{self.shared_name(fixed[only], only, kernel)}" if one else f"@{kernel}.shared"
        own[w.base] = (
            f"{w.base} = internal addrspace(3) global [{end} x i8] undef, align {alignment}"
        )

    def variable_text(self, w: Writer, each: Variable) -> str:
        name = f"@{plain(each.name)}"
        space = SPACES[each.space]
        kind = "constant" if each.space == "const" else "global"
        type_ = IR_TYPES[each.type]
        count = each.count if each.count is not None else 0
        whole = f"[{count} x {type_}]"
        if each.extern:
            return f"{name} = external addrspace({space}) {kind} {whole}, align {each.alignment}"
        if not each.values:
            return (
                f"{name} = addrspace({space}) externally_initialized {kind} {whole} "
                f"zeroinitializer, align {each.alignment}"
            )
        values = [self.initial(w, v, type_) for v in each.values[:count]]
        values += [_zero(type_)] * (count - len(values))
        inner = ", ".join(f"{type_} {v}" for v in values)
        return f"{name} = addrspace({space}) {kind} {whole} [{inner}], align {each.alignment}"

    def initial(self, w: Writer, value: Operand, type_: str) -> str:
        match value:
            case Integer(number):
                return w.number(number, type_)
            case Real(bits, width):
                return w.real(bits, width, type_)
            case _:
                raise w.refuse("a variable that holds an address is not supported")


def _zero(type_: str) -> str:
    return double_text(0, 16) if type_ == "half" else "0.0" if type_ in ("float", "double") else "0"


def _bytes_of(each: Variable) -> int:
    return SIZES[each.type] * (each.count or 0)


def shared_text(name: str, each: Variable) -> str:
    """The definition of an array in shared memory."""
    if each.count is None:
        return f"{name} = external addrspace(3) global [0 x i8], align {each.alignment}"
    size = _bytes_of(each)
    return f"{name} = internal addrspace(3) global [{size} x i8] undef, align {each.alignment}"


def used_symbols(flat: Flat) -> set[str]:
    """The variables that a kernel's instructions name."""
    found = set[str]()

    def visit(operands: Sequence[Operand]) -> None:
        for each in operands:
            match each:
                case Symbol(name):
                    found.add(name)
                case Address(base, _, rest):
                    visit((base, *rest))
                case Several(parts):
                    visit(parts)
                case _:
                    pass

    for item in flat.body:
        if isinstance(item, Instruction):
            visit(item.operands)
    return found


def pointee_types(w: Writer) -> dict[str, str]:
    """What most accesses through each pointer parameter move."""
    roots = _roots(w)
    votes = dict[str, Counter[str]]()
    for item in w.flat.body:
        if not isinstance(item, Instruction) or item.words[0] not in ("ld", "st", "atom", "red"):
            continue
        for number, operand in enumerate(item.operands):
            if not isinstance(operand, Address) or not isinstance(operand.base, Register):
                continue
            other = item.operands[1 - number] if number < 2 and len(item.operands) > 1 else None
            parts = other.parts if isinstance(other, Several) else (other,)
            kinds = {w.types.get(p.name, "") for p in parts if isinstance(p, Register)}
            type_ = IR_TYPES.get(item.type, "i8")
            if kinds & {"float", "double", "half"} and len(kinds) == 1:
                (type_,) = kinds
            for root in roots.get(operand.base.name, ()):
                votes.setdefault(root, Counter())[_SPELLED[type_]] += 1
    return {name: counts.most_common(1)[0][0] for name, counts in votes.items()}


def _roots(w: Writer) -> dict[str, set[str]]:
    """From which pointer parameters each register is computed."""
    roots = dict[str, set[str]]()
    changed = True
    while changed:
        changed = False
        for item in w.flat.body:
            if not isinstance(item, Instruction) or not item.operands:
                continue
            target = item.operands[0]
            if not isinstance(target, Register) or target.name not in w.pointers.spaces:
                continue
            found = set(roots.get(target.name, ()))
            for operand in item.operands[1:]:
                match operand:
                    case Register(name):
                        found |= roots.get(name, set())
                    case Address(Symbol(name)) if item.words[0] == "ld":
                        found |= {name} & set(w.pointers.parameters)
                    case _:
                        pass
            if found != roots.get(target.name, set()):
                roots[target.name], changed = found, True
    return roots
