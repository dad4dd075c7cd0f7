"""One way to call the server through any SDK.

An SDK's agent is a program that reads calls from its standard input and writes answers to its standard
output, one JSON object per line, each call as soon as it comes. Binary values are in base64, moments are
{"$date": seconds}.

    {"id": 1, "call": "GetItem", "input": {"TableName": "t", "Key": {"pk": {"S": "a"}}}}
    {"id": 1, "output": {"Item": {…}}, "status": 200, "requestId": "…"}
    {"id": 1, "error": "ResourceNotFoundException", "message": "…", "typed": true, "status": 400, "requestId": "…"}
    {"id": 1, "broken": "what went wrong without an answer of the server"}

Calls are those of DynamoDB and of DynamoDB Streams. `typed` says that the error has a class of its own in the SDK. A cancelled transaction's answer has its
CancellationReasons as `reasons`.
"""

import base64
import itertools
import json
import re
import subprocess
import threading
from concurrent.futures import Future
from datetime import datetime

from botocore.exceptions import ClientError

from server_process import wait_until

DEADLINE_S = 120
REQUEST_ID = re.compile(r"[0-9A-Z]{52}")
UNTYPED = ("ValidationException",)  # not in the model, so no SDK has a class for it


class Refused(Exception):
    """An error of the service; `reasons` are those of a cancelled transaction, or None."""

    def __init__(self, code, message, reasons=None):
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.reasons = code, message, reasons


def words(operation):
    """PutItem as boto3 says it: put_item."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", operation).lower()


class Agent:
    """Calls through a program."""

    def __init__(self, command, folder, environment):
        self.ids, self.waiting, self.lock = itertools.count(1), {}, threading.Lock()
        self.ended = False
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, encoding="utf-8")
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            answer = json.loads(line)
            self.waiting.pop(answer.pop("id")).set_result(answer)
        self.ended = True
        for future in list(self.waiting.values()):
            future.set_exception(EOFError("the agent has ended"))

    def exchange(self, operation, members):
        """The answer as it comes."""
        number, future = next(self.ids), Future()
        self.waiting[number] = future
        line = json.dumps({"id": number, "call": operation, "input": members}) + "\n"
        with self.lock:
            assert not self.ended, "the agent has ended"
            self.process.stdin.write(line)
            self.process.stdin.flush()
        return future.result(DEADLINE_S)

    def call(self, operation, members):
        """The output, as JSON has it; Refused when the service refuses."""
        answer = self.exchange(operation, members)
        assert "broken" not in answer, answer["broken"]
        assert REQUEST_ID.fullmatch(answer["requestId"]), answer
        if "output" in answer:
            assert answer["status"] == 200, answer
            return answer["output"]
        assert (answer["status"], answer["typed"]) == (400, answer["error"] not in UNTYPED), answer
        raise Refused(answer["error"], answer["message"], answer.get("reasons"))

    def close(self):
        """Ends the program, which must be content."""
        self.process.stdin.close()
        assert self.process.wait(DEADLINE_S) == 0, "the agent was not content: see its standard error"


class Boto3:
    """Calls through boto3."""

    def __init__(self, client):
        self.client = client

    def call(self, operation, members):
        try:
            output = getattr(self.client, words(operation))(**decoded(members))
            refused, metadata, status = None, output.pop("ResponseMetadata"), 200
        except ClientError as error:
            code, message = error.response["Error"]["Code"], error.response["Error"]["Message"]
            assert hasattr(self.client.exceptions, code) == (code not in UNTYPED), code
            refused = Refused(code, message, encoded(error.response.get("CancellationReasons")))
            metadata, status = error.response["ResponseMetadata"], 400
        assert (metadata["HTTPStatusCode"], metadata["RetryAttempts"]) == (status, 0), metadata
        assert REQUEST_ID.fullmatch(metadata["RequestId"]), metadata
        if refused:
            raise refused
        return encoded(output)


def decoded(value):
    """JSON with its binary values as bytes."""
    if isinstance(value, list):
        return [decoded(v) for v in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("B"), str):
        return {"B": base64.b64decode(value["B"])}
    if isinstance(value.get("BS"), list):
        return {"BS": [base64.b64decode(v) for v in value["BS"]]}
    return {name: decoded(v) for name, v in value.items()}


def encoded(value):
    if isinstance(value, (list, tuple)):
        return [encoded(v) for v in value]
    if isinstance(value, dict):
        return {name: encoded(v) for name, v in value.items()}
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return {"$date": value.timestamp()} if isinstance(value, datetime) else value


class Client:
    """Looks like a client of boto3, as far as the scenarios need one, and calls through an agent."""

    class Exceptions:
        """An exception for each code: exceptions.ConditionalCheckFailedException."""

        def __getattr__(self, code):
            made = type(code, (Refused,), {})
            setattr(self, code, made)
            return made

    def __init__(self, agent):
        self.agent, self.exceptions = agent, Client.Exceptions()

    def __getattr__(self, name):
        operation = "".join(word.title() for word in name.split("_"))

        def call(**members):
            try:
                return decoded(self.agent.call(operation, encoded(members)))
            except Refused as error:
                raise getattr(self.exceptions, error.code)(error.code, error.message, error.reasons) from error

        return call

    def get_waiter(self, name):
        client = self

        def there(table):
            try:
                return client.describe_table(TableName=table)["Table"]["TableStatus"] == "ACTIVE"
            except client.exceptions.ResourceNotFoundException:
                return None

        class Waiter:
            """The waiters table_exists and table_not_exists."""

            def wait(self, TableName, WaiterConfig):  # pylint: disable=invalid-name
                end = {"table_exists": True, "table_not_exists": None}[name]
                wait_until(lambda: there(TableName) is end, WaiterConfig["MaxAttempts"], name, 0.05)

        return Waiter()
