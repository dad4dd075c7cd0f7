"""`stator copy` from DynamoDB Local and back to it, killed and resumed on the way. Its folder is STATOR_DYNAMODB_LOCAL,
which ./run sets. `--items 1000000` is the long form."""

import contextlib
import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from client import Client
from data_program import Program, items_of_every_type, ordered, put_all
from raw_client import Closed
from server_process import binary, clean_environment, free_port, wait_until
from test_copy import TABLE

KILLS = 3  # on each way


@contextlib.contextmanager
def dynamodb_local(folder, *flags):
    """A client of a DynamoDB Local of the test's own, at work in a folder."""
    place = os.environ.get("STATOR_DYNAMODB_LOCAL")
    if place is None or not Path(place, "DynamoDBLocal.jar").exists() or shutil.which("java") is None:
        missing = pytest.fail if os.environ.get("STATOR_ALL") == "1" else pytest.skip
        missing("no java, or no DynamoDBLocal.jar in STATOR_DYNAMODB_LOCAL")
    port = free_port()
    running = subprocess.Popen(["java", f"-Djava.library.path={place}/DynamoDBLocal_lib", "-jar",
                                f"{place}/DynamoDBLocal.jar", "-sharedDb", "-port", str(port), *flags],
                               cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server = SimpleNamespace(endpoint=f"http://localhost:{port}", scheme="http", host="localhost", port=port)

    def answers():
        client = Client(server)
        try:
            return client if client.send("ListTables", {}).status == 200 else None
        except (Closed, OSError):
            assert running.poll() is None, "DynamoDB Local has ended"
            return None

    try:
        client = wait_until(answers, what="DynamoDB Local answers")
        yield client
        client.close()
    finally:
        running.terminate()
        running.wait()


def content(client, table):
    """How many items, and a digest of them in any order; page by page, so that any number has room. DynamoDB Local sorts
    what is left of a segment for each page, and without a limit takes seconds for one."""
    count, digest, segments = 0, 0, 10
    for segment in range(segments):
        start = {}
        while True:
            answer = client.ok("Scan", TableName=table, ConsistentRead=True, Limit=5000, Segment=segment,
                               TotalSegments=segments, **start)
            for item in answer["Items"]:
                text = json.dumps(ordered([item]), sort_keys=True).encode()
                digest = (digest + int.from_bytes(hashlib.sha256(text).digest(), "big")) % 2**256
            count += len(answer["Items"])
            if "LastEvaluatedKey" not in answer:
                break
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
    return count, digest


def indexes_and_ttl(client, table):
    """DynamoDB Local has no tags."""
    described = client.describe(table)
    told = {name: described[name] for name in ("KeySchema", "ProvisionedThroughput", "StreamSpecification")}
    for kind in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        told[kind] = [{name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
                      for index in described[kind]]
    told["ProvisionedThroughput"] = {name: told["ProvisionedThroughput"][name]
                                     for name in ("ReadCapacityUnits", "WriteCapacityUnits")}
    return told, client.ok("DescribeTimeToLive", TableName=table)["TimeToLiveDescription"]


class Way:
    """One copy, with what it takes to be killed at given parts of it."""

    def __init__(self, program, source, target, count):
        self.program, self.count = program, count
        self.words = ["copy", "--from", source.server.endpoint, "--to", target.server.endpoint, "Away"]
        self.state = program.folder / "stator-copy.json"

    def written(self):
        """Items that the state knows of."""
        try:
            return json.loads(self.state.read_text())["items"].get("Away", 0)
        except FileNotFoundError:
            return 0

    def kill_at(self, items):
        before = self.written()
        # So slow that a small one is met on its way.
        rate = ["--rate", str(max(300, self.count // 10))]
        running = subprocess.Popen([binary(), *self.words, "--segments", "2", *rate], cwd=self.program.folder,
                                   env=clean_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            wait_until(lambda: running.poll() is not None or self.written() >= max(items, before + 1),
                       deadline_s=self.program.timeout_s, what=f"{items} items are written")
            assert running.poll() is None, "it is killed on its way"
        finally:
            running.send_signal(signal.SIGKILL)
            running.wait()

    def go(self):
        """All of it, resumed after each kill; the last run does not do again what was done."""
        for kill in range(KILLS):
            self.kill_at(self.count * (kill + 1) // (2 * KILLS))
        done = self.written()
        assert 0 < done <= self.count
        told = self.program.done(*self.words, endpoint=False)
        came = int(told.split(" ")[1].replace(",", ""))
        assert self.count - done <= came < self.count
        assert not self.state.exists()


def test_there_and_back(start, tmp_path, pytestconfig):
    """With everything, into a table of Stator's, and from there into another, empty DynamoDB Local."""
    count = pytestconfig.getoption("--items")
    program = Program(None, tmp_path)
    program.timeout_s += count // 50  # DynamoDB Local takes some hundreds a second where others work
    here = Client(start("--throttling", "off"))
    # Several pages in any number.
    size = max(200, 12_000_000 // count)
    with open(tmp_path / "items", "w") as file:
        for i in range(count):
            file.write(json.dumps({"pk": f"p{i}", "sk": i, "g": f"g{i % 9}", "t": "x" * size}) + "\n")
    begun = time.monotonic()

    def lap(what):
        print(f"{time.monotonic() - begun:.0f} s: {what}", flush=True)

    total = count + len(items_of_every_type())
    with dynamodb_local(tmp_path, "-inMemory") as local:
        local.ok("CreateTable", TableName="Away", **{**TABLE, "DeletionProtectionEnabled": False})
        local.ok("UpdateTimeToLive", TableName="Away",
                 TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
        put_all(local, "Away", [{**item, "l": {"N": "1"}} for item in items_of_every_type()])
        program.done("import", "Away", "items", "--endpoint-url", local.server.endpoint, endpoint=False)
        lap("imported into DynamoDB Local")
        there, schema = content(local, "Away"), indexes_and_ttl(local, "Away")
        assert there[0] == total
        Way(program, local, here, total).go()
        lap("copied to Stator")
    assert content(here, "Away") == there
    assert indexes_and_ttl(here, "Away") == schema
    lap("equal")
    with dynamodb_local(tmp_path, "-inMemory") as local:
        Way(program, here, local, total).go()
        lap("copied back")
        assert content(local, "Away") == there
        assert indexes_and_ttl(local, "Away") == schema
        lap("equal")
    here.close()


def test_its_folder(start, tmp_path):
    """Is not read, which is said, nor touched; what Stator writes lies beside it, and DynamoDB Local still finds its own."""
    folder = tmp_path / "data"
    folder.mkdir()
    with dynamodb_local(tmp_path, "-dbPath", str(folder)) as away:
        put_all(away, away.create_table("Theirs")["TableName"], [{"pk": {"S": "a"}}])
    file = folder / "shared-local-instance.db"
    before = file.read_bytes()
    server = start("--db-path", folder)
    told = "the data folder is DynamoDB Local's, whose shared-local-instance.db is not read: stator copy moves its tables"
    server.wait_for_log(re.escape(told))
    here = Client(server)
    assert here.ok("ListTables")["TableNames"] == []
    here.create_table("Ours")
    here.close()
    assert server.stop() == 0
    assert file.read_bytes() == before
    server = start("--db-path", folder)
    assert told not in server.log()
    here = Client(server)
    assert here.ok("ListTables")["TableNames"] == ["Ours"]
    with dynamodb_local(tmp_path, "-dbPath", str(folder)) as away:
        assert away.ok("ListTables")["TableNames"] == ["Theirs"]
        Program(None, tmp_path).done("copy", "--from", away.server.endpoint, "--to", server.endpoint, endpoint=False)
    assert content(here, "Theirs")[0] == 1
    here.close()


def test_compared_and_described(start, tmp_path):
    """`stator diff` of a copy finds what has changed since, `stator schema diff` that the tables are alike, and `stator apply`
    makes and changes tables there in an order that it takes."""
    program = Program(None, tmp_path)
    here = Client(start())
    items = items_of_every_type()
    with dynamodb_local(tmp_path, "-inMemory") as away:
        there = f"endpoint:{away.server.endpoint}"
        ours = f"endpoint:{here.server.endpoint}"
        away.ok("CreateTable", TableName="Away", **{**TABLE, "DeletionProtectionEnabled": False})
        put_all(away, "Away", [{**item, "l": {"N": "1"}} for item in items])
        program.done("copy", "--from", away.server.endpoint, "--to", here.server.endpoint, "Away", endpoint=False)

        def diff(status, *words):
            done = subprocess.run([binary(), *words], cwd=tmp_path, env=clean_environment(), capture_output=True, text=True,
                                  timeout=program.timeout_s)
            assert done.returncode == status, done
            return done.stdout.splitlines()

        assert diff(0, "diff", f"{there}/Away", f"{ours}/Away") == [f"{len(items)} equal, 0 different"]
        key = {"pk": {"S": "none"}, "sk": {"N": "0"}}
        here.ok("DeleteItem", TableName="Away", Key=key)
        assert diff(3, "diff", f"{there}/Away", ours)[0].startswith("- pk=none sk=0")
        assert diff(0, "schema", "diff", there, ours) == ["= Away", "1 equal, 0 different"]

        def edit(**properties):
            template = {"Resources": {"Made": {"Type": "AWS::DynamoDB::Table", "Properties": {
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 5}, **properties}}}}
            (tmp_path / "made.json").write_text(json.dumps(template))
            done = diff(0, "apply", "made.json", "--endpoint-url", away.server.endpoint)
            diff(0, "apply", "made.json", "--check", "--endpoint-url", away.server.endpoint)
            return done

        assert edit()[-1] == "Made: created"
        changed = edit(
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "mail", "town")],
            BillingMode="PAY_PER_REQUEST", ProvisionedThroughput={"Ref": "AWS::NoValue"},
            GlobalSecondaryIndexes=[{"IndexName": f"by-{name}", "KeySchema": [{"AttributeName": name, "KeyType": "HASH"}],
                                     "Projection": {"ProjectionType": "ALL"}} for name in ("mail", "town")],
            StreamSpecification={"StreamViewType": "NEW_IMAGE"},
            TimeToLiveSpecification={"AttributeName": "expires", "Enabled": True})
        assert changed[0].startswith("~ Made")
        described = away.describe("Made")
        assert {index["IndexName"] for index in described["GlobalSecondaryIndexes"]} == {"by-mail", "by-town"}
        assert described["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    here.close()


# --- One template, applied to both -------------------------------------------------------------------

BY_MAIL = {"IndexName": "by-mail", "KeySchema": [{"AttributeName": "mail", "KeyType": "HASH"}],
           "Projection": {"ProjectionType": "ALL"}}
BY_DAY = {"IndexName": "by-day", "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"},
                                               {"AttributeName": "day", "KeyType": "RANGE"}],
          "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["a", "b"]}}
EXPIRING = {"TimeToLiveSpecification": {"AttributeName": "until", "Enabled": True}}


def edit(attributes, **properties):
    """A template of one table; its attributes beyond the key as NAME:TYPE."""
    attributes = [dict(zip(("AttributeName", "AttributeType"), one.split(":"))) for one in ["pk:S", *attributes.split()]]
    return {"Resources": {"Made": {"Type": "AWS::DynamoDB::Table", "Properties": {
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "AttributeDefinitions": attributes, **properties}}}}


def units(number):
    return {"ProvisionedThroughput": {"ReadCapacityUnits": number, "WriteCapacityUnits": number + 1}}


# Each edit of the file is applied after the one before it.
EDITS = {
    "provisioned": edit("", **units(5)),
    "an index, a stream and a time to live": edit(
        "mail:S", **units(5), **EXPIRING, GlobalSecondaryIndexes=[{**BY_MAIL, **units(2)}],
        StreamSpecification={"StreamViewType": "NEW_IMAGE"}),
    "other throughput": edit("mail:S", **units(7), **EXPIRING, GlobalSecondaryIndexes=[{**BY_MAIL, **units(3)}],
                             StreamSpecification={"StreamViewType": "NEW_IMAGE"}),
    "on demand, another index": edit("mail:S day:N", BillingMode="PAY_PER_REQUEST", GlobalSecondaryIndexes=[BY_MAIL, BY_DAY],
                                     **EXPIRING, StreamSpecification={"StreamViewType": "NEW_IMAGE"}),
    "less": edit("day:N", BillingMode="PAY_PER_REQUEST", GlobalSecondaryIndexes=[BY_DAY]),
}


def told_of(client, table):
    """What both describe of a table, in any order of lists."""
    described = client.describe(table)
    mode = described.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED")

    def throughput(of):
        """On demand, DynamoDB Local retains the numbers of an index from before, and has none for a new one."""
        names = ("ReadCapacityUnits", "WriteCapacityUnits")
        return {name: of["ProvisionedThroughput"][name] for name in names} if mode == "PROVISIONED" else None

    expiry = client.ok("DescribeTimeToLive", TableName=table)["TimeToLiveDescription"]
    return {
        "attributes": sorted(described["AttributeDefinitions"], key=str), "keys": described["KeySchema"],
        "status": described["TableStatus"], "mode": mode,
        "throughput": throughput(described), "stream": described.get("StreamSpecification"),
        "indexes": sorted(({"name": one["IndexName"], "keys": one["KeySchema"], "throughput": throughput(one),
                            "type": one["Projection"]["ProjectionType"], "status": one["IndexStatus"],
                            "attributes": sorted(one["Projection"].get("NonKeyAttributes", []))}
                           for one in described.get("GlobalSecondaryIndexes", [])), key=str),
        "expiry": (expiry["TimeToLiveStatus"], expiry.get("AttributeName"))}


def test_one_template_makes_the_same_tables(start, tmp_path):
    """All edits of one file, each applied to both and described alike; the second run of each has no work."""
    here = Client(start())
    with dynamodb_local(tmp_path, "-inMemory") as away:
        for what, template in EDITS.items():
            (tmp_path / "made.json").write_text(json.dumps(template))
            plans = []
            for client in (away, here):
                words = [binary(), "apply", "made.json", "--endpoint-url", client.server.endpoint]
                for more in ([], ["--check"]):
                    done = subprocess.run([*words, *more], cwd=tmp_path, env=clean_environment(), capture_output=True,
                                          text=True, timeout=240)
                    assert done.returncode == 0, (what, client.server.endpoint, done)
                    plans.append(done.stdout)
            assert plans[:2] == plans[2:], what
            assert told_of(away, "Made") == told_of(here, "Made"), what
            assert told_of(here, "Made")["status"] == "ACTIVE"
    here.close()
