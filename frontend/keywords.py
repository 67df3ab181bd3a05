"""The words and signs of OpenCL C 1.2 by the parser's token types (section 6.9 and C99 6.4).

pycparser's grammar knows C; what OpenCL adds needs no rule of its own: address spaces and image
access parse as type qualifiers, ``__kernel`` as a function specifier, and each keeps its spelling.
"""

from __future__ import annotations

QUALIFIER, FUNCTION_SPECIFIER, ATTRIBUTE = "CONST", "INLINE", "ATTRIBUTE"

VECTOR_ELEMENTS = (
    "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float", "double",
)  # fmt: skip

VECTOR_TYPES = frozenset(
    {f"{e}{lanes}" for e in VECTOR_ELEMENTS for lanes in (2, 3, 4, 8, 16)} | {"float32", "half32"}
)

BUILTIN_TYPES = VECTOR_TYPES | {
    "uchar", "ushort", "uint", "ulong", "half", "bool", "size_t", "ptrdiff_t", "intptr_t",
    "uintptr_t", "image1d_t", "image1d_buffer_t", "image1d_array_t", "image2d_t",
    "image2d_array_t", "image3d_t", "sampler_t", "event_t", "cl_mem_fence_flags",
}  # fmt: skip
"""Names that are types until the source declares them otherwise (sections 6.1.1 to 6.1.3)."""

_C_KEYWORDS = (
    "auto break case char const continue default do double else enum extern float for goto if "
    "inline int long register restrict return short signed sizeof static struct switch typedef "
    "union unsigned void volatile while"
)

_QUALIFIERS = (
    "__global global __local local __constant constant __private private "
    "__read_only read_only __write_only write_only __read_write read_write "
    "__const __const__ __restrict __restrict__ __volatile __volatile__"
)

FOREIGN = "FOREIGN"

FOREIGN_KEYWORDS: dict[str, str] = {
    "_Alignas": "C11", "_Alignof": "C11", "_Atomic": "C11", "_Generic": "C11", "_Noreturn": "C11",
    "_Static_assert": "C11", "_Thread_local": "C11", "_Complex": "C99", "_Imaginary": "C99",
    "__typeof": "GNU C", "__typeof__": "GNU C", "__asm": "GNU C", "__asm__": "GNU C",
    "__extension__": "GNU C", "__generic": "OpenCL C 2.0", "__pipe": "OpenCL C 2.0",
}  # fmt: skip
"""Reserved words of other dialects: no program may use them as names."""

KEYWORDS: dict[str, str] = {
    **{word: word.upper() for word in _C_KEYWORDS.split()},
    **dict.fromkeys(_QUALIFIERS.split(), QUALIFIER),
    **dict.fromkeys(("__kernel", "kernel", "__inline", "__inline__"), FUNCTION_SPECIFIER),
    **dict.fromkeys(("__attribute__", "__attribute"), ATTRIBUTE),
    "__signed": "SIGNED",
    "__signed__": "SIGNED",
    "_Bool": "_BOOL",
    **dict.fromkeys(FOREIGN_KEYWORDS, FOREIGN),
    "true": "BOOL_CONST",
    "false": "BOOL_CONST",
}

KERNEL_WORDS = ("__kernel", "kernel")

FOREIGN_WORDS: dict[str, str] = {
    "generic": "OpenCL C 2.0", "pipe": "OpenCL C 2.0", "typeof": "GNU C", "asm": "GNU C",
    "template": "C++", "class": "C++", "namespace": "C++", "constexpr": "C++", "auto": "C++",
}  # fmt: skip
"""Words of other dialects that may be names here: said where one stands as an unknown type."""

PUNCTUATORS: dict[str, str] = {
    "...": "ELLIPSIS", "<<=": "LSHIFTEQUAL", ">>=": "RSHIFTEQUAL", "++": "PLUSPLUS",
    "--": "MINUSMINUS", "->": "ARROW", "&&": "LAND", "||": "LOR", "<<": "LSHIFT", ">>": "RSHIFT",
    "<=": "LE", ">=": "GE", "==": "EQ", "!=": "NE", "*=": "TIMESEQUAL", "/=": "DIVEQUAL",
    "%=": "MODEQUAL", "+=": "PLUSEQUAL", "-=": "MINUSEQUAL", "&=": "ANDEQUAL", "|=": "OREQUAL",
    "^=": "XOREQUAL", "=": "EQUALS", "+": "PLUS", "-": "MINUS", "*": "TIMES", "/": "DIVIDE",
    "%": "MOD", "|": "OR", "&": "AND", "~": "NOT", "^": "XOR", "!": "LNOT", "<": "LT", ">": "GT",
    "?": "CONDOP", "(": "LPAREN", ")": "RPAREN", "[": "LBRACKET", "]": "RBRACKET", "{": "LBRACE",
    "}": "RBRACE", ",": "COMMA", ".": "PERIOD", ";": "SEMI", ":": "COLON",
}  # fmt: skip

SPELLING: dict[str, str] = {
    **{kind: f"'{sign}'" for sign, kind in PUNCTUATORS.items()},
    "ID": "a name",
    "TYPEID": "a name",
    "WHILE": "'while'",
}
"""What a token type is called in a message."""
