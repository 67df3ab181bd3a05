"""Type-based aliasing (C 6.5.7): objects of different scalar types do not overlap.

GPU compilers rely on it to keep loaded values in registers across stores. As in clang, characters,
enumerations, vectors and members of unions may alias anything; so may what is private, where
programs like to look at the bits of a value.
"""

from __future__ import annotations

from dataclasses import field

from kcc.base.records import dataclass
from kcc.frontend.ir.builder import ModuleBuilder
from kcc.frontend.types import (
    AddressSpace,
    PointerType,
    QualType,
    ScalarKind,
    ScalarType,
    Type,
)

_NAMES: dict[ScalarKind, str] = {
    ScalarKind.BOOL: "bool",
    ScalarKind.SHORT: "short",
    ScalarKind.USHORT: "short",
    ScalarKind.INT: "int",
    ScalarKind.UINT: "int",
    ScalarKind.LONG: "long",
    ScalarKind.ULONG: "long",
    ScalarKind.HALF: "half",
    ScalarKind.FLOAT: "float",
    ScalarKind.DOUBLE: "double",
}
"""Signed and unsigned types of one size may alias."""


@dataclass(slots=True)
class AliasTags:
    """The ``!tbaa`` nodes of a module, made as they are needed."""

    module: ModuleBuilder
    _tags: dict[str, str] = field(default_factory=dict[str, str])

    def attachment(self, type_: QualType) -> str:
        """What an access to an object of the type carries: ``, !tbaa !7`` or nothing."""
        mark = f", !nontemporal {self.module.node('!{i32 1}')}" if type_.read_only else ""
        return self._tag(type_) + mark

    def _tag(self, type_: QualType) -> str:
        if type_.space is AddressSpace.PRIVATE:
            return ""
        name = _name(type_.type)
        if name is None:
            return ""
        if name not in self._tags:
            self._tags[name] = self._node(name)
        return f", !tbaa {self._tags[name]}"

    def _node(self, name: str) -> str:
        root = self.module.node('!{!"kcc type-based aliasing"}')
        anything = self.module.node(f'!{{!"omnipotent char", {root}, i64 0}}')
        type_ = self.module.node(f'!{{!"{name}", {anything}, i64 0}}')
        return self.module.node(f"!{{{type_}, {type_}, i64 0}}")


def _name(type_: Type) -> str | None:
    match type_:
        case ScalarType(kind):
            return _NAMES.get(kind)
        case PointerType():
            return "any pointer"
        case _:
            return None
