"""The downloads of the suites: what is tried again, and what a second clone finds. Stand-ins take the place of npm and pip."""

import os
import shutil
import subprocess

import pytest

from checkout import ROOT
from conftest import DEADLINE_S, write_script

PASSING = (
    # pip
    "ERROR: Temporary failure in name resolution",
    "ERROR: HTTP error 503 while getting https://pypi.example/simple/boto3/",
    "HTTPError: 429 Client Error: Too Many Requests for url: https://pypi.example/simple/boto3/",
    "Max retries exceeded with url: /simple/boto3/ (Caused by ResponseError('too many 502 error responses'))",
    "pip._vendor.urllib3.exceptions.ReadTimeoutError: HTTPSConnectionPool(host='pypi.example', port=443): Read timed out.",
    "urllib3.exceptions.ProtocolError: ('Connection broken: IncompleteRead(5 bytes read, 9 more expected)')",
    "[SSL: UNEXPECTED_EOF_WHILE_READING] EOF occurred in violation of protocol (_ssl.c:992)",
    # npm
    "npm error code EAI_AGAIN",
    "npm error code ECONNRESET",
    "npm error network socket hang up",
    "npm error code E429",
    "npm error 503 Service Unavailable - GET https://registry.example/jest",
    "npm error code ERR_SOCKET_TIMEOUT",
    # go
    "dial udp 10.0.0.1:53: connect: network is unreachable",
    "dial tcp: lookup proxy.example: no such host",
    "dial tcp 10.0.0.1:443: connect: connection refused",
    "dial tcp 10.0.0.1:443: i/o timeout",
    'Get "https://proxy.example/x/@v/v1.zip": net/http: TLS handshake timeout',
    'Get "https://proxy.example/x/@v/v1.zip": EOF',
    "reading https://proxy.example/x/@v/v1.zip: 502 Bad Gateway",
    "read tcp 10.0.0.2:41->10.0.0.1:443: read: connection reset by peer",
    # Maven
    "[ERROR] No plugin found for prefix 'dependency' in the current project",
    "[ERROR] Could not transfer artifact x:y:pom:1 from/to central: Unknown host",
    "[ERROR] Failed to read x:y: status code: 503, reason phrase: Service Unavailable (503)",
    "[ERROR] Failed to read x:y: status: 429 Too Many Requests",
    "[ERROR] Remote host terminated the handshake",
    # apt
    "E: Failed to fetch http://deb.example/x.deb  503  Service Unavailable [IP: 10.0.0.1 80]",
    "Temporary failure resolving 'deb.example'",
    "Could not connect to deb.example:80 (10.0.0.1), connection timed out",
)
LASTING = (
    "[ERROR] cannot find symbol",
    "npm error code E404",
    "npm error 404 Not Found - GET https://registry.example/jset",
    "ERROR: HTTP error 404 while getting https://pypi.example/simple/botto3/",
    "ERROR: No matching distribution found for botto3==1.503",
    "reading https://proxy.example/x/@v/v1.info: 404 Not Found",
    "[ERROR] Could not resolve dependencies for project x: Could not find artifact y:z:jar:1.500 in central",
)


