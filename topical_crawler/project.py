"""The project's settings without Scrapy, for commands that only read a corpus. Importing Scrapy takes longer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings, Settings


class ProjectSettings(Mapping[str, Any]):
    """The settings of a module, overridden by those of the command line, with Scrapy's semantics.

    For any other name the value is Scrapy's default, and only then is Scrapy imported.
    :func:`topical_crawler.settings.check_values` reports invalid ones.

    Args:
        module: its uppercase names are settings.
        given: strings ``NAME=VALUE``. The last one of a name counts.

    Raises:
        ValueError: a string of another form.

    >>> from topical_crawler import settings
    >>> given = ProjectSettings(settings, ["TOPICAL_SEED=7", "TOPICAL_LANGUAGES=zh,en"])
    >>> given.getint("TOPICAL_SEED"), given["TOPICAL_LANGUAGES"], given.getbool("ROBOTSTXT_OBEY")
    (7, 'zh,en', True)
    """

    def __init__(self, module: ModuleType, given: Sequence[str]) -> None:
        if any("=" not in setting for setting in given):
            raise ValueError("Invalid -s value, use -s NAME=VALUE")
        self.module = module
        self.given: dict[str, Any] = dict(setting.split("=", 1) for setting in given)
        self._values = {name: value for name, value in vars(module).items() if name.isupper()} | self.given

    def __getitem__(self, name: str) -> Any:
        if name in self._values:
            return self._values[name]
        from scrapy.settings import default_settings

        return getattr(default_settings, name, None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a setting, or ``default`` if it is None or missing."""
        return default if (value := self[name]) is None else value

    def getbool(self, name: str, default: bool = False) -> bool:
        """Return a setting as a boolean."""
        value = self.get(name, default)
        return bool(int(value)) if value not in ("True", "true", "False", "false") else value in ("True", "true")

    def getint(self, name: str, default: int = 0) -> int:
        """Return a setting as a whole number."""
        return int(self.get(name, default))

    def getfloat(self, name: str, default: float = 0.0) -> float:
        """Return a setting as a number."""
        return float(self.get(name, default))

    def set(self, name: str, value: Any, priority: str = "cmdline") -> None:
        """Set a value as if on the command line."""
        self.given[name] = self._values[name] = value


AnySettings: TypeAlias = "ProjectSettings | BaseSettings"
"""Settings for the functions of :mod:`topical_crawler.config`: Scrapy's in a crawl, the project's own in a command."""


def scrapys(settings: AnySettings) -> Settings:
    """Return a copy of ``settings`` as Scrapy's own type."""
    from scrapy.settings import Settings

    if not isinstance(settings, ProjectSettings):
        return Settings(settings)
    copy = Settings()
    copy.setmodule(settings.module)
    copy.set("LOG_ENABLED", False, priority="command")
    copy.setdict(settings.given, priority="cmdline")
    return copy
