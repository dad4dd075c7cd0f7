"""The random numbers of a session and the values drawn from them: attribute values of every type,
keys, whole items. Most are what a table takes; a small share is what it must refuse."""

import base64
import random

NUMBERS = ("0", "1", "2", "3", "-1", "10", "7", "1.5", "-0.25", "100", "1E10", "1e-3", "-0", "0.10",
           "+5", "00012", "12345678901234567890123456789012345678", "1E-130", "-1E125",
           "9.9999999999999999999999999999999999999E+125")
BAD_NUMBERS = ("", "abc", "1e126", "1e-131", "123456789012345678901234567890123456789", "0x1F", " 1",
               "NaN", "1e", "--1")
TEXTS = ("a", "b", "ab", "abc", "A", "", "é", "🦊", "1", "a\x00", "z" * 40, "Ünï", "\uffff", "b b",
         'quo"te', "back\\slash", "line\nbreak")
BYTES = (b"", b"a", b"ab", b"\xff", b"\x00\x01", b"zz", bytes(range(40)))
BAD_BASE64 = ("a", "YQ", "YQ=", "Y Q=", "!!!!", "YR==")
# The first letter of an attribute tells what it usually holds.
KIND_OF = {"s": "S", "n": "N", "b": "B", "f": "BOOL", "z": "NULL", "t": "SS", "u": "NS", "v": "BS",
           "m": "M", "l": "L"}
ATTRIBUTES = ("s1", "s2", "n1", "n2", "b1", "f1", "z1", "t1", "u1", "v1", "m1", "l1", "any", "status",
              "a.b", "ß")
KINDS = ("S", "N", "B", "BOOL", "NULL", "SS", "NS", "BS", "M", "L")


class Data(random.Random):
    """Random numbers with the questions that generators ask most. Mistakes are made in the few
    requests that are careless, several at once, so that the others are right from end to end."""

    careless = False

    def chance(self, share):
        return self.random() < share

    def slip(self, share):
        """Whether to make a mistake here."""
        return self.careless and self.random() < 6 * share

    def weighted(self, weights):
        """A key of the dictionary `weights`, by its weight."""
        return self.choices(tuple(weights), weights=tuple(weights.values()))[0]


def encoded(value):
    return base64.b64encode(value).decode()


def number(data):
    if data.chance(0.7):
        return str(data.randrange(-5, 30))
    if data.slip(0.01):
        return data.choice(BAD_NUMBERS)
    return data.choice(NUMBERS)


def text(data):
    if data.chance(0.05):
        return data.choice("xyé") * data.choice((100, 300, 1500))
    return data.choice(TEXTS)


def binary(data):
    if data.slip(0.005):
        return data.choice(BAD_BASE64)
    return encoded(data.choice(BYTES))


def unlike(data, draw, most=4):
    """Up to `most` draws, each kept once, as the members of a set."""
    return list(dict.fromkeys(draw(data) for _ in range(data.randrange(1, most + 1))))


def set_of(data, kind):
    """The members of a set; rarely empty or with a member twice, which is refused."""
    if kind == "NS":
        members = unlike(data, lambda d: str(d.randrange(12)) if d.chance(0.8) else d.choice(("1.5", "-3")))
    else:
        members = unlike(data, (lambda d: text(d) or "e") if kind == "SS" else (lambda d: binary(d) or "AA=="))
    if data.slip(0.01):
        return [] if data.chance(0.5) else members + members[:1]
    return members


def of_kind(data, kind, depth=2):
    """An attribute value of a type."""
    if kind == "S":
        return {"S": text(data)}
    if kind == "N":
        return {"N": number(data)}
    if kind == "B":
        return {"B": binary(data)}
    if kind == "BOOL":
        return {"BOOL": data.chance(0.5)}
    if kind == "NULL":
        return {"NULL": not data.slip(0.02)}
    if kind in ("SS", "NS", "BS"):
        return {kind: set_of(data, kind)}
    if kind == "M":
        return {"M": map_of(data, depth)}
    return {"L": [any_value(data, depth - 1) for _ in range(data.randrange(5))]}


