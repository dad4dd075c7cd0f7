"""What commands write is there whole or not at all, the same every time, and moves no terminal's cursor."""

import http.server
import json
import os
import resource
import signal
import socketserver
import subprocess
import threading

import pytest

from data_program import SilentEndpoint, all_items, put_all
from server_process import STOP_DEADLINE_S, binary, clean_environment
from test_export import two_tables  # noqa: F401

LARGE = 150  # items of 20 KB


@pytest.fixture
def large_table(program, raw, two_tables):  # noqa: F811
    program.write("in.jsonl", "".join(
        json.dumps({"pk": f"p{i}", "sk": i % 3, "t": os.urandom(10_000).hex()}) + "\n" for i in range(LARGE)))
    program.done("import", two_tables[0], "in.jsonl")
    os.remove(program.folder / "in.jsonl")
    return two_tables[0]


def limited(program, *arguments, size, is_fatal):
    """Runs a command whose files may have that size: beyond it is killed, or its write fails."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL if is_fatal else signal.SIG_IGN)

    return subprocess.run([binary(), *arguments], cwd=program.folder, env=clean_environment(), preexec_fn=limit,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=STOP_DEADLINE_S)


def left(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*")
                  if path.is_file() and path.stat().st_size > 0)


@pytest.mark.parametrize("is_fatal", [True, False], ids=["killed", "disk full"])
@pytest.mark.parametrize("name", ["items.jsonl", "items.jsonl.gz", "items.csv", "out/"])
def test_an_export_that_does_not_end(program, large_table, name, is_fatal):
    program.write(name if name != "out/" else "other", "as it was")
    before = left(program.folder)
    result = limited(program, "export", large_table, name, "--endpoint-url", program.endpoint, size=100_000,
                     is_fatal=is_fatal)
    assert result.returncode == (-signal.SIGXFSZ if is_fatal else 1), result
    assert left(program.folder) == before
    if not is_fatal:
        assert "File too large" in result.stderr


def test_a_backup_that_is_killed(start, program, tmp_path, raw):
    server = start("--db-path", str(tmp_path / "data"))
    program.write("in.jsonl", "".join(json.dumps({"pk": f"p{i}", "t": "x" * 30_000}) + "\n" for i in range(100)))
    program.done("import", "Big", "in.jsonl", "--key", "pk:S", "--endpoint-url", server.endpoint, endpoint=False)
    (tmp_path / "in.jsonl").unlink()
    before = sorted(os.listdir(tmp_path))
    for is_fatal in (True, False):
        result = limited(program, "backup", "--db-path", "data", "copy", size=200_000, is_fatal=is_fatal)
        assert result.returncode != 0
        assert sorted(os.listdir(tmp_path)) == before
    assert subprocess.run([binary(), "backup", "--db-path", "data", "copy"], cwd=tmp_path, capture_output=True).returncode == 0
    assert os.listdir(tmp_path / "copy") == ["data.mdb"]


@pytest.mark.parametrize("flags", [[], ["--format", "scan"], ["--format", "json"], ["--format", "csv"]],
                         ids=lambda flags: " ".join(flags))
def test_the_same_table_gives_the_same_file(program, raw, two_tables, flags):  # noqa: F811
    items = [{"pk": {"S": f"p{i}"}, "sk": {"N": str(i)}, f"a{i % 7}": {"S": "x" * 20_000}} for i in range(200)]
    put_all(raw, two_tables[0], items)
    put_all(raw, two_tables[1], items[::-1])
    texts = {program.done("export", table, "-", *flags, "--segments", segments)
             for table in two_tables for segments in (8, 8, 3, 1)}
    assert len(texts) == 1
    assert len(texts.pop()) > 4_000_000


def test_rejects_that_cannot_be_written(program, two_tables):  # noqa: F811
    program.write("items", '{"pk":1}\n{"pk":"a","sk":1}\n')
    told = program.refused("import", two_tables[0], "items", "--keep-going", "--rejects", "/dev/full")
    assert "stator: /dev/full cannot be written" in told


def test_rejects_are_no_input(program, raw, two_tables):  # noqa: F811
    """The file that is read would be emptied by its first wrong record."""
    text = "".join(f'{{"pk":"p{i}","sk":1,"t":"{"x" * 1000}"}}\n{{}}\n' for i in range(1000))
    program.write("rejects.txt", text)
    told = program.refused("import", two_tables[0], "rejects.txt", "--keep-going")
    assert told[0].startswith("stator: rejects.txt is one of the files to import")
    assert (program.folder / "rejects.txt").read_text() == text
    program.refused("import", two_tables[0], "./rejects.txt", "--keep-going", "--rejects", "others.txt")
    assert len(all_items(raw, two_tables[0])) == 1000


EVIL = "\x1b]0;owned\x07\x1b[2J\r\u202e"


def test_what_is_told_moves_no_cursor(program, two_tables):  # noqa: F811
    """Names of files, columns and attributes, and what a foreign endpoint answers."""
    program.write("evil" + EVIL, "\n{\"pk\":1}\n")
    program.write("head.csv", f"pk,sk,a{EVIL},a{EVIL}\n")
    program.write("value.csv", f"pk,sk,n:N\na,1,{EVIL}\n")
    for name in ("evil" + EVIL, "head.csv", "value.csv"):
        result = program.run("import", two_tables[0], name)
        assert result.returncode == 1
        assert not set("\x1b\x07\u202e\r") & set(result.stderr), result.stderr
        assert "\\u001b" in result.stderr


def serve(answer):
    """A server of another kind: `answer(handler)` answers every request."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            answer(self)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    return server


