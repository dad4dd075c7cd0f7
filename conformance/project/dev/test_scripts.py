"""The scripts that ./dev and .ci/run start."""

import json
import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, SCRIPTS, Checkout, write_script

SOURCED = {name for name in SCRIPTS if not (ROOT / name).read_text().startswith("#!")}


def named_in(text):
    """The scripts that a text names. One branch of the case in ./dev stands for several."""
    for words, path in re.findall(r"^ *([\w |]+)\) exec \"([\w./]+)/\$command\"", text, re.MULTILINE):
        text += "".join(f"\n{path}/{word}" for word in words.split(" | "))
    text = text.replace('$(dirname "${BASH_SOURCE[0]}")/', ".ci/") + "\n"
    return {name for name in SCRIPTS if re.search(rf"(?<![\w/]){re.escape(name)}(?![\w/.-])", text)}


def code(name):
    return "\n".join(line for line in (ROOT / name).read_text().splitlines() if not line.lstrip().startswith("#"))


def test_every_script_is_reached():
    reached, ahead = {".ci/run"}, ["dev", ".ci/run"]
    while ahead:
        new = named_in(code(ahead.pop())) - reached
        reached |= new
        ahead.extend(new)
    assert reached == set(SCRIPTS)


@pytest.mark.parametrize("name", ["dev", *SCRIPTS])
def test_script(name):
    """It parses, says what it is for, and can be started unless others source it."""
    lines = (ROOT / name).read_text().splitlines()
    subprocess.run(["bash", "-n", ROOT / name], check=True)
    assert lines[1].startswith("# ")
    assert os.access(ROOT / name, os.X_OK) == (name not in SOURCED)
    assert lines[0] == ("# shellcheck shell=bash" if name in SOURCED else "#!/usr/bin/env bash")
    assert len(lines) <= 120


def test_no_function_has_a_copy():
    places = {}
    for name in ("dev", *SCRIPTS):
        for function in re.findall(r"^(\w+)\(\)", (ROOT / name).read_text(), re.MULTILINE):
            places.setdefault(function, []).append(name)
    assert {function: names for function, names in places.items() if len(names) > 1} == {}


def test_a_script_runs_from_anywhere(checkout):
    scripts = checkout.folder / ".ci"
    for folder, script in ((checkout.folder.parent, scripts / "suites"), (scripts, "./suites"),
                           (checkout.folder / "conformance", "../.ci/suites")):
        told = subprocess.run([script], cwd=folder, capture_output=True, text=True, check=True).stdout
        assert told.split() == sorted(checkout.quick_suites())


def test_unit_tests_by_name_and_tag(checkout):
    for layer in ("protocol", "engine", "streams", "server"):
        (checkout.folder / "tests/unit" / layer).mkdir(exist_ok=True)
    (checkout.folder / "tests/unit/engine/marks_test.cpp").write_text('TEST_CASE("a mark rolls back", "[marks]")')
    (checkout.folder / "tests/unit/server/page_test.cpp").write_text('TEST_CASE("a page", "[pages][marks]")')
    assert checkout.dev("unit", "rolls back")[0] == "fine unit_engine *rolls back*\n"
    assert checkout.built() == ["unit_engine"]
    assert checkout.dev("unit", "[marks]")[0] == "fine unit_engine [marks]\nfine unit_server [marks]\n"
    assert checkout.dev("unit")[0].count("fine") == 4
    assert "no unit test has 'x y' in" in checkout.dev("unit", "x y", status=1)[1]


def test_one_file_of_cases(checkout):
    cases = checkout.folder / "tests/cases/engine/tables.cases"
    cases.parent.mkdir(parents=True)
    cases.touch()
    write_script(checkout.folder / "unit", 'echo "$(basename "$0") $* $STATOR_CASE"')
    for argument, case in (("tables", "tables"), ("tables.cases", "tables"), ("tables:a stream", "tables:a stream")):
        assert checkout.dev("case", argument)[0] == f"unit_engine engine: cases {case}\n"
    assert checkout.built() == ["unit_engine"]
    assert "no such case file: tabels" in checkout.dev("case", "tabels", status=1)[1]


def fuzzed(checkout):
    (checkout.folder / "tests/fuzz/corpus/statement").mkdir(parents=True)
    (checkout.folder / "tests/fuzz/statement_fuzz.cpp").touch()


