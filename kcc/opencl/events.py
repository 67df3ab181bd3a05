"""Command queues and events.

Everything is done when it is enqueued, in the calling thread, unless it must wait for a
:class:`UserEvent`: then it waits in its queue and is done when the event is set.

Events carry times of an imaginary device, so that every run gives the same: a warp instruction
takes 1 ns, copying 16 bytes takes 1 ns, and whatever happens takes 1 ns at least. They are no
prediction of a GPU.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self, cast

from kcc.opencl.constants import (
    command_execution_status,
    command_queue_info,
    command_queue_properties,
    command_type,
    context_info,
    event_info,
    profiling_info,
    status_code,
)
from kcc.opencl.device import DEVICE, PLATFORM, Device
from kcc.opencl.errors import Error, failure
from kcc.opencl.info import Informed
from kcc.opencl.missing import missing
from kcc.opencl.session import Session, current_session

WaitList = Sequence["Event"] | None

Work = Callable[[], int]
"""What a command does; gives the device nanoseconds it takes."""

NS_PER_COPIED_BYTE = 1 / 16


class Context(Informed):
    """Where buffers, programs and queues live together."""

    _infos, _info_routine = context_info, "clGetContextInfo"
    reference_count, num_devices = 1, 1

    def __init__(
        self,
        devices: Sequence[Device] | None = None,
        properties: Sequence[Any] | None = None,
        dev_type: int | None = None,
        cache_dir: str | None = None,
    ) -> None:
        if devices is not None and dev_type is not None:
            raise failure(
                "Context", status_code.INVALID_VALUE, "one of 'devices' or 'dev_type' must be None"
            )
        if devices is not None and not devices:
            raise failure("Context", status_code.INVALID_VALUE)
        if dev_type is not None and not PLATFORM.get_devices(dev_type):
            raise failure("Context", status_code.DEVICE_NOT_FOUND)
        self.devices: list[Device] = [DEVICE]
        self.properties = list(properties or ())
        self.session: Session = current_session()
        self.waiting: list[CommandQueue] = []
        """Queues with commands that wait for a user event."""

    @property
    def int_ptr(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return f"<kcc.opencl.Context at 0x{id(self):x} on {DEVICE!r}>"

    def drain(self) -> None:
        """Do what may now be done."""
        for queue in list(self.waiting):
            queue.drain()


def create_some_context(
    interactive: bool | None = None, answers: Sequence[str] | None = None, **_ignored: Any
) -> Context:
    """A context on the one device there is; nobody is asked."""
    return Context([DEVICE])


def choose_devices(
    interactive: bool | None = None, answers: Sequence[str] | None = None
) -> list[Device]:
    """The one device."""
    return [DEVICE]


class Event(Informed):
    """Something a queue was asked to do."""

    _infos, _info_routine = event_info, "clGetEventInfo"
    reference_count = 1

    def __init__(self, context: Context, queue: CommandQueue | None, kind: int) -> None:
        self.context = context
        self.command_queue = queue
        self.command_type = kind
        self.command_execution_status: int = command_execution_status.QUEUED
        self.times: dict[int, int] = {}
        self._callbacks = list[tuple[int, Callable[[int], object]]]()

    @property
    def int_ptr(self) -> int:
        return id(self)

    @property
    def is_complete(self) -> bool:
        return self.command_execution_status <= command_execution_status.COMPLETE

    @property
    def profile(self) -> ProfilingInfoGetter:
        return ProfilingInfoGetter(self)

    def wait(self) -> None:
        """Return when it is done; raises an error if it failed, or if nobody would ever do it."""
        _check_done([self], "clWaitForEvents")

    def get_profiling_info(self, param: int) -> int:
        """A time in ns; raises RuntimeError where the queue keeps none."""
        queue = self.command_queue
        keeps = queue and queue.properties & command_queue_properties.PROFILING_ENABLE
        if not keeps or not self.is_complete:
            raise failure("clGetEventProfilingInfo", status_code.PROFILING_INFO_NOT_AVAILABLE)
        if param not in self.times:
            raise failure("clGetEventProfilingInfo", status_code.INVALID_VALUE)
        return self.times[param]

    def set_callback(self, status: int, callback: Callable[[int], object]) -> None:
        """Call ``callback`` with the status when it is reached; at once if it has been."""
        self._callbacks.append((status, callback))
        if self.is_complete:
            self._call_back()

    def finish(self, status: int) -> None:
        """Note how it ended."""
        self.command_execution_status = status
        self._call_back()

    def _call_back(self) -> None:
        waiting, self._callbacks = self._callbacks, []
        for _, callback in waiting:
            callback(self.command_execution_status)


class NannyEvent(Event):
    """The event of a command that uses an object of the host."""

    ward: object = None

    def get_ward(self) -> object:
        return self.ward


class UserEvent(Event):
    """An event that the program itself completes."""

    def __init__(self, context: Context) -> None:
        super().__init__(context, None, command_type.USER)
        self.command_execution_status = command_execution_status.SUBMITTED

    def set_status(self, status: int) -> None:
        """0 completes it, a negative status fails what waits for it."""
        if self.is_complete:
            raise failure("clSetUserEventStatus", status_code.INVALID_OPERATION)
        if status > command_execution_status.COMPLETE:
            raise failure("clSetUserEventStatus", status_code.INVALID_VALUE)
        self.finish(status)
        self.context.drain()


class ProfilingInfoGetter:
    """``event.profile``: queued, submit, start, end and complete in ns."""

    def __init__(self, event: Event) -> None:
        self.event = event

    def __getattr__(self, name: str) -> int:
        known = profiling_info.names()
        if name.upper() not in known:
            raise missing(f"Event.profile.{name}", [n.lower() for n in known])
        return self.event.get_profiling_info(known[name.upper()])


class CommandQueue(Informed):
    """Does what it is asked, in order unless it is told that order does not matter."""

    _infos, _info_routine = command_queue_info, "clGetCommandQueueInfo"
    reference_count = 1

    def __init__(
        self,
        context: Context,
        device: Device | None = None,
        properties: int | Sequence[int] | None = None,
    ) -> None:
        self.context = context
        self.device = device or DEVICE
        known = DEVICE.queue_properties
        if isinstance(properties, Sequence):
            properties = sum(properties[1::2])
        self.properties = int(properties or 0)
        if self.properties & ~known:
            raise failure("clCreateCommandQueue", status_code.INVALID_VALUE)
        self._pending = list[tuple[Event, list[Event], Work]]()

    def _get_cl_version(self) -> tuple[int, int]:
        """What PyOpenCL's own modules look at."""
        return (1, 2)

    @property
    def int_ptr(self) -> int:
        return id(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.finish()

    def flush(self) -> None:
        """Nothing waits to be submitted."""

    def finish(self) -> None:
        """Return when everything is done."""
        _check_done([event for event, _, _ in self._pending], "clFinish")

    def enqueue(
        self, kind: int, work: Work, wait_for: WaitList = None, event: Event | None = None
    ) -> Event:
        """Do ``work`` now, or when the events of ``wait_for`` are complete."""
        event = event or Event(self.context, self, kind)
        now = self.context.session.device_ns
        event.times = {profiling_info.QUEUED: now, profiling_info.SUBMIT: now}
        self._pending.append((event, _check_events(wait_for), work))
        self.drain()
        return event

    def marker(self, kind: int, wait_for: WaitList) -> Event:
        """A command that does nothing: complete when what it waits for is, by default all."""
        waits = _check_events(wait_for) or [event for event, _, _ in self._pending]
        return self.enqueue(kind, lambda: 0, waits)

    def drain(self) -> None:
        """Do the commands whose time has come."""
        try:
            while (place := self._next_ready()) is not None:
                self._do(*self._pending.pop(place))
        finally:
            waiting = self.context.waiting
            if self._pending and self not in waiting:
                waiting.append(self)
            elif not self._pending and self in waiting:
                waiting.remove(self)

    def _next_ready(self) -> int | None:
        """The place of the first command that need not wait."""
        ordered = not self.properties & command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE
        for place, (event, waits, _) in enumerate(self._pending):
            if all(w.is_complete for w in waits):
                return place
            if ordered or event.command_type == command_type.BARRIER:
                return None
        return None

    def _do(self, event: Event, waits: list[Event], work: Work) -> None:
        if any(w.command_execution_status < 0 for w in waits):
            event.finish(status_code.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
            return
        event.command_execution_status = command_execution_status.RUNNING
        try:
            taken = work()
        except Error as error:
            event.finish(error.code)
            raise
        start, end = self.context.session.advance(taken)
        event.times |= {profiling_info.START: start, profiling_info.END: end}
        event.finish(command_execution_status.COMPLETE)


def wait_for_events(events: Sequence[Event]) -> None:
    """Return when all are complete; raises an error for one that failed."""
    if not events:
        raise failure("clWaitForEvents", status_code.INVALID_VALUE, "no events")
    _check_done(_check_events(events), "clWaitForEvents")


def enqueue_marker(queue: CommandQueue, wait_for: WaitList = None) -> Event:
    """An event that completes when ``wait_for`` has, or everything before it."""
    return queue.marker(command_type.MARKER, wait_for)


def enqueue_barrier(queue: CommandQueue, wait_for: WaitList = None) -> Event:
    """As :func:`enqueue_marker`; what comes after it in the queue waits for it."""
    return queue.marker(command_type.BARRIER, wait_for)


def _check_events(events: WaitList) -> list[Event]:
    if events is None:
        return []
    listed = list(events)
    if not all(isinstance(cast("object", event), Event) for event in listed):
        raise TypeError("wait_for is a list of events")
    return listed


def _check_done(events: Sequence[Event], routine: str) -> None:
    if any(event.command_execution_status < 0 for event in events):
        raise failure(routine, status_code.EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    if not all(event.is_complete for event in events):
        what = "it would wait for ever: a user event that it depends on was never set"
        raise failure(routine, status_code.INVALID_EVENT, what)