def test_what_a_foreign_endpoint_answers_moves_no_cursor(program):
    body = json.dumps({"__type": "a#ValidationException", "message": EVIL}).encode()

    def answer(handler):
        handler.send_response(400)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    server = serve(answer)
    for words in (["export", "T", "x.csv"], ["import", "T", "-"], ["copy", "T", "--to", "http://127.0.0.1:1"]):
        address = f"http://127.0.0.1:{server.server_port}"
        where = ["--from", address] if words[0] == "copy" else ["--endpoint-url", address]
        result = program.run(*words, *where, endpoint=False)
        assert result.returncode == 1 and "\\u001b" in result.stderr
        assert not set("\x1b\x07\u202e\r") & set(result.stderr), result.stderr
    server.shutdown()


@pytest.mark.parametrize("words", [["export", "Pages", "x.csv"], ["copy", "--to", "http://127.0.0.1:1", "Pages"],
                                   ["copy", "--to", "http://127.0.0.1:1"]], ids=["export", "copy", "tables"])
def test_pages_without_end(program, raw, words):
    """An endpoint whose pages lead back to the same place is an error, not a file that grows for ever."""
    with SilentEndpoint(10**9) as endpoint:
        where = ["--from", endpoint.address] if words[0] == "copy" else ["--endpoint-url", endpoint.address]
        if "Pages" in words and words[0] == "copy":
            raw.create_table("Pages", AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                             KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
            words = [word if word != "http://127.0.0.1:1" else program.endpoint for word in [*words, "--merge"]]
        result = program.run(*words, *where, endpoint=False)
    assert result.returncode == 1
    assert "its pages lead back to where they were" in result.stderr, result.stderr
    assert os.listdir(program.folder) in ([], ["stator-copy.json"])
    if "Pages" in raw.ok("ListTables")["TableNames"]:
        raw.ok("DeleteTable", TableName="Pages")


class Trickle(socketserver.BaseRequestHandler):
    """Takes a request and answers a byte at a time, for as long as anybody listens."""

    def handle(self):
        self.request.recv(65536)
        self.server.asked += 1
        try:
            self.request.sendall(self.server.head)
            while not self.server.is_over.wait(0.05):
                self.request.sendall(b" ")
        except OSError:
            pass


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: ",
                                  b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n100000\r\n"],
                         ids=["body", "head", "chunk"])
def test_an_answer_that_trickles(program, head):
    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Trickle)
    server.daemon_threads, server.head, server.asked, server.is_over = True, head, 0, threading.Event()
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        told = program.refused("export", "T", "x.csv", "--timeout", "0.5", "--endpoint-url",
                               f"http://127.0.0.1:{server.server_address[1]}", endpoint=False)
        assert told == [f"stator: http://127.0.0.1:{server.server_address[1]}: no answer within 500 ms"]
        assert server.asked == 1
    finally:
        server.is_over.set()
        server.shutdown()
