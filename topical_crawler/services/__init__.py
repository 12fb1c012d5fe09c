"""What the command line and the workbench both do: find crawls and corpora, ask them, explain, export."""

from collections.abc import Callable

Progress = Callable[[float, str], None] | None
"""Is told which share (0 to 1) is done, of what."""


class MistakeError(ValueError):
    """What was asked for cannot be done as it was asked.

    The command line prints it and ends with code 2. The workbench answers with it.

    Args:
        message: what is wrong, and its remedy.
        status: the workbench's status of HTTP.
        field: the field of the workbench's form that is wrong; "": none by itself.
    """

    def __init__(self, message: str, status: int = 400, field: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.field = field
