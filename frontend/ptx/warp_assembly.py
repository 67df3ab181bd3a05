"""What LLVM's back end makes no instruction of by itself: loads of matrices by a warp, and copies
that go on past registers. Both become inline PTX."""

from __future__ import annotations

import re

from kcc.frontend.builtins.matrix import TRANSPOSED, WORD

_FUNCTION = re.compile(r"^define .*?^\}\n", re.MULTILINE | re.DOTALL)
_LOAD = re.compile(
    r"^  (?P<name>%\S+) = load <4 x i32>, (?P<pointer>ptr addrspace\(3\) [^\n]+?), align 16"
    r"(?P<tail>[^\n]*)$",
    re.MULTILINE,
)
_CALL = re.compile(
    r"^  (?P<name>%\S+) = (?:tail )?call i32 @(?P<symbol>" + f"{WORD}\\d|{TRANSPOSED}" + r")"
    r"\((?:<4 x i32>|i32)(?: noundef)? (?P<operand>%[\w.$-]+)\)(?: #\d+)?(?P<tail>[^\n]*)$",
    re.MULTILINE,
)
_DECLARED = re.compile(
    r"^declare [^@\n]*@(?P<symbol>" + f"{WORD}\\d|{TRANSPOSED}" + r")\([^\n]*\n", re.MULTILINE
)
_FOUR = "{ i32, i32, i32, i32 }"

_COPY = re.compile(
    r"^  (?:tail )?call void @llvm\.memcpy\.p3\.p1\.i\d+\(ptr addrspace\(3\)(?: [a-z]+(?: \d+)?)*? "
    r"(?P<to>[%@][\w.$-]+), ptr addrspace\(1\)(?: [a-z]+(?: \d+)?)*? (?P<source>[%@][\w.$-]+), "
    r"i\d+ (?P<size>4|8|16), i1 true\)(?: #\d+)?(?P<tail>[^\n]*)$",
    re.MULTILINE,
)
_FENCE = re.compile(
    r'^  fence syncscope\("copies(?:\.(?P<what>\w+))?"\) seq_cst(?P<tail>[^\n]*)\n', re.MULTILINE
)

AMPERE = 80
"""The first target that copies past registers (PTX ISA, cp.async)."""


def with_warp_assembly(text: str, target: str) -> str:
    """A module for NVPTX with inline PTX for these; ``target`` as sm_80."""
    text = _FUNCTION.sub(lambda m: _with_matrices(m[0]), text)
    called = {match["symbol"] for match in _CALL.finditer(text)}
    text = _DECLARED.sub(lambda m: m[0] if m["symbol"] in called else "", text)
    number = re.search(r"\d+", target)
    if number is None or int(number[0]) < AMPERE:
        return _FENCE.sub("", text)
    return _FENCE.sub(_waited, _COPY.sub(_copied, text))


def _with_matrices(function: str) -> str:
    """The same with ``ldmatrix`` for the loads of which lanes take words of four matrices."""
    calls = {match["name"]: match for match in _CALL.finditer(function)}
    words, turned = dict[str, list[str]](), dict[str, str]()
    for name, match in calls.items():
        if match["symbol"] == TRANSPOSED:
            turned[match["operand"]] = name
        else:
            words.setdefault(match["operand"], []).append(name)
    for load in list(_LOAD.finditer(function)):
        own = words.get(load["name"])
        if not own:
            continue
        transposed = all(word in turned for word in own)
        kind = ".trans" if transposed else ""
        ptx = f"ldmatrix.sync.aligned.m8n8.x4{kind}.shared.b16 {{$0, $1, $2, $3}}, [$4];"
        address, tail = f"{load['name']}.at", load["tail"]
        function = function.replace(
            load[0],
            f"  {address} = ptrtoint {load['pointer']} to i64{tail}\n"
            f'  {load["name"]} = call {_FOUR} asm sideeffect "{ptx}", "=r,=r,=r,=r,l,~{{memory}}"'
            f"(i64 {address}) convergent{tail}",
            1,
        )
        for word in own:
            call = calls[word]
            matrix = call["symbol"].removeprefix(WORD)
            function = function.replace(
                call[0],
                f"  {word} = extractvalue {_FOUR} {load['name']}, {matrix}{call['tail']}",
                1,
            )
            if transposed:
                other = calls[turned[word]]
                function = function.replace(
                    other[0], f"  {other['name']} = bitcast i32 {word} to i32{other['tail']}", 1
                )
    return function


def _copied(match: re.Match[str]) -> str:
    level = "cg" if match["size"] == "16" else "ca"
    ptx = f"cp.async.{level}.shared.global [$0], [$1], {match['size']};"
    return (
        f'  call void asm sideeffect "{ptx}", "l,l,~{{memory}}"'
        f"(ptr addrspace(3) {match['to']}, ptr addrspace(1) {match['source']}){match['tail']}"
    )


def _waited(match: re.Match[str]) -> str:
    what = match["what"]
    name = "wait_all" if what is None else "commit_group" if what == "group" else "wait_group"
    number = f" {what}" if name == "wait_group" else ""
    ptx = f"cp.async.{name}{number};"
    return f'  call void asm sideeffect "{ptx}", "~{{memory}}"(){match["tail"]}\n'
