"""`stator health` and `stator version` (`stator clock` and `stator reset`: test_clock.py), and what is installed beside the program: the manual page,
the completion, the systemd unit, the Debian package."""

import os
import re
import shutil
import signal
import socket
import subprocess
import threading
from pathlib import Path

import pytest

from checkout import ROOT
from client import Client
from server_process import binary, free_port, given_endpoint, is_sanitized, run_to_end

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")

PACKAGING = ROOT / "server" / "packaging"
DOCS = ROOT / "docs"


def assert_healthy(result, endpoint):
    assert (result.returncode, result.stdout, result.stderr) == (0, f"{endpoint} is healthy\n", "")


def assert_unhealthy(result, *words):
    """Status 1 and one line on stderr."""
    assert (result.returncode, result.stdout) == (1, ""), result
    assert result.stderr.startswith("stator: ") and result.stderr.count("\n") == 1, result.stderr
    for word in words:
        assert str(word) in result.stderr


@pytest.mark.parametrize("flags", [[], ["--http-root", "local"], ["--tls", "self-signed"],
                                   ["--host", "127.0.0.1"]], ids=lambda flags: flags[-1] if flags else "plain")
def test_health_of_a_running_server(start, flags):
    server = start(*flags)
    endpoint = f"{server.scheme}://{server.host}:{server.port}"
    assert_healthy(run_to_end("health", "--endpoint", endpoint), endpoint)
    assert_healthy(run_to_end("health", "--endpoint", f"{server.scheme}://localhost:{server.port}/"),
                   f"{server.scheme}://localhost:{server.port}")
    if server.scheme == "http":
        assert_healthy(run_to_end("health", "--host", server.host, "--port", server.port), endpoint)
    assert server.stop() == 0


def test_health_in_the_environment_of_the_server(start):
    """No flag is needed there, whatever the server was told by variables."""
    plain = start("--host", "0.0.0.0")
    assert_healthy(run_to_end("health", env={"STATOR_PORT": str(plain.port), "STATOR_HOST": "0.0.0.0"}),
                   f"http://0.0.0.0:{plain.port}")
    variables = {"STATOR_TLS": "self-signed", "STATOR_DB_PATH": "/nowhere/at/all"}
    secret = start("--tls", "self-signed")
    variables["STATOR_PORT"] = str(secret.port)
    assert_healthy(run_to_end("health", env=variables), f"https://localhost:{secret.port}")
    assert_healthy(run_to_end("health", "--endpoint", plain.endpoint, env=variables), plain.endpoint)


# --- health without a word about where: it looks for the server -----------------------------------

@pytest.fixture
def own_program(tmp_path, monkeypatch):
    """Server and run_to_end start a copy of the program, which nobody else runs."""
    copy = tmp_path / "stator"
    shutil.copy(binary(), copy)
    monkeypatch.setenv("STATOR_BINARY", str(copy))
    return copy


@pytest.mark.parametrize("flags, endpoint", [
    (["--port", "{}"], "http://localhost:{}"),
    (["serve", "--host", "127.0.0.1", "--port={}"], "http://127.0.0.1:{}"),
    (["--tls", "self-signed", "--port", "{}"], "https://localhost:{}"),
    (["-inMemory", "-port", "{}"], "http://localhost:{}"),
], ids=["port", "host", "tls", "local"])
def test_health_finds_the_server(start, own_program, flags, endpoint):
    port = free_port()
    server = start(*(flag.format(port) for flag in flags), add_port=False)
    assert_healthy(run_to_end("health"), endpoint.format(port))
    assert_healthy(run_to_end("health", "--timeout", "60"), endpoint.format(port))
    assert server.stop() == 0


def test_health_finds_the_server_named_java(start, own_program, monkeypatch):
    """As in the container: the server's name is java, the one who asks is stator or java."""
    link = own_program.parent / "java"
    link.symlink_to(own_program)
    port = free_port()
    monkeypatch.setenv("STATOR_BINARY", str(link))
    server = start("-Djava.library.path=./DynamoDBLocal_lib", "-jar", "DynamoDBLocal.jar", "-inMemory",
                   "-port", port, add_port=False)
    assert_healthy(run_to_end("health"), f"http://localhost:{port}")
    monkeypatch.setenv("STATOR_BINARY", str(own_program))
    assert_healthy(run_to_end("health"), f"http://localhost:{port}")
    assert server.stop() == 0


