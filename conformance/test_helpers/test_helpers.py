"""Runs the example project of each test helper as its user would, and what may go wrong with one.

Each project is copied out of the tree. The helpers are those of the packages, from the sources; conformance/packages
runs the same examples with the packages installed. The program that the helper finds is a script which notes its flags and
becomes a copy of the server, so a run tells how often the helper started it, and /proc whether one is left.
"""

import collections
import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from server_process import binary, clean_environment, wait_until

SUITE = Path(__file__).resolve().parent
PACKAGES = SUITE.parents[1] / "server" / "packaging"
RUN_DEADLINE_S = 180
SHARED = "--port 0 --isolate key"
MAVEN = ["mvn", "--batch-mode", "--no-transfer-progress", "-Dstyle.color=never", "test",
         "-DargLine=-Djava.io.tmpdir=target"]
PYTEST = [os.environ.get("STATOR_PYTHON", "/usr/bin/python3"), "-m", "pytest", "-p", "no:cacheprovider"]

Language = collections.namedtuple("Language", "command only_extra extra own_servers")
LANGUAGES = {
    "jest": Language(["node", "node_modules/jest/bin/jest.js", "--cacheDirectory=.cache"], ["extra.test.js"],
                     "extra.test.js", ["", *["--control-plane-delay 1"] * 2] +
                     ["--clock 2027-01-01T00:00:00Z --control-plane-delay 3600"]),
    "pytest": Language(PYTEST, ["test_extra.py"], "test_extra.py",
                       ["", "--control-plane-delay 1", "--eventual-read-lag 3600",
                        "--clock 2027-01-01T00:00:00Z --control-plane-delay 3600"]),
    "go": Language(["go", "test", "-count=1", "./..."], ["-run=TestExtra"], "extra_test.go",
                   ["", "--control-plane-delay 1", "--eventual-read-lag 3600",
                        "--clock 2027-01-01T00:00:00Z --control-plane-delay 3600"]),
    "junit": Language(MAVEN, ["-Dtest=ExtraTest"], "src/test/java/example/ExtraTest.java",
                      ["", "--control-plane-delay 1", "--eventual-read-lag 3600",
                        "--clock 2027-01-01T00:00:00Z --control-plane-delay 3600"]),
}


def use_older_sdk(project):
    """Where the compiler is too old for the current SDK (Debian 12), the one that conformance/go takes."""
    version = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout
    if int(version.split(".")[1]) < 24:
        older = (SUITE.parent / "go" / "go1.19.mod").read_text()
        (project / "go.mod").write_text(older.replace("stator/conformance", "example.com/albums"))
        shutil.copy(SUITE.parent / "go" / "go1.19.sum", project / "go.sum")


def copy_project(name, to):
    shutil.copytree(SUITE / name, to, ignore=shutil.ignore_patterns("node_modules", "target", "__pycache__"))
    if name == "jest":
        (to / "node_modules").symlink_to(SUITE / "jest" / "node_modules")
    if name == "pytest":
        shutil.copytree(PACKAGES / "pypi" / "stator", to / "stator", ignore=shutil.ignore_patterns("__pycache__"))
        (to / "conftest.py").write_text('pytest_plugins = ["stator.pytest_plugin"]\n')
    if name == "go":
        (to / "statortest").mkdir()
        shutil.copy(PACKAGES / "go" / "stator.go", to / "statortest")
        use_older_sdk(to)
    if name == "junit":
        copy_java_helper(to)
    return to


def copy_java_helper(project):
    """Without what needs Testcontainers, which the example has not."""
    shutil.copytree(PACKAGES / "maven" / "src/main/java/stator", project / "src/test/java/stator",
                    ignore=shutil.ignore_patterns("StatorContainer.java"))


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


@pytest.fixture
def program(tmp_path):
    """The program `stator` in a folder of its own."""
    folder = tmp_path / "bin"
    folder.mkdir()
    shutil.copy(binary(), folder / "server")
    write_program(folder / "stator", f'echo "$*" >>"{folder}/starts"\nexec "{folder}/server" "$@"')
    return folder / "stator"


def write_program(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def starts(program):
    """The flags of each start."""
    return collections.Counter((program.parent / "starts").read_text().splitlines())


def servers(program):
    """The running servers: pid -> parent's pid."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.readlink(process / "exe") == str(program.parent / "server"):
                found[int(process.name)] = int(stat_fields(process)[1])
    return found


def stat_fields(process):
    """State, parent, group, session of a process."""
    return (process / "stat").read_text().rpartition(")")[2].split()[:4]


def session_members(session):
    """Every process of a run, dead ones that nobody has waited for left out."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            state, _, _, owner = stat_fields(process)
            if int(owner) == session and state != "Z":
                found.append((process / "cmdline").read_text().replace("\0", " "))
    return found


class Run:
    """The tests of a project, running in a session of their own."""

    def __init__(self, language, project, arguments=(), **environment):
        unwanted = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION", "PYTHONPATH")
        clean = {k: v for k, v in clean_environment(environment).items() if k not in unwanted + ("STATOR",)}
        clean.update(environment)
        self._file = open(project / "output", "w+")
        self.process = subprocess.Popen(
            LANGUAGES[language].command + list(arguments), cwd=project, env=clean, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=self._file, stderr=subprocess.STDOUT,
            # Who runs these tests in the background has them ignore it.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._file.close()

    def output(self):
        self._file.seek(0)
        return self._file.read()

    def wait(self):
        """The exit status."""
        return self.process.wait(RUN_DEADLINE_S)

    def expect_nothing_left(self, program):
        self.wait()
        wait_until(lambda: not servers(program) and not session_members(self.process.pid),
                   what=f"the end of {servers(program)} {session_members(self.process.pid)}")


def test_example(language, example, program):
    """It passes with one shared server and those that its tests start for themselves."""
    with Run(language, example, STATOR=str(program)) as run:
        assert run.wait() == 0, run.output()
        run.expect_nothing_left(program)
    own = [f"{SHARED} {flags}".strip() for flags in LANGUAGES[language].own_servers]
    assert starts(program) == collections.Counter([SHARED, *own])


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
