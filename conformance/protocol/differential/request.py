"""One request of a session."""

import json


class Request:
    """What is sent: `body` is a dictionary, or bytes when it is not to be JSON. `compared`: whether the
    answers tell something new."""

    def __init__(self, operation, body, headers=None, pages=0, compared=True):
        self.operation, self.body = operation, body
        self.headers, self.pages, self.compared = headers or {}, pages, compared

    def target(self):
        return self.headers.get("X-Amz-Target", f"DynamoDB_20120810.{self.operation}") or ""

    def payload(self):
        if isinstance(self.body, bytes):
            return self.body
        return json.dumps(self.body, separators=(",", ":")).encode()

    def table_names(self):
        """The tables that a well-formed request is about."""
        body = self.body if isinstance(self.body, dict) else {}
        given = [body.get("TableName"), *(body["RequestItems"] if isinstance(body.get("RequestItems"), dict) else ())]
        if isinstance(body.get("TransactItems"), list):
            actions = (entry for entry in body["TransactItems"] if isinstance(entry, dict))
            given += [one.get("TableName") for entry in actions for one in entry.values() if isinstance(one, dict)]
        return [name.rpartition("/")[2] for name in given if isinstance(name, str)]
