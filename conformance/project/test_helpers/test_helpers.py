"""Runs the example project of each test helper as its user would, and what may go wrong with one (projects.py)."""

import collections
import os
import re
import shutil
import signal

import pytest

from projects import RUN_DEADLINE_S, SUITE, Run, copy_project, copy_without_tests, servers, starts, write_program
from server_process import wait_until

SHARED = "--port 0 --isolate key"

Language = collections.namedtuple("Language", "only_extra extra own_servers")
LANGUAGES = {
    "jest": Language(["extra.test.js"], "extra.test.js",
                     ["", *["--control-plane-delay 1"] * 2, "--clock 2027-01-01T00:00:00Z --control-plane-delay 3600"]),
    "pytest": Language(["test_extra.py"], "test_extra.py",
                       ["", "--control-plane-delay 1", "--eventual-read-lag 3600", "--clock 2027-01-01T00:00:00.000Z",
                        "--clock 2027-01-01T00:00:00Z --control-plane-delay 3600",
                        "--function albums=http://127.0.0.1:PORT/ --function nobody=http://127.0.0.1:PORT/"]),
    "go": Language(["-run=TestExtra"], "extra_test.go",
                   ["", "--control-plane-delay 1", "--eventual-read-lag 3600",
                        "--clock 2027-01-01T00:00:00Z --control-plane-delay 3600"]),
    "junit": Language(["-Dtest=ExtraTest"], "src/test/java/example/ExtraTest.java",
                      ["", "--control-plane-delay 1", "--eventual-read-lag 3600",
                        "--clock 2027-01-01T00:00:00Z --control-plane-delay 3600"]),
}


@pytest.fixture(scope="module", params=list(LANGUAGES))
def language(request):
    return request.param


@pytest.fixture(scope="module")
def example(language, tmp_path_factory):
    return copy_project(language, tmp_path_factory.mktemp(language) / "example")


@pytest.fixture(scope="module")
def with_extra(language, tmp_path_factory):
    """The project with the test of extra/, which fails or waits to be killed."""
    project = copy_project(language, tmp_path_factory.mktemp(language) / "with_extra")
    target = project / LANGUAGES[language].extra
    shutil.copy(SUITE / "extra" / target.name, target)
    return project


def test_example(language, example, program):
    """It passes with one shared server and those that its tests start for themselves."""
    with Run(language, example, STATOR=str(program)) as run:
        assert run.wait() == 0, run.output()
        run.expect_nothing_left(program)
    own = [f"{SHARED} {flags}".strip() for flags in LANGUAGES[language].own_servers]
    assert starts(program) == collections.Counter([SHARED, *own])


def test_vitest_goes_back_with_its_server(tmp_path, program):
    """The others do so in their example."""
    project = copy_without_tests("vitest", tmp_path / "project")
    shutil.copy(SUITE / "cases" / "rollback" / "vitest.test.mjs", project)
    with Run("vitest", project, STATOR=str(program)) as run:
        assert run.wait() == 0, run.output()
        assert "2 passed (2)" in run.output()
        run.expect_nothing_left(program)
    assert starts(program) == collections.Counter([SHARED, f"{SHARED} --clock 2027-01-01T00:00:00Z"])


PYTEST_FIXTURES = {"stator", "stator_environment", "start_stator", "limited_stator", "database", "dynamodb",
                   "dynamodb_resource", "dynamodb_streams", "stator_seed", "stator_seed_flags", "seeded_stator",
                   "seeded_database", "seeded"}


def test_pytest_describes_each_fixture(tmp_path, program):
    """As `pytest --fixtures` shows it, without those of a test's own file."""
    project = copy_without_tests("pytest", tmp_path / "project")
    with Run("pytest", project, ["--fixtures"], STATOR=str(program)) as run:
        assert run.wait() in (0, 5), run.output()  # 5: there are no tests
        output = run.output()
    described = re.findall(r"^(\w+)[^\n]* -- stator/pytest_plugin\.py:\d+\n {4}(\S.*)$", output, re.MULTILINE)
    assert {name for name, _ in described} >= PYTEST_FIXTURES, output
    assert not [name for name, text in described if "no docstring" in text]


def test_program_on_the_path_and_a_test_that_fails(language, with_extra, program):
    path = f"{program.parent}:{os.environ['PATH']}"
    with Run(language, with_extra, LANGUAGES[language].only_extra, PATH=path) as run:
        assert run.wait() != 0
        assert "failed on purpose" in run.output()
        run.expect_nothing_left(program)
    assert starts(program) == collections.Counter([SHARED, f"{SHARED} --gsi-delay 1"])


@pytest.mark.parametrize("ending", ["killed", "terminated", "interrupted"])
def test_end_of_the_test_process(language, with_extra, program, tmp_path, ending):
    """Killed and terminated: the process that started the servers; interrupted: all, as Ctrl-C does."""
    held = tmp_path / "held"
    arguments = LANGUAGES[language].only_extra
    with Run(language, with_extra, arguments, STATOR=str(program), EXTRA_HELD=str(held)) as run:
        wait_until(lambda: held.exists() or run.process.poll() is not None, RUN_DEADLINE_S, "a held test")
        assert held.exists(), run.output()
        running = servers(program)
        assert len(running) == 2, running
        if ending == "interrupted":
            os.killpg(run.process.pid, signal.SIGINT)
        for parent in set(running.values()) if ending != "interrupted" else ():
            os.kill(parent, signal.SIGKILL if ending == "killed" else signal.SIGTERM)
        assert run.wait() != 0
        run.expect_nothing_left(program)


def test_program_that_ends_at_once(language, example, tmp_path):
    """The run fails and says what the program said."""
    program = write_program(tmp_path / "stator", "echo 'no room for a database' >&2\nexit 3")
    with Run(language, example, STATOR=str(program)) as run:
        assert run.wait() != 0
        assert "no room for a database" in run.output()
        assert "status 3" in run.output()
        run.expect_nothing_left(program)
