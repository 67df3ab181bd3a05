"""Runs alone: one call of NVRTC. Request as JSON on standard input, answer as JSON in the file that
the first argument names. What a library of others does to its process is not done to kcc's."""

from __future__ import annotations

import ctypes
import json
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Answer one request: ``ptx`` or ``log``."""
    answer = _compiled(json.loads(sys.stdin.read()))
    Path(sys.argv[1]).write_text(json.dumps(answer), encoding="utf-8")


def _compiled(request: dict[str, Any]) -> dict[str, str]:
    library = ctypes.CDLL(request["library"])
    program = ctypes.c_void_p()
    text, name = request["source"].encode(), request["name"].encode()
    headers = request["headers"]
    kind = ctypes.c_char_p * max(len(headers), 1)
    contents = kind(*(each.encode() for each in headers.values()))
    names = kind(*(each.encode() for each in headers))
    library.nvrtcCreateProgram(ctypes.byref(program), text, name, len(headers), contents, names)
    for expression in request["instantiate"]:
        library.nvrtcAddNameExpression(program, expression.encode())
    words = [word.encode() for word in request["options"]]
    array = (ctypes.c_char_p * len(words))(*words)
    if library.nvrtcCompileProgram(program, len(words), array):
        return {"log": _text(library, program, "ProgramLog")}
    return {"ptx": _text(library, program, "PTX")}


def _text(library: Any, program: ctypes.c_void_p, what: str) -> str:
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{what}")(program, buffer)
    return buffer.value.decode(errors="replace")


if __name__ == "__main__":
    main()
