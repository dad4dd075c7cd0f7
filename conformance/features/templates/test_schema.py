"""`stator schema` and its diff: what it prints makes the same table again."""

import json
import random
import re

import pytest

from client import Client
from world import Program

LETTERS = "abcXYZ019_.-"
ODD = "a b\"\\${x}%{y}\u00fc\U0001F600'"


def random_keys(draw, types):
    """A key schema with one partition key and perhaps a sort key."""
    names = [draw.choice(sorted(types))]
    if draw.random() < 0.6:
        names.append(draw.choice(sorted(set(types) - set(names))))
    return [{"AttributeName": name, "KeyType": kind} for name, kind in zip(names, ("HASH", "RANGE"))]


def random_projection(draw):
    kind = draw.choice(["ALL", "KEYS_ONLY", "INCLUDE"])
    if kind != "INCLUDE":
        return {"ProjectionType": kind}
    return {"ProjectionType": kind, "NonKeyAttributes": draw.sample(["x", "y", "z", ODD[:8]], draw.randint(1, 3))}


def random_units(draw):
    return {"ReadCapacityUnits": draw.randint(1, 40), "WriteCapacityUnits": draw.randint(1, 40)}


def random_limit(draw):
    limit = {name: draw.randint(1, 1000) for name in ("MaxReadRequestUnits", "MaxWriteRequestUnits")
             if draw.random() < 0.7}
    return {"OnDemandThroughput": limit} if limit else {}


def random_table(draw, number):
    """The input of a CreateTable, without time to live and recovery."""
    types = {f"k{place}": draw.choice("SNB") for place in range(6)}
    local_types = {f"l{place}": draw.choice("SNB") for place in range(3)}
    is_on_demand = draw.random() < 0.5
    table = {"TableName": f"t{number}" + "".join(draw.choice(LETTERS) for _ in range(draw.randint(2, 20))),
             "KeySchema": random_keys(draw, types)}
    units = random_limit if is_on_demand else lambda draw: {"ProvisionedThroughput": random_units(draw)}
    table |= units(draw)
    if is_on_demand:
        table["BillingMode"] = "PAY_PER_REQUEST"
    partition = table["KeySchema"][0]["AttributeName"]
    if len(table["KeySchema"]) == 2 and draw.random() < 0.4:
        table["LocalSecondaryIndexes"] = [
            {"IndexName": f"local{place}", "Projection": random_projection(draw),
             "KeySchema": [{"AttributeName": partition, "KeyType": "HASH"},
                           {"AttributeName": f"l{place}", "KeyType": "RANGE"}]}
            for place in range(draw.randint(1, 3))]
    if draw.random() < 0.7:
        table["GlobalSecondaryIndexes"] = [
            {"IndexName": f"global{place}", "KeySchema": random_keys(draw, types),
             "Projection": random_projection(draw), **units(draw)} for place in range(draw.randint(1, 4))]
    if draw.random() < 0.5:
        views = ["KEYS_ONLY", "NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES"]
        table["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": draw.choice(views)}
    if draw.random() < 0.3:
        table["TableClass"] = "STANDARD_INFREQUENT_ACCESS"
    if draw.random() < 0.3:
        table["DeletionProtectionEnabled"] = True
    if draw.random() < 0.3:
        table["SSESpecification"] = {"Enabled": True, "SSEType": "KMS"}
    if draw.random() < 0.5:
        table["Tags"] = [{"Key": f"key {place}", "Value": draw.choice(["", "v", "a=b/c:d @+-"])}
                         for place in range(draw.randint(1, 5))]
    used = {key["AttributeName"] for part in [table, *table.get("LocalSecondaryIndexes", []),
                                              *table.get("GlobalSecondaryIndexes", [])] for key in part["KeySchema"]}
    table["AttributeDefinitions"] = [{"AttributeName": name, "AttributeType": {**types, **local_types}[name]} for name in sorted(used)]
    return table


def make_random(client, draw, number):
    table = random_table(draw, number)
    name = table["TableName"]
    client.ok("CreateTable", **table)
    client.wait_active(name)
    if draw.random() < 0.4:
        client.ok("UpdateTimeToLive", TableName=name,
                  TimeToLiveSpecification={"AttributeName": draw.choice(["ttl", ODD[:6]]), "Enabled": True})
    if draw.random() < 0.4:
        client.ok("UpdateContinuousBackups", TableName=name, PointInTimeRecoverySpecification={
            "PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": draw.choice([1, 7, 35])})
    return name


