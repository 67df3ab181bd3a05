"""The way into lowering: a whole program becomes a module."""

from __future__ import annotations

from kcc.frontend.ir.builder import ModuleBuilder
from kcc.frontend.lowering.aliasing import AliasTags
from kcc.frontend.lowering.arithmetic import FloatRules
from kcc.frontend.lowering.constants import declare_constant, declare_local
from kcc.frontend.lowering.context import ModuleContext
from kcc.frontend.lowering.contraction import Contraction
from kcc.frontend.lowering.debug import DebugInfo
from kcc.frontend.lowering.functions import lower_function
from kcc.frontend.options import BuildOptions
from kcc.frontend.tree import Function, Program


def lower_program(
    program: Program, name: str, options: BuildOptions, contraction: Contraction
) -> ModuleBuilder:
    """The module of a program whose source is called ``name``.

    Functions without a body are left out: the semantic pass has refused calls of them.
    """
    module = ModuleBuilder()
    ctx = ModuleContext(
        module, DebugInfo(module, name), float_rules(options), contraction, AliasTags(module)
    )
    for function in program.functions:
        ctx.symbol(function.name)
    for variable, initialiser in program.constants:
        declare_constant(ctx, variable, initialiser)
    for variable, function in program.locals:
        declare_local(ctx, variable, function)
    for function in program.functions:
        if function.body is not None:
            rule = contraction.within(function, program.functions)
            lower_function(ctx, function, rule, function.name)
    done = set[Function]()
    while pending := [f for f in ctx.called_kernels if f not in done]:
        for function in pending:
            rule = contraction.within(function, program.functions)
            lower_function(ctx, function, rule, ctx.callee(function))
        done.update(pending)
    return module


def float_rules(options: BuildOptions) -> FloatRules:
    """What the ``-cl-*`` options allow (OpenCL 1.2, section 5.6.4.3)."""
    if options.fast_relaxed_math:
        return FloatRules(flags="fast")
    return FloatRules(flags="contract" if options.mad_enable else "")