def map_of(data, depth):
    inner = {}
    for name in ("s1", "n1", "m1", "l1", "any", "status"):
        if data.chance(0.6) and (depth > 0 or name not in ("m1", "l1")):
            inner[name] = of_kind(data, kind_of(data, name), depth - 1)
    return inner


def any_value(data, depth=2):
    if data.slip(0.002):
        return data.choice(({}, {"S": "a", "N": "1"}, {"X": "a"}, {"S": 1}, {"N": 1}, {"L": {}}, "a", None))
    return of_kind(data, data.choice(KINDS if depth > 0 else KINDS[:8]), depth)


def kind_of(data, name):
    """What an attribute of this name usually holds."""
    kind = KIND_OF.get(name[0]) if name[-1] == "1" or name[-1] == "2" else "S" if name == "status" else None
    return kind if kind and not data.chance(0.03) else data.choice(KINDS)


def key_value(data, kind, part="hash"):
    """A key attribute from a small stock, so that requests meet; `part`: hash, range or index."""
    if data.slip(0.01):
        return data.choice((any_value(data), {"S": ""}, {"B": ""}, of_kind(data, "SS")))
    stock = 6 if part == "hash" else 24 if part == "range" else 5
    pick = data.randrange(stock)
    if kind == "N":
        return {"N": str(pick) if data.chance(0.9) else data.choice(NUMBERS)}
    longest = 1024 if part == "range" else 2048
    if data.chance(0.02):
        size = data.choice((200, 255, 256, 490, 511, 512, 900, longest - 1, longest,
                            longest + data.slip(0.1)))
        value = chr(97 + pick % 3) * size
    elif data.chance(0.06):
        value = data.choice(TEXTS[:5] + TEXTS[6:])
    else:
        value = f"k{pick:02}"
    return {"S": value} if kind == "S" else {"B": encoded(value.encode("utf-8", "replace"))}


SIZES = {1_000: 20, 4_000: 20, 30_000: 30, 100_000: 15, 350_000: 2, 409_000: 1, 410_000: 1}
LARGE_SIZES = {50_000: 5, 200_000: 5, 380_000: 1}


def weight_of(table, content):
    """How many items of this partition key are large, and how large. One partition of a heavy table
    has more than a page or a batch takes."""
    if not table.is_heavy:
        return 0.01, SIZES
    is_large = content.get(table.keys[0][0]) == table.heavy_key()
    return (0.5, LARGE_SIZES) if is_large else (0.1, SIZES)


def filler(data, share, sizes):
    """An attribute that makes an item large, sometimes at or beyond 400 KB."""
    if not data.chance(share):
        return {}
    size = data.weighted(sizes) + data.randrange(-500, 500)
    if data.chance(0.3):
        return {"fill": {"B": encoded(b"x" * size)}}
    return {"fill": {"S": data.choice("xyz") * size}}


def item(data, table):
    """An item of a table: its key, most of its indexed attributes, some of the others."""
    out = dict(key(data, table))
    for name, kind in table.indexed.items():
        if name not in out and data.chance(0.85):
            out[name] = key_value(data, kind, "index")
    for name in ATTRIBUTES:
        if data.chance(0.55 if name not in ("m1", "l1", "n1", "s1") else 0.9):
            out.setdefault(name, of_kind(data, kind_of(data, name)))
    out.update(filler(data, *weight_of(table, out)))
    return out


def key(data, table):
    """A primary key; rarely with a part missing or one too many."""
    out = {name: key_value(data, kind, part) for (name, kind), part in zip(table.keys, ("hash", "range"))}
    if data.slip(0.01):
        if data.chance(0.5):
            out.pop(data.choice(list(out)))
        else:
            out["extra"] = any_value(data)
    return out
