"""Reads LLVM 22's printed text of the dialect into :mod:`kcc.frontend.ir.model`.

``read_module(text)`` takes what LLVM prints (``str`` of an llvmlite module), for modules that its
verifier accepts. What the reader does not know is a :class:`~kcc.base.diagnostics.DiagnosticError`
(K550 to K552) that names the instruction. Debug records, ``llvm.dbg`` calls, operand bundles of
``llvm.assume`` and metadata that no analysis uses are left out.
"""

from kcc.frontend.ir.reader.modules import read_module

__all__ = ["read_module"]
