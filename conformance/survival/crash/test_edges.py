"""The environment's edges, with the real program: each has the right behaviour and one clear line."""

import os
import random
import resource
import shutil
import signal
import stat
import subprocess

import pytest

from client import Client
from server_process import binary, run_to_end, wait_until

KEY = {"pk": {"S": "a"}}
KB = 1024
EDGE = {
    "TableName": "edge",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
}


def key(number):
    return {"pk": {"S": f"k{number}"}}


def numbered(number):
    return {**key(number), "fill": {"S": "x" * KB}}


def refused(folder, words, **options):
    """The program does not start on `folder` and says why in one line."""
    result = run_to_end("--db-path", folder, "--port", 0, **options)
    lines = result.stderr.strip().splitlines()
    assert result.returncode == 1 and len(lines) == 1, (result.returncode, result.stderr)
    assert words in lines[0]


@pytest.mark.parametrize("size_kb", [4, 16, 64, 76])
def test_no_room_to_begin(disk_of, size_kb):
    disk = disk_of(size_kb * KB)
    refused(disk.folder / "db", "there is no space left for its", prefix=disk.prefix())


@pytest.mark.parametrize("sync", ["commit", "lazy"])
def test_hardly_any_room(start, disk_of, sync):
    disk = disk_of(160 * KB)
    client = Client(start("--db-path", disk.folder / "db", "--sync", sync, prefix=disk.prefix()))
    answer = client.send("CreateTable", {**EDGE, "BillingMode": "PAY_PER_REQUEST"})
    assert (answer.status, answer.json()["__type"].split("#")[1]) == (500, "InternalServerError")
    assert client.table_names() == []
    assert client.server.stop() == 0


# Without /proc no name leads to a file in memory.
WITHOUT_PROC = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]


def test_without_proc(start, tmp_path, disk_of):
    disk_of(KB)  # mounting is allowed
    result = run_to_end("--port", 0, prefix=WITHOUT_PROC)
    assert (result.returncode, result.stderr) == (
        1, "stator: cannot keep data in memory: /proc is not mounted; data in a folder (--db-path) does without\n")
    client = Client(start("--db-path", tmp_path / "db", prefix=WITHOUT_PROC))
    client.create_table("edge")
    client.ok("PutItem", TableName="edge", Item=key(1))
    assert client.server.stop() == 0


def limited(most):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def test_few_descriptors(start, tmp_path):
    """It serves as many connections as it has descriptors for, or says why it cannot."""
    for most in range(5, 17):
        for folder in ((), ("--db-path", tmp_path / "db")):
            result = run_to_end(*folder, "--port", 0, preexec=limited(most))
            assert result.returncode == 1 and len(result.stderr.splitlines()) == 1, (most, result.stderr)
    server = start("--db-path", tmp_path / "db", preexec=limited(40))
    clients = [Client(server) for _ in range(60)]
    for client in clients:
        client.table_names()
    server.wait_for_log("connections at a time")
    assert len(server.log().splitlines()) == 1


def test_few_descriptors_leave_no_folder_behind(tmp_path, disk_of):
    disk_of(KB)  # mounting is allowed
    shared = tmp_path / "shared"
    shared.mkdir()
    script = 'mount --bind "$1" /dev/shm && ulimit -n "$2" && shift 2 && exec "$@"'
    for most in range(5, 17):
        result = run_to_end("--port", 0, prefix=["unshare", "-m", "sh", "-c", script, "sh", shared, str(most)])
        assert result.returncode == 1 and "stator" in result.stderr, result
        assert os.listdir(shared) == []


def test_nobody_else_may_read_a_new_folder(start, tmp_path):
    folder = tmp_path / "above" / "db"
    server = start("--db-path", folder, preexec=lambda: os.umask(0))
    Client(server).create_table("edge")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for file in folder.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert server.stop() == 0


@pytest.mark.parametrize("name", ["lock", "data.mdb", "lock.mdb"])
def test_symbolic_links_are_refused(tmp_path, name):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    folder = tmp_path / "db"
    folder.mkdir()
    (folder / name).symlink_to(victim)
    refused(folder, f"its {name} is a symbolic link")
    assert victim.read_text() == "precious"


def test_the_lock_holds_without_its_file(start, tmp_path):
    server = start("--db-path", tmp_path)
    (tmp_path / "lock").unlink()
    refused(tmp_path, "it is in use by another process")
    assert server.stop() == 0


@pytest.mark.parametrize("content", [b"", bytes(4096), bytes(8192)],
                         ids=["empty", "half", "blank"])
def test_a_first_start_that_was_cut_off_begins_anew(start, tmp_path, content):
    (tmp_path / "data.mdb").write_bytes(content)
    client = Client(start("--db-path", tmp_path))
    client.create_table("edge")
    assert client.server.stop() == 0


@pytest.mark.parametrize("content", [b"x" * 8192, bytes(4096) + b"x" * 4096, b"\x01"],
                         ids=["foreign", "half foreign", "short"])
def test_a_small_foreign_file_is_refused_and_kept(tmp_path, content):
    (tmp_path / "data.mdb").write_bytes(content)
    refused(tmp_path, "data.mdb was not written by Stator or is damaged")
    assert (tmp_path / "data.mdb").read_bytes() == content


@pytest.mark.parametrize("sync", ["commit", "lazy"])
def test_writing_ends_when_the_folder_is_removed(start, tmp_path, sync):
    folder = tmp_path / "db"
    client = Client(start("--db-path", folder, "--sync", sync))
    client.create_table("edge")
    client.ok("PutItem", TableName="edge", Item=KEY)
    shutil.rmtree(folder)

    def is_refused():
        return client.send("PutItem", {"TableName": "edge", "Item": KEY}).status == 500

    wait_until(is_refused, what="writes refused")
    for _ in range(5):
        assert is_refused()
    assert client.ok("GetItem", TableName="edge", Key=KEY) == {"Item": KEY}
    assert len(client.server.wait_for_log("writing has ended, data.mdb was removed")) == 1


def test_compacting_can_be_killed(start, tmp_path, seed, figures):
    """At any moment, by the size of what it has written: all is there, and the next server cleans up."""
    chance = random.Random(seed)
    client = Client(start("--db-path", tmp_path))
    for name in ("edge", "gone"):
        client.create_table(name)
        for number in range(300):
            client.ok("PutItem", TableName=name, Item={**numbered(number), "more": {"S": "y" * 50 * KB}})
    client.ok("DeleteTable", TableName="gone")
    assert client.server.stop() == 0
    assert run_to_end("compact", tmp_path).returncode == 0
    whole = (tmp_path / "data.mdb").stat().st_size
    copy = tmp_path / "data.mdb.compact"

    def written():
        try:
            return copy.stat().st_size
        except FileNotFoundError:
            return 0

    rounds = killed = 0
    while rounds < 20 or killed == 0:
        rounds += 1
        if copy.exists():  # left by the last one
            os.truncate(copy, 0)
        least = chance.uniform(-0.1, 1.1) * whole
        process = subprocess.Popen([binary(), "compact", tmp_path], stdout=subprocess.DEVNULL)
        wait_until(lambda: process.poll() is not None or written() >= least, pause_s=0)
        process.kill()
        killed += process.wait() == -signal.SIGKILL
        assert run_to_end("check", tmp_path).stdout.endswith(": 1 tables, 300 items, 0 entries of indexes\n")
    figures.append(f"compacting: killed {killed} of {rounds} times")
    client = Client(start("--db-path", tmp_path))
    for number in range(300):
        assert "Item" in client.ok("GetItem", TableName="edge", Key=key(number))
    assert not copy.exists()
