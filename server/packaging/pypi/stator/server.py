# SPDX-License-Identifier: Apache-2.0
"""A server as an object. Its program is $STATOR, else the one that came with this package, else `stator` on PATH."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import re
import subprocess
import sysconfig
import tempfile
import threading
import urllib.error
import urllib.request
import uuid
from typing import Any, Callable, Dict, Iterator, List, Optional

START_DEADLINE_S, STOP_DEADLINE_S, ADMIN_DEADLINE_S = 30, 10, 60


def program() -> str:
    """Where the program is, as a path or a name to be found on PATH."""
    if os.environ.get("STATOR"):
        return os.environ["STATOR"]
    beside = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # pip install --target
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user"),
               os.path.join(beside, "bin")]
    candidates = (os.path.join(folder, "stator") for folder in folders)
    return next((path for path in candidates if os.access(path, os.X_OK)), "stator")


def elsewhere() -> Optional[str]:
    """The endpoint of the server that $STATOR_ENDPOINT names; None: servers are started here."""
    named = os.environ.get("STATOR_ENDPOINT")
    if not named:
        return None
    if not re.fullmatch(r"https?://[^/]+/?", named):
        raise RuntimeError(f"no Stator server runs: STATOR_ENDPOINT is {named!r}, not http://HOST:PORT")
    return named.rstrip("/")


class Fault:
    """A rule that makes requests fail, see Stator.fault()."""

    def __init__(self, server: Stator, name: str) -> None:
        self._server, self.name = server, name

    @property
    def state(self) -> Dict[str, Any]:
        """The rule and what it did, as GET /_stator/faults/NAME tells."""
        return self._server._admin(f"faults/{self.name}", None)

    @property
    def fired(self) -> int:
        """How many requests it made fail."""
        return self.state["fired"]


class Stator:
    """A running server with data in memory, on a free port; `with` or stop() ends it.

    flags are those of `stator --help`. Each access key sees tables of its own. The constructor returns when the
    server listens and raises RuntimeError with its log when it does not. It does not outlive this process, however
    that ends. Where $STATOR_ENDPOINT names a server, it is that one, which stop() leaves running.
    """

    endpoint: str
    token: Optional[str] = None  # of --console-token, where the server needs it
    # Called with each database that is made and each server that is about to stop, for the plug-in.
    on_database: Optional[Callable[[Stator, str], None]] = None
    on_stop: Optional[Callable[[Stator], None]] = None

    def __init__(self, *flags: str) -> None:
        self._server: Optional[subprocess.Popen] = None  # None: it was started elsewhere
        there = elsewhere()
        if there:
            self._attach(there, flags)
        else:
            self._launch(flags)

    def _attach(self, endpoint: str, flags: tuple) -> None:
        if flags:
            raise RuntimeError(f"the server of STATOR_ENDPOINT, {endpoint}, runs already and takes no flags: "
                               + " ".join(flags))
        self.endpoint = endpoint
        try:
            self.reset(access_key=uuid.uuid4().hex)  # nobody's; a server that shares tables between keys refuses
        except (RuntimeError, OSError, ValueError) as error:
            raise RuntimeError("no Stator server runs: STATOR_ENDPOINT names none for tests, start it with "
                               f"--isolate key: {endpoint}: {error}") from None

    def _launch(self, flags: tuple) -> None:
        isolation = () if "--isolate" in flags else ("--isolate", "key")
        command = [program(), "--port", "0", *isolation, *flags]
        self._log = tempfile.TemporaryFile("w+", errors="replace")
        try:
            self._server = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log, text=True)
        except FileNotFoundError:
            raise RuntimeError(
                f"no Stator server runs: there is no program {command[0]!r} here ({platform.system()} on "
                f"{platform.machine()}). The variable STATOR may name a program, and STATOR_ENDPOINT a server that runs "
                "elsewhere") from None
        # Its standard input closes when this process ends in whatever way; then it ends the server.
        self._guard = subprocess.Popen(
            ["sh", "-c", 'read _; kill "$0"', str(self._server.pid)], stdin=subprocess.PIPE)
        with self._killed_after(START_DEADLINE_S):
            lines = (re.search(r"listening on (\S+)", line) for line in self._server.stdout or ())
            found = next(filter(None, lines), None)
            if not found:
                raise RuntimeError(f"no Stator server runs: {command} did not listen: {self._wait(self._server)}")
        self.endpoint = found[1]

    @property
    def endpoint_url(self) -> str:
        """The endpoint by boto3's name for it."""
        return self.endpoint

    def __enter__(self) -> Stator:
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    @contextlib.contextmanager
    def _killed_after(self, deadline_s: float) -> Iterator[None]:
        assert self._server
        timer = threading.Timer(deadline_s, self._server.kill)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _wait(self, server: subprocess.Popen) -> str:
        """Waits for the end of the server; returns its status and log."""
        server.communicate()
        self._guard.kill()
        self._guard.communicate()
        with self._log as log:
            log.seek(0)
            return f"status {server.returncode}\n{log.read()}"

    def stop(self) -> None:
        """Ends the server and waits for it; raises RuntimeError when its status is not 0."""
        if Stator.on_stop:
            Stator.on_stop(self)
        server = self._server
        if server is None:
            return
        server.terminate()
        with self._killed_after(STOP_DEADLINE_S):
            outcome = self._wait(server)
        if server.returncode != 0:
            raise RuntimeError(f"{server.args!r} ended with {outcome}")

    def new_database(self) -> Dict[str, str]:
        """Settings of a client for an empty database: its access key is new, and keys share nothing."""
        access_key = uuid.uuid4().hex
        if Stator.on_database:
            Stator.on_database(self, access_key)
        return {"endpoint_url": self.endpoint, "region_name": "us-east-1",
                "aws_access_key_id": access_key, "aws_secret_access_key": "any"}

    def failures(self, access_key: str) -> List[Dict[str, Any]]:
        """The last requests of a database that failed, oldest first, as /_stator/requests tells of them."""
        requests = self._admin(f"requests?access_key={access_key}", None)["requests"]
        return [one for one in reversed(requests) if one.get("access_key") == access_key and one["status"] >= 400]

    def clock(self, **move: Any) -> Dict[str, Any]:
        """Moves the time of all its databases, and returns it: time, mode and rate."""
        return self._admin("clock", move or None)

    def reset(self, **owner: str) -> int:
        """Removes all tables, or those of an access_key; returns how many."""
        return self._admin("reset", owner)["tables"]

    def mark(self, name: str = "seeded") -> None:
        """Remembers the state of all its databases, and the time if it is moved later."""
        self._admin(f"marks/{name}", {})

    def rollback(self, name: str = "seeded") -> None:
        """Goes back to it; it may be gone back to again."""
        self._admin(f"marks/{name}/rollback", {})

    def settle(self, timeout_s: float = 30) -> List[Dict[str, Any]]:
        """Waits until functions have got all records of the streams that trigger them; returns the mappings.

        A mapping that waits for something, such as a retry, has the status "blocked" and a reason. Raises AssertionError
        when calls are left after timeout_s.
        """
        settled = self._admin("triggers/settle", {"timeout_ms": int(timeout_s * 1000)})
        if not settled["settled"]:
            raise AssertionError(f"calls of functions are left: {json.dumps(settled['mappings'])}")
        return settled["mappings"]

    @contextlib.contextmanager
    def fault(self, operation: Any = None, *, match: Optional[Dict[str, Any]] = None,
              when: Optional[Dict[str, Any]] = None, times: Optional[int] = None, optional: bool = False,
              **effect: Any) -> Iterator[Fault]:
        """Requests fail on demand inside: with server.fault("PutItem", error="ThrottlingException", times=1).

        match, when and the effect are those of docs/faults.md. Raises AssertionError at the end unless the rule fired,
        and with times, as often; optional=True does not look.
        """
        rule: Dict[str, Any] = {"match": {**(match or {}), **({"operation": operation} if operation else {})},
                                "when": {**(when or {}), **({"times": times} if times else {})}, "effect": effect}
        fault = Fault(self, self._admin("faults", {"name": f"test-{uuid.uuid4().hex}", **rule})["rules"][0]["name"])
        try:
            yield fault
            fired = fault.fired
        finally:
            self._admin(f"faults/{fault.name}/remove", {})
        if not optional and (fired == 0 or (times and fired != times)):
            raise AssertionError(f"the fault fired {fired} times, not {times or 'once or more'}: {json.dumps(rule)}")

    def _admin(self, path: str, body: Optional[dict]) -> Any:
        data = None if body is None else json.dumps(body).encode()
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        headers = {"x-stator-token": self.token} if self.token else {}
        request = urllib.request.Request(f"{self.endpoint}/_stator/{path}", data, headers)
        try:
            with direct.open(request, timeout=ADMIN_DEADLINE_S) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path} {body}: {error.read().decode()}") from None
