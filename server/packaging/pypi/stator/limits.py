# SPDX-License-Identifier: Apache-2.0
"""A server whose client may do what a policy allows: a run that needs more fails, and tells all that is missing."""

from __future__ import annotations

import json
import tempfile
import uuid
from typing import Any, Dict, List

from stator.server import Stator

ACCOUNT = "000000000000"


class Limits:
    """Settings of clients on a server of their own; `with` or stop() ends it.

    `database` is of a client with these policies, each a document as a dict or in JSON, and `owner` of one that may do
    everything, to make tables for instance. Both see the same tables. What the policies do not allow is done all the
    same, so that a run shows everything that it needs; with enforce=True it is denied as in the cloud. stop() raises
    AssertionError when more was needed, unless with enforce=True.
    """

    def __init__(self, *policies: Any, enforce: bool = False) -> None:
        self._enforces = enforce
        self._principal = f"arn:aws:iam::{ACCOUNT}:user/limited"
        keys = {name: {"id": uuid.uuid4().hex, "secret": uuid.uuid4().hex} for name in ("limited", "owner")}
        documents = [json.loads(one) if isinstance(one, str) else one for one in policies]
        content = {"version": 1, "account": ACCOUNT, "principals": [
            {"arn": self._principal, "keys": [keys["limited"]], "policies": documents},
            {"arn": f"arn:aws:iam::{ACCOUNT}:root", "keys": [keys["owner"]]}]}
        token = uuid.uuid4().hex
        with tempfile.NamedTemporaryFile("w") as file:  # its owner alone may read it
            json.dump(content, file)
            file.flush()
            self.server = Stator("--auth", "iam" if enforce else "audit", "--access-file", file.name,
                                 "--console-token", token, "--isolate", "region")
        self.server.token = token
        self.database, self.owner = (self._settings(keys[name]) for name in ("limited", "owner"))

    def _settings(self, key: Dict[str, str]) -> Dict[str, str]:
        return {"endpoint_url": self.server.endpoint, "region_name": "us-east-1",
                "aws_access_key_id": key["id"], "aws_secret_access_key": key["secret"]}

    def missing(self) -> List[str]:
        """What was needed and not allowed so far, "dynamodb:Scan on arn:…"."""
        found = self.server._admin("access/report?only=denied&principal=" + self._principal, None)["principals"]
        return [f"{use['action']} on {use['resource']}" for one in found for use in one["uses"]]

    def stop(self) -> None:
        """Ends the server; raises AssertionError when more was needed than the policies allow."""
        try:
            missing = [] if self._enforces else self.missing()
        finally:
            self.server.stop()
        if missing:
            raise AssertionError("the policy lacks what this run needed:\n  " + "\n  ".join(missing))

    def __enter__(self) -> Limits:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.stop()
        else:  # which says more than what is missing
            self.server.stop()
