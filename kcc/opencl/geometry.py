"""The geometry of a launch as OpenCL checks it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from operator import index

from kcc.frontend.kernel import Kernel
from kcc.opencl.constants import status_code
from kcc.opencl.errors import failure
from kcc.tracegen.execute import NDRange
from kcc.tracegen.launch_checks import MAX_ITEMS, MAX_LOCAL_ITEMS

PREFERRED_LOCAL_ITEMS = 256
"""Work-items of a work-group at most when the program leaves the choice to OpenCL."""

_ROUTINE = "clEnqueueNDRangeKernel"


def geometry(
    kernel: Kernel,
    global_size: Sequence[int],
    local_size: Sequence[int] | None,
    offset: Sequence[int] | None,
    *,
    times: bool,
) -> NDRange | None:
    """The launch; None for one without work-items. Raises LogicError for what cannot be.

    ``times``: the global size counts work-groups.
    """
    whole = tuple(index(n) for n in global_size)
    own = None if local_size is None else tuple(index(n) for n in local_size)
    start = () if offset is None else tuple(index(n) for n in offset)
    if own is not None and len(own) != len(whole):
        what = "global/local work sizes have differing dimensions"
        raise failure("enqueue_nd_range_kernel", status_code.INVALID_VALUE, what)
    if start and len(start) != len(whole):
        what = "global work size and offset have differing dimensions"
        raise failure("enqueue_nd_range_kernel", status_code.INVALID_VALUE, what)
    if not 1 <= len(whole) <= 3:
        raise failure(_ROUTINE, status_code.INVALID_WORK_DIMENSION)
    if times and own is not None:
        whole = tuple(n * each for n, each in zip(whole, own, strict=True))
    if any(not 0 <= n < MAX_ITEMS for n in whole):
        raise failure(_ROUTINE, status_code.INVALID_GLOBAL_WORK_SIZE, f"global size {whole}")
    if any(not 0 <= n < MAX_ITEMS for n in start):
        raise failure(_ROUTINE, status_code.INVALID_GLOBAL_OFFSET, f"global offset {start}")
    if 0 in whole:
        return None
    chosen = own or _choose(whole)
    _check_local(kernel, whole, chosen, own)
    return NDRange(whole, chosen, start)


def _check_local(
    kernel: Kernel, whole: tuple[int, ...], chosen: tuple[int, ...], given: tuple[int, ...] | None
) -> None:
    code = status_code.INVALID_WORK_GROUP_SIZE
    required = kernel.required_local_size
    if required is not None and (given is None or (*given, 1, 1)[:3] != required):
        raise failure(
            _ROUTINE, code, f"kernel '{kernel.name}' requires local size {required}, not {given}"
        )
    if any(n < 1 for n in chosen) or math.prod(chosen) > MAX_LOCAL_ITEMS:
        what = f"local size {chosen} has not 1 to {MAX_LOCAL_ITEMS} work-items"
        raise failure(_ROUTINE, code, what)
    if any(n % each for n, each in zip(whole, chosen, strict=True)):
        raise failure(_ROUTINE, code, f"local size {chosen} does not divide global size {whole}")


def _choose(whole: tuple[int, ...]) -> tuple[int, ...]:
    """From the first dimension on, the largest divisor that is left room for."""
    chosen, room = list[int](), PREFERRED_LOCAL_ITEMS
    for n in whole:
        each = next(d for d in range(min(n, room), 0, -1) if n % d == 0)
        chosen.append(each)
        room //= each
    return tuple(chosen)
