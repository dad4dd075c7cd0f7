"""The files of the tree that are ours: not what is built or fetched into it."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOT_OURS = {"build", "dist", "node_modules", "target", "__pycache__"}  # and whatever begins with a dot


def walk(*folders, root=ROOT):
    """(folder, names of folders in it, names of files in it) of these folders and those below; all when none is named."""
    for start in folders or ("",):
        for folder, inner, names in os.walk(root / start):
            inner[:] = sorted(name for name in inner if name not in NOT_OURS and not name.startswith("."))
            yield pathlib.Path(folder), inner, sorted(names)


def files(suffix, *folders, root=ROOT):
    """The files that end so (or so, of a tuple) in these folders of the tree, in all of it when none is named."""
    for folder, _, names in walk(*folders, root=root):
        yield from (folder / name for name in names if name.endswith(suffix))
