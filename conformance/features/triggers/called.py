"""Functions for triggers: a web server that is called instead of AWS Lambda, and a Stator that calls it."""

import itertools
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import boto3
from botocore.config import Config

from admin import Admin
from definitions import attributes, key_schema, wait

NUMBERS = itertools.count(1)
BEGIN = "2027-01-01T00:00:00Z"


class Reply:
    """What a function answers: by default success without a body."""

    def __init__(self, status=200, body="", headers=None):
        self.status = status
        self.body = body if isinstance(body, str) else json.dumps(body)
        self.headers = headers or {}


def error(kind="Unhandled"):
    """The answer of a function that raised an exception."""
    return Reply(200, {"errorType": "Bad", "errorMessage": "no"}, {"X-Amz-Function-Error": kind})


class Functions:
    """Serves http://127.0.0.1:PORT/NAME for any name, and remembers what each got, in order."""

    def __init__(self):
        self.events = {}
        self.headers = {}
        self._answers = {}
        self._lock = threading.Lock()
        functions = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                reply = functions._take(self.path.strip("/"), body, self.headers)
                data = reply.body.encode()
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        class Quiet(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                """Callers are killed in the middle of an answer."""

        self._server = Quiet(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def _take(self, name, body, headers):
        event = json.loads(body) if body[:1] in b"{[" else body.decode()
        with self._lock:
            self.events.setdefault(name, []).append(event)
            self.headers[name] = dict(headers)
            number = len(self.events[name])
            answer = self._answers.get(name)
        return (answer(event, number) if answer else None) or Reply()

    def answer(self, name, answer):
        """answer(event, number of the call from 1) returns a Reply, or None for success."""
        self._answers[name] = answer

    def url(self, name):
        return f"http://127.0.0.1:{self.port}/{name}"

    def calls(self, name="f"):
        """Each call as the list of its records' keys."""
        with self._lock:
            return [[keys_of(r) for r in e.get("Records", [])] for e in self.events.get(name, [])]

    def records(self, name="f"):
        with self._lock:
            return [record for event in self.events.get(name, []) for record in event.get("Records", [])]

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def keys_of(record):
    return record["dynamodb"]["Keys"]["pk"]["S"]


def keys(count, name="k"):
    return [f"{name}{number:04}" for number in range(count)]


def fill(world, table, names):
    for name in names:
        world.put(table, name)


def flat(calls):
    return [key for call in calls for key in call]


def function_flags(functions, names=("f", "g")):
    return [word for name in names for word in ("--function", f"{name}={functions.url(name)}")]


class World:
    """A server with tables that have streams, and mappings to functions."""

    def __init__(self, server, functions):
        self.server = server
        self.functions = functions
        self.admin = Admin(server)
        config = Config(connect_timeout=10, read_timeout=60, retries={"max_attempts": 0})
        members = {"endpoint_url": server.endpoint, "region_name": "us-east-1", "config": config}
        session = boto3.session.Session()
        self.db = session.client("dynamodb", **members)
        self.lambdas = session.client("lambda", **members)
        self.streams = session.client("dynamodbstreams", **members)
        self.failures_seen = 0

    def table(self, name=None):
        name = name or f"triggers_{next(NUMBERS)}"
        self.db.create_table(
            TableName=name, BillingMode="PAY_PER_REQUEST", KeySchema=key_schema("pk"),
            AttributeDefinitions=attributes("pk:S"),
            StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"})
        wait(self.db, "table_exists", name)
        return name

    def stream(self, table):
        return self.db.describe_table(TableName=table)["Table"]["LatestStreamArn"]

    def map(self, table, function="f", **members):
        """Makes a mapping from the beginning of the stream; returns its UUID."""
        members.setdefault("StartingPosition", "TRIM_HORIZON")
        return self.lambdas.create_event_source_mapping(
            EventSourceArn=self.stream(table), FunctionName=function, **members)["UUID"]

    def put(self, table, key, **values):
        item = {"pk": {"S": key}, **{name: {"S": str(value)} for name, value in values.items()}}
        self.db.put_item(TableName=table, Item=item)

    def settle(self):
        """Waits until all is delivered or waits for something; the states by mapping."""
        settled = self.admin.ok("triggers/settle", {"timeout_ms": 30000})
        assert settled["settled"], settled
        return {mapping["mapping"]: mapping for mapping in settled["mappings"]}

    def invocations(self):
        return self.admin.ok("triggers/invocations")["invocations"]

    def failures(self):
        return self.admin.ok("triggers/failures")["failures"]

    def processes(self):
        """How many processes the function of the first mapping has."""
        mappings = self.admin.ok("triggers")["mappings"]
        return mappings[0]["runtimes"] if mappings else None

    def result(self, uuid):
        return self.lambdas.get_event_source_mapping(UUID=uuid)["LastProcessingResult"]