def test_health_of_several_servers_is_that_of_the_first(start, own_program):
    ports = [free_port() for _ in range(2)]
    servers = [start("--port", port, add_port=False) for port in ports]
    first = min(servers, key=lambda server: server.pid)
    assert_healthy(run_to_end("health"), f"http://localhost:{first.port}")
    first.stop()
    [left] = [server for server in servers if server is not first]
    assert_healthy(run_to_end("health"), f"http://localhost:{left.port}")


def test_what_the_user_says_wins_over_what_runs(start, own_program):
    port, other = free_port(), free_port()
    start("--port", port, add_port=False)
    assert_unhealthy(run_to_end("health", "--port", other), f"http://localhost:{other}")
    assert_unhealthy(run_to_end("health", env={"STATOR_PORT": str(other)}), f"http://localhost:{other}")
    assert_unhealthy(run_to_end("health", "--endpoint", f"http://127.0.0.1:{other}"),
                     f"http://127.0.0.1:{other}")


def test_health_of_no_server_asks_the_default_port(start, own_program):
    """Whatever may listen there. A port that the system chose is not known either."""
    for servers in (0, 1):
        if servers:
            start()
        result = run_to_end("health", "--timeout", "0.5")
        assert "http://localhost:8000 is " in result.stdout + result.stderr


def test_health_says_when_the_server_that_it_found_hangs(start, own_program):
    port = free_port()
    server = start("--port", port, add_port=False)
    server.signal(signal.SIGSTOP)
    try:
        assert_unhealthy(run_to_end("health", "--timeout", "0.2"), f"http://localhost:{port}",
                         "no answer within 200 ms")
    finally:
        server.signal(signal.SIGCONT)
    assert_healthy(run_to_end("health"), f"http://localhost:{port}")


def test_health_of_a_closed_port():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        port = holder.getsockname()[1]
        assert_unhealthy(run_to_end("health", "--port", port),
                         f"http://localhost:{port} is not healthy: Connection refused")


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_health_of_a_server_that_hangs(scheme):
    """Connections are accepted by the kernel, nobody ever answers."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        endpoint = f"{scheme}://127.0.0.1:{holder.getsockname()[1]}"
        assert_unhealthy(run_to_end("health", "--timeout", "0.2", "--endpoint", endpoint),
                         endpoint, "no answer within 200 ms")


def test_health_of_a_server_that_stops_halfway():
    """Half an answer, then silence until the asking side gives up and closes."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()

        def serve():
            peer, _ = holder.accept()
            with peer:
                peer.recv(65536)
                peer.sendall(b"HTTP/1.1 200 OK\r\nContent-")
                peer.recv(65536)

        thread = threading.Thread(target=serve)
        thread.start()
        result = run_to_end("health", "--timeout", "0.3", "--endpoint",
                            f"http://127.0.0.1:{holder.getsockname()[1]}")
        thread.join()
    assert_unhealthy(result, "no answer within 300 ms")


