"""The input schema of the tuning community (T1): Tørring et al., "Towards a Benchmarking Suite for
Kernel Tuners", IPDPSW 2023; TuningSchema 1.0.0.

Kernel Tuner launches ``ProblemSize`` divided by ``GridDivX`` and its like, where they stand; the
schema's own ``GlobalSize`` and ``LocalSize`` count where there is no ``ProblemSize``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from kcc.base.launch import LaunchRequest
from kcc.base.records import dataclass
from kcc.frontend.options import BuildOptions, SourceText
from kcc.frontend.source_file import read_source
from kcc.stages.analyze import AnalysisRequest
from kcc.tuning.asked import (
    ELEMENTS,
    NO_NAMES,
    Given,
    Overrides,
    ReadOptions,
    named_arguments,
    parameter_names,
    request_of,
    sizes,
)
from kcc.tuning.formulas import Formula, formula
from kcc.tuning.space import (
    Condition,
    Configuration,
    Problem,
    Value,
    space_of,
    unreadable,
)

LANGUAGES = ("CUDA", "OpenCL")
_SIDES = ("X", "Y", "Z")

LaunchOf = Callable[[Configuration], LaunchRequest]


def read_t1(
    path: str, content: Mapping[str, Any], read_options: ReadOptions, given: Overrides
) -> Problem:
    """The problem of a T1 document; what is ``given`` stands in place of the document's.

    :raises DiagnosticError: K895 for what is not as the schema says, K001 without the kernel.
    """
    try:
        return _problem(path, content, read_options, given)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise unreadable(path, f"is not as T1 says: {type(error).__name__}: {error}") from error
    except ValueError as error:
        raise unreadable(path, str(error)) from error


@dataclass(frozen=True, slots=True)
class _Kernel:
    """What all configurations share."""

    name: str
    source: SourceText
    options: BuildOptions
    launch: LaunchOf
    arguments: tuple[Given, ...]
    given: Overrides

    def request(self, names: Sequence[str], configuration: Configuration) -> AnalysisRequest:
        """The request of a configuration; ``names`` are those of the kernel's parameters."""
        arguments = self.given.merged(named_arguments(self.arguments, names))
        return request_of(
            self.source, self.name, self.options, self.launch(configuration), arguments,
            configuration,
        )  # fmt: skip


def _problem(
    path: str, content: Mapping[str, Any], read_options: ReadOptions, given: Overrides
) -> Problem:
    kernel, asked = content["KernelSpecification"], content["ConfigurationSpace"]
    if kernel["Language"] not in LANGUAGES:
        raise ValueError(
            f"its kernel is in {kernel['Language']}: kcc reads {' and '.join(LANGUAGES)}"
        )
    parameters = {p["Name"]: _values(p) for p in asked["TuningParameters"]}
    conditions = [condition(c["Expression"], parameters) for c in asked.get("Conditions", ())]
    space = space_of(path, parameters, conditions)
    size = tuple(int(n) for n in kernel.get("ProblemSize", ()))
    names = {**{n: list(v) for n, v in parameters.items()}, "ProblemSize": size}
    source = given.source or _source(path, kernel)
    words = [str(word) for word in kernel.get("CompilerOptions", ())]
    launch = given.launch
    shared = _Kernel(
        given.kernel or kernel["KernelName"], source, given.build(read_options(words)),
        _launch(kernel, size, parameters) if launch is None else lambda _: launch,
        tuple(_argument(a, names) for a in kernel.get("Arguments", ())), given,
    )  # fmt: skip
    first = [shared.request((), space.named(c)) for c in space.configurations[:3]]
    found = parameter_names(first)
    return Problem(
        shared.name, source.name, space, lambda c: shared.request(found, c), size or None,
        () if found else (NO_NAMES,),
    )  # fmt: skip


