"""Declarations: variables where they may live, typedefs, tags (OpenCL C 1.2, section 6.5)."""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast

from kcc.base.diagnostics import Note
from kcc.frontend.sema import prototypes
from kcc.frontend.sema.attributes import alignment_of, lanes_of, named_alignment
from kcc.frontend.sema.constants import array_element, evaluate, fold_initialiser
from kcc.frontend.sema.context import Context
from kcc.frontend.sema.dispatch import declared_type, rvalue
from kcc.frontend.sema.initialisers import initialise
from kcc.frontend.sema.records import forward_record
from kcc.frontend.sema.scope import SamplerConstant, TypedefName
from kcc.frontend.sema.spelling import base_spelling
from kcc.frontend.tree import AggregateInit, Convert, Declare, Initialiser, Stmt, Storage, Variable
from kcc.frontend.types import (
    AddressSpace,
    ArrayType,
    EventType,
    FunctionType,
    ImageType,
    QualType,
    SamplerType,
    ScalarKind,
    ScalarType,
    VectorType,
    is_complete,
)

_STORAGES = {
    AddressSpace.PRIVATE: Storage.AUTOMATIC,
    AddressSpace.LOCAL: Storage.LOCAL,
    AddressSpace.CONSTANT: Storage.CONSTANT,
}


def declaration(context: Context, node: c_ast.Decl | c_ast.Typedef) -> list[Stmt]:
    """One declared name (or tag): what has to be done where it stands."""
    if isinstance(node, c_ast.Typedef):
        _typedef(context, node)
        return []
    if node.name is None:
        _tag_only(context, node)
        return []
    if isinstance(node.type, c_ast.FuncDecl):
        prototypes.prototype(context, node, node.type)
        return []
    type_ = declared_type(context, node.type)
    if type_ is not None and isinstance(type_.type, FunctionType):
        if node.init is not None:
            context.report("K373", "a function has no initialiser", node.init)
        prototypes.declare_by_type(context, node, type_.type)
        return []
    return _variable(context, node, node.name, type_)


def _tag_only(context: Context, node: c_ast.Decl) -> None:
    if isinstance(node.type, (c_ast.Struct, c_ast.Union)) and node.type.decls is None:
        forward_record(context, node.type)
    declared_type(context, node.type)
    named = getattr(node.type, "name", None)
    if named is None and not isinstance(node.type, c_ast.Enum):
        context.report("K397", "the declaration declares nothing", node)


def _typedef(context: Context, node: c_ast.Typedef) -> None:
    for word in node.storage:
        if word != "typedef":
            context.report("K327", f"a typedef cannot be {word}", node)
    type_ = _with_lanes(context, declared_type(context, node.type), node)
    alignment = alignment_of(context, node) or named_alignment(context, node.type)
    entry = TypedefName(type_, context.span(node), alignment)
    entry.spelling = base_spelling(context, node.type)
    previous = context.scope.names.get(node.name)
    if isinstance(previous, TypedefName):
        same = type_ is None or previous.type is None or previous.type == type_
        if not same:
            notes = [Note(f"'{node.name}' was declared here", previous.span)]
            message = f"the typedef '{node.name}' names another type than before"
            context.report("K304", message, node, notes=notes)
        return
    context.declare(node.name, entry, node)


def _with_lanes(context: Context, type_: QualType | None, node: c_ast.Typedef) -> QualType | None:
    """The vector that ``ext_vector_type`` makes of a scalar."""
    lanes = lanes_of(context, node)
    if lanes is None or type_ is None:
        return type_
    if isinstance(type_.type, ScalarType) and type_.type.kind is not ScalarKind.BOOL:
        return replace(type_, type=VectorType(type_.type, lanes))
    context.report("K339", "'ext_vector_type' makes vectors of scalars", node)
    return None


# variables


def _variable(context: Context, node: c_ast.Decl, name: str, type_: QualType | None) -> list[Stmt]:
    placed = type_ is not None and _check_specifiers(context, node)
    if type_ is None or not placed or not _check_type(context, type_, node):
        _poison(context, node)
        return []
    if isinstance(type_.type, SamplerType):
        return _sampler(context, node, name, type_)
    storage = _storage(context, type_, node)
    if storage is None:
        _poison(context, node)
        return []
    alignment = alignment_of(context, node) or named_alignment(context, node.type)
    variable = Variable(name, type_, storage, context.span(node), alignment)
    entered = _enter(context, variable, node)
    if entered is None:
        return []
    return _place(context, node, entered, _initialiser(context, node, entered))