def test_fuzzers(checkout):
    fuzzed(checkout)
    for arguments in ((), ("statement", "--runs", "7")):
        assert checkout.dev("fuzz", *arguments)[1].endswith("statement_fuzz: 7 inputs, no finding\n")
    write_script(checkout.folder / "fuzzer", 'echo "with $1"; exit 77')
    _, log = checkout.dev("fuzz", "--seconds", "3", status=1)
    assert log.endswith("statement_fuzz FOUND SOMETHING (status 77):\nwith -max_total_time=3\n")


# The stage `rules`, in its order.
RULES = ["source_rules", "prose_rules_test", "prose_rules", "gate_bites_test", "links"]


def check_files(checkout):
    """Stand-ins for what `./dev check` starts, each leaves its name in `checked`."""
    checks = checkout.folder / "tests/checks"
    checks.mkdir(exist_ok=True)
    for name in (*RULES, "new_operation_test"):
        (checks / f"{name}.py").write_text(f"open('checked', 'a').write('{name} ')\n")
    write_script(checkout.commands / "clang-format-14", "echo -n 'format ' >>checked")
    return checkout.folder / "checked"


def test_one_stage_of_the_checks(checkout):
    checked = check_files(checkout)
    checkout.dev("check", "rules")
    assert checked.read_text().split() == RULES
    checkout.dev("check", "skeletons")
    assert checked.read_text().split() == [*RULES, "new_operation_test"]
    assert "no such stage: rule" in checkout.dev("check", "rule", status=1)[1]


def test_the_first_command_that_fails_ends_the_checks(checkout):
    checked = check_files(checkout)
    (checkout.folder / "tests/checks/prose_rules_test.py").write_text("raise SystemExit(3)\n")
    told, _ = checkout.dev("check", status=1)
    assert checked.read_text().split() == ["format", "source_rules"]
    assert "=== FAILED: rules, status 3" in told
    assert told.splitlines()[-1] == "1 passed, 1 failed"


def git(checkout, *arguments):
    subprocess.run(["git", "-c", "user.name=name", "-c", "user.email=address", *arguments], cwd=checkout.folder,
                   env={"PATH": "/usr/bin:/bin", "HOME": str(checkout.folder)}, check=True, capture_output=True)


@pytest.mark.skipif(not shutil.which("git"), reason="git is missing")
def test_a_moved_file_is_not_tidied_again(checkout):
    """Nor one whose includes alone changed with the move. What changed is, and what has come."""
    for number in range(6):  # too few for a file of the tenth that each commit has
        lines = [f"int f{number}_{line}();" for line in range(40)]
        (checkout.folder / f"engine/f{number}.cpp").write_text('#include "engine/a.h"\n' + "\n".join(lines))
    git(checkout, "init", "--quiet")
    git(checkout, "add", "engine")
    for number in range(49):
        git(checkout, "commit", "--quiet", "--allow-empty", "--message", str(number))
    (checkout.folder / "engine/room").mkdir()
    for name in ("f0", "f1"):
        git(checkout, "mv", f"engine/{name}.cpp", f"engine/room/{name}.cpp")
    moved = checkout.folder / "engine/room/f1.cpp"
    moved.write_text(moved.read_text().replace("engine/a.h", "engine/room/a.h"))
    (checkout.folder / "engine/f2.cpp").write_text("int changed();\n")
    (checkout.folder / "engine/new.cpp").write_text("int come();\n")
    git(checkout, "add", "engine")
    git(checkout, "commit", "--quiet", "--message", "moves")
    with (checkout.folder / "engine/f3.cpp").open("a") as uncommitted:
        uncommitted.write("\n")
    checkout.dev("check", "changed")
    tidied = [line.split()[-1] for line in (checkout.folder / "tidied.log").read_text().splitlines()]
    assert sorted(tidied) == ["engine/f2.cpp", "engine/f3.cpp", "engine/new.cpp"]
    checkout.dev("check", "changed")  # without findings they are done
    assert len((checkout.folder / "tidied.log").read_text().splitlines()) == 3


def test_the_gate(checkout):
    """Format, source rules, the README's test command, sanitizers, and the first that fails ends it."""
    checked = check_files(checkout)
    checkout.suite("of_all", "exit 3")
    checkout.suite("raw_http", "echo by $STATOR_SANITIZED with $STATOR_MODEL_STEPS steps; echo '3 passed in 0.01s'")
    told, _ = checkout.start(".ci/run")
    assert f"\n{len(checkout.quick_suites()) + 1} passed, 0 failed; suites that only ./dev test --all has: 1\n" in told
    assert checked.read_text().split() == ["format", *RULES]
    assert checkout.built().count("stator") == 3 and "statement_fuzz" not in checkout.built()
    for part in ("build", "units", "raw_http"):
        assert f"=== passed: thread sanitizer: {part}" in told
        assert f"=== passed: address and undefined sanitizers: {part}" in told
    assert "by asan with 500 steps" in told and "by tsan with 500 steps" in told
    assert told.endswith("\n5 passed, 0 failed\n")
    checked.unlink()
    checkout.suite("golden", "exit 3")
    told, _ = checkout.start(".ci/run", status=1)
    assert "=== FAILED: tests, status 1" in told and told.endswith("\n3 passed, 1 failed\n")


