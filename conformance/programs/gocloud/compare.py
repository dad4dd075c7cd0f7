"""Compares two folders of recordings of one test, the service's and Stator's: compare.py SERVICE OURS

Equal must be: each answer but those of Scans and of deletes that succeed, the bodies of errors to the byte, and the order of
items in each Scan and Query that returns the same keys. The test clears leftovers by a Scan and deletes, whose number depends
on the run before.
"""

import base64
import collections
import json
import pathlib
import re
import sys

# Members that say when and where, not what.
PLACE_AND_TIME = {"TableId", "CreationDateTime", "ItemCount", "TableSizeBytes", "IndexSizeBytes"}
# Lists whose order means something. Others are sets of the test's own making, in the order of its maps.
ORDERED = {"CancellationReasons", "L"}
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
ACCOUNT = re.compile(r"\b\d{12}\b")
# Key attributes of the test's tables. Other attributes of its items have random values.
KEYS = ("name", "Game", "Player")


def canonical(value, name=None):
    """The value without what differs between any two runs."""
    if isinstance(value, dict):
        return {key: "*" if key in PLACE_AND_TIME else canonical(member, key) for key, member in value.items()}
    if isinstance(value, list):
        members = [canonical(member) for member in value]
        return members if name in ORDERED else sorted(members, key=text_of)
    if isinstance(value, str):
        return ACCOUNT.sub("ACCOUNT", UUID.sub("UUID", value))
    return value


def text_of(value):
    return json.dumps(value, sort_keys=True)


def exchanges(file):
    """(operation, status, body) of each exchange, in order."""
    for entry in json.loads(file.read_text())["Entries"]:
        operation = entry["Request"]["Header"]["X-Amz-Target"][0].split(".")[1]
        yield operation, entry["Response"]["StatusCode"], base64.b64decode(entry["Response"]["Body"]).decode()


def answers(recording):
    return collections.Counter(
        (operation, status, text_of(canonical(json.loads(body))))
        for operation, status, body in recording
        if operation != "Scan" and (operation, status) != ("DeleteItem", 200)
    )


def orders(recording):
    """The keys of each page of at least two items: as a set, and as a list."""
    pages = {}
    for operation, status, body in recording:
        items = json.loads(body).get("Items", []) if operation in ("Scan", "Query") and status == 200 else []
        keys = [text_of([item.get(name) for name in KEYS]) for item in items]
        if len(keys) > 1:
            pages[operation, tuple(sorted(keys))] = keys
    return pages


def differences(name, service, ours):
    """Lines that say what differs in one recording."""
    missing = answers(service) - answers(ours)
    for operation, status, body in missing:
        yield f"{name}: no such answer of {operation}: {status} {body[:500]}"
    here = orders(ours)
    for page, items in orders(service).items():
        if page in here and here[page] != items:
            yield f"{name}: {page[0]} returns its {len(items)} items in another order"
    errors = {body for _, status, body in ours if status != 200}
    for _, status, body in service:
        if status != 200 and UUID.sub("UUID", body) not in {UUID.sub("UUID", error) for error in errors}:
            yield f"{name}: no error like {body}"


def main():
    service, ours = map(pathlib.Path, sys.argv[1:])
    counts = collections.Counter()
    found = []
    for file in sorted(service.rglob("*.replay")):
        name = file.relative_to(service)
        before, now = list(exchanges(file)), list(exchanges(ours / name))
        found += differences(name, before, now)
        counts["answers"] += answers(before).total()
        counts["pages"] += len(orders(before).keys() & orders(now).keys())
    print(f"{counts['answers']} answers and {counts['pages']} pages compared, {len(found)} differences")
    for line in found:
        print(line)
    if found or not counts["answers"] or not counts["pages"]:
        sys.exit(1)


if __name__ == "__main__":
    main()
