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