@pytest.mark.parametrize("missing", ["ccache", "awscli", "catch2"])
def test_the_gate_needs_its_packages(checkout, missing):
    told, log = checkout.start(".ci/run", status=1, missing=missing)
    assert "=== FAILED: packages" in told and "apt-get update failed" in log


def with_all_suites(checkout):
    checkout.fetched()
    for suite in ("container", "packages"):
        checkout.suite(suite, "echo '3 passed in 0.01s'")


def test_all_suites(checkout):
    with_all_suites(checkout)
    assert checkout.last_line("--all") == f"{len(checkout.quick_suites()) + 3} passed, 0 failed"


def test_a_run_of_all_goes_on_after_a_failure(checkout):
    """And is repeated in part: what failed or was never reached, or all from one part on."""
    with_all_suites(checkout)
    count = len(checkout.quick_suites()) + 3
    checkout.suite("cli", "echo '1 failed, 4 passed, 2 skipped in 0.01s'; exit 1")
    told, _ = checkout.dev("test", "--all", status=1)
    row = next(line for line in told.splitlines() if line.startswith("cli ") and line.endswith("failed"))
    assert row.split()[2:] == ["10", "4", "failed"]  # it ran twice
    assert told.splitlines()[-1].startswith(f"{count - 1} passed, 1 failed: cli;")
    for suite in checkout.quick_suites():
        checkout.suite(suite, f"echo {suite} >>ran; echo '3 passed in 0.01s'")
    assert checkout.last_line("--failed") == f"{count} passed, 0 failed"
    ran = checkout.folder / "ran"
    assert ran.read_text().split() == ["cli"]
    ran.unlink()
    assert checkout.last_line("--from", "raw_http") == f"{count} passed, 0 failed"
    assert ran.read_text().split() == ["raw_http", "streams", "stress", "transactions"]
    (checkout.folder / "build/logs/outcomes.all").write_text("units passed 1 1 0\ncli passed 1 1 0\n")  # it was killed there
    assert checkout.last_line("--failed") == f"{count} passed, 0 failed"
    assert "no part nonsense" in checkout.dev("test", "--from", "nonsense", status=1)[1]


def test_the_first_failure_ends_it(checkout):
    checkout.suite("golden", "exit 3")
    checkout.suite("streams", "touch reached; exit 3")
    told = checkout.last_line("--first", status=1)
    # units and dev before it, and perhaps the two that run beside them
    assert re.match("[2-4] passed, 1 failed: golden", told), told
    assert not (checkout.folder / "reached").exists()


def test_a_failure_by_chance(checkout):
    """What fails is tried once more, and what passes then is named."""
    once = "if [ -e {0} ]; then exit 0; else touch {0}; exit 1; fi"
    count = len(checkout.quick_suites()) + 1
    checkout.suite("golden", once.format("golden_ran"))
    write_script(checkout.folder / "unit", f"[[ $0 != *model_engine ]] || {once.format('units_ran')}")
    told, _ = checkout.dev("test")
    assert told.splitlines()[-1].startswith(f"{count} passed, 0 failed; passed only when tried again: units golden")
    assert "== passed when tried again: model_engine" in told and "== passed when tried again: golden" in told


def test_pytest_tries_again_what_failed(checkout):
    """Those tests alone, by a process of its own, and not many."""
    tests = checkout.folder / "conformance/kind/data/test_some.py"
    shutil.copytree(ROOT / "conformance/lib", checkout.folder / "conformance/lib")
    checkout.suite("data", "exec conformance/lib/run_pytest conformance/kind/data ''")
    chance = "import pathlib, pytest\nran = pathlib.Path(__file__).with_name('ran')\n"
    tests.write_text(chance + "def test_right(): pass\ndef test_chance():\n    if not ran.exists():\n"
                     "        ran.touch()\n        assert False\n")
    told, _ = checkout.dev("test")
    assert "== passed when tried again: data test_some.py::test_chance" in told
    assert "\n1 passed in" in told and "passed only when tried again: data" in told.splitlines()[-1]
    tests.write_text("def test_wrong(): assert False\n")
    told, _ = checkout.dev("test", status=1)
    assert told.count("== failed twice, or too many to try again: data test_some.py::test_wrong\n") == 1
    tests.write_text("import pytest\n@pytest.mark.parametrize('n', range(11))\ndef test_wrong(n): assert False\n")
    assert checkout.dev("test", status=1)[0].count("11 failed in") == 1


