"""Builds sdist and wheel into dist, without the network, and tries the wheel in an environment of its own."""

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent

#: What an installed package must be able to do: decide with both clients, and bring its types.
TRIAL = """
import asyncio, importlib.metadata, pathlib, sys, authz_service
from authz_service import Resource, Subject
from authz_service.testing import FakeDecisionPoint
home = pathlib.Path(authz_service.__file__).parent
assert pathlib.Path(sys.prefix) in home.parents, home
assert (home / "py.typed").exists()
pdp = FakeDecisionPoint()
pdp.allow(Subject("user", "alice"))
assert pdp.client().decide(Subject("user", "alice"), "read", Resource("invoice", "1"))
assert not asyncio.run(pdp.async_client().ask({"subject": {}, "action": {}, "resource": {}}))
print(importlib.metadata.version("authz-service"))
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        # Built from a copy, so that nothing of the build is left among the sources.
        copy = Path(folder) / "source"
        wanted = ["pyproject.toml", "README.md", "src"]
        copy.mkdir()
        subprocess.run(["cp", "-R", *[str(ROOT / name) for name in wanted], str(copy)], check=True)
        build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(ROOT / "dist"), str(copy)]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
        environment = Path(folder) / "environment"
        venv.create(environment, system_site_packages=True, with_pip=True)
        python = str(environment / "bin/python")
        wheel = str(max((ROOT / "dist").glob("*.whl"), key=os.path.getmtime))
        quiet = ["--quiet", "--no-index", "--no-deps", "--force-reinstall", "--disable-pip-version-check"]
        subprocess.run([python, "-m", "pip", "install", *quiet, wheel], check=True)
        subprocess.run([python, "-c", TRIAL], check=True, cwd=folder)


if __name__ == "__main__":
    main()
