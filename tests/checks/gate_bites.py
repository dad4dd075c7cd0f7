#!/usr/bin/python3
"""Shows that the tests catch faults: puts small faults into the product, one at a time, and expects the tests to fail.

    gate_bites.py                 the tests on the unchanged sources, then with each fault
    gate_bites.py --only NAME     one fault, also a spare one
    gate_bites.py --spare         the spare faults too
    gate_bites.py --check         whether each fault still fits the sources; builds nothing

It works in build/bites/clone, a clone of HEAD, and never in the checkout; the output of each run is in build/bites. Exit
status 0: the tests passed on the unchanged sources, and failed with each fault.
"""

import argparse
import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

from tree import ROOT

COMMAND = "./dev test --first"
MINUTES_MAX = 60  # of one run; some faults may make a test wait without end
KILL_AFTER_S = 10


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    kind: str
    path: str
    old: str  # it is in the file once
    new: str
    caught_by: str  # the test that fails, for the reader of the table
    is_spare: bool = False


# Each is a slip that compiles without a warning and that a review may pass over. What fails by chance is tried again
# by the tests, so each of these fails every time.
FAULTS = (
    Fault("inverted", "inverted condition", "protocol/expression/evaluation/evaluation.cpp",
          "return comparator == Comparator::NotEqual;",
          "return comparator != Comparator::NotEqual;",
          # An attribute that is absent then equals everything.
          'unit_protocol: conditions.cases, "false for the item"'),
    Fault("unchecked", "dropped check", "server/http/origin_policy.cpp",
          "  if (lacks_token(request)) verdict.entry = Entry::NoToken;\n", "",
          # Browsers of other machines then need no token for the admin path.
          'unit_server: "origin policy: browsers beyond this machine need the token"'),
    Fault("unlocked", "lock not taken", "server/explain/requests/recent_requests.h",
          "if (slot.is_taken.exchange(true, std::memory_order_acquire)) return;",
          "if (slot.is_taken.load(std::memory_order_acquire)) return;",
          # The flag of a slot is its lock: it is then looked at and not taken. The test writes to a slot while it is
          # written, on one thread, so it needs no luck to find two writers in it.
          'unit_server: "recent requests: one that is being looked at is left alone"'),
    Fault("unsynced", "missing sync", "engine/storage/environment/environment.cpp",
          "return options.sync == Sync::Lazy ? MDB_NOTLS | MDB_NOSYNC : MDB_NOTLS;",
          "return MDB_NOTLS | MDB_NOSYNC;",
          # The kernel hides it from every test but those that cut the power: with --sync commit a cut then loses
          # what was acknowledged.
          "power_cut: test_only_what_was_promised[commit]"),
    Fault("off-by-one", "off by one", "streams/describe_stream.cpp",
          "has_more = count++ == request.limit;",
          "has_more = ++count == request.limit;",
          # A page is then one shard short, and the last page has one after it.
          'unit_streams: shards.cases, "generations have pages"'),
    Fault("text", "changed error text", "engine/tables/tags.cpp",
          "Number of Tags exceed the current limit",
          "Number of Tags exceeds the current limit",
          # Better English, and not what the service says.
          'unit_engine: tables.cases, "tags are set, changed and removed"'),
    Fault("unled", "lock not taken", "engine/api/engine.cpp",
          "  const storage::Leading between_jobs;\n", "",
          # Maintenance::find_all() asserts that its thread leads the commit queue; assertions are on in all builds.
          "unit_engine: the first test that opens an engine", is_spare=True),
    Fault("unsynced-mark", "missing sync", "engine/storage/durability/synced_file.cpp",
          "  if (::fdatasync(file_.fd()) != 0) return errno;\n", "",
          # With --sync lazy nothing then says, after a cut, which state was synced.
          "power_cut: test_only_what_was_promised[lazy]", is_spare=True),
    Fault("long-page", "off by one", "engine/pages/page_walk.cpp",
          "if (static_cast<std::size_t>(page_.scanned_count) >= plan_.limit)",
          "if (static_cast<std::size_t>(page_.scanned_count) > plan_.limit)",
          'unit_engine: query.cases, "a start key is a place, whatever happens to its item"', is_spare=True),
)


@dataclasses.dataclass(frozen=True)
class Result:
    name: str
    path: str
    seconds: float
    verdict: str  # "red": the tests failed, "green": they passed, "error": they did not run to their end
    what: str  # failed, or went wrong
    caught_by: str = ""


def problems(root, faults):
    """Why faults do not fit the sources in `root`: each changes a text that its file has once."""
    for fault in faults:
        path = pathlib.Path(root, fault.path)
        if not path.is_file():
            yield f"{fault.name}: no file {fault.path}"
            continue
        count = path.read_text("utf-8").count(fault.old)
        if count != 1:
            yield f"{fault.name}: {fault.path} has the old text {count} times, not once: {fault.old.strip()}"
        elif fault.old == fault.new:
            yield f"{fault.name}: the new text is the old one"


# The last line of `./dev test`. It is written only after everything was built, so a fault that does not compile leaves
# none.
OUTCOME = re.compile(r"^\d+ passed, (\d+) failed(?:: ([^;\n]*))?", re.M)
PROGRAM = re.compile(r"^-- failed: (\S+)$", re.M)


