"""Runs `stator import` and its kin; items of every type; what a table holds."""

import http.server
import re
import subprocess
import threading

import table_content
from server_process import STOP_DEADLINE_S, binary, clean_environment

# One of every type, and what the forms of files could mistake.
ATTRIBUTES = {
    **table_content.ATTRIBUTES,
    "s": {"S": "text, with \"quotes\", a comma, a line\nbreak, \\ and \u00fc\U0001F600"},
    "zero": {"N": "0"},
    "nob": {"B": ""},
    "no": {"BOOL": False},
    "ss": {"SS": ["", "a", "b,c", "d\"e"]},
    "m": {"M": {"a": {"M": {"b": {"L": [{"B": "AQ=="}]}}}, "type:N": {"S": "S"}, "S": {"S": "x"}}},
    "colon:N": {"S": "no number"},
    "Item": {"S": "an attribute of that name"},
    "Items": {"L": []},
}


def items_of_every_type():
    """An item for each type alone, one with all of them, one with nothing but its key."""
    items = [{"pk": {"S": f"only {name}"}, "sk": {"N": "1"}, name: value}
             for name, value in ATTRIBUTES.items()]
    items.append({"pk": {"S": "all"}, "sk": {"N": "-1.5"}, **ATTRIBUTES})
    items.append({"pk": {"S": "none"}, "sk": {"N": "0"}})
    # One name, several types.
    items += [{"pk": {"S": "mixed"}, "sk": {"N": str(number)}, "mix": value}
              for number, value in enumerate(ATTRIBUTES.values())]
    return items


# What plain JSON can say.
PLAIN_NAMES = ["s", "empty", "n", "small", "zero", "large", "yes", "no", "nil", "colon:N", "Item", "Items"]


def plain_items():
    return [{"pk": {"S": f"only {name}"}, "sk": {"N": "1"}, name: ATTRIBUTES[name]}
            for name in PLAIN_NAMES]


def key_of(item):
    return (str(item["pk"]), str(item.get("sk")))


def ordered(items):
    """Sets as sets, items by key: what equality means."""
    def plain(value):
        (kind, content), = value.items()
        if kind in ("SS", "NS", "BS"):
            return {kind: sorted(content)}
        if kind == "L":
            return {kind: [plain(element) for element in content]}
        if kind == "M":
            return {kind: {name: plain(member) for name, member in content.items()}}
        return value

    return sorted(({name: plain(value) for name, value in item.items()} for item in items), key=key_of)


def all_items(client, table):
    """All items of a table, by a client on plain JSON."""
    items, start = [], {}
    while True:
        answer = client.ok("Scan", TableName=table, ConsistentRead=True, **start)
        items += answer["Items"]
        if "LastEvaluatedKey" not in answer:
            return items
        start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}


def put_all(client, table, items):
    for begin in range(0, len(items), 25):
        requests = [{"PutRequest": {"Item": item}} for item in items[begin:begin + 25]]
        assert client.ok("BatchWriteItem", RequestItems={table: requests})["UnprocessedItems"] == {}


class OwnEndpoint:
    """A server of the test's own. `answer` returns the body of a response, or None to end the connection without one."""

    def __init__(self):
        endpoint = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                self.rfile.read(int(self.headers["Content-Length"]))
                text = endpoint.answer(self)
                if text is None:
                    self.close_connection = True
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_):
                pass

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


class SilentEndpoint(OwnEndpoint):
    """Answers so many calls as a table that has all that a description may tell, in pages that never end, and then takes
    them without a word."""

    ANSWER = (b'{"TableNames":[],"LastEvaluatedTableName":"t","Items":[],"LastEvaluatedKey":{"pk":{"S":"a"}},"Table":{'
              b'"TableStatus":"ACTIVE","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],'
              b'"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]}}')

    def __init__(self, answers):
        super().__init__()
        self.answers = answers
        self.asked = 0

    def answer(self, request):
        self.asked += 1
        if self.asked <= self.answers:
            return self.ANSWER
        request.rfile.read(1)  # until it gives up
        return None


# The line of an import for each file.
IS_READ_AS = re.compile(r"(?!stator: ).+ is read as ")


class Program:
    """The program as a command. `timeout_s`: how long one may take."""

    def __init__(self, endpoint, folder):
        self.endpoint = endpoint
        self.folder = folder
        self.timeout_s = 4 * STOP_DEADLINE_S

    def run(self, *arguments, stdin=None, endpoint=True, env=None):
        """The finished process; its working folder is the test's."""
        words = [*map(str, arguments), *(["--endpoint-url", self.endpoint] if endpoint else [])]
        return subprocess.run([binary(), *words], cwd=self.folder, env=clean_environment(env),
                              input=stdin if stdin is not None else "", capture_output=True,
                              text=True, timeout=self.timeout_s)

    def done(self, *arguments, **options):
        """The line on stdout of a command that must succeed."""
        result = self.run(*arguments, **options)
        assert result.returncode == 0, (result.stdout, result.stderr)
        return result.stdout

    def refused(self, *arguments, status=1, **options):
        """The lines on stderr of a command that must fail, without those that say what an import takes its files for."""
        result = self.run(*arguments, **options)
        assert result.returncode == status, (result.returncode, result.stdout, result.stderr)
        return [line for line in result.stderr.splitlines() if not IS_READ_AS.match(line)]

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return name
