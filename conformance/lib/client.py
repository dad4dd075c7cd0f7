"""A small DynamoDB client on raw_client: plain JSON in, plain JSON out, members of any age."""

from raw_client import Closed, Connection, authorization, request
from server_process import wait_until


class Client:
    """One keep-alive connection, signed (not verified) for `region` with access key `key`."""

    def __init__(self, server, region="us-east-1", key="key"):
        self.server = server
        self.headers = {"Authorization": authorization(region, key)}
        self.connection = None

    def send(self, operation, body):
        """The raw answer; a connection that was closed while idle is opened again."""
        data = request(operation, body, self.headers)
        for fresh in (False, True):
            if self.connection is None:
                self.connection = Connection(self.server)
                fresh = True
            try:
                return self.connection.exchange(data)
            except (Closed, BrokenPipeError, ConnectionResetError):
                self.close()
                if fresh:
                    raise
        raise AssertionError("not reached")

    def ok(self, operation, **members):
        """The decoded answer of a call that must succeed."""
        answer = self.send(operation, members)
        assert answer.status == 200, f"{operation}: {answer.status} {answer.body[:600]!r}"
        return answer.json() if answer.body else {}

    def error(self, operation, **members):
        """(status, error name, message) of a call that must fail."""
        answer = self.send(operation, members)
        assert answer.status != 200, f"{operation} succeeded: {answer.body[:600]!r}"
        return answer.error()

    def create_table(self, name, sort_key=None, **members):
        """A table with the string key pk (and a string sort key), on demand unless told."""
        definitions = [{"AttributeName": "pk", "AttributeType": "S"}]
        schema = [{"AttributeName": "pk", "KeyType": "HASH"}]
        if sort_key:
            definitions.append({"AttributeName": sort_key, "AttributeType": "S"})
            schema.append({"AttributeName": sort_key, "KeyType": "RANGE"})
        if "ProvisionedThroughput" not in members:
            members.setdefault("BillingMode", "PAY_PER_REQUEST")
        members.setdefault("AttributeDefinitions", definitions)
        members.setdefault("KeySchema", schema)
        return self.ok("CreateTable", TableName=name, **members)["TableDescription"]

    def describe(self, name):
        return self.ok("DescribeTable", TableName=name)["Table"]

    def wait_active(self, name):
        wait_until(lambda: self.describe(name)["TableStatus"] == "ACTIVE", what=f"{name} ACTIVE")

    def wait_gone(self, name):
        def gone():
            answer = self.send("DescribeTable", {"TableName": name})
            return answer.status == 400 and answer.error()[1] == "ResourceNotFoundException"

        wait_until(gone, what=f"{name} gone")

    def table_names(self):
        names, start = [], {}
        while True:
            page = self.ok("ListTables", **start)
            names += page["TableNames"]
            if "LastEvaluatedTableName" not in page:
                return names
            start = {"ExclusiveStartTableName": page["LastEvaluatedTableName"]}

    def drop_table(self, name):
        """Deletes a table whatever protects it; a missing one is fine."""
        answer = self.send("DescribeTable", {"TableName": name})
        if answer.status == 400:
            return
        if answer.json()["Table"].get("DeletionProtectionEnabled"):
            self.ok("UpdateTable", TableName=name, DeletionProtectionEnabled=False)
        self.ok("DeleteTable", TableName=name)
        self.wait_gone(name)

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None
