"""Compiled code that does what no program may (a wild address, a bad instruction, too deep a stack)
gives a status instead of ending the process.

The operating system reports such a fault by a signal to the thread. A handler, itself compiled by
LLVM because Python's run too late, goes back to where :func:`guarded` entered the code; faults of
anybody else's are left to whoever handled them before. What this costs is one ``setjmp`` each time
compiled code is entered. Where the host has no such signals compiled code runs unguarded.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import cache

from kcc.base.records import dataclass
from kcc.tracegen.simt.layout import Status, Worker

BlocksFunction = Callable[[int, int, int], int]
"""``blocks(worker, first, count) -> status``."""

SIGNALS = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGTRAP")

_ALTERNATE_STACK_BYTES = 64 << 10
"""For the handler, should the thread's own stack be what is full."""

_JUMP_BYTES = 512
"""Room for a jmp_buf: 200 bytes on x86-64 and 312 on arm64 with glibc, less elsewhere."""

_ACTION_BYTES = 256
"""Room for a struct sigaction, 152 bytes with glibc."""


@dataclass(frozen=True, slots=True)
class _System:
    """Constants of <signal.h> and where its structs have their fields, in bytes."""

    on_stack: int
    with_info: int
    no_defer: int
    disabled: int
    flags_at: int
    address_at: int
    key_type: str
    stack_fields: tuple[tuple[str, type[ctypes.c_size_t | ctypes.c_int]], ...]


_LINUX = _System(
    0x08000000, 4, 0x40000000, 2, 8 + 128, 16, "i32",
    (("flags", ctypes.c_int), ("size", ctypes.c_size_t)),
)  # fmt: skip
"""glibc and musl, 64 bits: <bits/sigaction.h>, <bits/types/siginfo_t.h>, <bits/types/stack_t.h>."""

_DARWIN = _System(
    0x0001, 0x0040, 0x0010, 4, 12, 24, "i64",
    (("size", ctypes.c_size_t), ("flags", ctypes.c_int)),
)  # fmt: skip
"""macOS: <sys/signal.h>."""


@dataclass(frozen=True, slots=True)
class Crash:
    """What ended compiled code: the signal, and the address it was about (0 where unknown)."""

    signal: str
    address: int

    def __str__(self) -> str:
        return f"{self.signal} at address 0x{self.address:x}"


class GuardedCode:
    """Compiled code of a kernel, entered through the guard."""

    def __init__(self, address: int) -> None:
        prototype = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
        self._address = address
        self._plain: BlocksFunction = prototype(address)
        self._guard = _guard()

    def __call__(self, worker: int, first: int, count: int) -> int:
        guard = self._guard
        return (
            self._plain(worker, first, count)
            if guard is None
            else guard.enter(self._address, worker, first, count)
        )


def latest_crash() -> Crash:
    """What the calling thread's latest call came to, which gave :attr:`Status.CRASH`."""
    guard = _guard()
    assert guard is not None
    return guard.crash()


