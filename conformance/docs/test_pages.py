"""What the pages for users say is run as it stands there."""

import gzip

from admin import Admin
from client import Client
from pages import LEFT_OUT, PLAYED, PLAYED_LANGUAGES, all_blocks, blocks, played, reason_left_out
from server_process import free_port

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
    first_steps, connect, time = played("README.md")
    shell.play(first_steps)
    assert client.ok("Scan", TableName="Music")["Items"] == [{"Artist": {"S": "Nina Simone"}, "Year": {"N": "1964"}}]
    assert "Music" in shell.play(connect, connect.text + "print(dynamodb.list_tables()['TableNames'])")
    before = Admin(shell.server).time()
    assert "1 table removed" in shell.play(time)
    assert Admin(shell.server).time() > before
    assert client.table_names() == []


def test_capacity(shell):
    client = shell.serve()
    client.create_table("Orders")
    (orders,) = played("docs/capacity.md")
    shell.play(orders)
    (told,) = Admin(shell.server).ok("capacity")["tables"]
    assert (told["throttling"], len(told["partitions"])) == ("enforce", 4)


def test_data(shell):
    client = shell.serve()
    load, unload, copy, seeded, make_seed = played("docs/data.md")
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

    # From the server on port 8001 to an empty one; the line that asks AWS is not tried.
    shell.ports["8001"], shell.ports["8000"] = shell.ports["8000"], None
    there = shell.serve()
    shell.play(copy, "".join(line for line in copy.text.splitlines(True) if "amazonaws" not in line))
    assert sorted(there.ok("Scan", TableName="Music")["Items"], key=str) == items

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


def test_rollback(shell):
    (block,) = played("docs/rollback.md")
    head, found, tail = block.text.partition("# a test\n")
    assert found
    change = "aws dynamodb put-item --table-name Tests --item '{\"pk\":{\"S\":\"a\"}}'\n"
    shell.play(block, (head + change + tail).replace("create-table ...", CREATE))
    assert Client(shell.server).ok("Scan", TableName="Tests")["Count"] == 0


def test_sdks(shell):
    shell.serve()
    environment, python = played("docs/sdks.md")
    use = f"python3 - <<'END'\n{python.text}print(dynamodb.list_tables()['TableNames'])\nEND\n"
    assert shell.play(environment, environment.text + use).strip() == "[]"


def test_time(shell):
    (block,) = played("docs/time.md")
    told = shell.play(block, block.text.replace("create-table ...", CREATE))
    assert '"TableStatus": "CREATING"' in told
    assert Client(shell.server).describe("Tests")["TableStatus"] == "ACTIVE"
