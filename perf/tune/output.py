"""The files that options name. Without a path there is none."""

import os
import pathlib


def write(path, text):
    """All of it or nothing: it is written beside, then renamed. Into a pipe it is written directly."""
    if path is None:
        return
    if os.path.exists(path) and not os.path.isfile(path):
        pathlib.Path(path).write_bytes(text)
        return
    path = pathlib.Path(path).resolve()
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(text)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def require_writable(paths):
    """Raises ValueError for an option's file that cannot be written, or is another option's too."""
    options = {}
    for option, path in paths.items():
        try:
            open(path, "ab").close()
            if os.path.isfile(path):
                write(path, pathlib.Path(path).read_bytes())
        except OSError:
            raise ValueError(f"--{option}: {path}: cannot be written") from None
        other = options.setdefault(os.path.realpath(path), option)
        if other != option and os.path.isfile(path):
            raise ValueError(f"--{option}: {path}: is --{other}'s file too")