def _poison(context: Context, node: c_ast.Decl) -> None:
    """Look at the initialiser for its own mistakes; the name says nothing from now on."""
    context.poison(node.name, node)
    if node.init is not None and not isinstance(node.init, c_ast.InitList):
        rvalue(context, node.init)


def _check_specifiers(context: Context, node: c_ast.Decl) -> bool:
    if len(node.storage or ()) > 1:
        words = " and ".join(node.storage)
        context.report("K327", f"a variable has one storage class, not {words}", node)
        return False
    for word in node.storage or ():
        if word == "static" and not context.at_file_scope:
            context.report("K327", "a variable of a function cannot be static", node)
            return False
    if any(word.strip("_") == "kernel" for word in node.funcspec or ()):
        context.report("K338", "'kernel' belongs to functions", node)
        return False
    return True


def _check_type(context: Context, type_: QualType, node: c_ast.Decl) -> bool:
    """Whether there can be an object of the type."""
    inner = type_.type
    element = array_element(inner) if isinstance(inner, ArrayType) else inner
    if isinstance(inner, ImageType):
        hint = "images are passed as parameters"
        context.report("K316", f"a variable cannot have the type '{inner}'", node, hint=hint)
    elif context.is_half_storage(element):
        hint = "a half is stored through a pointer; compute with float"
        context.report("K317", "a variable of type half needs cl_khr_fp16", node, hint=hint)
    elif isinstance(element, EventType) and _is_outside(context, type_):
        context.report("K316", "an event is a private variable of a function", node)
    elif isinstance(inner, ArrayType) and inner.length is None:
        return _check_open_array(context, node)
    elif not is_complete(inner):
        context.report("K310", f"a variable of incomplete type '{inner}'", node)
    else:
        return True
    return False


def _is_outside(context: Context, type_: QualType) -> bool:
    """Whether an object is not a private one of a function."""
    return context.at_file_scope or type_.space is not AddressSpace.PRIVATE


def _check_open_array(context: Context, node: c_ast.Decl) -> bool:
    if node.init is None and "extern" not in (node.storage or ()):
        context.report("K314", "the array needs a size or an initialiser", node)
        return False
    return True


def _storage(context: Context, type_: QualType, node: c_ast.Decl) -> Storage | None:
    """Where the variable lives; reports an address space that is not possible here."""
    space = type_.space
    if "extern" in (node.storage or ()) and node.init is not None and not context.at_file_scope:
        context.report("K373", "an extern declaration in a function has no initialiser", node.init)
        return None
    if context.at_file_scope or "extern" in (node.storage or ()):
        if space is AddressSpace.CONSTANT:
            return Storage.CONSTANT
        word = "'const'" if type_.const else "its declaration"
        hint = f"write __constant in place of {word}" if type_.const else "write __constant"
        message = "a variable outside of functions must be in the constant address space"
        context.report("K322", message, node, hint=hint)
        return None
    if space is AddressSpace.GLOBAL:
        context.report("K328", "a function cannot have variables in global memory", node)
        return None
    if space in (AddressSpace.LOCAL, AddressSpace.CONSTANT) and not _at_kernel_scope(
        context, space, node
    ):
        return None
    if space is AddressSpace.LOCAL and node.init is not None:
        hint = "assign to it in one work-item, then use a barrier"
        context.report("K324", "a __local variable has no initialiser", node, hint=hint)
        return None
    return _STORAGES[space]


def _is_constant_scope(context: Context, node: c_ast.Decl) -> bool:
    return context.at_file_scope or _at_kernel_scope(context, AddressSpace.CONSTANT, node)


def _at_kernel_scope(context: Context, space: AddressSpace, node: c_ast.Decl) -> bool:
    state = context.function
    assert state is not None
    shown = f"__{space.name.lower()}"
    if not state.function.is_kernel:
        message = f"a {shown} variable is declared in a kernel, not in another function"
        hint = "pass a pointer to it" if space is AddressSpace.LOCAL else "declare it at file scope"
        context.report("K323", message, node, hint=hint)
        return False
    if state.depth > 1:
        message = f"a {shown} variable is declared in the outermost block of a kernel"
        context.report("K323", message, node)
        return False
    return True


