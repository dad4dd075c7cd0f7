"""Fifteen templates, each with the features of one that people have published (stacks, CDK's output, SAM, serverless.yml,
models of NoSQL Workbench, jest-dynamodb): applied, described, applied again; broken, and nothing made.

expected/NAME.json has the command's words, the lines that it prints, and what the server then tells of the tables."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from test_apply import READS

FOLDER = Path(__file__).parent / "fifteen"
EXPECTED = sorted((FOLDER / "expected").glob("*.json"))
# Of a description: what differs from run to run, and what follows from the rest.
NOT_COMPARED = {"TableArn", "TableId", "CreationDateTime", "LatestStreamArn", "LatestStreamLabel", "IndexArn", "ItemCount",
                "TableSizeBytes", "IndexSizeBytes", "KMSMasterKeyArn", "LastUpdateToPayPerRequestDateTime",
                "NumberOfDecreasesToday"}


def compared(value):
    if isinstance(value, dict):
        return {name: compared(inner) for name, inner in value.items() if name not in NOT_COMPARED}
    return [compared(inner) for inner in value] if isinstance(value, list) else value


def told_of(world, table):
    """What describes the table, and its items."""
    recovery = world.client.ok("DescribeContinuousBackups", TableName=table)["ContinuousBackupsDescription"]
    insights = world.client.ok("ListContributorInsights", TableName=table)["ContributorInsightsSummaries"]
    told = {
        "description": compared(world.client.describe(table)),
        "ttl": world.ttl(table),
        "tags": world.tags(table),
        "recovery": recovery["PointInTimeRecoveryDescription"]["PointInTimeRecoveryStatus"],
        "insights": sorted(one.get("IndexName", "") for one in insights if one["ContributorInsightsStatus"] == "ENABLED"),
        "items": world.client.ok("Scan", TableName=table)["Items"],
    }
    told["items"].sort(key=json.dumps)
    return told


def template(name, folder=FOLDER):
    """The words that name a template for the command, and its stdin: code is no template until node has run it."""
    if not name.endswith(".js"):
        return [name], ""
    if shutil.which("node") is None:
        pytest.skip("node is not on PATH")
    done = subprocess.run(["node", "-p", f"JSON.stringify(require('./{name}'))"], cwd=folder, capture_output=True, text=True,
                          check=True)
    return ["-"], done.stdout


def test_each_template_is_here():
    files = {path.name for path in FOLDER.iterdir() if path.is_file()}
    assert len(files) == 15
    assert {json.loads(path.read_text())["template"] for path in EXPECTED} == files


@pytest.mark.parametrize("path", EXPECTED, ids=lambda path: path.stem)
def test_applied_described_and_applied_again(world, path):
    expected = json.loads(path.read_text())
    words, stdin = template(expected["template"])
    world.program.folder = FOLDER
    command = ["apply", *words, *expected["words"]]
    if "refused" in expected:
        assert world.program.complaints(2, *command, stdin=stdin) == expected["refused"]
        assert world.client.table_names() == []
        return
    assert world.program.ends(0, *command, stdin=stdin) == expected["printed"]
    assert {name: told_of(world, name) for name in world.client.table_names()} == expected["tables"]
    before = world.seen()
    again = world.program.ends(0, *command, stdin=stdin)
    assert [line[0] for line in again if line[0] in "=+~!"] == ["="] * len(expected["tables"])
    assert set(world.operations_since(before)) <= READS
    world.program.ends(0, *command, "--check", stdin=stdin)


# A template, what is right in it, what is wrong instead, and the complaint about it.
BROKEN = [
    ("billing.yml", "HASH", "HASH",
     "billing.yml:7:24: Readings.BillingMode: parameter Billing (String: PROVISIONED or PAY_PER_REQUEST) has no default; "
     "give its value: --param Billing=VALUE"),
    ("global.yml", "{AttributeName: account, AttributeType: S}", "account",
     "global.yml:11:11: Ledger.AttributeDefinitions[0]: it must be a map"),
    ("defaults.yml", "ReadCapacityUnits: 4", "ReadCapacityUnits: four",
     "defaults.yml:13:28: Letters.ProvisionedThroughput.ReadCapacityUnits: it must be a whole number"),
    ("events.yml", "!Ref Events", "!Ref Evens",
     "events.yml:16:18: DoorTable.TableName: there is no parameter or resource Evens"),
    ("loops.yml", "Fn::ForEach::Rooms", "Fn::ForEach::Lamps",
     "loops.yml:9:3: Fn::ForEach::Lamps makes tables, and loops are not evaluated here; give the template as AWS processed "
     "it: aws cloudformation get-template --template-stage Processed"),
    ("indexes.template.json", '"IndexName": "two",', "",
     "indexes.template.json:121:6: GlobalC3D4E5F6.GlobalSecondaryIndexes[1]: IndexName is missing"),
    ("replicas.template.json", '"AttributeName": "gone",', "",
     "replicas.template.json:248:32: TableB1.TimeToLiveSpecification: AttributeName is missing"),
    ("vectors.template.json", '"PAY_PER_REQUEST"', '["PAY_PER_REQUEST"]',
     "vectors.template.json:7:20: FilmsC2.BillingMode: it must be a text"),
    ("warm.template.json", '"ReadUnitsPerSecond": 15500', '"ReadUnitsPerSecond": "many"',
     "warm.template.json:36:30: QueueD3.GlobalSecondaryIndexes[0].WarmThroughput.ReadUnitsPerSecond: it must be a whole "
     "number"),
    ("simple.yaml", "        Name: seat-number\n", "", "simple.yaml:11:9: Full.PrimaryKey: Name is missing"),
    ("serverless.yml", "${opt:stage, self:provider.stage}", "${ssm:/stage}",
     "serverless.yml:11:12: BooksTable.TableName: ${ssm:/stage}: only Serverless can resolve it: "
     "serverless print --format json | stator apply -"),
    ("bank_model.json", '"ProjectionType": "ALL"', '"Projection": "ALL"',
     "bank_model.json:66:21: Transfers.GlobalSecondaryIndexes[0].Projection: there is no member Projection"),
    ("sessions_model.json", '"PartitionKey"', '"PartKey"',
     "sessions_model.json:10:3: Visits: KeyAttributes.PartitionKey is missing"),
    ("scaled_global.json", '"StreamViewType"', '"StreamView"',
     "scaled_global.json:182:28: Albums.StreamSpecification: StreamViewType is missing"),
    ("jest-dynamodb-config.js", "AttributeName: 'id', KeyType", "KeyType",
     "stdin:1:52: attachments.KeySchema[0]: AttributeName is missing"),
]


@pytest.mark.parametrize(("name", "right", "wrong", "complaint"), BROKEN, ids=[case[0] for case in BROKEN])
def test_a_broken_one_makes_nothing(world, name, right, wrong, complaint):
    text = (FOLDER / name).read_text()
    assert right in text
    world.program.write(name, text.replace(right, wrong, 1))
    words, stdin = template(name, world.program.folder)
    given = ["--param", "Home=us-east-1"] if name == "global.yml" else []
    assert f"stator: {complaint}" in world.program.complaints(2, "apply", *words, *given, stdin=stdin)
    assert world.client.table_names() == []
