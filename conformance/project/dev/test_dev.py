"""./dev: what it builds, where, and with what last line it ends."""

import os
import shutil

from conftest import Checkout, write_script


def test_flags_reach_the_program(checkout):
    for arguments in (("--port", "0"), ("--", "--port", "0")):
        assert checkout.dev("run", *arguments)[0] == "serves --port 0\n"
    for arguments in (("--help",), ("--", "--help")):
        assert checkout.dev("run", *arguments)[0] == "serves --help\n"
    assert checkout.dev("run", "--", "--", "x y")[0] == "serves -- x y\n"


def test_second_run_builds_nothing(checkout):
    checkout.dev("run")
    assert checkout.built() == ["stator"]
    for _ in range(2):
        told, log = checkout.dev("run")
        assert told == "serves \n" and "onfigur" not in log
    checkout.dev("build")
    assert checkout.built() == ["stator"]
    write_script(checkout.folder / "program", "echo changed")
    assert checkout.dev("run")[0] == "changed\n"


def elsewhere(checkout, how):
    there = checkout.folder.parent / "elsewhere"
    how(checkout.folder, there)
    return Checkout(there, checkout.commands)


def test_a_copied_checkout_builds_itself(checkout):
    checkout.dev("run")
    copy = elsewhere(checkout, lambda here, there: shutil.copytree(here, there, symlinks=True))
    write_script(copy.folder / "program", "echo the copy")
    told, log = copy.dev("run")
    assert told == "the copy\n" and f"was made for {checkout.folder}" in log
    assert checkout.built() == ["stator"] and copy.built() == ["stator", "stator"]
    assert checkout.dev("run")[0] == "serves \n"  # left alone
    _, log = copy.dev("run")
    assert "was made for" not in log and len(copy.built()) == 2


def test_a_moved_checkout_builds_itself(checkout):
    checkout.dev("run")
    moved = elsewhere(checkout, os.rename)
    write_script(moved.folder / "program", "echo moved")
    assert moved.dev("run")[0] == "moved\n"
    assert not checkout.folder.exists()


def test_a_checkout_behind_a_link_is_the_same(checkout):
    checkout.dev("run")
    linked = elsewhere(checkout, lambda here, there: there.symlink_to(here))
    _, log = linked.dev("run")
    assert "was made for" not in log and checkout.built() == ["stator"]


def test_a_copied_checkout_is_tidied_itself(checkout):
    checkout.dev("tidy")
    copy = elsewhere(checkout, lambda here, there: shutil.copytree(here, there))
    copy.dev("tidy")
    home = f"CMAKE_HOME_DIRECTORY:INTERNAL={copy.folder}\n"
    assert home in (copy.folder / "build/tidy/CMakeCache.txt").read_text()
    assert (checkout.folder / "tidied.log").read_text().count("value.cpp") == 1


def test_last_line_when_all_passes(checkout):
    count = len(checkout.quick_suites())
    assert checkout.last_line() == f"{count + 1} passed, 0 failed"  # the units are one
    checkout.suite("of_all", "echo '1 passed in 0.01s'")
    assert checkout.last_line() == f"{count + 1} passed, 0 failed; suites that only ./dev test --all has: 1"
    assert checkout.last_line("--all") == f"{count + 2} passed, 0 failed"


def test_a_suite_beside_the_folders_of_kinds(checkout):
    """Its name is the same in both places, and all commands find it by that name alone."""
    count = len(checkout.quick_suites())
    for folder in ("golden", "streams"):
        os.rename(checkout.folder / "conformance/kind" / folder, checkout.folder / "conformance" / folder)
    write_script(checkout.folder / "conformance/golden/run", "echo golden runs $*")
    write_script(checkout.folder / "conformance/streams/run", "echo '2 skipped in 1.00s'")
    checkout.suite("of_all", "exit 3")
    assert checkout.last_line() == (
        f"{count + 1} passed, 0 failed; tests skipped inside: streams 2; suites that only ./dev test --all has: 1")
    assert checkout.last_line("--all", status=1).startswith(f"{count + 1} passed, 1 failed: of_all;")
    assert checkout.dev("conformance", "golden", "-k", "one")[0] == "golden runs -k one\n"
    _, log = checkout.dev("conformance", status=1)
    assert "== conformance/golden\n" in log and "== conformance/kind/data\n" in log and "of_all: status 3" in log


