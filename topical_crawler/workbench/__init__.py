"""The workbench: a local web page, and an interface for programs, over the actions of the command line."""