@pytest.mark.parametrize("answer, why", [
    (b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n", "status 503"),
    (b"HTTP/1.1 400 Bad\r\nContent-Length: 2\r\n\r\n{}", "status 400"),
    (b"", "closed without an answer"),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", ""),
    (b"SSH-2.0-OpenSSH\r\n", ""),
    (b"HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n", ""),
])
def test_health_of_something_else(answer, why):
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        seen = []

        def serve():
            peer, _ = holder.accept()
            with peer:
                seen.append(peer.recv(65536))
                peer.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        result = run_to_end("health", "--host", "127.0.0.1", "--port", holder.getsockname()[1])
        thread.join()
    assert seen[0].startswith(b"GET /healthz HTTP/1.1\r\n")
    assert_unhealthy(result, why)


def test_health_of_an_unknown_host():
    assert_unhealthy(run_to_end("health", "--host", "no.such.host.invalid"), "no.such.host.invalid")


@pytest.mark.parametrize("arguments, word", [
    (["nonsense"], "no such command: nonsense"),
    (["healthy", "--port", "1"], "no such command: healthy"),
    (["version", "--port", "1"], "version"),
    (["health", "more"], "more"),
    (["health", "--db-path", "x"], "db-path"),
    (["health", "--port", "0"], "port"),
    (["health", "--timeout", "0"], "timeout"),
    (["health", "--endpoint", "localhost:8000"], "localhost:8000"),
    (["health", "--endpoint", "http://:8000"], "http://:8000"),
    (["health", "--endpoint", "http://localhost:x"], "http://localhost:x"),
    (["health", "--endpoint", "http://localhost:8000/path"], "path"),
    (["health", "--endpoint", "http://[::1"], "[::1"),
])
def test_mistakes(arguments, word):
    result = run_to_end(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("stator: ") and result.stderr.count("\n") == 1
    assert word in result.stderr


def test_version():
    version = run_to_end("version")
    assert (version.returncode, version.stderr) == (0, "")
    assert version.stdout == run_to_end("--version").stdout == "Stator 0.1.0\n"


def test_help_names_the_subcommands():
    lines = [line for line in run_to_end("--help").stdout.splitlines() if line.startswith("  stator ")]
    named = set(re.findall(r"[a-z]+", " ".join(lines)))
    for command in ("health", "clock", "mark", "reset", "fault", "import", "export", "copy", "backup", "check", "compact", "version",
                    "triggers", "access", "mcp", "apply", "schema"):
        assert command in named
    for command in ("health", "clock", "mark", "reset", "fault", "triggers"):
        told = run_to_end(command, "--help")
        assert (told.returncode, told.stderr) == (0, "")
        assert "--endpoint" in told.stdout
        assert max(map(len, told.stdout.splitlines())) <= 90


def flags_of(*command):
    """The flags that a help text explains: those that begin a line, with others beside them."""
    flags = set()
    for line in run_to_end(*command, "--help").stdout.splitlines():
        if line.startswith("  --"):
            flags.update(re.findall(r"(?<!\S)--[a-z][a-z0-9-]*", line))
    return flags


def test_the_manual_page_names_every_flag():
    page = (PACKAGING / "stator.1").read_text().replace("\\-", "-")
    serve_part, health_part = page.split(".SS Flags of stator health")
    for part, command in ((serve_part, []), (health_part, ["health"])):
        flags = flags_of(*command)
        assert len(flags) >= 5
        headings = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", " ".join(
            line for line in part.splitlines() if re.match(r"\.B[IR]? --", line))))
        missing = flags - headings - ({"--help"} if command else set())
        assert not missing
        assert headings <= flags | flags_of(), "the page explains flags that do not exist"


def test_the_page_of_flags_names_every_flag():
    tables = [line for line in (DOCS / "flags.md").read_text().splitlines() if line.startswith("|")]
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z0-9-]*", " ".join(line.split("|")[1] for line in tables)))
    assert named == (flags_of() | flags_of("health")) - {"--help", "--version"}


def completions(*words, program="stator"):
    """What the completion offers for the last of these words, in bash itself."""
    script = (f'source "{PACKAGING / "stator.bash"}"\n'
              'COMP_WORDS=("$@")\nCOMP_CWORD=$(($# - 1))\n_stator\nprintf "%s\\n" "${COMPREPLY[@]}"')
    run = subprocess.run(["bash", "-euc", script, "bash", program, *words], check=True, text=True,
                         capture_output=True)
    assert run.stderr == ""
    return set(run.stdout.split())


def test_the_completion_offers_every_flag():
    assert completions("--") == flags_of()
    assert completions("serve", "--") == flags_of()
    assert completions("health", "--") == flags_of("health")
    assert completions("") == flags_of() | {"serve", "health", "clock", "mark", "reset", "capacity", "explain", "log", "fault", "triggers", "access", "function", "mcp",
                                            "import", "export", "copy", "apply", "schema",
                                            "tables", "describe", "create", "get", "query", "scan", "put", "delete", "sql",
                                            "watch", "stream", "diff",
                                            "version", "backup", "check", "compact", "help"}
    assert completions("help", "cl") == {"clock"}
    assert completions("clock", "a") == {"advance"}
    assert completions("reset", "--") == flags_of("health") | {"--region", "--access-key", "--streams"}
    assert completions("explain", "--") == flags_of("health") | {"--all", "--last", "--table", "--hints", "--follow",
                                                                      "--json"}
    assert completions("capacity", "--") == flags_of("health") | {"--region"}
    assert completions("fault", "") == {"list", "add", "remove", "clear", "preset", "wait"}
    assert completions("fault", "add", "--") == flags_of("health") | flags_of("fault") | {"--file", "--fired"}
    assert completions("triggers", "") == {"list", "calls", "filtered", "failures", "settle", "pause", "step",
                                          "resume", "replay", "explain"}
    assert completions("triggers", "calls", "--") == flags_of("health") | flags_of("triggers")
    for command in ("import", "export", "copy", "apply", "schema", "tables", "describe", "create", "get", "query", "scan", "delete",
                    "sql", "watch", "stream", "diff", "mcp", "function"):
        assert completions(command, "T", "--") == flags_of(command)
    assert completions("put", "T", "--") == flags_of("put") | {"--file"}  # that begins with -f
    assert completions("scan", "T", "--output", "j") == {"json", "jsonl"}
    assert completions("he") == {"health", "help"}
    assert completions("--sync", "") == {"commit", "lazy"}
    assert completions("serve", "--port", "1", "--isolate", "n") == {"none"}
    assert completions("health", "--port", "") == set()


