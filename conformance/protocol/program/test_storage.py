"""Where data lives: kept over restarts with --db-path, nothing left behind without."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from client import Client

ITEM = {"pk": {"S": "a"}, "n": {"N": "1.5"}, "b": {"B": "AAEC"}, "l": {"L": [{"NULL": True}, {"BOOL": False}]}}
KEY = {"pk": {"S": "a"}}


@pytest.mark.parametrize("flags", [[], ["--sync", "commit"], ["--sync", "lazy"]])
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_data_is_kept_over_restarts(start, tmp_path, flags, end):
    folder = tmp_path / "new" / "db"
    table = None
    for round_number in range(3):
        server = start("--db-path", folder, *flags)
        client = Client(server)
        if not table:
            client.create_table("kept", Tags=[{"Key": "k", "Value": "v"}], LocalSecondaryIndexes=[{
                "IndexName": "by_a", "Projection": {"ProjectionType": "ALL"},
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"},
                              {"AttributeName": "a", "KeyType": "RANGE"}]}],
                AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk", "a")],
                KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"},
                           {"AttributeName": "sk", "KeyType": "RANGE"}])
            client.create_table("plain")
            table = client.describe("kept")
        assert client.table_names() == ["kept", "plain"]
        assert client.describe("kept") == {**table, "ItemCount": round_number,
                                           "TableSizeBytes": client.describe("kept")["TableSizeBytes"]}
        tags = client.ok("ListTagsOfResource", ResourceArn=table["TableArn"])
        assert tags == {"Tags": [{"Key": "k", "Value": "v"}]}
        for number in range(round_number):
            key = {"pk": {"S": "a"}, "sk": {"S": str(number)}}
            got = client.ok("GetItem", TableName="kept", Key=key, ConsistentRead=True)
            assert got["Item"] == {**ITEM, **key}
        client.ok("PutItem", TableName="kept", Item={**ITEM, "sk": {"S": str(round_number)}})
        if end == "stop":
            assert server.stop() == 0
        else:
            server.kill()


def test_sync_modes_may_change_between_runs(start, tmp_path):
    for number, sync in enumerate(["lazy", "commit", "lazy"]):
        server = start("--db-path", tmp_path, "--sync", sync)
        client = Client(server)
        if not number:
            client.create_table("mixed")
        client.ok("PutItem", TableName="mixed", Item={"pk": {"S": str(number)}})
        for earlier in range(number + 1):
            assert client.ok("GetItem", TableName="mixed", Key={"pk": {"S": str(earlier)}})
        assert server.stop() == 0


def can_mount():
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return False
    test = "mount -t tmpfs -o size=64k none /dev/shm"
    return subprocess.run(["unshare", "-m", "sh", "-c", test], capture_output=True).returncode == 0


def with_shared_memory_in(folder):
    """Words before a command: its /dev/shm is the folder, which nobody else uses; without the right to mount its own."""
    script = 'mount --bind "$1" /dev/shm && shift && exec "$@"'
    return ["unshare", "-m", "sh", "-c", script, "sh", folder] if can_mount() else []


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_memory_leaves_nothing_behind(start, tmp_path, end):
    places = [tmp_path / name for name in ("shared", "temporary", "work")]
    shared, temporary, work = places
    for place in places:
        place.mkdir()
    server = start(prefix=with_shared_memory_in(shared), env={"TMPDIR": str(temporary)}, cwd=work)
    client = Client(server)
    client.create_table("gone")
    client.ok("PutItem", TableName="gone", Item={"pk": {"S": "a"}, "v": {"S": "x" * 300_000}})

    open_files = [os.readlink(entry) for entry in Path(f"/proc/{server.pid}/fd").iterdir()]
    named = [f for f in open_files
             if f.startswith(("/tmp/", "/dev/shm/")) and not f.endswith(" (deleted)")]
    # The harness gives the server an unnamed file as stderr; nothing else may have a name.
    assert named == []
    assert [list(place.iterdir()) for place in places] == [[], [], []]

    if end == "stop":
        assert server.stop() == 0
    else:
        server.kill()
    assert [list(place.iterdir()) for place in places] == [[], [], []]


@pytest.mark.skipif(not can_mount(), reason="needs the right to mount")
def test_memory_works_with_a_tiny_shared_memory_folder(start):
    """As in a container: 64 KB of /dev/shm must not bound what the server can hold."""
    script = 'mount -t tmpfs -o size=64k none /dev/shm && exec "$@"'
    server = start(prefix=["unshare", "-m", "sh", "-c", script, "sh"])
    client = Client(server)
    client.create_table("large")
    for number in range(40):
        item = {"pk": {"S": str(number)}, "v": {"S": chr(97 + number % 26) * 300_000}}
        client.ok("PutItem", TableName="large", Item=item)
    for number in range(40):
        got = client.ok("GetItem", TableName="large", Key={"pk": {"S": str(number)}})
        assert got["Item"]["v"] == {"S": chr(97 + number % 26) * 300_000}
    assert server.stop() == 0


def test_deleting_a_table_gives_its_name_and_space_back(start, tmp_path):
    """Space is given back in the background, even while tables keep coming and going."""
    server = start("--db-path", tmp_path)
    client = Client(server)
    identities, sizes = [], []

    def life_needs_no_more_space():
        client.create_table("again")
        identities.append(client.describe("again")["TableId"])
        for number in range(20):
            assert client.ok("GetItem", TableName="again", Key={"pk": {"S": str(number)}}) == {}
            client.ok("PutItem", TableName="again",
                      Item={"pk": {"S": str(number)}, "v": {"S": "x" * 200_000}})
        client.drop_table("again")
        sizes.append(sum(f.stat().st_blocks * 512 for f in tmp_path.iterdir()))
        return len(sizes) > 1 and sizes[-1] == sizes[-2]

    assert any(life_needs_no_more_space() for _ in range(100)), f"the file only grows: {sizes[-1]} bytes"
    assert len(set(identities)) == len(identities)
