"""The workbench: the actions of the command line as a local web page and as an API."""
