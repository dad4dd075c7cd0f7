"""The example projects as copies out of the tree, and their runs as a user would start them.

The helpers are those of the packages, from the sources; conformance/project/packages runs the same examples with the packages
installed. The program that a helper finds is a script which notes its flags and becomes a copy of the server, so a run
tells how often the helper started it, and /proc whether one is left.
"""

import collections
import contextlib
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

from checkout import CONFORMANCE, ROOT
from server_process import binary, clean_environment, wait_until

SUITE = Path(__file__).resolve().parent
PACKAGES = ROOT / "server" / "packaging"
RUN_DEADLINE_S = 180
MAVEN = ["mvn", "--batch-mode", "--no-transfer-progress", "-Dstyle.color=never", "test",
         "-DargLine=-Djava.io.tmpdir=target"]
PYTEST = [os.environ.get("STATOR_PYTHON", "/usr/bin/python3"), "-m", "pytest", "-p", "no:cacheprovider"]
# Of an environment with a current boto3, see run; Debian's does not read the endpoint from the environment.
PYTHON = [os.environ["STATOR_CURRENT_PYTHON"]]
UNWANTED = ("PYTHONPATH", "STATOR")
WANTED = ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AWS_EC2_METADATA_DISABLED")

COMMANDS = {
    "jest": ["node", "node_modules/jest/bin/jest.js", "--cacheDirectory=.cache"],
    "vitest": ["node", "node_modules/vitest/vitest.mjs", "run"],
    "pytest": PYTEST,
    "go": ["go", "test", "-count=1", "./..."],
    "junit": MAVEN,
}


def go_minor():
    """The N of Go 1.N."""
    version = subprocess.run(["go", "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout
    return int(version.split(".")[1])


def use_older_sdk(project):
    """Where the compiler is too old for the current SDK (Debian 12), the one that conformance/languages/go takes."""
    if go_minor() < 24:
        older = (CONFORMANCE / "languages/go/go1.19.mod").read_text()
        (project / "go.mod").write_text(older.replace("stator/conformance", "example.com/albums"))
        shutil.copy(CONFORMANCE / "languages/go/go1.19.sum", project / "go.sum")


def copy_project(name, to):
    shutil.copytree(SUITE / name, to, ignore=shutil.ignore_patterns("node_modules", "target", "__pycache__"))
    add_helper(name, to)
    return to


def copy_without_tests(name, to):
    """What describes the project and holds the helper, for tests that are put into it."""
    tests = ("node_modules", "target", "__pycache__", "*.test.js", "*.test.mjs", "test_*.py", "*_test.go", "example")
    shutil.copytree(SUITE / name, to, ignore=shutil.ignore_patterns(*tests))
    add_helper(name, to)
    return to


def add_helper(name, to):
    if name == "jest":
        (to / "node_modules").symlink_to(SUITE / name / "node_modules")
    if name == "vitest":  # of which the helper takes the hooks, so that it has to lie beside it
        (to / "node_modules").mkdir()
        for package in (SUITE / name / "node_modules").iterdir():
            if package.name not in ("stator", ".bin"):
                (to / "node_modules" / package.name).symlink_to(package)
        shutil.copytree(PACKAGES / "npm" / "stator", to / "node_modules" / "stator")
    if name == "pytest":
        shutil.copytree(PACKAGES / "pypi" / "stator", to / "stator", ignore=shutil.ignore_patterns("__pycache__"))
        (to / "conftest.py").write_text('pytest_plugins = ["stator.pytest_plugin"]\n')
    if name == "go":
        (to / "statortest").mkdir()
        shutil.copy(PACKAGES / "go" / "stator.go", to / "statortest")
        use_older_sdk(to)
    if name == "junit":  # without what needs Testcontainers, which the example has not
        shutil.copytree(PACKAGES / "maven" / "src/main/java/stator", to / "src/test/java/stator",
                        ignore=shutil.ignore_patterns("StatorContainer.java"))


def place_of_tests(language, project):
    """The folder of a project that its tests lie in."""
    return project / "src/test/java/example" if language == "junit" else project


def write_program(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def make_program(folder):
    """The program `stator` in a folder of its own."""
    folder.mkdir()
    shutil.copy(binary(), folder / "server")
    return write_program(folder / "stator", f'echo "$*" >>"{folder}/starts"\nexec "{folder}/server" "$@"')


def starts(program):
    """The flags of each start, with PORT for those of URLs."""
    noted = program.parent / "starts"
    text = noted.read_text() if noted.exists() else ""
    return collections.Counter(re.sub(r"(?<=//127\.0\.0\.1:)\d+", "PORT", text).splitlines())


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

    def __init__(self, language, project, arguments=(), command=None, **environment):
        clean = {k: v for k, v in clean_environment().items()
                 if k not in UNWANTED and (not k.startswith("AWS_") or k in WANTED)}
        clean["NO_COLOR"] = "1"  # CI is in the environment of many a run, and Vitest paints its lines there
        clean.update(environment)
        self._file = open(project / "output", "w+")
        self.process = subprocess.Popen(
            (command or COMMANDS[language]) + list(arguments), cwd=project, env=clean, start_new_session=True,
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
