"""Prints, as a CMake list and without loading anything, where PyTorch is, its version, and where jaxlib is or would be.
pip hides both from a build in isolation, so that the interpreter's own folder is asked too."""

import pathlib
import re
import sysconfig
from importlib.util import find_spec


def folder_of(package):
    spec = find_spec(package)
    return pathlib.Path(spec.origin).parent if spec else pathlib.Path(sysconfig.get_path("platlib")) / package


torch = folder_of("torch")
version = re.search(r"__version__ = '([^']+)'", (torch / "version.py").read_text()).group(1)
print(f"{torch};{version};{folder_of('jaxlib')}")
