#!/usr/bin/python3
"""How long `stator import` takes for many items, into a server beside it, from each format of a file; and export for
comparison. Says whether the goal is met.

    tests/bench/import.py --build build/release --items 100000
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

import run

GOAL_S = 3  # for 100,000 items of 700 bytes, from each format
ITEM_BYTES = 700
KEY = "pk:S,sk:N"


def items(count):
    """Of the size that the service counts: names and values."""
    rest = {"pk": 2 + len("customer-000000000"), "sk": 2 + 3, "name": 4 + 40, "active": 6 + 1, "fill": 4}
    fill = "x" * (ITEM_BYTES - sum(rest.values()))
    for number in range(count):
        yield {"pk": f"customer-{number // 10:09d}", "sk": number, "name": f"{number:040d}", "active": True, "fill": fill}


def in_dynamodb_json(item):
    kind = {str: lambda value: {"S": value}, int: lambda value: {"N": str(value)}, bool: lambda value: {"BOOL": value}}
    return {name: kind[type(value)](value) for name, value in item.items()}


def write_files(folder, count):
    """Path by format."""
    texts = {"plain JSON lines": json.dumps,
             "DynamoDB JSON lines": lambda item: json.dumps({"Item": in_dynamodb_json(item)}),
             "CSV": lambda item: ",".join(str(value).lower() for value in item.values())}
    paths = {}
    for number, (title, text) in enumerate(texts.items()):
        paths[title] = folder / f"items{number}"
        with open(paths[title], "w") as file:
            if title == "CSV":
                file.write("pk,sk,name,active:BOOL,fill\n")
            file.writelines(text(item) + "\n" for item in items(count))
    return paths


def seconds(command):
    begun = time.perf_counter()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"bench: {command}: {done.stderr}")
    return time.perf_counter() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/release", help="folder of the programs")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--db-path", help="an empty folder; in memory without")
    options = parser.parse_args()
    program = run.ROOT / options.build / "stator"
    place = ["--db-path", options.db_path] if options.db_path else []
    taken = {}
    with tempfile.TemporaryDirectory() as name, \
            run.Server([str(program), "--port", "0", "--log-level", "error", *place]) as server:
        folder = pathlib.Path(name)
        paths = write_files(folder, options.items)
        endpoint = ["--endpoint-url", f"http://127.0.0.1:{server.port}"]
        for number in range(options.rounds):
            for title, path in paths.items():
                table = f"bench-{path.name}-{number}"
                taken.setdefault(title, []).append(seconds([program, "import", table, path, "--key", KEY, *endpoint]))
            taken.setdefault("export", []).append(seconds([program, "export", table, folder / "out.jsonl", *endpoint]))
            (folder / "out.jsonl").unlink()
    for title, times in taken.items():
        print(f"{title:<22}{statistics.median(times):6.2f} s, {options.items / statistics.median(times):>9,.0f} items/s"
              f"  ({', '.join(f'{time:.2f}' for time in times)})")
    if options.items == 100_000:
        run.verdicts([(f"import of {options.items:,} items, {title}", statistics.median(times), "s", "at most", GOAL_S)
                      for title, times in taken.items() if title != "export"])


if __name__ == "__main__":
    main()
