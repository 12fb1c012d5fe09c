"""Actions of the project's commands, one module each (see :class:`topical_crawler.command_line.Action`)."""
