"""The Debian package on a Debian with systemd: installed, started, set up, stopped, removed."""

import os

import pytest

from client import Client
from conftest import Container, podman
from server_process import GivenServer, wait_until

pytestmark = pytest.mark.skipif("STATOR_IMAGE" in os.environ, reason="STATOR_IMAGE is an image only")

IMAGE = "localhost/stator-package"


class Machine(Container):
    """A container whose first process is systemd."""

    def __init__(self):
        super().__init__("--privileged", "--systemd=always", image=IMAGE)
        self.start()
        wait_until(lambda: self.run("systemctl", "is-system-running").stdout.strip() == "running",
                   what="systemd")

    def do(self, *command):
        done = self.run(*command)
        assert done.returncode == 0, f"{command}: {done.stdout} {done.stderr}"
        return done.stdout

    def property(self, name):
        return self.do("systemctl", "show", "--value", "-p", name, "stator").strip()

    def wait_until_healthy(self, *where):
        wait_until(lambda: self.run("stator", "health", *(where or ["--host", "localhost"])).returncode == 0,
                   what="a healthy server")

    def client(self):
        """Reached through its address, where STATOR_HOST lets it listen."""
        return Client(GivenServer(self.endpoint))


@pytest.fixture
def machine():
    made = Machine()
    yield made
    made.remove()


@pytest.fixture
def running(machine):
    machine.do("sh", "-c", "echo 'STATOR_HOST=*' >/etc/default/stator")
    machine.do("systemctl", "enable", "--now", "stator")
    machine.wait_until_healthy()
    return machine


def test_installed_files(machine):
    listed = machine.do("dpkg", "-L", "stator").splitlines()
    for path in ("/usr/bin/stator", "/usr/share/man/man1/stator.1", "/usr/share/doc/stator/copyright",
                 "/usr/share/bash-completion/completions/stator", "/usr/share/zsh/vendor-completions/_stator",
                 "/usr/share/fish/vendor_completions.d/stator.fish", "/lib/systemd/system/stator.service"):
        # The image leaves documentation out of some folders; the package must still name it.
        assert {path, path + ".gz", "/usr" + path} & set(listed), (path, listed)
    assert machine.do("stator", "version").startswith("Stator ")
    # It does not start by itself.
    assert machine.property("ActiveState") == "inactive"
    assert machine.run("systemctl", "is-enabled", "stator").stdout.strip() == "disabled"


def test_the_unit_runs_and_keeps_data(running):
    assert running.property("ActiveState") == "active"
    running.client().create_table("kept")
    first = running.property("MainPID")
    running.do("systemctl", "restart", "stator")
    running.wait_until_healthy()
    assert running.property("MainPID") != first
    assert running.client().table_names() == ["kept"]
    assert "data.mdb" in running.do("ls", "/var/lib/stator")


def test_the_unit_is_confined(running):
    process = running.property("MainPID")
    status = running.do("cat", f"/proc/{process}/status").splitlines()
    fields = dict(line.split(":\t", 1) for line in status if ":\t" in line)
    assert fields["Uid"].split()[0] != "0"
    assert int(fields["CapEff"], 16) == 0
    assert fields["NoNewPrivs"] == "1"
    assert fields["Seccomp"] == "2"


def test_the_unit_comes_back_after_a_crash(running):
    running.client().create_table("kept")
    first = running.property("MainPID")
    running.do("systemctl", "kill", "--signal", "KILL", "stator")
    wait_until(lambda: running.property("MainPID") not in ("0", first), what="a new process")
    running.wait_until_healthy()
    assert running.client().table_names() == ["kept"]


def test_settings_in_etc_default(machine):
    machine.do("sh", "-c", "echo STATOR_PORT=8001 >/etc/default/stator")
    machine.do("systemctl", "start", "stator")
    machine.wait_until_healthy("--port", "8001")
    assert "listening on http://127.0.0.1:8001" in machine.do("journalctl", "--no-pager", "-u", "stator")


def test_stopped_and_removed(running):
    running.do("systemctl", "stop", "stator")
    assert running.property("Result") == "success"
    running.do("systemctl", "start", "stator")
    running.do("apt-get", "remove", "-y", "stator")
    assert running.run("sh", "-c", "command -v stator").returncode != 0
    assert running.run("systemctl", "is-active", "stator").stdout.strip() == "inactive"
    # Removing a program is no reason to lose data.
    assert "data.mdb" in running.do("ls", "/var/lib/private/stator")
