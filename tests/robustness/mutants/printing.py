"""The typed tree back to OpenCL C: conversions spelled out, macros and typedefs gone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kcc.frontend import tree
from kcc.frontend.types import (
    ArrayType,
    EnumType,
    PointerType,
    QualType,
    RecordType,
    ScalarType,
    Type,
    VectorType,
    VoidType,
)
from tests.robustness.mutants.declarations import (
    constant,
    declared,
    record_definition,
    type_name,
)
from tests.robustness.mutants.walking import nodes

LETTERS = "0123456789abcdef"


class Unprintable(Exception):
    """The tree has something that OpenCL C has no spelling for."""


@dataclass(slots=True)
class Printer:
    """Names of a function are made unique, since scopes of the source are not kept."""

    names: dict[int, str] = field(default_factory=dict[int, str])
    taken: set[str] = field(default_factory=set[str])

    def name(self, variable: tree.Variable) -> str:
        if id(variable) not in self.names:
            wanted, count = variable.name or "unnamed", 2
            while wanted in self.taken:
                wanted, count = f"{variable.name}_{count}", count + 1
            self.taken.add(wanted)
            self.names[id(variable)] = wanted
        return self.names[id(variable)]

    def declare(self, variable: tree.Variable) -> str:
        text = declared(variable.type, self.name(variable))
        aligned = variable.alignment_bytes
        return text + f" __attribute__((aligned({aligned})))" * bool(aligned)

    def expression(self, node: tree.Expr) -> str:  # noqa: PLR0911 -- a row for each kind
        """The expression, in brackets where it has an operator."""
        text = self.expression
        match node:
            case tree.VariableRef():
                return self.name(node.variable)
            case tree.Deref(pointer=pointer):
                return f"(*{text(pointer)})"
            case tree.Member(base=base, index=index):
                return f"{text(base)}.{_field_name(base.type.type, index)}"
            case tree.Swizzle(base=base, lanes=lanes):
                return f"{text(base)}.{_swizzle(base.type.type, lanes)}"
            case tree.Element(base=base, index=index):
                return f"{text(base)}[{text(index)}]"
            case tree.CompoundLiteral(variable=variable, initialiser=initialiser):
                if not isinstance(initialiser, tree.AggregateInit):
                    return self.expression(initialiser)
                return f"(({type_name(variable.type.type)}){self.initialiser(initialiser)})"
            case tree.StringLiteral(data=data):
                return '"' + "".join(f"\\{byte:03o}" for byte in data[:-1]) + '"'
            case tree.Constant(type=type_, value=value):
                return constant(type_.type, value)
            case tree.Load(operand=operand) | tree.ArrayDecay(operand=operand):
                return text(operand)
            case tree.AddressOf(operand=operand):
                return f"(&{text(operand)})"
            case tree.Convert():
                return self._convert(node)
            case tree.Splat(type=type_, operand=operand):
                return f"(({type_name(type_.type)})({text(operand)}))"
            case tree.VectorLiteral(type=type_, parts=parts):
                return f"(({type_name(type_.type)})({', '.join(map(text, parts))}))"
            case tree.Unary(op=op, operand=operand):
                return f"({op.value} {text(operand)})"
            case _:
                return self._operation(node)

    def _operation(self, node: tree.Expr) -> str:
        text = self.expression
        match node:
            case (
                tree.Binary(op=op, left=left, right=right)
                | tree.Logical(op=op, left=left, right=right)
            ):
                return f"({text(left)} {op.value} {text(right)})"
            case tree.PointerOffset(pointer=pointer, index=index, negative=negative):
                return f"({text(pointer)} {'-' if negative else '+'} {text(index)})"
            case tree.PointerDifference(left=left, right=right):
                return f"({text(left)} - {text(right)})"
            case tree.Comma(left=left, right=right):
                return f"({text(left)}, {text(right)})"
            case tree.Conditional() | tree.VectorSelect():
                parts = (node.condition, node.then, node.otherwise)
                return "({} ? {} : {})".format(*map(text, parts))
            case tree.Assign(target=target, value=value):
                return f"({text(target)} = {text(value)})"
            case tree.CompoundAssign(target=target, op=op, value=value):
                return f"({text(target)} {op.value}= {text(value)})"
            case tree.Increment(target=target, delta=delta, prefix=prefix):
                operator = "++" if delta > 0 else "--"
                return f"({operator}{text(target)})" if prefix else f"({text(target)}{operator})"
            case tree.Call(arguments=arguments, function=function):
                return f"{function.name}({', '.join(map(text, arguments))})"
            case tree.BuiltinCall(arguments=arguments, builtin=builtin):
                return f"{builtin.name}({', '.join(map(text, arguments))})"
            case _:
                raise Unprintable(type(node).__name__)

    def _convert(self, node: tree.Convert) -> str:
        inner, target = self.expression(node.operand), node.type.type
        spelled = isinstance(target, (ScalarType, EnumType, VoidType))
        if not spelled and (node.implicit or not isinstance(target, PointerType)):
            return inner
        return f"(({type_name(target)}){inner})"

    def initialiser(self, node: tree.Initialiser) -> str:
        if not isinstance(node, tree.AggregateInit):
            return self.expression(node)
        parts = list[str]()
        for index, value in node.elements:
            shown = self.initialiser(value)
            match node.type.type:
                case RecordType():
                    name = _field_name(node.type.type, index)
                    parts.append(f".{name} = {shown}")
                case ArrayType():
                    parts.append(f"[{index}] = {shown}")
                case _:
                    parts.append(shown)
        return "{" + ", ".join(parts or ["0"]) + "}"

    def statement(self, node: tree.Stmt, depth: int = 1) -> list[str]:  # noqa: PLR0911 -- as above
        """The statement as lines."""
        pad = "    " * depth
        match node:
            case tree.Block(statements=statements):
                inside = [line for s in statements for line in self.statement(s, depth + 1)]
                return [f"{pad}{{", *inside, f"{pad}}}"]
            case tree.ExprStmt(expression=expression):
                return [f"{pad}{self.expression(expression)};"]
            case tree.Declare():
                return [pad + self._declaration(node)]
            case tree.If(condition=condition, then=then, otherwise=otherwise):
                found = [f"{pad}if ({self.expression(condition)})", *self._body(then, depth)]
                if otherwise is not None:
                    found += [f"{pad}else", *self._body(otherwise, depth)]
                return found
            case tree.While() | tree.DoWhile() | tree.For():
                return self._loop(node, depth)
            case tree.Switch(value=value, body=body):
                return [f"{pad}switch ({self.expression(value)})", *self._body(body, depth)]
            case tree.Case(value=value, body=body):
                return [f"{pad}case {value}:", *self.statement(body, depth)]
            case tree.Default(body=body):
                return [f"{pad}default:", *self.statement(body, depth)]
            case tree.Label(name=name, body=body):
                return [f"{pad}{name}:", *self.statement(body, depth)]
            case tree.Goto(name=name):
                return [f"{pad}goto {name};"]
            case tree.Break():
                return [f"{pad}break;"]
            case tree.Continue():
                return [f"{pad}continue;"]
            case tree.Return(value=value):
                shown = "" if value is None else f" {self.expression(value)}"
                return [f"{pad}return{shown};"]

    def _body(self, node: tree.Stmt, depth: int) -> list[str]:
        """In braces always: whose ``else`` it is must not change."""
        whole = node if isinstance(node, tree.Block) else tree.Block(node.span, (node,))
        return self.statement(whole, depth)

    def _declaration(self, node: tree.Declare) -> str:
        text = self.declare(node.variable)
        if node.initialiser is not None:
            text += f" = {self.initialiser(node.initialiser)}"
        return text + ";"

    def _loop(self, node: tree.While | tree.DoWhile | tree.For, depth: int) -> list[str]:
        pad = "    " * depth
        found = list[str]()
        if node.unroll is not None:
            found.append(f"#pragma unroll {node.unroll.count or ''}".rstrip())
        condition = "" if node.condition is None else self.expression(node.condition)
        match node:
            case tree.While():
                return [*found, f"{pad}while ({condition})", *self._body(node.body, depth)]
            case tree.DoWhile():
                body = self._body(node.body, depth)
                return [*found, f"{pad}do", *body, f"{pad}while ({condition});"]
            case tree.For(init=init, step=step):
                before = [line for s in init for line in self.statement(s, depth + 1)]
                head = f"{pad}for (; {condition}; {'' if step is None else self.expression(step)})"
                return [
                    f"{pad}{{",
                    *before,
                    *found,
                    head,
                    *self._body(node.body, depth),
                    f"{pad}}}",
                ]


def _swizzle(base: Type, lanes: tuple[int, ...]) -> str:
    assert isinstance(base, VectorType)
    if max(lanes) >= base.lanes:
        raise Unprintable("the fourth lane of a vector of three")
    return "s" + "".join(LETTERS[lane] for lane in lanes)


def _field_name(type_: Type, index: int) -> str:
    assert isinstance(type_, RecordType)
    assert type_.fields is not None
    return type_.fields[index].name or f"anonymous_{index}"


RECORD_MARK = re.compile(r"_at\d{6,}\b")
"""The end of a tag (:func:`tag`)."""


def program_text(program: tree.Program) -> str:
    """The whole program."""
    outside = Printer(taken={f.name for f in program.functions})
    defined = [f for f in program.functions if f.body is not None]
    found = ["#pragma OPENCL EXTENSION cl_khr_fp64 : enable"]
    found += [record_definition(record) for record in _records(program)]
    for variable, value in program.constants:
        found.append(f"{outside.declare(variable)} = {outside.initialiser(value)};")
    found += [f"{_head(Printer(), f)};" for f in defined if not f.is_kernel]
    for function in defined:
        assert function.body is not None
        printer = Printer(dict(outside.names), set(outside.taken))
        found += [_head(printer, function), *printer.statement(function.body, 0)]
    return _numbered("\n".join(found) + "\n")


def _numbered(text: str) -> str:
    """The text with tags numbered as they come, so that it does not depend on addresses."""
    numbers = dict[str, str]()
    return RECORD_MARK.sub(lambda m: numbers.setdefault(m[0], f"_{len(numbers)}_r"), text)


def _head(printer: Printer, function: tree.Function) -> str:
    parameters = ", ".join(printer.declare(v) for v in function.parameters) or "void"
    words = f"{type_name(function.type.result)} {function.name}({parameters})"
    if not function.is_kernel:
        return words
    attributes = function.attributes
    size = attributes.required_local_size if attributes else None
    mark = f"__attribute__((reqd_work_group_size{size})) " if size else ""
    return f"__kernel {mark}{words}"


def _records(program: tree.Program) -> list[RecordType]:
    """All that are used, those inside others first."""
    found = list[RecordType]()
    for variable, _ in (*program.constants, *program.locals):
        _collect(variable.type.type, found)
    for function in program.functions:
        for variable in function.parameters:
            _collect(variable.type.type, found)
        if function.body is not None:
            for type_ in _types_inside(function.body):
                _collect(type_, found)
    return found


def _types_inside(body: tree.Block) -> Iterator[Type]:
    for _, node in nodes(body):
        if isinstance(node, (tree.Declare, tree.CompoundLiteral)):
            yield node.variable.type.type
        type_ = getattr(node, "type", None)
        if isinstance(type_, QualType):
            yield type_.type


def _collect(type_: Type, found: list[RecordType]) -> None:
    match type_:
        case PointerType(pointee):
            _collect(pointee.type, found)
        case ArrayType(element, _):
            _collect(element.type, found)
        case RecordType() if type_ not in found:
            for member in type_.fields or ():
                _collect(member.type.type, found)
            found.append(type_)
        case _:
            pass
