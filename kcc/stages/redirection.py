"""What a script gets that imports pyopencl: kcc.opencl, and, where PyOpenCL's wheel is installed
(the extra `pyopencl`), those of its modules that are Python alone, over kcc.opencl: arrays,
elementwise kernels, reductions, scans. Nothing of them is copied, and its binary part is never
loaded."""

from __future__ import annotations

import importlib
from functools import cache
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

OWN_MODULES = ("kcc.opencl", "kcc.opencl.array", "kcc.opencl.cltypes", "kcc.opencl.tools")
"""The modules of PyOpenCL that kcc has itself."""

BINARY = "pyopencl._cl"

PACKAGES = ("characterize", "compyte")
FROM_WHEEL = frozenset({
    "_cluda", "_mymako", "algorithm", "array", "bitonic_sort", "bitonic_sort_templates", "cache",
    "characterize.performance", "clmath", "clrandom", "cltypes", "compyte.array", "compyte.dtypes",
    "elementwise", "reduction", "scan", "tools", "typing", "version", *PACKAGES,
})  # fmt: skip
"""PyOpenCL's modules that need no more of its binary part than :mod:`kcc.opencl.binary` has."""

EAGER = ("cltypes", "tools")
"""Modules that are there once pyopencl is imported."""

EXTRA = "the extra `pyopencl` has it (pip install pyopencl)"


@cache
def wheel_folder() -> Path | None:
    """The folder of the installed PyOpenCL; None where there is none. Nothing of it is run."""
    spec = PathFinder.find_spec("pyopencl")
    return Path(spec.origin).parent if spec is not None and spec.origin else None


class Redirection(MetaPathFinder, Loader):
    """Answers imports of ``pyopencl``."""

    def find_spec(
        self, fullname: str, _path: object = None, _target: object = None
    ) -> ModuleSpec | None:
        top, _, part = fullname.partition(".")
        if top != "pyopencl":
            return None
        folder = wheel_folder()
        if folder is not None and part in FROM_WHEEL:
            place = folder.joinpath(*part.split("."))
            if part in PACKAGES:
                inside = [str(place)]
                file = place / "__init__.py"
                if file.is_file():
                    return spec_from_file_location(
                        fullname, file, submodule_search_locations=inside
                    )
                return ModuleSpec(fullname, self, is_package=True)
            return spec_from_file_location(fullname, place.with_suffix(".py"))
        return ModuleSpec(fullname, self, is_package=fullname == "pyopencl")

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        name = spec.name.replace("pyopencl", "kcc.opencl", 1)
        if spec.name == BINARY:
            name = "kcc.opencl.binary"
        elif spec.name.partition(".")[2] in PACKAGES:
            return ModuleType(spec.name)
        elif name not in OWN_MODULES:
            known = spec.name.partition(".")[2] in FROM_WHEEL
            why = f": {EXTRA}" if known else ""
            raise ModuleNotFoundError(
                f"kcc.opencl does not have '{spec.name}'{why}", name=spec.name
            )
        real = importlib.import_module(name)
        alias = ModuleType(spec.name)
        alias.__dict__.update(
            (k, v) for k, v in vars(real).items() if k not in ("__name__", "__spec__", "__loader__")
        )
        if spec.name == "pyopencl" and wheel_folder() is not None:
            _let_modules_be_loaded(alias)
        return alias

    def exec_module(self, module: ModuleType) -> None:
        """Nothing: it has everything from the module it stands for."""


def _let_modules_be_loaded(package: ModuleType) -> None:
    """Modules that PyOpenCL loads when it is imported come when they are first asked for."""
    package.__dict__.pop("cltypes", None)
    package.__dict__["_PYOPENCL_NO_CACHE"] = True  # what they generate is not kept on disk
    otherwise = package.__dict__["__getattr__"]

    def found(name: str) -> Any:
        if name in EAGER:
            return importlib.import_module(f"pyopencl.{name}")
        return otherwise(name)

    package.__dict__["__getattr__"] = found
