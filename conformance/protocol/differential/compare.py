#!/usr/bin/python3
"""Compares two servers by a random session; see ../README.md. Exit status: 0 no difference, 1 some.

Without --left and --right the session runs between pairs of settings that must not change answers."""

import argparse
import os
import random
import sys
import tempfile
import time

from lockstep import Lockstep
from normalise import Normaliser
from server_process import binary, given_endpoint
from side import Side

REQUESTS = 12_000  # of each pair of settings
# Flags of the left and of the right side; DIR is a folder of the side's own.
PAIRS = {
    "threads": ("--threads 1", "--threads 4"),
    "disk": ("--threads 1 --error-wording classic",
             "--threads 2 --db-path DIR --sync commit --error-wording classic"),
    "gzip": ("--threads 2 --db-path DIR --sync lazy", "--threads 1 --db-path DIR --sync commit"),
}
GZIP_PAIRS = ("gzip",)  # the right side is asked with compressed bodies and asked for such
CRASH_PAIRS = ("gzip",)  # the right side is killed three times and goes on from its folder


def arguments():
    parser = argparse.ArgumentParser(prog="run", description="Random requests to two servers, answers compared.")
    parser.add_argument("--seed", type=int, default=None, help="repeats a session (STATOR_DATA_SEED does, too)")
    parser.add_argument("--requests", type=int, default=None, help=f"requests of a session ({REQUESTS})")
    parser.add_argument("--pair", choices=PAIRS, action="append", help="only this pair of settings")
    for side in ("left", "right"):
        parser.add_argument(f"--{side}", metavar="BINARY", help="a program to start")
        parser.add_argument(f"--{side}-endpoint", metavar="URL", help="a server that is there")
        parser.add_argument(f"--{side}-flags", default="", metavar="FLAGS", help="further flags of the program")
        parser.add_argument(f"--{side}-region", default="us-east-1", help="Region the endpoint is asked for")
        parser.add_argument(f"--{side}-account", default="000000000000", help="account in the endpoint's ARNs")
        parser.add_argument(f"--{side}-signed", action="store_true", help="sign with AWS_ACCESS_KEY_ID, ...")
        parser.add_argument(f"--{side}-gzip", action="store_true", help="compress both ways")
    parser.add_argument("--flags", default="", help="further flags of both programs: --flags='--error-wording classic'")
    parser.add_argument("--any-order", action="store_true", help="the order of items may differ")
    parser.add_argument("--any-counts", action="store_true", help="counts and sizes of tables may differ")
    parser.add_argument("--any-headers", action="store_true", help="only the content type of header fields counts")
    parser.add_argument("--patience", type=float, default=0, metavar="S", help="how long reads may differ")
    parser.add_argument("--errors", action="store_true", help="print which errors were answered how often")
    return parser.parse_args()


def side_of(options, name, folder):
    """The left or right side as the command line has it, or None when it says nothing about it."""
    given = {key.partition("_")[2] or "program": value
             for key, value in vars(options).items() if key.partition("_")[0] == name}
    if not given["program"] and not given["endpoint"]:
        return None
    flags = f"{options.flags} {given['flags']}".replace("DIR", folder).split()
    program = os.path.abspath(given["program"]) if given["program"] else None
    return Side(name, program, flags, given["endpoint"], given["gzip"], given["region"], given["account"],
                given["signed"])


def run(title, left, right, seed, options, crash_every=0):
    """One session between two sides; prints what came of it and returns the number of differences."""
    requests = options.requests or REQUESTS
    print(f"{title}, seed {seed}\n    left  {left.describe()}\n    right {right.describe()}", flush=True)
    started = time.monotonic()
    normaliser = Normaliser(options.any_order, not options.any_counts, not options.any_headers)
    report = Lockstep(left, right, seed, normaliser, options.patience, crash_every).run(requests)
    left.stop()
    right.stop()
    for line in report.figures():
        print(line)
    for (name, text), count in report.errors.most_common() if options.errors else ():
        print(f"{count:8} {name}: {text}")
    for line in report.lines():
        print(line)
    took = time.monotonic() - started
    print(f"{requests} requests, {report.bytes >> 20} MB of answers, {took:.1f} s: "
          f"{report.differences} differences of {len(report.groups)} causes", flush=True)
    return report.differences


def run_given(options, seed):
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        left, right = side_of(options, "left", one), side_of(options, "right", other)
        if not left or not right:
            flags = options.flags.split()
            endpoint = given_endpoint()
            right = right or Side("right", None if endpoint else binary(), flags, endpoint)
            left = left or Side("left", binary(), flags)
        return run("given sides", left, right, seed, options)


def run_pairs(options, seed):
    differences = 0
    for title in options.pair or PAIRS:
        with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
            flags = [text.replace("DIR", folder).split() + options.flags.split()
                     for text, folder in zip(PAIRS[title], (one, other))]
            left = Side("left", binary(), flags[0])
            right = Side("right", binary(), flags[1], gzip=title in GZIP_PAIRS)
            crash_every = (options.requests or REQUESTS) // 4 if title in CRASH_PAIRS else 0
            differences += run(title, left, right, seed, options, crash_every)
    return differences


def main():
    options = arguments()
    given = options.seed if options.seed is not None else os.environ.get("STATOR_DATA_SEED")
    seed = int(given) if given is not None else random.SystemRandom().randrange(2**32)
    sides = (options.left, options.right, options.left_endpoint, options.right_endpoint, given_endpoint())
    differences = run_given(options, seed) if any(sides) else run_pairs(options, seed)
    sys.exit(1 if differences else 0)


if __name__ == "__main__":
    main()
