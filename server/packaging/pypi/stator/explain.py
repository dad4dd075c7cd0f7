# SPDX-License-Identifier: Apache-2.0
"""Why the requests of a test failed, for the report of a test that did."""

from __future__ import annotations

from typing import Any, Dict, List, Set, Tuple

from stator.server import Stator

SHOWN_MAX = 20  # requests
DATABASES_MAX = 50  # that are asked about, the last ones
GONE_MAX = 200  # requests of servers that were stopped
TITLE = "Stator: requests of this test that failed"


class Explainer:
    """Knows which databases this process has made, and which of their requests are older than the test that runs."""

    def __init__(self) -> None:
        self._databases: List[Tuple[Stator, str]] = []
        self._gone: List[Dict[str, Any]] = []  # what servers knew before they were stopped
        self._before: Set[str] = set()

    def install(self) -> None:
        Stator.on_database, Stator.on_stop = self._remember, self._before_stop  # type: ignore[assignment]

    def uninstall(self) -> None:
        Stator.on_database = Stator.on_stop = None

    def begin(self) -> None:
        """A test begins: what databases of a wider scope have failed at before is not its own."""
        self._gone = []
        self._before = {one["request_id"] for one in self._failures(self._databases)}

    def explain(self) -> str:
        """A text like that of `stator explain`; empty: no request of the test has failed."""
        failures = self._gone + self._failures(self._databases)
        failures = sorted((one for one in failures if one["request_id"] not in self._before), key=lambda one: one["time"])
        left = len(failures) - SHOWN_MAX
        lines = [f"({left} before these)"] if left > 0 else []
        for one in failures[-SHOWN_MAX:]:
            words = " ".join(str(one[name]) for name in ("time", "status", "operation", "table", "error") if one.get(name))
            lines.append(words + (f": {one['message']}" if one.get("message") else ""))
            lines += [f"  -> {hint}" for hint in one.get("hints", ())]
            lines.append(f"  id {one['request_id']}")
        return "\n".join(lines)

    def forget(self, access_key: str) -> None:
        """A database that no other test will use."""
        self._databases = [one for one in self._databases if one[1] != access_key]

    def _remember(self, server: Stator, access_key: str) -> None:
        self._databases = [*self._databases, (server, access_key)][-DATABASES_MAX:]

    def _before_stop(self, server: Stator) -> None:
        of_server = [one for one in self._databases if one[0] is server]
        self._databases = [one for one in self._databases if one[0] is not server]
        self._gone = (self._gone + self._failures(of_server))[-GONE_MAX:]

    @staticmethod
    def _failures(databases: List[Tuple[Stator, str]]) -> List[Dict[str, Any]]:
        """Of a server that is gone, or was started with --explain 0, none."""
        found: List[Dict[str, Any]] = []
        for server, access_key in databases:
            try:
                found += server.failures(access_key)
            except (OSError, RuntimeError, ValueError):
                pass
        return found
