# SPDX-License-Identifier: Apache-2.0
"""The variables by which boto3's clients find their server, for applications that make clients of their own."""

from __future__ import annotations

import importlib.metadata
import os
import re
import sys
from typing import Any, Dict, Optional

OLDEST_BOTOCORE = (1, 31)  # of boto3 1.28, the first that reads the endpoint of one service from the environment
# What would lead a client past the others, or is the user's own.
UNSET = ("AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN", "AWS_ACCOUNT_ID",
         "AWS_ACCOUNT_ID_ENDPOINT_MODE", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "AWS_USE_FIPS_ENDPOINT",
         "AWS_USE_DUALSTACK_ENDPOINT")


def variables(database: Dict[str, str]) -> Dict[str, str]:
    """Those of a database, as Stator.new_database() returns it."""
    return {"AWS_ENDPOINT_URL_DYNAMODB": database["endpoint_url"],
            "AWS_ENDPOINT_URL_DYNAMODB_STREAMS": database["endpoint_url"],
            "AWS_ACCESS_KEY_ID": database["aws_access_key_id"],
            "AWS_SECRET_ACCESS_KEY": database["aws_secret_access_key"],
            "AWS_REGION": database["region_name"], "AWS_DEFAULT_REGION": database["region_name"]}


class Environment:
    """Makes a database that of each client which is given no settings, in this process, until restore()."""

    def __init__(self, database: Dict[str, str]) -> None:
        refuse_old_botocore()
        self.database = database
        wanted = variables(database)
        self._before: Dict[str, Optional[str]] = {name: os.environ.get(name) for name in (*wanted, *UNSET)}
        self._session = _swap_default_session(None)
        _set({**dict.fromkeys(UNSET), **wanted})

    def restore(self) -> None:
        """Sets the variables to what they were."""
        _set(self._before)
        _swap_default_session(self._session)


def _set(wanted: Dict[str, Optional[str]]) -> None:
    for name, value in wanted.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _swap_default_session(session: Any) -> Any:
    """boto3's own keeps the keys that it has found once."""
    boto3 = sys.modules.get("boto3")
    if boto3 is None:
        return None
    before, boto3.DEFAULT_SESSION = boto3.DEFAULT_SESSION, session  # type: ignore[attr-defined]
    return before


def refuse_old_botocore() -> None:
    """Its clients would go on to the cloud."""
    try:
        version = importlib.metadata.version("botocore")
    except importlib.metadata.PackageNotFoundError:
        return
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < OLDEST_BOTOCORE:
        raise RuntimeError(f"no Stator server runs for clients of the application: botocore {version} does not read "
                           "AWS_ENDPOINT_URL_DYNAMODB. Take boto3 1.28 or later, or give clients the settings of the "
                           "fixture `database`")
