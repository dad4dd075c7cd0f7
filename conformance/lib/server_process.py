"""Starts and stops the server under test.

Server(...) runs the binary named by STATOR_BINARY on a free port, waits for the line that tells
where it listens and gives access to its process. With STATOR_ENDPOINT set nothing is started:
default_server() then stands for the given address and `controllable` is False.
"""

import os
import re
import select
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

# The long runs take hours on a machine that others use too, which may be busy for minutes.
PATIENCE = 10 if os.environ.get("STATOR_LONG") == "1" else 1
# They only end what hangs: no test fails because the machine is slow. ./dev bench measures how long things take.
START_DEADLINE_S = 60 * PATIENCE
STOP_DEADLINE_S = 60 * PATIENCE
LOST_SIGNAL_S = 20
LISTENING = re.compile(rb"listening on (https?://\S+)")
SANITIZER_REPORT = re.compile(r".*(?:Sanitizer: |runtime error: ).*")


def binary():
    return os.environ["STATOR_BINARY"]


def is_sanitized():
    """Whether the binary is a sanitized build, which is slow and not for installing."""
    return "STATOR_SANITIZED" in os.environ


def given_endpoint():
    """The address to aim at instead of a server of our own, or None."""
    return os.environ.get("STATOR_ENDPOINT")


def clean_environment(extra=None):
    """Our environment without STATOR_* (they would be read as flags), plus `extra`."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("STATOR_")}
    environment.update(extra or {})
    return environment


def free_port():
    """A number for those that cannot be told 0; somebody else may take it in between."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def run_to_end(*flags, env=None, cwd=None, prefix=(), preexec=None):
    """Runs the binary with flags that make it end by itself."""
    return subprocess.run(
        [*prefix, binary(), *map(str, flags)],
        env=clean_environment(env),
        cwd=cwd,
        preexec_fn=preexec,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=STOP_DEADLINE_S,
    )


def assert_whole(folder):
    """`stator check` finds nothing wrong with a data folder."""
    checked = run_to_end("check", folder)
    assert checked.returncode == 0, f"stator check: {checked.stdout} {checked.stderr}"


def wait_until(condition, deadline_s=START_DEADLINE_S, what="condition", pause_s=0.005):
    """Polls until `condition()` is true and returns its value; fails at the deadline."""
    end = time.monotonic() + deadline_s
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"{what}: not reached within {deadline_s} s"
        select.select([], [], [], pause_s)


class Server:
    """One running server process."""

    controllable = True

    def __init__(self, *flags, env=None, cwd=None, prefix=(), add_port=True, preexec=None,
                 program=None):
        command = [*map(str, prefix), program or binary(), *map(str, flags)]
        if add_port:
            command += ["--port", "0"]
        self._stderr = tempfile.TemporaryFile()
        self.stdout_text = b""
        self.process = subprocess.Popen(
            command,
            env=clean_environment(env),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            preexec_fn=preexec,
        )
        self.pid = self.process.pid
        try:
            self.endpoint = self._wait_for_address()
        except BaseException:
            self.kill()
            raise
        address = self.endpoint.split("://", 1)[1].rstrip("/")
        self.scheme = self.endpoint.split("://", 1)[0]
        self.host, port = address.rsplit(":", 1)
        self.host = self.host.strip("[]")
        self.port = int(port)

    def _wait_for_address(self):
        end = time.monotonic() + START_DEADLINE_S
        while True:
            found = LISTENING.search(self.stdout_text)
            if found and b"\n" in self.stdout_text[found.start():]:
                return found.group(1).decode()
            left = end - time.monotonic()
            assert left > 0, f"no address after {START_DEADLINE_S} s: {self.stdout_text!r} {self.log()}"
            readable, _, _ = select.select([self.process.stdout], [], [], left)
            if readable:
                block = os.read(self.process.stdout.fileno(), 65536)
                assert block, f"the server ended: status {self.process.wait()}, log: {self.log()}"
                self.stdout_text += block

    def log(self):
        """Everything written to stderr so far."""
        self._stderr.seek(0)
        return self._stderr.read().decode(errors="replace")

    def wait_for_log(self, pattern):
        """Waits until a line of the log matches `pattern` and returns all matching lines."""
        expression = re.compile(pattern)

        def matching():
            return [line for line in self.log().splitlines() if expression.search(line)]

        return wait_until(matching, what=f"log line {pattern!r}")

    def signal(self, number):
        self.process.send_signal(number)

    def wait(self):
        """Waits for the end; returns the exit status (negative: killed by that signal).
        Fails when a sanitizer had something to say."""
        status = self.process.wait(timeout=STOP_DEADLINE_S)
        if not self.process.stdout.closed:
            self.stdout_text += self.process.stdout.read()
            self.process.stdout.close()
        found = SANITIZER_REPORT.search(self.log())
        assert not found, f"{found[0]}\n{self.log()[-6000:]}"
        return status

    def stop(self):
        """SIGTERM and the exit status."""
        if self.process.poll() is None:
            self.signal(signal.SIGTERM)
            if os.environ.get("STATOR_SANITIZED") == "tsan":
                self._signal_again_if_lost(signal.SIGTERM)
        return self.wait()

    def _signal_again_if_lost(self, number):
        """The thread sanitizer puts off a signal that comes outside a system call, and at times forgets it: strace shows
        the signal and no handler. A server that got one ends itself within a second."""
        try:
            self.process.wait(timeout=LOST_SIGNAL_S)
        except subprocess.TimeoutExpired:
            self.signal(number)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        return self.wait()

    def memory_kb(self, field="VmHWM"):
        """A figure of /proc/PID/status: VmHWM is the largest, VmRSS the present resident size."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith(field + ":"):
                return int(line.split()[1])
        raise AssertionError(f"no {field} for process {self.pid}")

    def memory_is_meaningful(self):
        """False under a sanitizer, which keeps freed memory on purpose."""
        maps = Path(f"/proc/{self.pid}/maps").read_text()
        return not re.search(r"lib[at]san", maps)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.kill()
        else:
            status = self.stop()
            assert status == 0, f"ended with status {status}: {self.log()[-2000:]}"


class GivenServer:
    """The server of STATOR_ENDPOINT; it is used and otherwise left alone."""

    controllable = False

    def __init__(self, endpoint):
        self.endpoint = endpoint.rstrip("/")
        self.scheme, address = self.endpoint.split("://", 1)
        host, _, port = address.rpartition(":")
        self.host = (host or address).strip("[]")
        self.port = int(port) if host else (443 if self.scheme == "https" else 80)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def default_server(*flags):
    """The server most tests share: our own with `flags`, or the one of STATOR_ENDPOINT."""
    if given_endpoint():
        return GivenServer(given_endpoint())
    return Server(*flags)
