"""`stator copy`: whole tables between endpoints, stopped on the way and resumed."""

import json
import signal
import subprocess
import time

import pytest

from client import Client
from data_program import Program, SilentEndpoint, all_items, items_of_every_type, key_of, ordered, put_all
from metrics_page import Page
from server_process import STOP_DEADLINE_S, binary, clean_environment, run_to_end, wait_until

TABLE = {
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": kind}
                             for name, kind in (("pk", "S"), ("sk", "N"), ("g", "S"), ("l", "N"))],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
    "LocalSecondaryIndexes": [{
        "IndexName": "Local", "Projection": {"ProjectionType": "KEYS_ONLY"},
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "l", "KeyType": "RANGE"}]}],
    "GlobalSecondaryIndexes": [{
        "IndexName": "Global", "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["s"]},
        "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
        "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4}}],
    "ProvisionedThroughput": {"ReadCapacityUnits": 7, "WriteCapacityUnits": 8},
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"},
    "Tags": [{"Key": f"key{i}", "Value": f"value {i}"} for i in range(12)],
    "DeletionProtectionEnabled": True,
}
# What a description tells of a table itself, not of its name, age and size.
COMPARED = ("AttributeDefinitions", "KeySchema", "LocalSecondaryIndexes", "GlobalSecondaryIndexes",
            "ProvisionedThroughput", "BillingModeSummary", "StreamSpecification", "TableClassSummary",
            "DeletionProtectionEnabled")
OWN = ("IndexArn", "IndexSizeBytes", "ItemCount", "CreationDateTime", "LastDecreaseDateTime",
       "LastIncreaseDateTime", "LastUpdateToPayPerRequestDateTime", "WarmThroughput")


def without_own(value):
    if isinstance(value, dict):
        return {name: without_own(member) for name, member in value.items() if name not in OWN}
    return [without_own(element) for element in value] if isinstance(value, list) else value


def schema_of(client, table):
    described = client.describe(table)
    tags = []
    token = {}
    while True:
        answer = client.ok("ListTagsOfResource", ResourceArn=described["TableArn"], **token)
        tags += answer["Tags"]
        if "NextToken" not in answer:
            break
        token = {"NextToken": answer["NextToken"]}
    return (without_own({name: described.get(name) for name in COMPARED}),
            sorted(tags, key=lambda tag: tag["Key"]),
            client.ok("DescribeTimeToLive", TableName=table)["TimeToLiveDescription"])


@pytest.fixture
def ends(start, tmp_path):
    """Two servers and the program in a folder of the test's own."""
    from_server, to_server = start("--throttling", "off"), start("--throttling", "off")
    clients = Client(from_server), Client(to_server)
    yield (*clients, Program(None, tmp_path))
    for client in clients:
        client.close()


def copy(ends, *arguments):
    return ["copy", "--from", ends[0].server.endpoint, "--to", ends[1].server.endpoint, *arguments]


def test_everything(ends):
    source, target, program = ends
    source.ok("CreateTable", TableName="Whole", **TABLE)
    source.ok("UpdateTimeToLive", TableName="Whole",
              TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
    items = [{**item, "g": {"S": "x"}, "l": {"N": str(number)}, "expires": {"N": "99999999999"}}
             for number, item in enumerate(items_of_every_type())]
    put_all(source, "Whole", items)
    source.create_table("Empty")
    lines = program.done(*copy(ends), endpoint=False).splitlines()
    assert [line.split(" in ")[0] for line in lines] == ["Empty: 0 items", f"Whole: {len(items)} items"]
    assert schema_of(target, "Whole") == schema_of(source, "Whole")
    assert schema_of(target, "Whole")[2] == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires"}
    assert schema_of(target, "Empty") == schema_of(source, "Empty")
    assert ordered(all_items(target, "Whole")) == ordered(items)
    for index, condition, values in (("Global", "g = :v", {":v": {"S": "x"}}),
                                     ("Local", "pk = :v", {":v": {"S": "mixed"}})):
        asked = {"TableName": "Whole", "IndexName": index, "KeyConditionExpression": condition,
                 "ExpressionAttributeValues": values}
        assert sorted(map(key_of, target.ok("Query", **asked)["Items"])) == \
            sorted(map(key_of, source.ok("Query", **asked)["Items"]))
    assert list(program.folder.iterdir()) == [], "a copy that is done leaves no state"


def test_tables_without_their_items(ends):
    source, target, program = ends
    source.ok("CreateTable", TableName="Whole", **TABLE)
    source.ok("UpdateTimeToLive", TableName="Whole",
              TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires"})
    put_all(source, "Whole", [{**items_of_every_type()[0], "l": {"N": "1"}}])
    assert program.done(*copy(ends, "--schema-only"), endpoint=False) == "Whole: without its items\n"
    assert schema_of(target, "Whole") == schema_of(source, "Whole")
    assert all_items(target, "Whole") == []
    assert list(program.folder.iterdir()) == []


def test_its_pages_have_a_limit(ends):
    """Without one DynamoDB Local sorts what is left of the table for each page, which 1,000,000 items do not end with."""
    source, _, program = ends
    put_all(source, source.create_table("Pages")["TableName"], [{"pk": {"S": str(n)}} for n in range(5_001)])
    program.done(*copy(ends, "--segments", "1"), endpoint=False)
    # All of it would fit into one page of 1 MB.
    assert Page(source.server).value("stator_requests_total", operation="Scan", code="200") == 2


def test_tables_by_name_and_those_that_are_there(ends):
    source, target, program = ends
    for name in ("One", "Two", "Three"):
        source.create_table(name)
        put_all(source, name, [{"pk": {"S": name}}])
    put_all(target, target.create_table("Two")["TableName"], [{"pk": {"S": "before"}}])
    program.done(*copy(ends, "One"), endpoint=False)
    assert target.ok("ListTables")["TableNames"] == ["One", "Two"]
    told = program.refused(*copy(ends, "Two"), endpoint=False)
    assert told == [f"stator: table Two: it is there already at {target.server.endpoint}; "
                    "--merge puts the items into it"]
    assert len(all_items(target, "Two")) == 1
    program.done(*copy(ends, "Two", "--merge"), endpoint=False)
    assert ordered(all_items(target, "Two")) == [{"pk": {"S": "Two"}}, {"pk": {"S": "before"}}]
    assert "ResourceNotFoundException" in program.refused(*copy(ends, "Four"), endpoint=False)[0]


def many_items(program, client, count, size=2_000):
    client.create_table("Many")
    program.write("items", "".join(json.dumps({"pk": f"p{i}", "n": i, "t": "x" * size}) + "\n" for i in range(count)))
    program.done("import", "Many", "items", "--endpoint-url", client.server.endpoint, endpoint=False)
    (program.folder / "items").unlink()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_stopped_and_resumed(ends, number):
    source, target, program = ends
    many_items(program, source, 15_000)  # at that rate many seconds beside those until a page is copied
    state = program.folder / "stator-copy.json"

    def has_begun():
        return state.exists() and '{"pk"' in state.read_text()

    for _ in range(2):
        running = subprocess.Popen([binary(), *copy(ends, "--rate", "2000", "--segments", "3")],
                                   cwd=program.folder, env=clean_environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        before = state.read_text() if state.exists() else ""
        wait_until(lambda: running.poll() is not None or (has_begun() and state.read_text() != before))
        assert running.poll() is None, "it is still on its way"
        running.send_signal(number)
        told = running.communicate(timeout=STOP_DEADLINE_S)[1]
        if number == signal.SIGINT:
            assert running.returncode == 1
            assert "table Many: interrupted" in told and "the same command continues from there" in told
    left = 15_000 - len(all_items(target, "Many"))
    assert 0 < left < 15_000
    result = program.run(*copy(ends, "--segments", "7"), endpoint=False)
    assert result.returncode == 0, result.stderr
    assert result.stderr == "stator: continues the copy recorded in stator-copy.json\n"
    came = int(result.stdout.split(" ")[1].replace(",", ""))
    assert left <= came < 15_000, "what is there is not copied again"
    assert ordered(all_items(target, "Many")) == ordered(all_items(source, "Many"))
    assert not state.exists()


def test_interrupted_within_a_page(ends):
    """A page that takes a slow target long is not waited for, and what of it is written is not written again."""
    source, target, program = ends
    many_items(program, source, 4_000, size=10)  # one page
    # All of it would take longer than the deadline below.
    running = subprocess.Popen([binary(), *copy(ends, "--rate", "50", "--segments", "1")], cwd=program.folder,
                               env=clean_environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: target.send("Scan", {"TableName": "Many", "Limit": 1}).json().get("Count") == 1)
    running.send_signal(signal.SIGINT)
    told = running.communicate(timeout=STOP_DEADLINE_S)[1]
    assert running.returncode == 1 and "table Many: interrupted" in told, told
    left = 4_000 - len(all_items(target, "Many"))
    assert 0 < left < 4_000
    assert program.done(*copy(ends), endpoint=False).startswith(f"Many: {left:,} items in ")
    assert ordered(all_items(target, "Many")) == ordered(all_items(source, "Many"))


def test_a_rate(ends):
    """Of all segments together; as that of an import."""
    source, target, program = ends
    many_items(program, source, 1_000, size=10)
    begun = time.monotonic()
    program.done(*copy(ends, "--rate", "1000", "--segments", "3"), endpoint=False)
    assert time.monotonic() - begun > 0.9
    assert len(all_items(target, "Many")) == 1_000


def test_a_state_of_another_copy(ends):
    source, target, program = ends
    program.write("stator-copy.json", json.dumps({"from": "http://a:1 (x)", "to": "http://b:2 (x)", "tables": {}}))
    told = program.refused(*copy(ends), endpoint=False)
    assert told == ["stator: stator-copy.json is the state of a copy from http://a:1 (x) to http://b:2 (x); "
                    "remove it, or name another file by --state"]
    program.done(*copy(ends, "--state", "other.json"), endpoint=False)
    program.write("stator-copy.json", "nonsense")
    assert "is not the state of a copy" in program.refused(*copy(ends), endpoint=False)[0]


def test_a_target_that_refuses(ends, start):
    """What is there is said, and that it is not all."""
    source, _, program = ends
    source.create_table("Large", "sk", AttributeDefinitions=[
        {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "l")],
        LocalSecondaryIndexes=[{**TABLE["LocalSecondaryIndexes"][0]}])
    put_all(source, "Large", [{"pk": {"S": "p"}, "sk": {"S": str(i)}, "t": {"S": "x" * 10_000}} for i in range(300)])
    small = Client(start("--item-collection-limit", "1M", "--throttling", "off"))
    told = program.refused(*copy((source, small)), endpoint=False)
    there = len(all_items(small, "Large"))
    assert told == [
        "stator: table Large: ItemCollectionSizeLimitExceededException: Collection size exceeded.",
        f"stator: it is incomplete at {small.server.endpoint}: {there} items copied in this run; "
        "the same command continues from there (stator-copy.json)"]
    small.close()


def test_a_target_that_falls_silent(ends):
    """It takes connections and answers nothing, as one whose disk hangs. What was reached is kept, and the same command
    goes on once it answers again."""
    source, target, program = ends
    many_items(program, source, 10_000)
    state = program.folder / "stator-copy.json"
    words = copy(ends, "--rate", "1500", "--segments", "2")
    running = subprocess.Popen([binary(), *words, "--timeout", "2"], cwd=program.folder, env=clean_environment(),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: running.poll() is not None or (state.exists() and '{"pk"' in state.read_text()))
    target.server.signal(signal.SIGSTOP)
    try:
        told = running.communicate(timeout=program.timeout_s)[1].splitlines()
    finally:
        target.server.signal(signal.SIGCONT)
    address = target.server.endpoint
    assert running.returncode == 1
    assert told[-2] == f"stator: table Many: {address}: no answer within 2 s"
    assert told[-1].startswith(f"stator: it is incomplete at {address}: ")
    assert told[-1].endswith("copied in this run; the same command continues from there (stator-copy.json)")
    result = program.run(*copy(ends), endpoint=False)
    assert result.stderr == "stator: continues the copy recorded in stator-copy.json\n"
    assert result.returncode == 0
    assert ordered(all_items(target, "Many")) == ordered(all_items(source, "Many"))
    assert not state.exists()


@pytest.mark.parametrize("answers, asked", [(0, 1), (1, 3)], ids=["never answered", "no more"])
@pytest.mark.parametrize("words", [["copy", "--to", "http://127.0.0.1:1", "--from"],
                                   ["export", "Many", "many.json", "--segments", "1", "--endpoint-url"],
                                   ["import", "Many", "items.json", "--key", "pk:S", "--endpoint-url"]],
                         ids=["copy", "export", "import"])
def test_an_endpoint_that_never_answers(tmp_path, words, answers, asked):
    """A call is made once more, unless nothing was ever answered."""
    program = Program(None, tmp_path)
    program.write("items.json", '{"pk": "a"}\n')
    with SilentEndpoint(answers) as silent:
        told = program.refused(*words, silent.address, "--timeout", "0.2", endpoint=False)
    assert f"{silent.address}: no answer within 200 ms" in told[0]
    assert silent.asked == asked
    assert sorted(path.name for path in tmp_path.iterdir()) == ["items.json"]


def test_a_table_that_does_not_become_active(start, tmp_path):
    server = start("--clock", "manual", "--control-plane-delay", "60")
    program = Program(server.endpoint, tmp_path)
    program.write("items.json", '{"pk": "a"}\n')
    told = program.refused("import", "Many", "items.json", "--key", "pk:S", "--timeout", "0.2")
    assert told[0] == (f"stator: table 'Many' at {server.endpoint}: it is not ACTIVE after 1 s; table 'Many' was made by "
                       "this command and stays")


def test_nothing_to_copy(start, tmp_path):
    """Tables may belong to another access key or Region, as in DynamoDB Local without -sharedDb."""
    from_server = start("--isolate", "key")
    Client(from_server, key="owner").create_table("Theirs")
    words = ["copy", "--from", from_server.endpoint, "--to", start().endpoint, "--from-region", "eu-west-1"]
    program = Program(None, tmp_path)
    assert program.done(*words, endpoint=False, env={"AWS_ACCESS_KEY_ID": "other"}) == (
        f"no tables at {from_server.endpoint} for Region eu-west-1 and access key other; --from-region and "
        "AWS_ACCESS_KEY_ID name others\n")
    words[-1] = "us-east-1"
    assert program.done(*words, endpoint=False, env={"AWS_ACCESS_KEY_ID": "owner"}).startswith("Theirs: 0 items")


def test_between_regions_of_one_server(ends):
    source, _, program = ends
    put_all(source, source.create_table("Moved")["TableName"], [{"pk": {"S": "a"}}])
    address = source.server.endpoint
    program.done("copy", "--from", address, "--to", address, "--to-region", "eu-west-1", endpoint=False)
    there = Client(source.server, region="eu-west-1")
    assert all_items(there, "Moved") == [{"pk": {"S": "a"}}]
    there.close()


@pytest.mark.parametrize("arguments, word", [
    (["--from", "http://a:1"], "--to"), (["--to", "http://a:1"], "--from"),
    (["--from", "http://a:1", "--to", "http://a:1"], "already"),
    (["--from", "ftp://a", "--to", "http://a:1"], "ftp://a"),
])
def test_mistakes(arguments, word):
    result = run_to_end("copy", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1 and word in result.stderr
