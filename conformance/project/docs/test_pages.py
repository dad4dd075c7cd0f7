"""What the pages for users say is run as it stands there."""

import gzip
import json
import re

from admin import Admin
from checkout import ROOT
from client import Client
from pages import (HEADING, LEFT_OUT, PLAYED, PLAYED_LANGUAGES, PLAYED_RECIPES, RECIPES, all_blocks, blocks,
                   played, reason_left_out)
from server_process import free_port, wait_until

CREATE = ("create-table --table-name Tests --billing-mode PAY_PER_REQUEST --key-schema AttributeName=pk,KeyType=HASH "
          "--attribute-definitions AttributeName=pk,AttributeType=S")


def test_every_block_is_played_or_left_out():
    found = all_blocks()
    nobodys = [block for block in found if reason_left_out(block) is None and
               (block.page not in PLAYED or block.language not in PLAYED_LANGUAGES)]
    assert nobodys == []
    for beginning in LEFT_OUT:
        assert any(block.text.startswith(beginning) for block in found), f"{beginning!r} is in no page any more"


def test_readme(shell):
    client = shell.serve()
    (first_steps,) = played("README.md")
    shell.play(first_steps)
    assert client.ok("Scan", TableName="Music")["Items"] == [{"Artist": {"S": "Nina Simone"}, "Year": {"N": "1964"}}]


def test_access(shell):
    """The example and all traps are one program; holders of tokens have a role of their own."""
    page = "docs/access.md"
    content = json.loads(next(block.text for block in blocks(page) if block.language == "json"))
    trust = {"Effect": "Allow", "Principal": {"Federated": "cognito-identity.amazonaws.com"},
             "Action": "sts:AssumeRoleWithWebIdentity"}
    content["webIdentity"] = "trust"
    content["principals"].append({"arn": "arn:aws:iam::111122223333:role/web",
                                  "trust": {"Version": "2012-10-17", "Statement": [trust]}})
    file = shell.work / "access.json"
    file.touch(0o600)
    file.write_text(json.dumps(content))
    serve, *programs, report, to_file = played(page)
    shell.play(serve)
    traps = re.findall(r"^\*\*(\d+)\. .*?^```python$", (ROOT / page).read_text(), re.DOTALL | re.MULTILINE)
    assert traps == [str(number) for number in range(1, 14)] and len(programs) == 3 + len(traps)
    shell.python("".join(block.text for block in programs))
    assert "arn:aws:iam::111122223333:role/app" in shell.play(report)
    shell.play(to_file)
    shell.server.stop()
    assert json.loads((shell.work / "report.json").read_text())["principals"] == []


def test_exports(shell):
    _, objects, start = played("docs/backups/exports.md")
    shell.play(objects)
    description = json.loads(shell.play(start).partition("{\"BulkOperationDescription\":")[2][:-1])
    client = Client(shell.server)

    def ended():
        arn = description["BulkOperationArn"]
        now = client.ok("DescribeBulkOperation", BulkOperationArn=arn)["BulkOperationDescription"]
        return now if now["BulkOperationStatus"] != "IN_PROGRESS" else None

    told = wait_until(ended, what="the end of the bulk put")
    assert (told["BulkOperationStatus"], told["ProcessedItemCount"], told["FailedItemCount"]) == (
        "COMPLETED_WITH_ERRORS", 3, 1)
    assert client.ok("Scan", TableName="Music")["Items"] == [{"pk": {"S": "a"}, "title": {"S": "First"}}]
    assert len(list((shell.work / "s3" / "reports").rglob("*.json.gz"))) == 2


