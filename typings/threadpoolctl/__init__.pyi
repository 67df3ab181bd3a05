"""What kcc uses of threadpoolctl."""

from contextlib import AbstractContextManager

def threadpool_limits(limits: int) -> AbstractContextManager[object]: ...