def judge(status, output):
    """(verdict, what failed) of a run of the tests, by its exit status and its output."""
    outcomes = list(OUTCOME.finditer(output))
    if status == 0:
        return "green", ""
    if not outcomes or outcomes[-1][1] == "0":
        last = ([line.strip() for line in output.splitlines() if line.strip()] or ["no output"])[-1]
        return "error", f"status {status} without a test that failed: {last}"
    failed = (outcomes[-1][2] or "").strip()
    programs = ", ".join(dict.fromkeys(PROGRAM.findall(output)))
    return "red", f"{failed} ({programs})" if programs else failed


def git(folder, *arguments):
    subprocess.run(["git", "-C", folder, *arguments], check=True)


def fresh_clone(root):
    """build/bites/clone at the HEAD of the checkout. Keeps what an earlier run built in it."""
    clone = pathlib.Path(root, "build/bites/clone")
    if not (clone / ".git").exists():
        clone.parent.mkdir(parents=True, exist_ok=True)
        git(root, "clone", "--quiet", "--shared", root, clone)
    # The earlier run may have been of another commit, or have been stopped with a fault in place.
    git(clone, "fetch", "--quiet", "origin", "HEAD")
    git(clone, "checkout", "--quiet", "--force", "--detach", "FETCH_HEAD")
    return clone


def end(process):
    """Ends a command with all that it started. Its own session is its group of processes."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, number)
            process.wait(KILL_AFTER_S)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            return


def run(command, clone, log, seconds_max):
    """(verdict, what failed, seconds) of the command in the clone. Its output goes to the file `log`."""
    started = time.monotonic()
    with open(log, "wb") as output:
        process = subprocess.Popen(["bash", "-c", command], cwd=clone, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(seconds_max)
        except subprocess.TimeoutExpired:
            status = None
        finally:
            if process.poll() is None:
                end(process)
    seconds = time.monotonic() - started
    if status is None:
        return "error", f"no end within {seconds_max:.0f} s", seconds
    return *judge(status, log.read_text("utf-8", "replace")), seconds


def bite(clone, fault, command, seconds_max):
    """The result of the command with one fault in the clone. The file is afterwards as before."""
    path = clone / fault.path
    log = clone.parent / f"{fault.name}.log"
    try:
        path.write_text(path.read_text("utf-8").replace(fault.old, fault.new), "utf-8")
        verdict, what, seconds = run(command, clone, log, seconds_max)
    finally:
        git(clone, "checkout", "--quiet", "--", fault.path)
    return Result(fault.name, fault.path, seconds, verdict, what, fault.caught_by)


def bite_all(clone, faults, command, seconds_max, skip_unchanged=False):
    """Yields the result on the unchanged clone, unless it is left out, and of each fault. Ends when the former is not
    green, because no other result would then say anything."""
    if not skip_unchanged:
        verdict, what, seconds = run(command, clone, clone.parent / "unchanged.log", seconds_max)
        yield Result("unchanged", "", seconds, verdict, what)
        if verdict != "green":
            return
    for fault in faults:
        yield bite(clone, fault, command, seconds_max)


def is_as_expected(result):
    return result.verdict == ("green" if result.name == "unchanged" else "red")


def table(results):
    """The lines of a table, its columns as wide as what they hold."""
    rows = [("fault", "file", "seconds", "result", "failed", "expected")]
    rows += [(r.name, r.path, f"{r.seconds:.0f}", r.verdict, r.what, r.caught_by) for r in results]
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()


def chosen_faults(only, with_spare):
    return [fault for fault in FAULTS if (fault.name == only if only else with_spare or not fault.is_spare)]


def is_free_of(found):
    """Prints problems. Whether there are none."""
    found = list(found)
    for line in found:
        print(line)
    return not found


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only whether all faults fit the sources of the checkout")
    parser.add_argument("--only", metavar="NAME", choices=[fault.name for fault in FAULTS],
                        help="one fault: " + ", ".join(fault.name for fault in FAULTS))
    parser.add_argument("--spare", action="store_true", help="the spare faults too")
    parser.add_argument("--skip-unchanged", action="store_true", help="do not try the unchanged sources first")
    parser.add_argument("--command", default=COMMAND,
                        help=f"builds and tests; its last line is like that of ./dev test (default: {COMMAND})")
    parser.add_argument("--minutes", type=float, default=MINUTES_MAX, help="longest time of one run (%(default)s)")
    return parser.parse_args(arguments)


def main(arguments, root=ROOT):
    options = parse(arguments)
    if options.check:
        is_fine = is_free_of(problems(root, FAULTS))
        print(f"gate bites: {len(FAULTS)} faults, {'all fit' if is_fine else 'some do not fit'}")
        return 0 if is_fine else 1
    clone = fresh_clone(root)
    if not is_free_of(problems(clone, FAULTS)):
        return 1
    faults = chosen_faults(options.only, options.spare)
    results = []
    print(f"gate bites: {options.command}, in {clone}", flush=True)
    for result in bite_all(clone, faults, options.command, options.minutes * 60, options.skip_unchanged):
        results.append(result)
        print(f"{result.name}: {result.verdict} after {result.seconds:.0f} s {result.what}".rstrip(), flush=True)
    print("\n" + "\n".join(table(results)))
    caught = sum(result.verdict == "red" and result.name != "unchanged" for result in results)
    print(f"gate bites: {caught} of {len(faults)} faults caught")
    return 0 if caught == len(faults) and all(map(is_as_expected, results)) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