class _Thread(threading.local):
    """A thread's place to come back to, and the stack that its handler runs on."""

    def __init__(self) -> None:
        self.frame = ctypes.create_string_buffer(_JUMP_BYTES + 4 * 8 + 64)
        self.address = -(-ctypes.addressof(self.frame) // 64) * 64
        self.stack: ctypes.Array[ctypes.c_char] | None = None


class _Guard:
    """The handler, installed, and the function that enters compiled code."""

    def __init__(self, system: _System) -> None:
        from kcc.tracegen.simt.jit import load_text  # which hands out guarded code

        self._system = system
        self._libc = ctypes.CDLL(None)
        key = ctypes.c_ulong(0)
        if self._libc.pthread_key_create(ctypes.byref(key), None):
            raise OSError("no key for a thread's own data")
        self._engine, found = load_text(_text(system, key.value), ("kcc.guarded", "kcc.on_signal"))
        entry = ctypes.CFUNCTYPE(
            ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64,
            ctypes.c_void_p,
        )  # fmt: skip
        self._entry = entry(found["kcc.guarded"])
        self._thread = _Thread()
        before = self._engine.get_global_value_address("kcc.before")
        for number in _signal_numbers():
            self._install(number, found["kcc.on_signal"], before + number * _ACTION_BYTES)

    def enter(self, code: int, worker: int, first: int, count: int) -> int:
        """Call compiled code; :attr:`Status.CRASH` where it could not go on."""
        thread = self._thread
        if thread.stack is None:
            thread.stack = self._alternate_stack()
        status: int = self._entry(code, worker, first, count, thread.address)
        return status

    def crash(self) -> Crash:
        words = (ctypes.c_int64 * 4).from_address(self._thread.address + _JUMP_BYTES)
        return Crash(signal.Signals(words[1]).name, words[2] & (1 << 64) - 1)

    def _install(self, number: int, handler: int, before: int) -> None:
        system = self._system
        action = ctypes.create_string_buffer(_ACTION_BYTES)
        flags = system.on_stack | system.with_info | system.no_defer
        action[0:8] = handler.to_bytes(8, "little")
        action[system.flags_at : system.flags_at + 4] = flags.to_bytes(4, "little")
        if self._libc.sigaction(number, action, ctypes.c_void_p(before)):
            raise OSError("no handler for faults of compiled code")

    def _alternate_stack(self) -> ctypes.Array[ctypes.c_char]:
        """Give the thread one, unless it has one already."""
        fields = [("start", ctypes.c_void_p), *self._system.stack_fields]
        kind = type("Stack", (ctypes.Structure,), {"_fields_": fields})
        known, room = kind(), ctypes.create_string_buffer(_ALTERNATE_STACK_BYTES)
        self._libc.sigaltstack(None, ctypes.byref(known))
        if known.flags & self._system.disabled:
            stack = kind(start=ctypes.addressof(room), flags=0, size=_ALTERNATE_STACK_BYTES)
            self._libc.sigaltstack(ctypes.byref(stack), None)
        return room


@cache
def _guard() -> _Guard | None:
    """The guard of this process; None where there can be none."""
    systems = {"linux": _LINUX, "darwin": _DARWIN}
    system = systems.get(sys.platform)
    if system is None or os.name != "posix" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return None
    try:
        return _Guard(system)
    except (OSError, AttributeError, RuntimeError):
        return None


def _signal_numbers() -> list[int]:
    return [int(getattr(signal, name)) for name in SIGNALS if hasattr(signal, name)]


def _text(system: _System, key: int) -> str:
    """The handler and the way into compiled code. A frame is a jmp_buf with, after it, the frame
    that was there before, the signal, its address and the worker."""
    kind, at = system.key_type, [_JUMP_BYTES + 8 * i for i in range(4)]
    places = max(_signal_numbers()) + 1
    return f"""
@kcc.before = global [{places} x [{_ACTION_BYTES} x i8]] zeroinitializer, align 16

declare i32 @_setjmp(ptr) returns_twice
declare void @longjmp(ptr, i32) noreturn
declare ptr @pthread_getspecific({kind})
declare i32 @pthread_setspecific({kind}, ptr)
declare i32 @sigaction(i32, ptr, ptr)

define void @kcc.on_signal(i32 %signal, ptr %info, ptr %context) {{
  %frame = call ptr @pthread_getspecific({kind} {key})
  %none = icmp eq ptr %frame, null
  br i1 %none, label %others, label %inside
inside:
  %worker.at = getelementptr i8, ptr %frame, i64 {at[3]}
  %worker = load ptr, ptr %worker.at
  %away.at = getelementptr i64, ptr %worker, i64 {int(Worker.AWAY)}
  %away = load volatile i64, ptr %away.at
  %python = icmp ne i64 %away, 0
  br i1 %python, label %others, label %ours
others:
  %number = zext i32 %signal to i64
  %before = getelementptr [{_ACTION_BYTES} x i8], ptr @kcc.before, i64 %number
  call i32 @sigaction(i32 %signal, ptr %before, ptr null)
  ret void
ours:
  %signal.at = getelementptr i8, ptr %frame, i64 {at[1]}
  %wide = sext i32 %signal to i64
  store i64 %wide, ptr %signal.at
  %address.at = getelementptr i8, ptr %info, i64 {system.address_at}
  %address = load i64, ptr %address.at
  %kept.at = getelementptr i8, ptr %frame, i64 {at[2]}
  store i64 %address, ptr %kept.at
  call void @longjmp(ptr %frame, i32 1)
  unreachable
}}

define i32 @kcc.guarded(ptr %code, ptr %worker, i64 %first, i64 %count, ptr %frame) {{
  %outer.at = getelementptr i8, ptr %frame, i64 {at[0]}
  %outer = call ptr @pthread_getspecific({kind} {key})
  store ptr %outer, ptr %outer.at
  %worker.at = getelementptr i8, ptr %frame, i64 {at[3]}
  store ptr %worker, ptr %worker.at
  %jumped = call i32 @_setjmp(ptr %frame) returns_twice
  %back = icmp ne i32 %jumped, 0
  br i1 %back, label %crashed, label %run
run:
  call i32 @pthread_setspecific({kind} {key}, ptr %frame)
  %status = call i32 %code(ptr %worker, i64 %first, i64 %count)
  %next = load volatile ptr, ptr %outer.at
  call i32 @pthread_setspecific({kind} {key}, ptr %next)
  ret i32 %status
crashed:
  %kept = load volatile ptr, ptr %outer.at
  call i32 @pthread_setspecific({kind} {key}, ptr %kept)
  ret i32 {int(Status.CRASH)}
}}
"""
