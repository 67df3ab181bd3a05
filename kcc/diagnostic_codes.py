"""The table of diagnostic codes: one row for every message kind kcc can give.

Ranges: K0xx command line, files, launch expressions; K1xx preprocessor; K2xx syntax;
K3xx names, types, address spaces (semantic pass); K4xx language features that are not supported;
K5xx intermediate representation and optimisation; K6xx analysis; K7xx execution.
``docs/frontend.md`` is generated from this table.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A row: ``severity`` is error, warning or note; ``title`` is the general statement."""

    severity: str
    title: str


CODES: dict[str, Code] = {
    # K0xx: command line, files, launch expressions
    "K001": Code("error", "a file cannot be read"),
    "K002": Code("error", "a source is not valid UTF-8"),
    "K003": Code("error", "a source is empty or holds no kernel"),
    "K004": Code("error", "a source is too large"),
    "K005": Code("error", "the kernel asked for does not exist"),
    "K006": Code("error", "a source is nested too deeply"),
    "K007": Code("error", "there is not enough memory for a source"),
    "K008": Code("error", "an output cannot be written"),
    "K009": Code("error", "the command line is used wrongly"),
    "K020": Code("error", "a launch expression cannot be parsed"),
    "K021": Code("error", "a function of a launch expression is unknown or has wrong arguments"),
    "K022": Code("error", "a name in a launch expression has no value"),
    "K023": Code("error", "a launch expression has no value"),
    "K024": Code("error", "a value in a launch expression is too large"),
    "K025": Code("error", "a launch expression is too long or nested too deeply"),
    "K026": Code("error", "the description of an argument is wrong"),
    "K027": Code("error", "an option needs the form NAME=VALUE"),
    "K030": Code("error", "a size is not a positive whole number"),
    "K031": Code("error", "the number of launch dimensions is wrong"),
    "K032": Code("error", "the local size does not divide the global size"),
    "K033": Code("error", "a launch is larger than any GPU runs"),
    "K034": Code("error", "the local size is not the one the kernel requires"),
    "K035": Code("error", "launch options contradict each other"),
    "K036": Code("error", "a kernel.toml is not valid TOML"),
    "K037": Code("error", "an entry of a kernel.toml is missing, unknown or of the wrong kind"),
    # K1xx: preprocessor
    "K101": Code("error", "an included file is not found"),
    "K102": Code("error", "an #include is malformed"),
    "K103": Code("error", "#include is nested without reasonable bound"),
    "K111": Code("error", "an #if has no #endif"),
    "K112": Code("error", "an #elif, #else or #endif has no #if"),
    "K113": Code("error", "the condition of an #if is wrong"),
    "K114": Code("error", "an #elif or #else follows an #else"),
    "K120": Code("error", "the source reports an error with #error"),
    "K121": Code("warning", "the source warns with #warning"),
    "K122": Code("error", "a directive is unknown"),
    "K123": Code("warning", "what follows a directive is ignored"),
    "K130": Code("warning", "a macro is redefined differently"),
    "K131": Code("error", "a macro definition is malformed"),
    "K132": Code("error", "a -D, -U or -include option is malformed"),
    "K134": Code("error", "a macro is called with a wrong number of arguments"),
    "K135": Code("error", "the call of a macro has no closing parenthesis"),
    "K136": Code("error", "## does not give one token"),
    "K137": Code("error", "macros expand without reasonable bound"),
    "K138": Code("error", "a source has too many tokens"),
    "K140": Code("error", "a comment has no end"),
    "K141": Code("error", "a pragma is malformed"),
    "K142": Code("warning", "a pragma is ignored"),
    # K2xx: syntax
    "K201": Code("error", "a character does not belong to OpenCL C"),
    "K202": Code("error", "a character constant or string is malformed"),
    "K203": Code("error", "a number is malformed"),
    "K210": Code("error", "something else is expected here"),
    "K211": Code("error", "the name of a type is unknown"),
    "K212": Code("error", "a type is missing"),
    "K213": Code("error", "a declaration is malformed"),
    "K214": Code("error", "the source ends too early"),
    "K220": Code("error", "an attribute is malformed"),
    "K221": Code("warning", "an attribute is ignored"),
    "K230": Code("error", "syntax of another dialect is not OpenCL C 1.2"),
    # K55x: reading LLVM's text back
    "K550": Code("error", "the IR holds something that is not known"),
    "K551": Code("error", "the IR holds an instruction that has no meaning in a GPU kernel"),
    "K552": Code("error", "the IR holds a type that is not known"),
    # K7xx: execution
    "K701": Code("error", "the number of arguments of a launch is wrong"),
    "K702": Code("error", "the geometry of a launch is wrong"),
    "K703": Code("error", "an argument of a launch does not fit the kernel"),
    "K711": Code("error", "memory is touched outside its array"),
    "K712": Code("error", "an address is not aligned as its type needs"),
    "K713": Code("error", "constant memory is written"),
    "K714": Code("error", "memory is read that was never written"),
    "K715": Code("error", "a barrier is not reached by all work-items"),
    "K716": Code("error", "an integer is divided by zero"),
    "K717": Code("error", "a kernel does not end"),
    "K718": Code("error", "execution was stopped"),
    "K719": Code("error", "a read-only image is written"),
    "K720": Code("error", "control reaches an impossible place"),
}