def test_the_quarantine(checkout):
    """What is in it runs, is reported and decides nothing."""
    shutil.copytree(ROOT / "conformance/lib", checkout.folder / "conformance/lib")
    checkout.suite("data", "exec conformance/lib/run_pytest conformance/kind/data ''")
    (checkout.folder / "conformance/kind/data/test_some.py").write_text(
        "def test_wrong(): assert False\ndef test_right(): pass\n")
    checkout.suite("golden", "exit 3")
    write_script(checkout.folder / "unit",
                 'case "$(basename "$0") $*" in \'unit_server ~"a page"~[.]\') ;; unit_server*) exit 1 ;; esac')
    (checkout.folder / "tests/quarantine.txt").write_text(
        "data | test_some.py::test_wrong | 2026-11-28 | a deadline\ngolden | * | 2026-11-28 | the disk\n"
        "units | unit_server: a page | 2026-11-28 | a race\n")
    told, _ = checkout.dev("test")
    assert "1 passed, 1 xfailed in" in told and "== in quarantine and failed: unit_server a page" in told
    assert "golden" in [line.split()[0] for line in told.splitlines() if line.endswith(" quarantined")]
    last = told.splitlines()[-1]
    assert last.startswith(f"{len(checkout.quick_suites()) + 1} passed, 0 failed; in quarantine: 3"), last


# What `./dev check` runs for each sanitizer beside a build: its name, and what shows its suites.
SANITIZERS = {
    "asan": ("address and undefined sanitizers", "run_pytest conformance/kind/python by asan\n"),
    "tsan": ("thread sanitizer", "run_scenarios python by tsan\n"),
}


def ready_for_sanitizers(checkout):
    check_files(checkout)
    fuzzed(checkout)
    checkout.fetched()
    for script in ("run_pytest", "run_scenarios"):
        write_script(checkout.folder / "conformance/lib" / script, 'echo "$(basename "$0") $1 by $STATOR_SANITIZED"')


@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_a_sanitizer(checkout, sanitizer):
    name, shown = SANITIZERS[sanitizer]
    ready_for_sanitizers(checkout)
    told, _ = checkout.start(".ci/sanitizers", sanitizer)
    for part in ("build", "units", "raw_http", "suites"):
        assert f"=== passed: {name}: {part}" in told
    assert shown in told and told.count("=== passed") == 4
    assert checkout.built().count("unit_streams") == (sanitizer == "asan")


def test_all_checks(checkout):
    """They go on after one that failed."""
    ready_for_sanitizers(checkout)
    long = checkout.folder / ".ci/long"
    long.write_text(long.read_text().replace("build/release/model", "echo model"))
    told, _ = checkout.dev("check")
    assert told.endswith("\n5 passed, 0 failed\n")
    (checkout.folder / "tests/checks/links.py").write_text("raise SystemExit(3)\n")
    told, _ = checkout.dev("check", "--all", status=1)
    assert told.endswith("\n7 passed, 1 failed: rules\n")
    for _, shown in SANITIZERS.values():
        assert shown in told
    assert "model_streams --steps 200000" in told


def test_a_failure_under_a_sanitizer(checkout):
    write_script(checkout.folder / "unit", 'case $0 in *tsan/unit_engine) echo a race; exit 66 ;; esac')
    told, log = checkout.start(".ci/sanitizers", "tsan", status=1)
    assert "=== FAILED: thread sanitizer: units" in told and told.endswith("1 passed, 1 failed\n")
    assert log.endswith("-- failed: unit_engine\na race\nstatus 66\n")
    assert "no part tsan unit" in checkout.start(".ci/sanitizers", "tsan", "unit", status=1)[1]


@pytest.mark.parametrize("sanitizer", SANITIZERS)
def test_the_sanitizer_that_failed_is_told_last(checkout, sanitizer):
    """Both run at once, and a record of a run may keep its end alone."""
    write_script(checkout.folder / "unit", f'case $0 in *{sanitizer}/unit_engine) echo a race; exit 66 ;; esac')
    checkout.suite("raw_http", "echo by $STATOR_SANITIZED; echo '3 passed in 0.01s'")
    told, _ = checkout.start(".ci/sanitizers", "short", status=1)
    (other,) = set(SANITIZERS) - {sanitizer}
    assert told.index(f"by {other}") < told.index("a race") < told.index(f"=== FAILED: {SANITIZERS[sanitizer][0]}: units")
    assert f"by {sanitizer}" not in told


