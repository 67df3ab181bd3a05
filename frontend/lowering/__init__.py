"""Lowering: from the typed tree of a program to the text of an LLVM module.

:func:`kcc.frontend.lowering.program.lower_program` is the way in. Everything a source can say is
decided by then; this stage asserts and never diagnoses.
"""
