"""Checkouts of a project that is built in a moment, with the real ./dev."""

import os
import re
import shutil
import subprocess

import pytest

from checkout import CONFORMANCE, ROOT

DEADLINE_S = 300
# What ./dev and .ci/run start, by its path from the root.
SCRIPTS = sorted(str(path.relative_to(ROOT)) for folder in (".ci", "server/packaging/release")
                 for path in (ROOT / folder).iterdir() if path.is_file() and not path.suffix)

# What `./dev test` runs beside the unit test programs.
BUILD_TOOL_TESTS = re.findall(r'"\$python" (\S+\.py)', (ROOT / ".ci/build").read_text())

# What asks for installed packages, and what would fetch more. Nothing comes from anywhere: apt has no network.
COMMANDS = {
    "dpkg-query": 'case " $MISSING " in *" ${!#} "*) exit 1 ;; *) echo "install ok installed" ;; esac',
    "apt-get": 'echo "apt-get $*: no network" >&2; exit 100',
    "id": "echo 0",
    "clang-tidy-14": 'echo "$*" >>tidied.log',
}


def write_script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/usr/bin/env bash\n{text}\n")
    path.chmod(0o755)


class Checkout:
    def __init__(self, folder, commands):
        self.folder, self.commands = folder, commands

    @classmethod
    def make(cls, folder, commands):
        shutil.copytree(CONFORMANCE / "project/dev/project", folder)
        for name in ("dev", *SCRIPTS):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        for name in BUILD_TOOL_TESTS:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).touch()
        (folder / "protocol").mkdir()
        for layer in ("engine", "streams", "server"):
            (folder / layer).mkdir(exist_ok=True)
        (folder / "protocol/value.cpp").touch()
        (folder / "tests/quarantine.txt").write_text("# none\n")
        write_script(folder / "program", 'echo "serves $*"')
        write_script(folder / "unit", 'echo "fine $(basename "$0") $*"')
        write_script(folder / "fuzzer", "echo stat::number_of_executed_units: 7")
        checkout = cls(folder, commands)
        for suite in checkout.quick_suites():
            checkout.suite(suite, "echo '3 passed in 0.01s'")
        return checkout

    def quick_suites(self):
        (names,) = re.findall(r"^quick_suites=\(([^)]*)\)$", (self.folder / ".ci/test").read_text(), re.MULTILINE)
        return names.split()

    def suite(self, name, text):
        write_script(self.folder / "conformance/kind" / name / "run", text)

    def fetched(self):
        """As if server/packaging/release/fetch had run."""
        sources = self.folder / "build/sources"
        (sources / "prometheus-cpp").mkdir(parents=True)
        for folder in ("arm64", "busybox"):
            write_script(sources / folder / "bin/busybox", "")
        (sources / "arm64/usr/include/nghttp2").mkdir(parents=True)
        (sources / "arm64/usr/include/nghttp2/nghttp2.h").touch()

    def dev(self, *arguments, status=0, missing=""):
        return self.start("./dev", *arguments, status=status, missing=missing)

    def start(self, *command, status=0, missing="", **more):
        """What it said, on stdout and on stderr. `more` are variables of the environment."""
        environment = {"PATH": f"{self.commands}:/usr/local/bin:/usr/bin:/bin", "HOME": str(self.folder),
                       "MISSING": missing, "LC_ALL": "C.UTF-8", "SOURCE_DATE_EPOCH": "1000000000", **more}
        # To files: what a suite leaves running may hold a pipe for ever.
        out, log = self.folder.parent / "out", self.folder.parent / "log"
        with out.open("w") as to_out, log.open("w") as to_log:
            done = subprocess.run(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=to_out, stderr=to_log, timeout=DEADLINE_S)
        assert done.returncode == status, f"status {done.returncode}\n{out.read_text()}{log.read_text()}"
        return out.read_text(), log.read_text()

    def last_line(self, *arguments, status=0, missing=""):
        return self.dev("test", *arguments, status=status, missing=missing)[0].splitlines()[-1]

    def built(self):
        """What was built, in its order."""
        log = self.folder / "built.log"
        return log.read_text().split() if log.exists() else []


@pytest.fixture
def checkout(tmp_path):
    for name, text in COMMANDS.items():
        write_script(tmp_path / "bin" / name, text)
    return Checkout.make(tmp_path / "checkout", tmp_path / "bin")