def test_a_sanitizer_report_is_a_failure(checkout):
    """Whatever the program's status is."""
    def status(command):
        return subprocess.run(["bash", "-c", f"source .ci/sanitizers; sanitized asan sh -c '{command}'"],
                              cwd=checkout.folder, capture_output=True).returncode
    assert status("true") == 0
    assert status("exit 7") == 7
    assert status("echo a race >build/asan/reports/report.1") == 1
    assert status("true") == 0


@pytest.fixture
def released(checkout):
    """Calls `./dev release` with make.py replaced: what that is called with, and what was printed."""
    checkout.fetched()
    (checkout.folder / "server/packaging/release/make.py").write_text(
        "import json, sys\njson.dump(sys.argv[1:], open('made.json', 'w'))\n")
    (checkout.folder / "out").mkdir()

    def call(*arguments):
        told = checkout.dev("release", "out", *arguments)
        made = json.loads((checkout.folder / "made.json").read_text())
        assert made.pop() == "out" and len(made) % 2 == 0
        return dict(zip(made[::2], made[1::2])), told
    return call


def test_a_release_builds_the_static_program(checkout, released):
    made, _ = released("--only", "tarball,npm", "--sign", "a key")
    assert made["--program"] == "build/static/stator" and checkout.built() == ["stator"]
    assert made["--only"] == "tarball,npm" and made["--sign"] == "a key" and made["--epoch"] == "1000000000"
    assert "--program-arm64" not in made and "--without" not in made
    made, _ = released("--only", "tarball", "--arch", "arm64")
    assert made["--program-arm64"] == "build/static-arm64/stator" and checkout.built() == ["stator"] * 2


def test_a_release_takes_the_program_of_the_image(checkout, released):
    program = checkout.folder / "build/container/program"
    program.mkdir(parents=True)
    inputs = subprocess.run([checkout.folder / "server/packaging/release/static", "inputs"], cwd="/",
                            capture_output=True, text=True, check=True).stdout
    (program / "inputs").write_text(inputs)
    assert released("--only", "tarball")[0]["--program"] == "build/container/program/stator"
    (checkout.folder / "engine/new.cpp").touch()
    assert released("--only", "tarball")[0]["--program"] == "build/static/stator"


def test_a_release_without_java(checkout, released):
    write_script(checkout.commands / "mvn", "echo mvn: no network >&2; exit 1")
    write_script(checkout.commands / "javac", "exit 1")
    made, (_, log) = released()
    assert made["--without"] == "maven" and log.splitlines()[-1].startswith("not made: maven")
    # What is asked for by its name has to be made.
    _, log = checkout.dev("release", "out", "--only", "maven", status=1)
    assert "the jars that the Maven package is compiled against" in log


def test_the_image_installs_with_what_it_copied(checkout, tmp_path):
    """docker/Dockerfile copies a part of the project before `./dev install image`, and its ignore file lets it in."""
    steps = (ROOT / "docker/Dockerfile").read_text().split("RUN ./dev install image")[0]
    allowed = (ROOT / "docker/Dockerfile.dockerignore").read_text().splitlines()
    image = Checkout(tmp_path / "image", checkout.commands)
    for source, target in re.findall(r"^COPY (\S+) (\S+)$", steps, re.MULTILINE):
        assert f"!{source.split('/')[0]}" in allowed
        copy = image.folder / target / (os.path.basename(source) if target.endswith("/") else "")
        copy.parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / source).is_dir() else shutil.copy)(ROOT / source, copy)
    image.fetched()
    image.dev("install", "image")
    assert "no network" in image.dev("install", "image", missing="busybox-static", status=1)[1]


def test_the_image_is_built_by_the_first_engine_that_works(checkout):
    write_script(checkout.commands / "docker", "exit 1")  # a client without an engine
    write_script(checkout.commands / "podman", 'echo "podman $*"')
    told = checkout.dev("image")[0]
    assert told.startswith("podman build --format docker ")
    assert told.endswith(" --ignorefile docker/Dockerfile.dockerignore -f docker/Dockerfile -t stator:latest .\n")
    for engine in ("podman", "buildah"):
        write_script(checkout.commands / engine, "exit 1")
    assert "needs docker, podman or buildah" in checkout.dev("image", status=1)[1]
