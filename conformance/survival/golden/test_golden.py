"""A data folder of every format version opens with its content as it was."""

import pytest

import content
from admin import Admin
from client import Client
from server_process import Server, assert_whole, given_endpoint

pytestmark = pytest.mark.skipif(bool(given_endpoint()), reason="starts servers on folders of its own")


@pytest.mark.parametrize("version", content.versions())
def test_golden_folder(version, tmp_path):
    content.unpack(version, tmp_path)
    wanted = content.expected(version)
    for _ in range(2):  # as migrated, and as that is opened again
        server = Server("--db-path", tmp_path)
        try:
            found = content.content_of(Client(server))
        finally:
            assert server.stop() == 0
        assert_whole(tmp_path)
        assert sorted(found) == sorted(wanted)
        for name, table in wanted.items():
            assert found[name] == table, name


def test_golden_folder_of_this_version(tmp_path):
    """It was killed in the middle of work, and no server has been on it since."""
    content.unpack(max(content.versions()), tmp_path)
    assert_whole(tmp_path)


def test_golden_token(tmp_path):
    """A transaction that was sent before the folder was closed has no second effect."""
    content.unpack(content.TOKENS_SINCE, tmp_path)
    server = Server("--db-path", tmp_path)
    try:
        client = Client(server)
        before = content.content_of(client)
        assert client.ok("TransactWriteItems", **content.transaction()) == {}
        _, error, _ = client.error("TransactWriteItems", **content.transaction(amount=6))
        assert error == "IdempotentParameterMismatchException"
        assert content.content_of(client) == before
    finally:
        assert server.stop() == 0


def test_golden_mark(tmp_path):
    """A mark leads back to what was before the last changes, a deleted table with its items included."""
    content.unpack(content.MARKS_SINCE, tmp_path)
    server = Server("--db-path", tmp_path)
    try:
        client = Client(server)
        assert client.ok("Scan", TableName="empty")["Count"] == 1
        Admin(server).rollback("golden")
        found = content.content_of(client)
        wanted = content.expected(content.MARKS_SINCE)
        assert client.ok("Scan", TableName="empty")["Count"] == 0
        assert client.ok("Scan", TableName="doomed", Select="COUNT")["Count"] == 15000
        for name in sorted(set(wanted) - {"empty"}):
            assert found[name] == wanted[name], name
    finally:
        assert server.stop() == 0


def test_golden_balances(tmp_path):
    """A bucket has what was left in it, as time stands."""
    content.unpack(content.BALANCES_SINCE, tmp_path)
    server = Server("--db-path", tmp_path)
    try:
        told = {one["table"]: one for one in Admin(server).ok("capacity")["tables"] if "index" not in one}
        assert told["spent"]["write"]["tokens"] == 885
        assert told["notes"]["throttling"] == "enforce"
    finally:
        assert server.stop() == 0


def test_golden_backups(tmp_path):
    """Backups and history give the items of before the accident, also those of a deleted table."""
    content.unpack(content.BACKUPS_SINCE, tmp_path)
    server = Server("--db-path", tmp_path)
    try:
        client = Client(server)
        backups = {backup["BackupName"]: backup["BackupArn"]
                   for backup in client.ok("ListBackups", BackupType="ALL")["BackupSummaries"]}
        assert sorted(backups) == ["deleted$DeletedTableBackup", "golden"]
        for name, arn in backups.items():
            client.ok("RestoreTableFromBackup", TargetTableName=f"from_{name[:6]}", BackupArn=arn)
        described = client.ok("DescribeContinuousBackups", TableName="backed_up")["ContinuousBackupsDescription"]
        begin = described["PointInTimeRecoveryDescription"]["EarliestRestorableDateTime"]
        client.ok("RestoreTableToPointInTime", SourceTableName="backed_up", TargetTableName="to_moment",
                  RestoreDateTime=begin + 1)
        assert client.ok("Scan", TableName="backed_up")["Count"] == 5
        restored = [client.ok("Scan", TableName=name)["Items"] for name in ("from_golden", "from_delete", "to_moment")]
        assert len(restored[0]) == 10 and restored[0] == restored[1] == restored[2]
    finally:
        assert server.stop() == 0


def test_golden_throughput(tmp_path):
    """Partitions, their splits and what was set for a table are as they were; other tables are made anew."""
    content.unpack(content.THROUGHPUT_SINCE, tmp_path)
    server = Server("--db-path", tmp_path)
    try:
        told = {one["table"]: one for one in Admin(server).ok("capacity")["tables"] if "index" not in one}
        hashes = [one["first_hash"] for one in told["notes"]["partitions"]]
        assert hashes == sorted({i * 2**24 // 4 for i in range(4)} | {-(-i * 2**24 // 6) for i in range(6)})
        assert len(told["notes"]["splits"]) == 4
        assert (told["notes"]["throttling"], told["types"]["throttling"]) == ("enforce", "observe")
        assert len(told["types"]["partitions"]) == 4
    finally:
        assert server.stop() == 0