def test_templates(shell):
    make, names, check, schema = played("docs/coming-from/templates.md")
    page = (ROOT / "docs/coming-from/templates.md").read_text()
    plan = re.search(r"^```\n(\+ orders-dev.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert shell.play(make).startswith(plan[1])
    client = Client(shell.server)
    assert set(client.table_names()) == {"orders-dev", "Users"}
    shell.play(names)
    assert (shell.work / "tables.env").read_text() == "ORDERS_TABLE=orders-test\nUSERS_TABLE=Users\n"
    shell.play(check)
    assert "3 equal, 0 different" in shell.play(schema)
    assert 'name = "orders-dev"' in (shell.work / "orders.tf").read_text()


def test_triggers(shell):
    shell.ports["8001"] = str(free_port())
    start, deliver = played("docs/coming-from/lambda-triggers.md")
    flags = shell.here(start.text).replace("&", "").split()[1:]
    shell.serve(*flags)
    shell.play(deliver)


def test_capacity(shell):
    client = shell.serve()
    client.create_table("Orders")
    (orders,) = played("docs/capacity.md")
    shell.play(orders)
    (told,) = Admin(shell.server).ok("capacity")["tables"]
    assert (told["throttling"], len(told["partitions"])) == ("enforce", 4)


def test_data(shell):
    client = shell.serve()
    load, unload, copy, look, compare, seeded, make_seed = played("docs/data.md")
    (shell.work / "songs.csv").write_text("Artist,Title,Year:N\nNina Simone,Sinnerman,1965\n")
    with gzip.open(shell.work / "more.jsonl.gz", "wt") as more:
        more.write('{"Artist":"Miles Davis","Title":"So What"}\n')
    (shell.work / "even-more.json").write_text('[{"Artist":"Etta James","Title":"At Last"}]')
    shell.play(load)
    items = sorted(client.ok("Scan", TableName="Music")["Items"], key=str)
    assert [one["Artist"]["S"] for one in items] == ["Etta James", "Miles Davis", "Nina Simone"]
    assert sorted(client.ok("Scan", TableName="MusicCopy")["Items"], key=str) == items
    assert '"Items"' in shell.play(unload)
    assert (shell.work / "songs.jsonl.gz").exists() and (shell.work / "exported").is_dir()
    shell.play(make_seed)
    shown = shell.play(look)
    assert "Sinnerman" in shown and shown.count("Feeling Good") == 3
    assert '"by_time (At N)"' in shown and '"StreamViewType":"NEW_IMAGE"' in shown
    assert sorted(client.ok("Scan", TableName="Music")["Items"], key=str) == items

    # From the server on port 8001 to an empty one; the line that asks AWS is not tried.
    shell.ports["8001"], shell.ports["8000"] = shell.ports["8000"], None
    there = shell.serve()
    shell.play(copy, "".join(line for line in copy.text.splitlines(True) if "amazonaws" not in line))
    assert sorted(there.ok("Scan", TableName="Music")["Items"], key=str) == items
    assert shell.play(compare).splitlines() == ["3 equal, 0 different"] * 3

    shell.play(seeded)
    assert sorted(Client(shell.server).ok("Scan", TableName="Music")["Items"], key=str) == items


def test_explain(shell):
    client = shell.serve()
    client.create_table("orders", AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"},
                                                        {"AttributeName": "sk", "AttributeType": "N"}],
                        sort_key="sk")
    answer = client.send("GetItem", {"TableName": "orders", "Key": {"pk": {"S": "a"}}})
    command, header, python, over_http = played("docs/explain.md")
    shown = shell.play(command).splitlines()
    example, _, in_header = [block.text.splitlines() for block in blocks("docs/explain.md") if block.language == "text"]
    assert shown[0].split(" ", 1)[1] == example[0].split(" ", 1)[1]  # behind the time
    assert shown[1] == example[1] and shown[2] == f"  id {answer.get('x-amzn-RequestId')}"
    client.drop_table("orders")
    told = shell.play(header)
    assert in_header[0].partition('"refused"')[2] in told
    assert '"hints":[]' in shell.play(python)
    assert '"operation":"ListTables"' in shell.play(over_http)


def test_install(shell):
    shell.serve()
    served_by, health = played("docs/install.md")
    assert [line.partition("=")[0] for line in served_by.text.splitlines()] == ["STATOR_PORT", "STATOR_SYNC"]
    told = shell.play(health).splitlines()
    assert len(told) == 2 and told[1].startswith("Stator ")
    # The file that systemd reads.
    shell.ports["8001"] = str(free_port())
    settings = dict(line.split("=") for line in served_by.text.splitlines())
    own = shell.start("--db-path", "data", add_port=False, cwd=shell.work,
                      env=settings | {"STATOR_PORT": shell.ports["8001"]})
    assert own.endpoint.endswith(":" + shell.ports["8001"])


def test_containers(shell):
    """A port that is looked for; the line that serves ends here when the test does."""
    (serve,) = played("docs/containers-and-ci.md")
    told = shell.run(["bash", "-euc", serve.text + "trap 'kill $!' EXIT\nuntil [ -s address ]; do sleep 0.05; done\n"
                      "cat address"])
    assert "listening on http://127.0.0.1:" in told


