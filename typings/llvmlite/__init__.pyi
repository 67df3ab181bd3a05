from typing import Any

__version__: str
ir: Any