def test_no_two_suites_have_one_name(checkout):
    kind = "conformance/kind/golden"
    for place, named in (("conformance/golden", f"conformance/golden and {kind}"),
                         ("conformance/other/golden", f"{kind} and conformance/other/golden")):
        write_script(checkout.folder / place / "run", "exit 0")
        for command in (("test",), ("test", "--all"), ("conformance", "data")):
            _, log = checkout.dev(*command, status=1)
            assert log == f"dev: two suites are named golden: {named}\n"
        shutil.rmtree(checkout.folder / place)


def test_what_is_no_suite(checkout):
    (checkout.folder / "conformance/lib").mkdir()
    (checkout.folder / "conformance/lib/run").write_text("no program")
    for name in ("lib", "kind", "kind/golden"):
        _, log = checkout.dev("conformance", name, status=1)
        assert f"no suite {name}: ./dev conformance has {' '.join(sorted(checkout.quick_suites()))}\n" in log


def test_last_line_says_all_that_was_not_run(checkout):
    checkout.suite("golden", "echo no promtool; exit 77")
    checkout.suite("metrics", "exit 78")
    checkout.suite("streams", "echo '3 failed, 5 passed in 1.00s'; exit 1")
    # As pytest, node --test and Maven end.
    checkout.suite("cli", "echo '10 passed, 3 skipped, 1 xfailed in 4.21s'; echo '2 skipped in 0.10s'")
    checkout.suite("data", "echo '# skipped 4'; echo 'ℹ skipped 1'; echo '# skipped 0'")
    checkout.suite("raw_http", "echo '[WARNING] Tests run: 9, Failures: 0, Errors: 0, Skipped: 7, Time elapsed: 1 s'; "
                               "echo '[WARNING] Tests run: 9, Failures: 0, Errors: 0, Skipped: 7'")
    counted = len(checkout.quick_suites()) + 1 - 3
    tail = ("; not run, a language or a tool is missing: golden; not run, no network to fetch what they need: metrics; "
            "tests skipped inside: ")
    assert checkout.last_line(status=1) == f"{counted} passed, 1 failed: streams{tail}data 5, cli 5, raw_http 7"
    assert checkout.last_line("--all", status=1) == (
        f"{counted} passed, 3 failed: golden metrics streams{tail}cli 5, data 5, raw_http 7")


def test_what_failed_is_shown_at_the_end(checkout):
    checkout.suite("golden", "seq 1 100; sleep 300 & echo $! >left; exit 3")
    write_script(checkout.folder / "unit", "echo a unit test failed; exit 1")
    told, log = checkout.dev("test", status=1)
    left = checkout.folder / "left"
    os.kill(int(left.read_text()), 9)
    assert told.splitlines()[-1].startswith(f"{len(checkout.quick_suites()) - 1} passed, 2 failed: units golden")
    end = log[log.index("== units failed; the end of build/logs/units:"):].splitlines()
    assert "a unit test failed" in end and end[-2:] == ["100", end[-1]] and end[-1].startswith("== golden: status 3")


def test_two_suites_run_beside_the_others(checkout):
    """Each of the two waits until the other has begun."""
    meet = "touch $0.began; for _ in {1..600}; do [ ! -f %s ] || exit %d; sleep 0.1; done; echo it never began; exit 9"
    checkout.suite("golden", meet % ("conformance/kind/python/run.began", 0))
    checkout.suite("python", "echo python says why; " + meet % ("conformance/kind/golden/run.began", 3))
    told, log = checkout.dev("test", status=1)
    assert told.splitlines()[-1] == f"{len(checkout.quick_suites())} passed, 1 failed: python"
    assert "python says why" in told and "it never began" not in told + log


def test_a_missing_tool_that_cannot_be_installed(checkout):
    checkout.suite("cli", "echo 'no aws' >&2; exit 77")
    told, log = checkout.dev("test", missing="awscli")
    assert "apt-get update failed" in log and "goes on without them" in log
    assert "; not run, a language or a tool is missing: cli" in told.splitlines()[-1]
    # What the build needs, and what --all demands, is another matter.
    _, log = checkout.dev("test", missing="catch2", status=1)
    assert "apt-get update failed" in log
    _, log = checkout.dev("test", "--all", missing="awscli", status=1)
    assert "apt-get update failed" in log and "goes on" not in log