def _values(parameter: Mapping[str, Any]) -> tuple[Value, ...]:
    """All values, which the schema has as a text of Python."""
    found: Any = formula(str(parameter["Values"]))({})
    several = isinstance(found, list | tuple | range)
    values = cast("tuple[Value, ...]", tuple(cast("Any", found)) if several else (found,))
    if not values:
        raise ValueError(f"parameter {parameter['Name']} has no values")
    return values


def condition(text: str, parameters: Mapping[str, object]) -> Condition:
    """A constraint; raises ValueError for names that are no parameters."""
    read = formula(text)
    unknown = read.names - parameters.keys()
    if unknown:
        raise ValueError(f"constraint '{text}': {', '.join(sorted(unknown))} is no parameter")
    return read.names, lambda configuration: bool(read(configuration))


def _source(path: str, kernel: Mapping[str, Any]) -> SourceText:
    """The kernel's file: where the path leads, else from the document's folder or the one above."""
    name = Path(kernel["KernelFile"])
    folder = Path(path).parent
    places = [name, folder / name, folder.parent / name]
    found = next((place for place in places if place.is_file()), places[1])
    source = read_source(str(found))
    if kernel["Language"] == "CUDA" and found.suffix not in (".cu", ".hip"):
        return replace(source, name=f"{source.name}.cu")
    return source


# launch


def _launch(
    kernel: Mapping[str, Any], size: Sequence[int], parameters: Mapping[str, object]
) -> LaunchOf:
    names = ("block_size_x", "block_size_y", "block_size_z")
    local: Mapping[str, Any] = kernel.get("LocalSize") or dict[str, Any]()
    block = [formula(str(local.get(s) or (n if n in parameters else 1)))
             for s, n in zip(_SIDES, names, strict=True)]  # fmt: skip
    _check_names(block, parameters, "LocalSize")
    if size:
        whole = [formula(str(n)) for n in (*size, 1, 1)[:3]]
        divisors = [_divisors(kernel.get(f"GridDiv{s}"), block[d]) for d, s in enumerate(_SIDES)]
        for each in divisors:
            _check_names(each, parameters, "GridDiv")
    else:
        asked = kernel["GlobalSize"]
        whole = [formula(str(asked.get(s) or 1)) for s in _SIDES]
        _check_names(whole, parameters, "GlobalSize")
        kind = kernel.get("GlobalSizeType", kernel["Language"])
        divisors = [[b] if kind == "OpenCL" else [] for b in block]

    def launch(configuration: Configuration) -> LaunchRequest:
        local = [int(each(configuration)) for each in block]
        grid = list[int]()
        for each, by in zip(whole, divisors, strict=True):
            divisor = 1
            for part in by:
                divisor *= int(part(configuration))
            if divisor <= 0:
                raise ValueError(f"the grid is divided by {divisor}")
            grid.append(-(-int(each(configuration)) // divisor))
        return sizes([*grid, *local])

    return launch


def _divisors(texts: Any, block: Formula) -> list[Formula]:
    """What the problem's size is divided by in one dimension: Kernel Tuner takes the thread block
    where nothing is said."""
    if texts is None:
        return [block]
    return [formula(str(t)) for t in ([texts] if isinstance(texts, str | int) else texts)]


def _check_names(texts: Sequence[Formula], parameters: Mapping[str, object], what: str) -> None:
    for each in texts:
        unknown = each.names - parameters.keys()
        if unknown:
            raise ValueError(
                f"{what} '{each.text}': {', '.join(sorted(unknown))} is no parameter; "
                "the command line can give the launch: --grid, --block"
            )


def _argument(each: Mapping[str, Any], names: Mapping[str, Any]) -> Given:
    """By its place: the names of the schema need not be those of the kernel."""
    element = ELEMENTS.get(each["Type"], "")
    match each["MemoryType"]:
        case "Scalar":
            value = each.get("FillValue")
            whole = element not in ("float", "double", "half")
            return Given() if value is None else Given(value=int(value) if whole else float(value))
        case "Vector" | "Local":
            count = formula(str(each["Size"]))(names) if "Size" in each else None
            return Given(element=element, count=None if count is None else max(1, int(count)))
        case _:
            return Given()
