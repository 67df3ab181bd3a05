from contextlib import AbstractContextManager

class _Library:
    _lock: AbstractContextManager[None]

lib: _Library