@pytest.fixture
def tables(world, request, seed):
    """Names of random tables."""
    draw = random.Random(f"{seed} {request.node.name}")
    return [make_random(world.client, draw, number) for number in range(request.config.getoption("--tables"))]


# --- HCL as `stator schema` writes it, read into what `terraform show -json` prints ------------------

STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')


def hcl_text(literal):
    text = json.loads(f'"{literal}"')
    return text.replace("$${", "${").replace("%%{", "%{")


def hcl_value(text):
    if text.startswith('"'):
        return hcl_text(STRING.fullmatch(text)[1])
    if text.startswith("["):
        return [hcl_text(found) for found in STRING.findall(text)]
    return {"true": True, "false": False}[text] if text in ("true", "false") else int(text)


def hcl_block(lines):
    values = {}
    for line in lines:
        line = line.strip()
        if line == "}":
            return values
        if line == "tags = {":
            values["tags"] = hcl_tags(lines)
        elif line.endswith(" {"):
            values.setdefault(line[:-2], []).append(hcl_block(lines))
        else:
            name, _, text = line.partition(" = ")
            values[name] = hcl_value(text)
    raise AssertionError("a block does not end")


def hcl_tags(lines):
    tags = {}
    for line in lines:
        if line.strip() == "}":
            return tags
        key, value = re.fullmatch(rf"\s*{STRING.pattern} = {STRING.pattern}", line).groups()
        tags[hcl_text(key)] = hcl_text(value)
    raise AssertionError("the tags do not end")


def terraform_values(text):
    resources, lines = [], iter(text.splitlines())
    for line in lines:
        kind, name = re.fullmatch(r'resource "([^"]+)" "([^"]+)" \{', line).groups()
        resources.append({"address": f"{kind}.{name}", "mode": "managed", "type": kind, "name": name,
                          "values": hcl_block(lines)})
    assert len({resource["name"] for resource in resources}) == len(resources)
    return json.dumps({"format_version": "1.0", "values": {"root_module": {"resources": resources}}})


# --- Round trips -------------------------------------------------------------------------------------

@pytest.mark.parametrize("form, read", [("cloudformation", str), ("cli", str), ("stator", str),
                                        ("terraform", terraform_values)])
def test_what_is_printed_is_the_same_table(world, tables, form, read):
    printed = world.program.run("schema", "--as", form)
    assert printed.returncode == 0, printed.stderr
    lines = world.program.ends(0, "apply", "-", "--check", stdin=read(printed.stdout))
    assert lines[-1] == f"Plan: 0 to create, 0 to update, 0 to replace, {len(tables)} unchanged"


def test_what_is_printed_makes_the_tables_elsewhere(world, tables, start, tmp_path):
    printed = world.program.run("schema", "--as", "cloudformation").stdout
    other = Program(start().endpoint, tmp_path)
    other.ends(0, "apply", "-", stdin=printed)
    assert other.run("schema", "--as", "cloudformation").stdout == printed
    lines = world.program.ends(0, "schema", "diff", f"endpoint:{world.server.endpoint}", f"endpoint:{other.endpoint}")
    assert lines[-1] == f"{len(tables)} equal, 0 different"


def test_the_command_line_takes_one_table(world):
    world.client.create_table("Books", Tags=[{"Key": "a", "Value": "b"}])
    printed = world.program.run("schema", "Books", "--as", "cli")
    assert (printed.returncode, printed.stderr) == (0, "")
    table = json.loads(printed.stdout)
    world.client.drop_table("Books")
    world.client.ok("CreateTable", **table)
    assert world.tags("Books") == {"a": "b"}
    world.client.ok("UpdateTimeToLive", TableName="Books",
                    TimeToLiveSpecification={"AttributeName": "t", "Enabled": True})
    assert "TimeToLiveSpecification" in world.program.run("schema", "Books", "--as", "cli").stderr