def test_the_completion_offers_tables_and_indexes(start, monkeypatch):
    server = start()
    client = Client(server)
    index = {"KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}
    client.create_table("orders", AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "n")],
                        GlobalSecondaryIndexes=[{"IndexName": name, **index} for name in ("by_n", "other")])
    client.create_table("old.orders-2")
    # Bash cuts words at colons.
    where = ["--endpoint-url", "http", ":", f"//{server.host}", ":", str(server.port)]

    def offered(*words):
        return completions(*words, program=binary())

    commands = ("get", "query", "scan", "put", "delete", "watch", "stream", "tables", "describe", "export")
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.endpoint)
    for command in commands:
        assert offered(command, "o") == {"orders", "old.orders-2"}, command
    assert offered("diff", "orders", "ord") == {"orders"}
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://localhost:1")
    for command in commands:
        assert offered(command, "o") == set(), command
    for command in ("copy", "schema"):
        assert offered(command, *where, "o") >= {"orders", "old.orders-2"}, command
    assert offered("schema", *where, "ord") == {"orders"}
    assert offered("query", "orders", *where, "--index", "") == {"by_n", "other"}
    assert offered("query", "orders", *where, "--index", "b") == {"by_n"}
    assert offered("query", "$(touch x)", *where, "--index", "") == set()


@pytest.mark.parametrize("flag", ["sync", "error-wording", "isolate", "http-root", "log-level",
                                  "log-format", "tls"])
def test_the_completion_offers_every_word(flag):
    """The program's own complaint about a wrong word lists the right ones."""
    listed = re.search(r"'\?' is not (.*) \(see", run_to_end(f"--{flag}", "?").stderr)
    assert completions(f"--{flag}", "") == set(re.split(", | or ", listed[1]))


SHELLS = {
    "zsh": (["zsh", "-fc"], "share/zsh/vendor-completions/_stator", "stator.zsh",
            'fpath=({folder} $fpath); autoload -Uz _stator; compadd() {{ shift; print -l -- "$@" }}; '
            'words=({words}); CURRENT=${{#words}}; _stator'),
    "fish": (["fish", "--no-config", "-c"], "share/fish/vendor_completions.d/stator.fish", "stator.fish",
             "source {folder}/stator.fish; complete -C '{line}'"),
}


@pytest.fixture(params=SHELLS)
def completions_there(request, tmp_path):
    """As completions(), in another shell, with both files where they are installed."""
    command, place, source, script = SHELLS[request.param]
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    for target, file in ((place, source), ("share/bash-completion/completions/stator", "stator.bash")):
        (tmp_path / target).parent.mkdir(parents=True)
        shutil.copy(PACKAGING / file, tmp_path / target)

    def offered(*words, program="stator"):
        line = " ".join([program, *words])
        quoted = " ".join(f'"{word}"' for word in [program, *words])
        run = subprocess.run([*command, script.format(folder=(tmp_path / place).parent, words=quoted, line=line)],
                             check=True, text=True, capture_output=True, env={**os.environ, "HOME": str(tmp_path)})
        assert run.stderr == ""
        return set(run.stdout.split())

    return offered


def test_other_shells_offer_what_bash_does(completions_there):
    for words in (["--sy"], ["--sync", ""], ["cl"], ["health", "--"], ["help", "cl"]):
        assert completions_there(*words) == completions(*words), words


