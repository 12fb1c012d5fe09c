"""Services shared by the command line and the workbench: find crawls and corpora, query them, explain, export."""

from collections.abc import Callable

Progress = Callable[[float, str], None] | None
"""Callback for progress: the share done (0 to 1), and the current task."""


class MistakeError(ValueError):
    """A request that cannot be fulfilled as stated.

    The command line prints it and exits with code 2. The workbench returns it as the response.

    Args:
        message: the problem and its fix.
        status: HTTP status for the workbench.
        field: wrong field of the workbench's form, "" for none in particular.
    """

    def __init__(self, message: str, status: int = 400, field: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.field = field
