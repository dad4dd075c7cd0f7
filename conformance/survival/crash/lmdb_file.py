"""The pages of a data.mdb as LMDB 0.9 lays them out, so that a test can harm one that matters.

Every page that the newest state uses is found from its meta page: what it is, to which tree it
belongs, and which of its bytes are layout and which are content (keys and values of records).
"""

import struct

PAGE = 4096
HEADER = 16
BRANCH, LEAF, OVERFLOW = 1, 2, 4
BIG_DATA, SUB_TREE = 1, 2
NO_PAGE = 2**64 - 1
TREES_AT = 40  # in a meta page: the free pages' tree, then the one that names the others
TREE_BYTES = 48
ROOT_AT = 40
TRANSACTION_AT = 144


class Page:
    def __init__(self, number, kind, tree, content):
        self.number = number
        self.kind = kind  # "branch", "leaf", "overflow", "more" (of an overflow value) or "meta"
        self.tree = tree  # "free", "main" or the name of a database
        self.content = content  # (begin, end) of bytes that are content, from the file's beginning


class LmdbFile:
    def __init__(self, data):
        self.data = data
        self.pages = [Page(0, "meta", "meta", []), Page(1, "meta", "meta", [])]
        first, second = (struct.unpack_from("<Q", data, n * PAGE + TRANSACTION_AT)[0] for n in (0, 1))
        self.newest_meta = int(second > first)
        at = self.newest_meta * PAGE + TREES_AT
        self._walk(self._root(data, at), "free")
        self._walk(self._root(data, at + TREE_BYTES), "main")

    @staticmethod
    def _root(data, at):
        return struct.unpack_from("<Q", data, at + ROOT_AT)[0]

    def nodes(self, number):
        """(offset of the node, low size, high size, flags, key size) of each node of a page."""
        base = number * PAGE
        lower = struct.unpack_from("<H", self.data, base + 12)[0]
        for at in struct.unpack_from(f"<{(lower - HEADER) // 2}H", self.data, base + HEADER):
            yield (base + at, *struct.unpack_from("<HHHH", self.data, base + at))

    def _walk(self, root, tree):
        if root == NO_PAGE:
            return
        flags = struct.unpack_from("<H", self.data, root * PAGE + 10)[0]
        if flags & BRANCH:
            self.pages.append(Page(root, "branch", tree, []))
            for _, low, high, more, _ in self.nodes(root):
                self._walk(low | high << 16 | more << 32, tree)
            return
        content = []
        self.pages.append(Page(root, "leaf", tree, content))
        for at, low, high, kind, key_bytes in self.nodes(root):
            value, size = at + 8 + key_bytes, low | high << 16
            if tree == "main":
                name = self.data[at + 8:value].decode()
                self._walk(self._root(self.data, value), name)
            elif kind & BIG_DATA:
                content.append((at + 8, value))
                self._overflow(struct.unpack_from("<Q", self.data, value)[0], size, tree)
            elif tree != "free":
                content.append((at + 8, value + size))

    def _overflow(self, number, size, tree):
        begin = number * PAGE + HEADER
        content = [] if tree == "free" else [(begin, begin + size)]
        self.pages.append(Page(number, "overflow", tree, content))
        for more in range(number + 1, (begin + size - 1) // PAGE + 1):
            self.pages.append(Page(more, "more", tree, content))

    def of(self, *kinds, trees=None):
        return [p for p in self.pages if p.kind in kinds and (trees is None or p.tree in trees)]
