"""What `kcc run --check` and oclgrind's `--uninitialized` say of the cases of the tests: of
`tests/tracegen/test_undefined.py`. `python -m benchmarks.undefined_values` needs Debian's package
oclgrind, which builds without optimisation here: that would remove what is to be found."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from kcc.base.diagnostics import DiagnosticError
from tests.tracegen.test_undefined import HEAD, UNUSED, USED, run

LAUNCH = "k.cl\nk\n64 1 1\n64 1 1\n<size=1024 fill=0>\n<size=4> 0\n<size=4> 0\n"
FOUND = re.compile(r"(?:Uninitialized|Controlflow|Instruction depends|Invalid|error:)[^\n]*")


def of_oclgrind(body: str, folder: Path) -> str:
    """Its first message about a case, or nothing."""
    barrier = body.replace("barrier(1)", "barrier(CLK_LOCAL_MEM_FENCE)")
    (folder / "k.cl").write_text(f"{HEAD}{{ {barrier} }}\n}}\n", encoding="utf-8")
    (folder / "k.sim").write_text(LAUNCH, encoding="utf-8")
    command = ["oclgrind-kernel", "--uninitialized", "--build-options", "-cl-opt-disable -O0"]
    done = subprocess.run(
        [*command, "k.sim"], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    found = FOUND.search(done.stdout + done.stderr)
    return found[0] if found else ""


def of_kcc(body: str) -> str:
    """The same of kcc."""
    try:
        run((f"{{ {body} }}",), 0)
    except DiagnosticError as error:
        return error.diagnostics[0].message.split(" (")[0]
    return ""


def main() -> None:
    """Print the table."""
    if shutil.which("oclgrind-kernel") is None:
        sys.exit("oclgrind-kernel is not there: it comes with the package oclgrind")
    bodies = {name: body for name, (body, _) in USED.items()}
    with tempfile.TemporaryDirectory() as folder:
        for kind, cases in (("used", bodies), ("not used", UNUSED)):
            for name, body in cases.items():
                own, other = of_kcc(body), of_oclgrind(body, Path(folder))
                same = "both" if bool(own) == bool(other) else "differ"
                print(f"{kind:9} {name:34} {same:7} kcc: {own or '-'}; oclgrind: {other or '-'}")


if __name__ == "__main__":
    main()