def test_readmes_of_packages(shell):
    for page, of_package in (("server/packaging/npm/stator/README.md", "npx "), ("server/packaging/pypi/README.md", "")):
        (serve,) = played(page)
        assert serve.text.startswith(of_package + "stator ")
        shell.play(serve, serve.text.removeprefix(of_package))
        assert Client(shell.server).table_names() == []


def test_recipes(shell):
    client = shell.serve()
    variables, profile, python = played(RECIPES)
    assert '"TableNames": []' in shell.play(variables)
    shell.play(python)
    assert client.ok("Scan", TableName="Albums")["Items"] == [{"Title": {"S": "Blue"}, "Year": {"N": "1971"}}]
    # A profile is used where no variable names an endpoint or keys, and the folder of the user is another one.
    unset = "unset AWS_ENDPOINT_URL AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_DEFAULT_REGION AWS_CONFIG_FILE"
    home = f"export HOME={shell.work}\nmkdir -p ~/.aws\n"
    assert '"Albums"' in shell.play(profile, f"{unset}\n{home}{profile.text}")


def test_each_recipe_says_what_it_was_tried_with():
    sections = HEADING.split((ROOT / RECIPES).read_text())[1:]
    recipes = {title: text for title, text in zip(sections[::2], sections[1::2]) if "Tried:" in text}
    assert len(recipes) > 20
    assert [title for title, text in recipes.items() if not re.search(r"Tried:[^|]*\d", text)] == []
    of_blocks = {block.section for block in blocks(RECIPES)}
    assert of_blocks <= recipes.keys()
    assert set(PLAYED_RECIPES) <= of_blocks


def test_rollback(shell):
    (block,) = played("docs/rollback.md")
    head, found, tail = block.text.partition("# a test\n")
    assert found
    change = "aws dynamodb put-item --table-name Tests --item '{\"pk\":{\"S\":\"a\"}}'\n"
    shell.play(block, (head + change + tail).replace("create-table ...", CREATE))
    assert Client(shell.server).ok("Scan", TableName="Tests")["Count"] == 0


def test_backups(shell):
    shell.serve()
    (block,) = played("docs/backups/recovery.md")
    assert shell.play(block, block.text.replace("http://localhost:8000", shell.server.endpoint)).strip() == "1"


def test_imports(shell):
    block, _, _ = played("docs/backups/exports.md")
    assert shell.play(block).split() == ["COMPLETED", "1"]
    assert Client(shell.server).ok("Scan", TableName="Music")["Items"] == [
        {"Artist": {"S": "Nina Simone"}, "Year": {"N": "1965"}}]


def test_sdks(shell):
    shell.serve()
    environment, python, kinesis = played("docs/sdks.md")
    use = f"python3 - <<'END'\n{python.text}print(dynamodb.list_tables()['TableNames'])\nEND\n"
    assert shell.play(environment, environment.text + use).strip() == "[]"
    Client(shell.server).create_table("Orders")
    shown = "dynamodb.describe_kinesis_streaming_destination(TableName='Orders')['KinesisDataStreamDestinations'][0]"
    use = f"python3 - <<'END'\n{python.text}{kinesis.text}print({shown}['DestinationStatus'])\nEND\n"
    assert shell.play(environment, environment.text + use).strip() == "ACTIVE"


def test_testing(shell):
    """The variables lead a client to the server; curl stands for one that is given no settings."""
    shell.serve()
    block, shards = played("docs/testing.md")
    use = 'curl -sf "$AWS_ENDPOINT_URL_DYNAMODB/healthz"; test -z "${AWS_PROFILE:-}"; echo "$AWS_ACCESS_KEY_ID"\n'
    assert shell.play(block, block.text + use).split() == ["ok", "local"]
    told = shell.play(shards)
    first, second = json.loads(told[told.index("\n[") + 1:])
    assert "EndingSequenceNumber" in first["SequenceNumberRange"] and second["ParentShardId"] == first["ShardId"]


def test_time(shell):
    (block,) = played("docs/time.md")
    told = shell.play(block, block.text.replace("create-table ...", CREATE))
    assert '"TableStatus": "CREATING"' in told
    assert Client(shell.server).describe("Tests")["TableStatus"] == "ACTIVE"