def _enter(context: Context, variable: Variable, node: c_ast.Decl) -> Variable | None:
    """Enter the name; a definition completes an earlier ``extern`` declaration of it."""
    previous = context.scope.names.get(variable.name)
    if not isinstance(previous, Variable) or previous not in context.externs:
        return variable if context.declare(variable.name, variable, node) else None
    if previous.type != variable.type and not isinstance(previous.type.type, ArrayType):
        notes = [Note(f"'{variable.name}' was declared here", previous.span)]
        message = f"'{variable.name}' was declared with the type '{previous.type}'"
        context.report("K304", message, node, notes=notes)
        return None
    previous.type = variable.type
    if node.init is not None:
        del context.externs[previous]
        previous.span = variable.span
    return previous


def _initialiser(context: Context, node: c_ast.Decl, variable: Variable) -> Initialiser | None:
    if node.init is None:
        return None
    found = initialise(context, node.init, variable.type)
    if found is None:
        if isinstance(variable.type.type, ArrayType) and variable.type.type.length is None:
            context.scope.names.pop(variable.name, None)
            context.poison(variable.name, node)
        return None
    initialiser, variable.type = found
    if variable.type.const or variable.storage is Storage.CONSTANT:
        _remember(context, variable, initialiser)
    return initialiser


def _remember(context: Context, variable: Variable, initialiser: Initialiser) -> None:
    """A constant with a constant initialiser may stand in constant expressions."""
    if isinstance(initialiser, AggregateInit) or variable.type.volatile:
        return
    value = evaluate(initialiser, context.known)
    if isinstance(value, (int, float, tuple)):
        context.known.values[variable] = value


def _place(
    context: Context, node: c_ast.Decl, variable: Variable, initialiser: Initialiser | None
) -> list[Stmt]:
    span = variable.span
    match variable.storage:
        case Storage.CONSTANT:
            _constant(context, node, variable, initialiser)
            return []
        case Storage.LOCAL:
            assert context.function is not None
            context.program.locals.append((variable, context.function.function))
            return [Declare(span, variable, None)]
        case _:
            return [Declare(span, variable, initialiser)]


def _constant(
    context: Context, node: c_ast.Decl, variable: Variable, initialiser: Initialiser | None
) -> None:
    """A ``__constant`` object: its initialiser must be known now."""
    if node.init is None:
        if "extern" in (node.storage or ()):
            context.externs.setdefault(variable, None)
            return
        context.report("K325", f"the constant '{variable.name}' has no initialiser", node)
        return
    if initialiser is None:
        return
    folded = fold_initialiser(initialiser, context.known)
    if folded is None:
        message = "the initialiser of a __constant variable must be a constant expression"
        context.report("K326", message, node.init)
        return
    context.program.constants.append((variable, folded))


# samplers


def _sampler(context: Context, node: c_ast.Decl, name: str, type_: QualType) -> list[Stmt]:
    """A sampler with a known value stands for it; one that copies a parameter is a variable."""
    if type_.space not in (AddressSpace.PRIVATE, AddressSpace.CONSTANT):
        context.report("K389", "a sampler is in no memory of its own", node)
    elif context.at_file_scope and not type_.const and type_.space is AddressSpace.PRIVATE:
        hint = "write const or __constant"
        context.report("K389", "a sampler outside of functions is a constant", node, hint=hint)
    elif type_.space is AddressSpace.CONSTANT and not _is_constant_scope(context, node):
        pass
    elif node.init is None:
        context.report("K389", f"the sampler '{name}' has no initialiser", node)
    else:
        return _sampler_value(context, node, name, type_)
    _poison(context, node)
    return []


def _sampler_value(context: Context, node: c_ast.Decl, name: str, type_: QualType) -> list[Stmt]:
    assert node.init is not None
    span = context.span(node)
    found = initialise(context, node.init, QualType(type_.type))
    if found is None:
        context.poison(name, node)
        return []
    value = found[0]
    if isinstance(value, Convert):
        context.declare(name, SamplerConstant(value, span), node)
        return []
    if context.at_file_scope or isinstance(value, AggregateInit):
        message = "the value of a sampler must be an integer constant"
        context.report("K389", message, node.init)
        context.poison(name, node)
        return []
    variable = Variable(name, type_, Storage.AUTOMATIC, span)
    return [Declare(span, variable, value)] if context.declare(name, variable, node) else []
