"""Empty projects, and commands that see nothing of the checkout."""

import os
import subprocess
import time
from pathlib import Path

import pytest

SUITE = Path(__file__).resolve().parent
HELPERS = SUITE.parent / "test_helpers"
RELEASE = Path(os.environ["RELEASE"])
COMMAND_DEADLINE_S = 120
UNWANTED = ("PYTHONPATH", "RELEASE", "AWS_ACCESS_KEY_ID",
            "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION")

FIGURES = []  # what was measured, a line each; the summary prints them


def pytest_terminal_summary(terminalreporter):
    for path in sorted(RELEASE.rglob("*")):
        if path.is_file():
            FIGURES.append(f"{path.relative_to(RELEASE)}: {path.stat().st_size} bytes")
    for line in FIGURES:
        terminalreporter.write_line("measured: " + line)


def only(pattern):
    """The one file of the release that is called like that."""
    found = list(RELEASE.glob(pattern))
    assert len(found) == 1, (pattern, found)
    return found[0]


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
def project(tmp_path):
    """An empty folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def run(project, request):
    return command_runner(project, request.node.name)
