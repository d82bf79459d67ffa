"""Prints, as a CMake list and without loading anything, where PyTorch is, its version and that of its CUDA (or "none"),
and where jaxlib is or would be. pip hides both from a build in isolation, so that the interpreter's own folder is asked
too."""

import pathlib
import re
import sysconfig
from importlib.util import find_spec


def folder_of(package):
    spec = find_spec(package)
    return pathlib.Path(spec.origin).parent if spec else pathlib.Path(sysconfig.get_path("platlib")) / package


torch = folder_of("torch")
about = (torch / "version.py").read_text()
version = re.search(r"__version__ = '([^']+)'", about).group(1)
cuda = re.search(r"^cuda\b.*= '([^']+)'", about, re.M)
print(f"{torch};{version};{cuda.group(1) if cuda else 'none'};{folder_of('jaxlib')}")
