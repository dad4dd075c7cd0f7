"""Power cuts made from a record of writes and syncs (recorder.cpp).

After a cut a file holds every write that a finished sync covers. Of the others each may be there
whole, in part (by sectors of 512 bytes), or not at all, and where two overlap either may be the
later one.
"""

import struct

SECTOR = 512
ENTRY = struct.Struct("<cBQQQ")
FILES = ("data.mdb", "synced", "kept", "kept2")


class Entry:
    __slots__ = ("kind", "file", "offset", "length", "time_ns", "data")

    def __init__(self, kind, file, offset, length, time_ns, data):
        self.kind, self.file, self.offset, self.length = kind, file, offset, length
        self.time_ns, self.data = time_ns, data


def read_record(path):
    raw = path.read_bytes()
    entries, at = [], 0
    while at + ENTRY.size <= len(raw):
        kind, file, offset, length, time_ns = ENTRY.unpack_from(raw, at)
        kind = kind.decode()
        at += ENTRY.size
        data = None
        if kind in "WD":
            data = memoryview(raw)[at:at + length]
            at += length
            if len(data) < length:
                break  # the process was killed while it wrote this down
        entries.append(Entry(kind, file, offset, length, time_ns, data))
    return entries


def apply_write(content, offset, data):
    end = offset + len(data)
    if len(content) < end:
        content.extend(bytes(end - len(content)))
    content[offset:end] = data


class Disk:
    """The files as they are for sure at the head of a moving cut, and the writes in flight."""

    def __init__(self, entries):
        self.entries = entries
        self.position = 0
        self.sure = [bytearray() for _ in FILES]
        self.floating = [[] for _ in FILES]  # (index, entry) of writes that no finished sync covers
        self.begun = {}

    def advance(self, position):
        while self.position < position:
            self.step(self.position, self.entries[self.position])
            self.position += 1

    def step(self, index, entry):
        file = entry.file
        if entry.kind == "W" or entry.kind == "T":
            self.floating[file].append((index, entry))
        elif entry.kind == "D":
            # Only its own bytes are on the disk; earlier floating ones below it may not come later.
            apply_write(self.sure[file], entry.offset, entry.data)
        elif entry.kind == "B":
            self.begun[entry.length] = index
        elif entry.kind == "E":
            begin = self.begun.pop(entry.length)
            kept = []
            for at, write in self.floating[file]:
                if at > begin:
                    kept.append((at, write))
                elif write.kind == "W":
                    apply_write(self.sure[file], write.offset, write.data)
                else:
                    self.resize(self.sure[file], write.length)
            self.floating[file] = kept

    @staticmethod
    def resize(content, size):
        del content[size:]
        content.extend(bytes(size - len(content)))

    def after_cut(self, chance):
        """The contents of the files after a power cut here, as `chance` has it."""
        return [self.cut_file(file, chance) for file in range(len(FILES))]

    def cut_file(self, file, chance):
        content = bytearray(self.sure[file])
        likely = chance.choice((0.0, 0.05, 0.5, 0.95, 1.0))
        torn = chance.choice((0.0, 0.2, 0.5))
        floating = [write for _, write in self.floating[file] if write.kind == "W"]
        if chance.random() < 0.5:
            chance.shuffle(floating)
        meta = chance.choice((None, True, False))  # of LMDB's: kept, dropped, or as the others
        for write in floating:
            is_meta = file == 0 and write.offset < 2 * 4096
            kept = chance.random() < likely if meta is None or not is_meta else meta
            if not kept:
                continue
            if chance.random() >= torn:
                apply_write(content, write.offset, write.data)
                continue
            first = write.offset // SECTOR * SECTOR
            for start in range(first, write.offset + len(write.data), SECTOR):
                if chance.random() < 0.5:
                    low = max(start, write.offset)
                    high = min(start + SECTOR, write.offset + len(write.data))
                    apply_write(content, low, write.data[low - write.offset:high - write.offset])
        return content


def put_in_place(folder, contents):
    """The same files with other bytes: inode and time of birth stay. The files of kept pages are gone after an orderly end."""
    for name, content in zip(FILES, contents):
        (folder / name).touch()
        with open(folder / name, "r+b") as file:
            file.truncate(0)
            file.write(content)
