"""Built-in functions as IR text: declarations of what is called, definitions of what is lowered."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from kcc.base.records import dataclass
from kcc.frontend.builtins.emitter import Emitter, ir_type
from kcc.frontend.builtins.lowerings import lowering_of
from kcc.frontend.builtins.overloads import overload_of_symbol
from kcc.frontend.builtins.signatures import Effect, ResolvedBuiltin
from kcc.frontend.ir.builder import FunctionBuilder, Value
from kcc.frontend.ir.types import VOID

_ATTRIBUTES = {
    Effect.PURE: "nounwind willreturn memory(none)",
    Effect.READ: "nounwind willreturn memory(read)",
    Effect.WRITE: "nounwind willreturn",
    Effect.BARRIER: "convergent nounwind",
    Effect.OUTPUT: "nounwind",
}


def symbol_info(symbol: str) -> ResolvedBuiltin | None:
    """What a symbol means, whichever front end wrote it; None when it is not a built-in's."""
    return overload_of_symbol(symbol)


def is_lowered(symbol: str) -> bool:
    """Whether :func:`definitions` gives a definition for a symbol; else a call of it stays."""
    builtin = overload_of_symbol(symbol)
    return builtin is not None and lowering_of(builtin) is not None


def declaration(builtin: ResolvedBuiltin) -> str:
    """The ``declare`` line of a built-in function."""
    types = [str(ir_type(p.type)) for p in builtin.parameters] + ["..."] * builtin.variadic
    head = f"declare spir_func {ir_type(builtin.result)} @{builtin.symbol}({', '.join(types)})"
    return f"{head} {_ATTRIBUTES[builtin.effect]}"


@dataclass(frozen=True, slots=True)
class SubGroups:
    """Work-items of a full sub-group; with ``in_parts`` a warp has several."""

    size: int = 32
    in_parts: bool = False


DEFAULTS = SubGroups()


def definitions(
    symbols: Iterable[str],
    existing: Collection[str] = (),
    sub_groups: SubGroups = DEFAULTS,
) -> str:
    """IR text that defines those of ``symbols`` that have a lowering, and all they call.

    ``symbols`` are declared but not defined in a module; the text is meant to be appended to it
    when the declarations of the symbols that are lowered (:func:`is_lowered`) have been left out.
    ``existing`` are the names that stay declared or defined in the module: they are not declared
    again. What remains called in the end are primitives (:mod:`kcc.frontend.builtins.primitives`).
    """
    pending = list(dict.fromkeys(symbols))
    seen = {*pending, *existing}
    declared, functions = dict[str, str](), list[str]()
    while pending:
        builtin = overload_of_symbol(pending.pop())
        lowered = _define(builtin, sub_groups) if builtin else None
        if lowered is None:
            continue
        text, emitter = lowered
        functions.append(text)
        declared |= emitter.intrinsics
        for call in emitter.calls:
            if call.symbol in seen:
                continue
            seen.add(call.symbol)
            if lowering_of(call) is None:
                declared[call.symbol] = declaration(call)
            else:
                pending.append(call.symbol)
    kept = [line for name, line in declared.items() if name not in existing]
    return "\n".join([*kept, *functions, ""]) if functions else ""


def _define(builtin: ResolvedBuiltin, sub_groups: SubGroups) -> tuple[str, Emitter] | None:
    lower = lowering_of(builtin)
    if lower is None:
        return None
    args = [Value(ir_type(p.type), f"%a{n}") for n, p in enumerate(builtin.parameters)]
    build = FunctionBuilder(ir_type(builtin.result))
    build.position_at(build.new_label("entry"))
    emitter = Emitter(builtin, build, args, sub_group=sub_groups.size, in_parts=sub_groups.in_parts)
    result = lower(emitter)
    build.ret(None if result.type == VOID else result)
    attributes = _ATTRIBUTES[builtin.effect]
    head = f"define internal spir_func {build.result} @{builtin.symbol}"
    head += f"({', '.join(str(a) for a in args)}) alwaysinline {attributes}"
    return f"{head} {{\n{build.body()}\n}}", emitter
