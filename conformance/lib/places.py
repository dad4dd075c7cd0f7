"""Partition keys that lie at a given place: the upper 16 bits of MD5("Outliers" + key), as in
engine/storage/stores/item_store.h."""

import functools
from hashlib import md5


def hash16(key):
    return int.from_bytes(md5(b"Outliers" + key.encode()).digest()[:2], "big")


@functools.cache
def keys_at(places):
    """A string key for each of a frozenset of places, the same in each run."""
    wanted, found, number = set(places), {}, 0
    while wanted:
        key = f"key-{number}"
        place = hash16(key)
        if place in wanted:
            wanted.remove(place)
            found[place] = key
        number += 1
    return found
