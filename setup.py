from setuptools import setup

setup()  # scrapyd builds its egg through this file; everything is said in pyproject.toml