def test_what_is_printed_for_stator_is_a_seed(world, start, tmp_path):
    world.client.create_table("Books", Tags=[{"Key": "a", "Value": "b"}])
    world.client.ok("UpdateTimeToLive", TableName="Books", TimeToLiveSpecification={"AttributeName": "t", "Enabled": True})
    world.client.ok("UpdateContinuousBackups", TableName="Books", PointInTimeRecoverySpecification={
        "PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 7})
    printed = world.program.run("schema", "Books", "--as", "stator")
    assert (printed.returncode, printed.stderr) == (0, "")
    (tmp_path / "seed").mkdir()
    (tmp_path / "seed" / "Books.table.json").write_text(printed.stdout)
    other = Program(start("--seed", tmp_path / "seed").endpoint, tmp_path)
    assert other.run("schema", "Books", "--as", "stator").stdout == printed.stdout
    world.program.ends(0, "schema", "diff", f"endpoint:{world.server.endpoint}", f"endpoint:{other.endpoint}")


def test_a_model_of_workbench(world):
    """Keys, indexes and capacity come back; what a model has no member for is told."""
    world.client.ok("CreateTable", TableName="Songs", ProvisionedThroughput={"ReadCapacityUnits": 3, "WriteCapacityUnits": 4},
                    AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind} for name, kind in ("aS", "bN", "cB")],
                    KeySchema=[{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}],
                    LocalSecondaryIndexes=[{"IndexName": "local", "Projection": {"ProjectionType": "KEYS_ONLY"}, "KeySchema": [
                        {"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "RANGE"}]}],
                    GlobalSecondaryIndexes=[{"IndexName": "global", "KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}],
                                             "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y"]},
                                             "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}}])
    world.client.create_table("Tagged", Tags=[{"Key": "a", "Value": "b"}],
                              StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    printed = world.program.run("schema", "Songs", "--as", "workbench")
    assert (printed.returncode, printed.stderr) == (0, "")
    assert json.loads(printed.stdout)["ModelMetadata"]["Version"] == "3.0"
    assert world.program.ends(0, "apply", "-", "--check", stdin=printed.stdout)[-1].endswith("1 unchanged")
    assert world.program.run("schema", "Tagged", "--as", "workbench").stderr == "stator: Tagged: a model has no stream, tags\n"


def test_a_table_that_is_missing(world):
    assert world.program.complaints(1, "schema", "nope", "--as", "cli") == ["stator: there is no table nope"]


# --- Differences -------------------------------------------------------------------------------------

def test_differences_of_two_servers(world, start):
    other_server = start()
    other = Client(other_server)
    for client in (world.client, other):
        client.create_table("same")
        client.create_table("changed", Tags=[{"Key": "team", "Value": "a"}])
    world.client.create_table("gone")
    other.create_table("new")
    sides = [f"endpoint:{world.server.endpoint}", f"endpoint:{other_server.endpoint}"]
    arn = other.describe("changed")["TableArn"]
    other.ok("TagResource", ResourceArn=arn, Tags=[{"Key": "team", "Value": "b"}])
    assert world.program.ends(3, "schema", "diff", *sides) == [
        "~ changed  Tags: team=a -> b", "- gone", "+ new", "= same", "1 equal, 3 different"]
    told = json.loads("\n".join(world.program.ends(3, "schema", "diff", *sides, "--output", "json")))
    assert told == {"equal": False, "tables": [
        {"name": "changed", "state": "changed", "changes": [{"member": "Tags", "text": "team=a -> b"}]},
        {"name": "gone", "state": "removed", "changes": []}, {"name": "new", "state": "added", "changes": []},
        {"name": "same", "state": "same", "changes": []}]}
    assert world.program.ends(0, "schema", "diff", sides[0], sides[0])[-1] == "3 equal, 0 different"


def test_differences_of_a_file(world):
    world.client.create_table("Books")
    world.program.write("out/Books.template.json", world.program.run("schema", "--as", "cloudformation").stdout)
    side = f"endpoint:{world.server.endpoint}"
    for file in ("out", "out/Books.template.json"):
        assert world.program.ends(0, "schema", "diff", file, side) == ["= Books", "1 equal, 0 different"]
        assert world.program.ends(0, "schema", "diff", side, file) == ["= Books", "1 equal, 0 different"]
    before = world.seen()
    world.client.ok("UpdateTable", TableName="Books", DeletionProtectionEnabled=True)
    assert world.program.ends(3, "schema", "diff", "out", side)[0] == "~ Books  DeletionProtectionEnabled: off -> on"
    assert set(world.operations_since(before)) <= {
        "UpdateTable", "ListTables", "DescribeTable", "DescribeTimeToLive", "ListTagsOfResource",
        "DescribeContinuousBackups", "DescribeContributorInsights", "DescribeKinesisStreamingDestination", "GetResourcePolicy"}
    world.program.ends(2, "schema", "diff", "missing.yaml", side)
    world.program.ends(1, "schema", "diff", "out", "endpoint:http://localhost:1")
    (told,) = world.program.complaints(2, "schema", "diff", "out", "endpoint:nonsense://x")
    assert told.startswith("stator: endpoint:nonsense://x: 'nonsense://x' is not http://HOST:PORT")
    (told,) = world.program.complaints(2, "schema", "diff", "out", "http://x:8000")
    assert told.startswith("stator: 'http://x:8000' is no file; an address is endpoint:http://HOST:PORT")
