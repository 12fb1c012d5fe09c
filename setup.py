from setuptools import setup

# scrapyd builds its egg through this file; everything else is said in pyproject.toml. Compiled modules would treble the egg, and
# Python does not look for them in a zip file.
setup(options={"install_lib": {"compile": False}})
