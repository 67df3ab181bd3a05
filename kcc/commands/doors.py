"""What compilers to PTX are told of the command line: signature, GPU, known arguments."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kcc.base.expressions import Value
from kcc.commands.errors import usage_error
from kcc.frontend.options import BuildOptions, DoorOptions


def with_door(
    arguments: argparse.Namespace, options: BuildOptions, names: Mapping[str, Value]
) -> BuildOptions:
    """The options with what :class:`DoorOptions` holds; raises :class:`UsageError` where GPUs of
    different compute capabilities are named, for which other code would be made."""
    signature: str = getattr(arguments, "signature", "")
    if not signature and getattr(arguments, "frontend", "") != "nvrtc":
        return options
    values = tuple((n, v) for n, v in sorted(names.items()) if isinstance(v, int))
    return replace(options, door=DoorOptions(signature, _capability(arguments), values))


def _capability(arguments: argparse.Namespace) -> int:
    from kcc.base.gpu.loading import gpu_names, load_gpu

    asked: Sequence[str] = getattr(arguments, "gpus", None) or []
    one = getattr(arguments, "gpu", None)
    asked = asked or ([one] if isinstance(one, str) else one or [])
    names = list[str]()
    for name in asked:
        names += gpu_names() if name == "all" else [name]
    found = {load_gpu(name).capability for name in names} - {None}
    if len(found) > 1:
        raise usage_error(
            "these GPUs have different compute capabilities, and code is compiled for one",
            "name GPUs of one compute capability at a time",
        )
    capability = next(iter(found), None)
    return 0 if capability is None else 10 * capability[0] + capability[1]
