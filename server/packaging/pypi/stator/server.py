# SPDX-License-Identifier: Apache-2.0
"""A server as an object. Its program is $STATOR, else the one that came with this package, else `stator` on PATH."""

import contextlib
import json
import os
import re
import subprocess
import sysconfig
import tempfile
import threading
import urllib.error
import urllib.request
import uuid

START_DEADLINE_S, STOP_DEADLINE_S, ADMIN_DEADLINE_S = 30, 10, 60


def program():
    """Where the program is, as a path or a name to be found on PATH."""
    if os.environ.get("STATOR"):
        return os.environ["STATOR"]
    beside = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # pip install --target
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"),
               os.path.join(beside, "bin")]
    candidates = (os.path.join(folder, "stator") for folder in folders)
    return next((path for path in candidates if os.access(path, os.X_OK)), "stator")


class Stator:
    """A running server with data in memory, on a free port; `with` or stop() ends it.

    flags are those of `stator --help`. Each access key sees tables of its own. The constructor returns when the
    server listens and raises RuntimeError with its log when it does not. It does not outlive this process, however
    that ends.
    """

    def __init__(self, *flags):
        command = [program(), "--port", "0", "--isolate", "key", *flags]
        self._log = tempfile.TemporaryFile("w+", errors="replace")
        self._server = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log, text=True)
        # Its standard input closes when this process ends in whatever way; then it ends the server.
        self._guard = subprocess.Popen(
            ["sh", "-c", 'read _; kill "$0"', str(self._server.pid)], stdin=subprocess.PIPE)
        with self._killed_after(START_DEADLINE_S):
            lines = (re.search(r"listening on (\S+)", line) for line in self._server.stdout)
            found = next(filter(None, lines), None)
            if not found:
                raise RuntimeError(f"{command} did not listen: {self._wait()}")
        self.endpoint = found[1]

    @property
    def endpoint_url(self):
        """The endpoint by boto3's name for it."""
        return self.endpoint

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @contextlib.contextmanager
    def _killed_after(self, deadline_s):
        timer = threading.Timer(deadline_s, self._server.kill)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _wait(self):
        """Waits for the end of the server; returns its status and log."""
        self._server.communicate()
        self._guard.kill()
        self._guard.communicate()
        with self._log as log:
            log.seek(0)
            return f"status {self._server.returncode}\n{log.read()}"

    def stop(self):
        """Ends the server and waits for it; raises RuntimeError when its status is not 0."""
        self._server.terminate()
        with self._killed_after(STOP_DEADLINE_S):
            outcome = self._wait()
        if self._server.returncode != 0:
            raise RuntimeError(f"{self._server.args} ended with {outcome}")

    def new_database(self):
        """Settings of a client for an empty database: its access key is new, and keys share nothing."""
        return {"endpoint_url": self.endpoint, "region_name": "us-east-1",
                "aws_access_key_id": uuid.uuid4().hex, "aws_secret_access_key": "any"}

    def clock(self, **move):
        """Moves the time of all its databases, and returns it: time, mode and rate."""
        return self._admin("clock", move or None)

    def reset(self, **owner):
        """Removes all tables, or those of an access_key; returns how many."""
        return self._admin("reset", owner)["tables"]

    def mark(self, name="seeded"):
        """Remembers the state of all its databases, and the time if it is moved later."""
        self._admin(f"marks/{name}", {})

    def rollback(self, name="seeded"):
        """Goes back to it; it may be gone back to again."""
        self._admin(f"marks/{name}/rollback", {})

    def _admin(self, path, body):
        data = None if body is None else json.dumps(body).encode()
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with direct.open(f"{self.endpoint}/_stator/{path}", data, ADMIN_DEADLINE_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path} {body}: {error.read().decode()}") from None
