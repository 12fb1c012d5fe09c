from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class Build(build_py):
    """Puts the demo's recorded web, its seeds and its labels into the package; the programs that made them stay outside."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        folder = Path(self.build_lib, "topical_crawler/demo")
        self.mkpath(str(folder))
        for name in ("demo-web.warc.gz", "labels.tsv", "seeds.txt"):
            self.copy_file(f"demo/{name}", str(folder / name))


# scrapyd builds its egg through this file; everything else is said in pyproject.toml. Compiled modules would treble the egg, and
# Python does not look for them in a zip file.
setup(cmdclass={"build_py": Build}, options={"install_lib": {"compile": False}})
