"""Prints where PyTorch is and its version, as a CMake list, without loading it. pip hides it from a build in
isolation, so that the interpreter's own folder is asked too."""

import pathlib
import re
import sysconfig
from importlib.util import find_spec

spec = find_spec("torch")
folder = pathlib.Path(spec.origin).parent if spec else pathlib.Path(sysconfig.get_path("platlib")) / "torch"
version = re.search(r"__version__ = '([^']+)'", (folder / "version.py").read_text()).group(1)
print(f"{folder};{version}")
