"""Fixtures of the suite that runs what the pages for users say."""

import os
import re
import subprocess
import sys

import pytest

from client import Client
from own_servers import start  # noqa: F401
from server_process import binary, clean_environment, free_port

DEADLINE_S = 120
SERVES = re.compile(r"^stator( --.*?)?( &)?$")


class Shell:
    """Runs blocks as a user would type them, but that port 8000 of this machine is another one."""

    def __init__(self, folder, start):  # noqa: F811
        self.folder, self.start = folder, start
        self.ports = {"8000": None, "8001": None}
        (folder / "bin").mkdir()
        (folder / "bin" / "stator").symlink_to(binary())
        (folder / "work").mkdir()
        self.work = folder / "work"
        self.server = None

    def serve(self, *flags, port="8000"):
        """A server where the page has one."""
        self.ports[port] = str(free_port())
        self.server = self.start(*flags, "--port", self.ports[port], add_port=False, cwd=self.work,
                                 program=self.folder / "bin" / "stator")
        return Client(self.server)

    def environment(self):
        added = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local", "AWS_DEFAULT_REGION": "us-east-1",
                 "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        if self.ports["8000"]:
            added |= {"STATOR_PORT": self.ports["8000"],
                      "AWS_ENDPOINT_URL": f"http://localhost:{self.ports['8000']}"}
        return clean_environment(added)

    def here(self, text):
        for named, port in self.ports.items():
            if port:
                text = text.replace(f"localhost:{named}", f"localhost:{port}")
        return text

    def sh(self, text):
        """Its output. A first line that serves starts the server, and what it stands for is `text` behind it."""
        first, _, rest = text.partition("\n")
        if SERVES.match(first.partition("#")[0].rstrip()):
            first = first.partition("#")[0].replace("&", "").replace("--port 8000", "")
            self.serve(*first.split()[1:])
            text = rest
        return self.run(["bash", "-euo", "pipefail", "-c", self.here(text)])

    def python(self, text):
        return self.run([sys.executable, "-c", self.here(text)])

    def play(self, block, text=None):
        return getattr(self, block.language)(block.text if text is None else text)

    def run(self, command):
        done = subprocess.run(command, cwd=self.work, env=self.environment(), stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=DEADLINE_S)
        assert done.returncode == 0, f"{command[-1]}\n{done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture
def shell(tmp_path, start):  # noqa: F811
    return Shell(tmp_path, start)
