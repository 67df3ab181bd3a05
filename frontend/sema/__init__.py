"""The semantic pass of the built-in front end: C's syntax tree to kcc's typed tree.

:func:`kcc.frontend.sema.program.analyse` is the way in. Each module holds one topic of the
language; :mod:`kcc.frontend.sema.context` says how they share state and report errors.
"""