def test_other_shells_offer_tables_and_indexes(completions_there, start, tmp_path, monkeypatch):
    program = tmp_path / "stator"
    program.symlink_to(Path(binary()).resolve())
    server = start()
    client = Client(server)
    client.create_table("orders", AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "n")],
                        GlobalSecondaryIndexes=[{"IndexName": "by_n", "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}],
                                                 "Projection": {"ProjectionType": "ALL"}}])
    client.create_table("old.orders-2")
    monkeypatch.setenv("AWS_ENDPOINT_URL", server.endpoint)
    for command in ("get", "query", "describe"):
        assert completions_there(command, "o", program=str(program)) == {"orders", "old.orders-2"}, command
    assert completions_there("query", "orders", "--index", "b", program=str(program)) == {"by_n"}
    monkeypatch.delenv("AWS_ENDPOINT_URL")
    where = ["--endpoint-url", server.endpoint]  # one word here, which bash cuts at colons
    assert completions_there("schema", *where, "ord", program=str(program)) == {"orders"}


# --- Installing -----------------------------------------------------------------------------------

INSTALLED = {
    "bin/stator", "share/man/man1/stator.1", "share/doc/stator/README.md",
    "share/doc/stator/SECURITY.md", "share/doc/stator/LICENSE", "share/doc/stator/copyright",
    "share/bash-completion/completions/stator", "share/zsh/vendor-completions/_stator",
    "share/fish/vendor_completions.d/stator.fish", "lib/systemd/system/stator.service",
} | {f"share/doc/stator/docs/{page.relative_to(DOCS)}" for page in DOCS.rglob("*") if page.is_file()}


@pytest.fixture(scope="module")
def build_folder():
    """The folder that the binary was built in."""
    folder = Path(binary()).resolve().parent
    if is_sanitized():
        pytest.skip("a sanitized build is not for installing")
    if not (folder / "cmake_install.cmake").exists():
        pytest.skip("the binary is not in its build folder")
    return folder


def files_below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def assert_runs(program):
    run = subprocess.run([program, "version"], capture_output=True, text=True, check=True)
    assert run.stdout == "Stator 0.1.0\n"


def test_install(build_folder, tmp_path):
    subprocess.run(["cmake", "--install", build_folder, "--prefix", tmp_path], check=True,
                   capture_output=True)
    assert files_below(tmp_path) == INSTALLED
    assert_runs(tmp_path / "bin/stator")
    for file in INSTALLED - {"bin/stator"}:
        assert (tmp_path / file).stat().st_mode & 0o777 == 0o644


def test_debian_package(build_folder, tmp_path):
    for tool in ("dpkg-deb", "dpkg-shlibdeps", "file", "cpack"):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is missing")
    subprocess.run(["cpack", "--config", build_folder / "CPackConfig.cmake", "-B", tmp_path],
                   check=True, capture_output=True)
    [package] = tmp_path.glob("*.deb")
    assert re.fullmatch(r"stator_0\.1\.0_[a-z0-9]+\.deb", package.name)

    def field(name):
        return subprocess.run(["dpkg-deb", "-f", package, name], check=True, capture_output=True,
                              text=True).stdout.strip()

    assert field("Package") == "stator"
    assert field("Version") == "0.1.0"
    assert field("Section") == "database"
    depends = field("Depends")
    for library in ("libc6", "liblmdb0", "libssl3", "libspdlog", "libstdc++6", "libzstd1", "zlib1g",
                    "libexpat1", "libyaml-0-2"):
        assert library in depends, depends
    listing = subprocess.run(["dpkg-deb", "-c", package], check=True, capture_output=True,
                             text=True).stdout
    assert {line.split()[5] for line in listing.splitlines() if not line.endswith("/")} == {
        f"./usr/{file}" for file in INSTALLED}
    assert {line.split()[1] for line in listing.splitlines()} == {"root/root"}
    control = tmp_path / "control"
    subprocess.run(["dpkg-deb", "-e", package, control], check=True)
    assert {path.name for path in control.iterdir()} == {"control", "md5sums", "prerm"}
    assert subprocess.run(["sh", control / "prerm", "upgrade"], check=True).returncode == 0
    tree = tmp_path / "tree"
    subprocess.run(["dpkg-deb", "-x", package, tree], check=True)
    assert_runs(tree / "usr/bin/stator")


def test_systemd_unit(tmp_path):
    """systemd's own check, with the program where the unit's path would find it."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is missing")
    text = (PACKAGING / "stator.service").read_text()
    assert "\nExecStart=stator serve --db-path %S/stator\n" in text
    unit = tmp_path / "stator.service"
    unit.write_text(text.replace("ExecStart=stator", f"ExecStart={Path(binary()).resolve()}")
                    .replace("Documentation=man:stator(1)\n", ""))
    run = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
