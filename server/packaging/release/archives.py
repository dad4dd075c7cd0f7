"""Archives that come out the same to the byte: sorted names, one time, owner 0, no trace of who made them.

Their content is a tree: path without a leading slash -> Entry.
"""

import collections
import gzip
import io
import tarfile
import time
import zipfile

COMPRESSION = 6  # 9 takes three times as long for half a percent
Entry = collections.namedtuple("Entry", "data mode")


def entry(data, mode=0o644):
    return Entry(data.encode() if isinstance(data, str) else data, mode)


def program(data):
    return Entry(data, 0o755)


def under(folder, tree):
    return {f"{folder}/{path}": found for path, found in tree.items()}


def read_tree(folder):
    """The files below a folder, as they are in the tree of sources."""
    return {str(path.relative_to(folder)): entry(path.read_bytes(), 0o755 if path.stat().st_mode & 0o100 else 0o644)
            for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts}


def tar_gz(path, tree, epoch_s):
    """Files only: their folders come into being with them."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted(tree):
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.mtime = len(tree[name].data), tree[name].mode, epoch_s
            archive.addfile(member, io.BytesIO(tree[name].data))
    path.write_bytes(gzip_bytes(packed.getvalue()))


def gzip_bytes(data):
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", fileobj=packed, compresslevel=COMPRESSION, mtime=0) as stream:
        stream.write(data)
    return packed.getvalue()


def zip_file(path, tree, epoch_s):
    """In the tree's order."""
    moment = time.gmtime(epoch_s)[:6]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=COMPRESSION) as archive:
        for name, found in tree.items():
            member = zipfile.ZipInfo(name, moment)
            member.create_system = 3  # Unix, where modes mean something
            member.external_attr = (0o100000 | found.mode) << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, found.data)
