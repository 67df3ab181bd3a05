"""What the reader of one instruction needs to know of the module and the function around it."""

from __future__ import annotations

from collections.abc import Sequence

from kcc.base.records import dataclass
from kcc.frontend.ir.instructions import AnyInstruction, DebugLocation, LoopMark
from kcc.frontend.ir.model import Argument
from kcc.frontend.ir.reader.attributes import AttributeReader
from kcc.frontend.ir.reader.constants import ConstantReader
from kcc.frontend.ir.reader.metadata import MetadataReader
from kcc.frontend.ir.reader.tokens import expect, plain_name, unknown
from kcc.frontend.ir.reader.types import TypeReader
from kcc.frontend.ir.types import VOID, IrType
from kcc.frontend.ir.values import ArgumentRef, InstructionRef, MetadataOperand, Value


@dataclass(frozen=True, slots=True)
class Readers:
    """What the functions of one module share."""

    types: TypeReader
    constants: ConstantReader
    attributes: AttributeReader
    metadata: MetadataReader


class Context:
    """The function at hand, and the instruction at hand: its index, block, name, location, loop.

    ``labels`` are the blocks' labels in order; ``indices`` says which instruction defines ``%x``.
    """

    def __init__(
        self,
        readers: Readers,
        arguments: Sequence[Argument],
        labels: Sequence[str],
        indices: dict[str, int],
    ) -> None:
        self.readers = readers
        self.types = readers.types
        self.index = 0
        self.block = 0
        self.name = ""
        self.location: DebugLocation | None = None
        self.loop: LoopMark | None = None
        self.nontemporal = False
        self._blocks = {label: index for index, label in enumerate(labels)}
        self._indices = indices
        self._refs: dict[str, InstructionRef | ArgumentRef] = {str(a.ref): a.ref for a in arguments}

    def value(self, type_: IrType, tokens: list[str]) -> Value:
        """The operand of type ``type_`` that comes next."""
        token = tokens.pop()
        if token[0] == "%":
            return self._ref(type_, token)
        return self.readers.constants.from_token(type_, token, tokens)

    def typed_value(self, tokens: list[str]) -> Value:
        """A type and a value of it."""
        if tokens[-1] == "metadata":
            tokens.pop()
            return MetadataOperand(VOID, tokens.pop())
        return self.value(self.types.read(tokens), tokens)

    def label(self, tokens: list[str]) -> int:
        """The block that ``label %x`` names."""
        expect(tokens, "label")
        return self.block_of(tokens.pop())

    def block_of(self, token: str) -> int:
        """The block that ``%x`` names."""
        return self._blocks[plain_name(token)]

    def define(self, instruction: AnyInstruction, token: str) -> None:
        """Check that the result of an instruction is what its uses so far take it for."""
        if token:
            self._ref(instruction.type, token)
        elif instruction.type != VOID:
            raise unknown("the result has no name")

    def _ref(self, type_: IrType, token: str) -> Value:
        ref = self._refs.get(token)
        if ref is None:
            if token not in self._indices:
                raise unknown(f"value '{token}' is not defined")
            ref = InstructionRef(type_, self._indices[token], plain_name(token))
            self._refs[token] = ref
        elif ref.type is not type_ and ref.type != type_:
            raise unknown(f"'{token}' is of type {ref.type}, not {type_}")
        return ref