def bash(script, *arguments, folder=ROOT, status=0, **environment):
    """What the script said, on stdout and on stderr. It has sourced the libraries of the clone in `folder` or above it."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nowhere", "LC_ALL": "C.UTF-8", "FETCH_PAUSE_SECONDS": "0", **environment}
    clone = next(path for path in (folder, *folder.parents) if (path / "conformance/lib").is_dir())
    sourced = "".join(f"source {clone}/conformance/lib/{name}\n" for name in ("node", "toolchains"))
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", sourced + script, "bash", *map(str, arguments)], cwd=folder,
                          env=environment, capture_output=True, text=True, timeout=DEADLINE_S)
    assert done.returncode == status, f"status {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout, done.stderr


class Registry:
    """A command that fails with a line as often as demanded and then succeeds."""

    def __init__(self, folder):
        self.command, self.log = folder / "fetching", folder / "log"
        write_script(self.command, f"""echo try >>{self.log}
            (($(wc -l <{self.log}) > $2)) || {{ echo "$1" >&2; exit 5; }}
            echo "got it" """)

    def tries(self):
        count = len(self.log.read_text().splitlines())
        self.log.unlink()
        return count

    def fetch(self, line, failures, status):
        return bash('fetch "$@"; echo behind', self.command, line, failures, status=status)


@pytest.fixture
def registry(tmp_path):
    return Registry(tmp_path)


def test_what_passes_is_tried_three_times(registry):
    assert registry.fetch("", 0, status=0) == ("behind\n", "got it\n")
    assert registry.tries() == 1
    for line in PASSING:
        told, log = registry.fetch(line, 2, status=0)
        assert (told, registry.tries()) == ("behind\n", 3), line
        assert log.count(f"{line}\n") == 2 and log.endswith("got it\n")
        told, log = registry.fetch(line, 9, status=78)
        assert (told, registry.tries()) == ("", 3), line
        assert log.endswith(f"NOT FETCHED, the network failed 3 times: {registry.command} {line} 9\n  because: {line}\n")


def test_what_lasts_is_not_tried_again(registry):
    for line in LASTING:
        assert registry.fetch(line, 1, status=5) == ("", f"{line}\n")
        assert registry.tries() == 1


def test_pauses_grow(registry):
    script = 'sleep() { echo "$1"; }; unset FETCH_PAUSE_SECONDS; fetch "$@"'
    assert bash(script, registry.command, PASSING[0], 9, status=78)[0] == "2\n4\n"


class Machine:
    """Clones with one cache, and the programs that fetch. Each notes its calls."""

    def __init__(self, folder):
        self.folder, self.cache = folder, folder / "cache"
        self.log = folder / "calls"
        self.log.touch()
        write_script(folder / "bin/node", "echo v20.1.0")
        write_script(folder / "bin/npm", f"""echo "$1" >>{self.log}
            mkdir -p node_modules/one && cp package.json node_modules/one""")
        self.environment = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "XDG_CACHE_HOME": str(self.cache)}

    def calls(self):
        return self.log.read_text().split()

    def suite(self, clone, text='{"name": "suite"}', name="package.json"):
        folder = self.folder / clone
        if not folder.exists():
            shutil.copytree(ROOT / "conformance/lib", folder / "conformance/lib", ignore=shutil.ignore_patterns("__pycache__"))
        suite = folder / "conformance/kind/suite"
        suite.mkdir(parents=True, exist_ok=True)
        (suite / name).write_text(text)
        return suite

    def bash(self, suite, script, **more):
        return bash(script, folder=suite, **{**self.environment, **more})

    def entries(self):
        return sorted(path.parent for path in self.cache.glob("stator/downloads/*/*/*/complete"))


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def test_a_second_clone_fetches_no_node_modules(machine):
    suites = [machine.suite(clone) for clone in ("first", "second")]
    for suite in (*suites, *suites):
        machine.bash(suite, "npm_install --ignore-scripts")
        assert (suite / "node_modules/one/package.json").read_text() == '{"name": "suite"}'
    assert machine.calls() == ["install"]
    # What one clone does to its copy concerns no other.
    (suites[0] / "node_modules/one/package.json").write_text("changed")
    shutil.rmtree(suites[1] / "node_modules")
    machine.bash(suites[1], "npm_install --ignore-scripts")
    assert (suites[1] / "node_modules/one/package.json").read_text() == '{"name": "suite"}'
    assert machine.calls() == ["install"]


def test_another_list_is_another_download(machine):
    for text in ("{}", '{"name": "suite"}', "{}"):
        suite = machine.suite("clone", text)
        machine.bash(suite, "npm_install")
        assert (suite / "node_modules/one/package.json").read_text() == text
    assert machine.calls() == ["install"] * 2
    machine.suite("clone", "{}", "package-lock.json")
    machine.bash(suite, "npm_install")
    assert machine.calls() == ["install", "install", "ci"]


def test_without_a_network_nothing_is_left(machine):
    suite = machine.suite("clone")
    write_script(machine.folder / "bin/npm", f"echo broken >>{machine.log}; mkdir node_modules; echo {PASSING[7]}; exit 1")
    _, log = machine.bash(suite, "npm_install; echo behind", status=78)
    assert "NOT FETCHED" in log and PASSING[7] in log
    assert machine.calls() == ["broken"] * 3 and machine.entries() == [] and not (suite / "node_modules").exists()


def test_a_download_that_was_killed_is_made_anew(machine):
    suite = machine.suite("clone")
    script = """
    fill() { echo half >>"$1/half"; [[ -z ${KILLED:-} ]] || kill -KILL $$; mv "$1/half" "$1/whole"; }
    download kind/suite key fill
    cat "$downloaded/whole" """
    machine.bash(suite, script, KILLED="1", status=-9)
    assert machine.entries() == []
    assert machine.bash(suite, script)[0] == "half\n"  # and not two of them
    assert machine.bash(suite, script, KILLED="1")[0] == "half\n"


def test_two_runs_at_once_fetch_once(machine):
    suite = machine.suite("clone")
    machine.bash(suite, "for i in 1 2 3 4; do npm_install & jobs[i]=$!; done; for job in ${jobs[*]}; do wait $job; done")
    assert machine.calls() == ["install"] and (suite / "node_modules/one").is_dir()


def test_what_no_run_has_used_for_a_month_is_removed(machine):
    made = []
    for text in ("1", "2"):
        machine.bash(machine.suite("clone", text), "npm_install")
        made += set(machine.entries()) - set(made)
    for entry in made:
        os.utime(entry / "complete", (1_000_000_000,) * 2)
    machine.bash(machine.suite("clone", "2"), "npm_install")  # which is a use
    assert machine.entries() == sorted(made)
    machine.bash(machine.suite("clone", "3"), "npm_install")
    assert len(machine.entries()) == 2 and made[0] not in machine.entries() and made[1] in machine.entries()


def test_a_second_clone_fetches_no_environment(machine):
    script = f"""
    fill_environment() {{ echo fetched >>{machine.log}; cp "$2" "$1/installed"; }}
    make_environment requirements.txt
    echo "$environment"; cat "$environment/installed" """
    suites = [machine.suite(clone, "boto3==1", "requirements.txt") for clone in ("first", "second")]
    told = [machine.bash(suite, script)[0] for suite in (*suites, *suites)]
    assert len(set(told)) == 1 and told[0].endswith("\nboto3==1") and machine.calls() == ["fetched"]
    # It cannot move, so in another place there is another.
    os.rename(machine.cache, machine.folder / "moved")
    machine.bash(suites[0], script, XDG_CACHE_HOME=str(machine.folder / "moved"))
    assert machine.calls() == ["fetched"] * 2
