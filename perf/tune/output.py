"""The files that options name. Without a path there is none."""

import os
import pathlib


def part_of(path):
    path = pathlib.Path(path).resolve()
    return path.with_name(f"{path.name}.part")


def write(path, text):
    """All of it or nothing: it is written beside, then renamed. Into a pipe it is written directly."""
    if path is None:
        return
    if os.path.exists(path) and not os.path.isfile(path):
        pathlib.Path(path).write_bytes(text)
        return
    part = part_of(path)
    try:
        part.write_bytes(text)
        part.replace(os.path.realpath(path))
    finally:
        part.unlink(missing_ok=True)


def require_writable(paths):
    """Raises ValueError for an option's file that cannot be written, or is another option's too."""
    options = {}
    for option, path in paths.items():
        try:
            open(path, "ab").close()
            if os.path.isfile(path):
                part_of(path).touch()
                part_of(path).unlink()
        except OSError:
            raise ValueError(f"--{option}: {path}: cannot be written") from None
        other = options.setdefault(os.path.realpath(path), option)
        if other != option and os.path.isfile(path):
            raise ValueError(f"--{option}: {path}: is --{other}'s file too")
