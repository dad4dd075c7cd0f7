"""What pages in a real browser may do with the server: Chromium opens a page of the test's, the page
asks the server with fetch() and writes what it got into its text."""

import html
import http.server
import json
import re
import subprocess
import threading

import pytest

from raw_client import AMZ_DATE, Connection, authorization
from server_process import given_endpoint

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

BROWSER_S = 120
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--host-resolver-rules=MAP *.example 127.0.0.1", "--virtual-time-budget=60000"]
SCRIPT = """
const asked = %s;
(async () => {
  const found = [];
  for (const [url, how] of asked) {
    try {
      const answer = await fetch(url, how);
      const text = answer.type === 'opaque' ? '' : (await answer.text()).slice(0, 40);
      found.push(answer.type === 'opaque' ? 'opaque' : answer.status + ' ' + text);
    } catch (error) {
      found.push('refused');
    }
  }
  document.getElementById('found').textContent = JSON.stringify(found);
})();
"""
SIGNED = {"method": "POST", "body": "{}",
          "headers": {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Date": AMZ_DATE,
                      "X-Amz-Target": "DynamoDB_20120810.ListTables",
                      "Authorization": authorization()}}
RESET = {"method": "POST", "body": "{}", "headers": {"Content-Type": "text/plain"}}
BLIND_RESET = {**RESET, "mode": "no-cors"}


class Pages:
    """A web server on this machine that serves one page with the requests of a test."""

    def __init__(self):
        pages = self
        self.asked = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = ("<!doctype html><pre id=found>nothing</pre><script>"
                        + SCRIPT % json.dumps(pages.asked) + "</script>").encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def shown(url, folder):
    """The text of the page at `url` when all it asked for has come."""
    done = subprocess.run(["chromium", *FLAGS, f"--user-data-dir={folder}", "--dump-dom", url],
                          capture_output=True, text=True, timeout=BROWSER_S)
    return done.stdout


@pytest.fixture
def ask(tmp_path):
    """ask(host, [(url, how), ...]) is what a page of http://host got, in their order."""
    pages = Pages()

    def begin(host, asked):
        pages.asked = asked
        page = shown(f"http://{host}:{pages.port}/", tmp_path / "profile")
        found = re.search(r'<pre id="found">(.*?)</pre>', page, re.DOTALL)
        assert found and found[1] != "nothing", page[-2000:]
        return json.loads(html.unescape(found[1]))

    yield begin
    pages.close()


def make_table(server):
    with Connection(server) as connection:
        body = {"TableName": "stays", "BillingMode": "PAY_PER_REQUEST",
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}
        assert connection.call("CreateTable", body).status == 200


def tables(server):
    with Connection(server) as connection:
        return connection.call("ListTables").json()["TableNames"]


TABLES = '200 {"TableNames":["stays"]}'


@pytest.mark.parametrize("flags, signed", [([], "refused"), (["--cors", "*"], TABLES),
                                           (["-inMemory", "-port", "0"], TABLES)])
def test_a_page_of_another_machine(start, ask, flags, signed):
    server = start(*flags, add_port="-port" not in flags)
    make_table(server)
    base = f"http://localhost:{server.port}"
    found = ask("evil.example", [(base + "/", SIGNED), (base + "/_stator/requests", {}),
                                 (base + "/metrics", {}), (base + "/_stator/reset", RESET),
                                 (base + "/_stator/reset", BLIND_RESET)])
    # Cross-Origin-Resource-Policy refuses even what a page cannot read.
    assert found == [signed, "refused", "refused", "refused", "refused"]
    assert tables(server) == ["stays"]


def test_a_page_whose_name_was_made_to_point_here(start, tmp_path):
    """DNS rebinding: for the browser the page and the server are one."""
    server = start()
    make_table(server)
    for path in ("/_stator/requests", "/_stator/marks", "/metrics"):
        page = shown(f"http://evil.example:{server.port}{path}", tmp_path / "profile")
        assert "does not know the name in the header Host" in page, page
    page = shown(f"http://localhost:{server.port}/_stator/requests", tmp_path / "profile")
    assert "CreateTable" in page


def test_pages_of_this_machine(start, ask):
    server = start()
    make_table(server)
    base = f"http://127.0.0.1:{server.port}"
    found = ask("localhost", [(base + "/", SIGNED), (base + "/_stator/marks", {}), (base + "/_stator/requests", {}),
                              (base + "/_stator/reset", RESET), (base + "/_stator/reset", BLIND_RESET)])
    assert found[0] == TABLES and found[1].startswith("200 ") and found[2:] == ["refused"] * 3
    assert tables(server) == ["stays"]


def test_an_origin_that_is_named(start, ask):
    # The page's port is not known before; so the flag names one that another page has.
    server = start("--cors", "http://app.example")
    base = f"http://localhost:{server.port}"
    assert ask("app.example", [(base + "/", SIGNED), (base + "/metrics", {})]) == ["refused"] * 2
