"""Empty projects, the boxes that they lie in, and what is measured there."""

import collections
import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from box import Box, Server, podman, write_and_read
from checkout import CONFORMANCE

SUITE = Path(__file__).resolve().parent
HELPERS = CONFORMANCE / "project/test_helpers"
RELEASE = Path(os.environ["RELEASE"])
COMMAND_DEADLINE_S = 120
UNWANTED = ("PYTHONPATH", "RELEASE", "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION")

FIGURES = []  # what was measured, a line each; the summary prints them
Row = collections.namedtuple("Row", "package size_bytes install_s start_s use_s stop_s")
ROWS = []  # one for each package that was installed and used; docs/install.md has such a table


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line("| package | size | install | start | write and read | stop |\n|---|---|---|---|---|---|")
    for row in ROWS:
        times = " | ".join("" if value is None else f"{value:.2f} s" for value in row[2:])
        terminalreporter.write_line(f"| {row.package} | {row.size_bytes / 1e6:.1f} MB | {times} |")
    for line in FIGURES:
        terminalreporter.write_line("measured: " + line)


def only(pattern):
    """The one file of the release that is called like that."""
    found = list(RELEASE.glob(pattern))
    assert len(found) == 1, (pattern, found)
    return found[0]


def inside(pattern):
    """Where a box sees it."""
    return f"/release/{only(pattern).relative_to(RELEASE)}"


def apt_get(folder, source):
    """The words of an apt-get that knows this source only, and keeps all that it learns in a folder."""
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    (folder / "status").touch()
    (folder / "sources").write_text(source + "\n")
    settings = (f"Dir::Etc::SourceList={folder}/sources", "Dir::Etc::SourceParts=/dev/null",
                f"Dir::State::Lists={folder}/lists", f"Dir::State::Status={folder}/status",
                f"Dir::Cache={folder}/cache", "APT::Sandbox::User=root")
    return ["apt-get", *(word for setting in settings for word in ("-o", setting))]


def command_runner(folder, name):
    """Runs commands in a folder, which must succeed; returns their output."""
    def run_one(*command, **environment):
        clean = {key: value for key, value in os.environ.items()
                 if key not in UNWANTED and not key.startswith("STATOR")}
        began = time.monotonic()
        done = subprocess.run([str(word) for word in command], cwd=folder, env={**clean, **environment},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=COMMAND_DEADLINE_S)
        assert done.returncode == 0, f"{command}: status {done.returncode}\n{done.stdout}"
        took = time.monotonic() - began
        shown = " ".join(Path(str(word)).name for word in command[:3])
        FIGURES.append(f"{name}: {shown[:60]!r} took {took:.2f} s")
        return done.stdout

    return run_one


@pytest.fixture
def box(project):
    """Makes boxes around the project, which are gone after the test."""
    made = []

    def make(*options, release=RELEASE, **named):
        made.append(Box(release, project, *options, **named))
        return made[-1]

    yield make
    for found in made:
        found.remove()


def walk(package, files, box, install, *command):
    """Installs by a command of a shell, starts, writes and reads, stops; the times go to the table."""
    install_s = box.timed("sh", "-ec", install)
    assert box.run(command[0], "version").startswith("Stator ")
    server = Server(box, *command, "--port", "0", "--db-path", "/var/tmp/data")
    use_s = write_and_read(server.endpoint)
    ROWS.append(Row(package, sum(path.stat().st_size for path in files), install_s, server.start_s, use_s, server.stop()))


def told_figures(package, files, install_s, told):
    """The row of a program that measures itself and tells `figures: START USE STOP` in seconds."""
    start_s, use_s, stop_s = map(float, re.search(r"figures: (\S+) (\S+) (\S+)", told).groups())
    ROWS.append(Row(package, sum(path.stat().st_size for path in files), install_s, start_s, use_s, stop_s))


def load_image(machine="x86_64"):
    """The release's image, by the name that it has in an engine then, and how long loading took."""
    archive = only(f"stator-image-*-linux-{machine}.tar")
    began = time.monotonic()
    podman("load", "--quiet", "--input", archive)
    version = archive.name.split("-")[2]
    return f"localhost/stator:{version}", time.monotonic() - began


@pytest.fixture
def project(tmp_path):
    """An empty folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def run(project, request):
    return command_runner(project, request.node.name)
