"""Ways around a permission that a request's form might open."""

import json

import pytest

from guarded import ACCOUNT, OTHER, Guarded, allow, directory, key_of, policy, table_arn, user
from raw_client import Connection, request
from server_process import Server
from test_tenants import KEYS, item, key, tenant_statement

APP = table_arn("App")
SELECTS = ["PartiQLSelect", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete"]


def send(guarded, name, operation, body, headers=None):
    """A signed request with a body as it stands: status, type of the error or nothing, content."""
    asked, signer = guarded.signed(operation, body.encode() if isinstance(body, str) else json.dumps(body).encode(),
                                   key_of(name) if isinstance(name, str) else name, headers)
    signer.add_auth(asked)
    with Connection(guarded.server) as connection:
        answer = connection.exchange(request(None, asked.body, dict(asked.headers.items())))
    content = json.loads(answer.body)
    return content.get("__type", "").split("#")[-1] or "fine", content


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    made = Guarded(tmp_path_factory.mktemp("ways"), directory(
        user("t1", tenant_statement(), tenant_statement(actions=SELECTS), tags={"tenant": "t1"}),
        user("below", allow("*", [APP + "/index/*", APP + "/stream/*", APP + "/backup/*"])),
        user("denied", allow("*"), {**allow("*", [APP, APP + "/*"]), "Effect": "Deny"}),
        user("west", allow("*", APP.replace("us-east-1", "eu-west-1"))),
        user("guest", allow("*"), account=OTHER),
        {"arn": f"arn:aws:iam::{OTHER}:root", "keys": [{"id": "AKIAOTHERROOT", "secret": "s" * 40}]}),
        start=Server)
    made.table(StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    root = made.client()
    for pk in ("t1#a", "t2#a"):
        root.put_item(TableName="App", Item=item(pk, owner_id=pk))
    yield made
    made.server.stop()


@pytest.mark.parametrize("operation, body", [
    ("GetItem", '{"TableName":"App","Key":{"pk":{"S":"t1#a"},"pk":{"S":"t2#a"},"sk":{"S":"x"}}}'),
    ("GetItem", '{"TableName":"App","Key":{"pk":{"S":"t2#a"},"pk":{"S":"t1#a"},"sk":{"S":"x"}}}'),
    ("GetItem", '{"TableName":"App","Key":{"pk":{"S":"t1#a"},"sk":{"S":"x"}},"Key":{"pk":{"S":"t2#a"},"sk":{"S":"x"}}}'),
    ("GetItem", '{"TableName":"App","Key":{"pk":{"S":"t1#a","S":"t2#a"},"sk":{"S":"x"}}}'),
    ("PutItem", '{"TableName":"App","Item":{"pk":{"S":"t1#a"},"pk":{"S":"t2#a"},"sk":{"S":"twice"}}}'),
    ("PutItem", '{"TableName":"App","Item":{"pk":{"S":"t2#a"},"pk":{"S":"t1#a"},"sk":{"S":"twice"}}}'),
    ("BatchGetItem", '{"RequestItems":{"App":{"Keys":[{"pk":{"S":"t1#a"},"sk":{"S":"x"}}]},'
                     '"App":{"Keys":[{"pk":{"S":"t2#a"},"sk":{"S":"x"}}]}}}'),
    ("BatchGetItem", '{"RequestItems":{"App":{"Keys":[{"pk":{"S":"t1#a"},"sk":{"S":"x"}}]},'
                     f'"{APP}":{{"Keys":[{{"pk":{{"S":"t2#a"}},"sk":{{"S":"x"}}}}]}}}}}}'),
    ("Query", '{"TableName":"App","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":'
              '{":p":{"S":"t1#a"},":p":{"S":"t2#a"}}}'),
    ("Query", '{"TableName":"App","KeyConditionExpression":"pk = :p","ExpressionAttributeValues":'
              '{":p":{"S":"t2#a"},":p":{"S":"t1#a"}}}'),
])
def test_names_that_a_body_has_twice(guarded, operation, body):
    """What is decided about is what is done: never another tenant's items."""
    _, content = send(guarded, "t1", operation, body)
    assert "t2#a" not in json.dumps(content), content
    scanned = guarded.client().scan(TableName="App")["Items"]
    assert [one for one in scanned if one["pk"]["S"] == "t2#a"] == [item("t2#a", owner_id="t2#a")]
    guarded.client().delete_item(TableName="App", Key=key("t1#a", "twice"))


@pytest.mark.parametrize("where", [
    "pk = 't1#a' OR pk = 't2#a'", "pk = 't1#a' OR sk = 'x'", "pk = 't1#a' OR attribute_exists(sk)", "NOT pk = 't1#a'",
    "pk IN ['t1#a', 't2#a']", "pk IN ('t1#a', 't2#a')", "pk <> 't1#a'", "pk >= 't1#a'", "begins_with(pk, 't')",
    "pk BETWEEN 't1#a' AND 't9'", "(pk = 't1#a' AND sk = 'x') OR (pk = 't2#a' AND sk = 'x')",
    "(pk = 't1#a' OR pk = 't2#a') AND sk = 'x'", "sk = 'x'", "NOT (pk = 't1#a' AND sk = 'y')",
    "pk = 't1#a' AND pk = 't2#a'",
    "pk = 't2#a' AND pk = 't1#a'", "'t1#a' = pk OR 't2#a' = pk", "\"pk\" = 't1#a' OR \"pk\" = 't2#a'",
])
@pytest.mark.parametrize("source", ["App", f'"{APP}"'])
def test_conditions_of_statements(guarded, where, source):
    kind, content = send(guarded, "t1", "ExecuteStatement", {"Statement": f"SELECT * FROM {source} WHERE {where}"})
    assert "t2#a" not in json.dumps(content.get("Items", [])), content
    kind, content = send(guarded, "t1", "BatchExecuteStatement", {"Statements": [
        {"Statement": f"SELECT * FROM {source} WHERE {where}"}]})
    assert "t2#a" not in json.dumps([one.get("Item") for one in content.get("Responses", [])]), content


@pytest.mark.parametrize("statement", [
    "INSERT INTO App VALUE {'pk': 't1#a', 'pk': 't2#a', 'sk': 'twice'}",
    "INSERT INTO App VALUE {'pk': 't2#a', 'pk': 't1#a', 'sk': 'twice'}",
    "UPDATE App SET n = 1 WHERE pk = 't1#a' AND sk = 'x' AND pk = 't2#a'",
    "UPDATE App SET n = 1 WHERE pk = 't2#a' AND sk = 'x'",
    "DELETE FROM App WHERE pk = 't2#a' AND sk = 'x'",
    "DELETE FROM App WHERE pk = 't1#a' AND sk = 'x' AND pk = 't2#a'",
])
def test_statements_that_write(guarded, statement):
    send(guarded, "t1", "ExecuteStatement", {"Statement": statement})
    send(guarded, "t1", "ExecuteTransaction", {"TransactStatements": [{"Statement": statement}]})
    scanned = guarded.client().scan(TableName="App")["Items"]
    assert [one for one in scanned if one["pk"]["S"] == "t2#a"] == [item("t2#a", owner_id="t2#a")]
    guarded.client().put_item(TableName="App", Item=item("t1#a", owner_id="t1#a"))


BELOW = [APP + "/index/by_other", APP + "/stream/2026-01-01T00:00:00.000", APP + "/backup/01", APP + "/index/by_other/x"]
ITEM_CALLS = {
    "GetItem": {"Key": key("t2#a")}, "Scan": {}, "PutItem": {"Item": item("t2#a")},
    "Query": {"KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "t2#a"}}},
    "DeleteItem": {"Key": key("t2#a")}, "DescribeTable": {}, "UpdateTable": {"DeletionProtectionEnabled": False},
    "DescribeTimeToLive": {}, "DescribeContinuousBackups": {}, "DescribeContributorInsights": {},
    "DescribeKinesisStreamingDestination": {}, "DeleteTable": {},
    "CreateBackup": {"BackupName": "abc"},
    "UpdateItem": {"Key": key("t2#a"), "UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}}


@pytest.mark.parametrize("operation", ITEM_CALLS)
@pytest.mark.parametrize("arn", BELOW)
def test_what_is_below_a_table_does_not_open_it(guarded, operation, arn):
    kind, content = send(guarded, "below", operation, {"TableName": arn, **ITEM_CALLS[operation]})
    assert kind != "fine", content
    assert "t2#a" not in json.dumps(content)


@pytest.mark.parametrize("arn", BELOW)
def test_lists_and_exports_below_a_table(guarded, arn):
    for operation, body in [
            ("ListTagsOfResource", {"ResourceArn": arn}), ("TagResource", {"ResourceArn": arn, "Tags": [{"Key": "k", "Value": "v"}]}),
            ("UntagResource", {"ResourceArn": arn, "TagKeys": ["k"]}),
            ("ExportTableToPointInTime", {"TableArn": arn, "S3Bucket": "bucket"}),
            ("ExecuteStatement", {"Statement": f'SELECT * FROM "{arn}"'}),
            ("BatchGetItem", {"RequestItems": {arn: {"Keys": [key("t2#a")]}}}),
            ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": arn, "Key": key("t2#a")}}]}),
            ("RestoreTableToPointInTime", {"SourceTableArn": arn, "TargetTableName": "Other", "UseLatestRestorableTime": True}),
            ("StartBulkPutItems", {"TableName": arn}), ("PutResourcePolicy", {"ResourceArn": arn, "Policy": "{}"})]:
        kind, content = send(guarded, "below", operation, body)
        assert kind != "fine" or "/stream/" in arn and "Tag" in operation, (operation, content)


def test_another_region_in_an_arn(guarded):
    west = APP.replace("us-east-1", "eu-west-1")
    for operation, body in ITEM_CALLS.items():
        kind, content = send(guarded, "west", operation, {"TableName": west, **body})
        assert kind != "fine", (operation, content)
        assert "t2#a" not in json.dumps(content)


@pytest.mark.parametrize("partition", ["aws-cn", "aws-us-gov", "awsx"])
def test_another_partition_in_an_arn(guarded, partition):
    """A statement that denies names the table by its own ARN; no other ARN leads there."""
    app = APP.replace("arn:aws:", f"arn:{partition}:")
    root = guarded.client()
    stream = root.describe_table(TableName="App")["Table"]["LatestStreamArn"].replace("arn:aws:", f"arn:{partition}:")
    backup = root.create_backup(TableName="App", BackupName="abc")["BackupDetails"]["BackupArn"]
    foreign = backup.replace("arn:aws:", f"arn:{partition}:")
    statement = f"SELECT * FROM \"{app}\" WHERE pk = 't2#a' AND sk = 'x'"
    asked = [(operation, {"TableName": app, **body}) for operation, body in ITEM_CALLS.items()]
    asked += [
        ("BatchGetItem", {"RequestItems": {app: {"Keys": [key("t2#a")]}}}),
        ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": app, "Key": key("t2#a")}}]}),
        ("ExecuteStatement", {"Statement": statement}),
        ("ExecuteTransaction", {"TransactStatements": [{"Statement": statement}]}),
        ("ListTagsOfResource", {"ResourceArn": app}), ("DescribeBackup", {"BackupArn": foreign}),
        ("TagResource", {"ResourceArn": app, "Tags": [{"Key": "k", "Value": "v"}]}),
        ("RestoreTableFromBackup", {"BackupArn": foreign, "TargetTableName": "Taken"}),
        ("RestoreTableToPointInTime", {"SourceTableArn": app, "TargetTableName": "Taken",
                                       "UseLatestRestorableTime": True}),
        ("DeleteBackup", {"BackupArn": foreign}), ("PutResourcePolicy", {"ResourceArn": app, "Policy": "{}"}),
        ("GetResourcePolicy", {"ResourceArn": app})]
    for operation, body in asked:
        kind, content = send(guarded, "denied", operation, body)
        assert kind != "fine", (operation, content)
        assert "t2#a" not in json.dumps(content)
    for operation, more in [("DescribeStream", {}), ("GetShardIterator", {
            "ShardId": "shardId-00000000000000000000-00000000", "ShardIteratorType": "TRIM_HORIZON"})]:
        kind, content = send(guarded, "denied", operation, {"StreamArn": stream, **more},
                             {"X-Amz-Target": "DynamoDBStreams_20120810." + operation})
        assert kind == "ResourceNotFoundException", (operation, content)
    root.delete_backup(BackupArn=backup)


@pytest.mark.parametrize("other", [("arn:aws:", "arn:aws-cn:"), ("us-east-1", "eu-west-1"), (ACCOUNT, OTHER), ("", "")])
def test_a_new_table_by_another_arn(guard, other):
    """It would be a table of this Region and account, so what is said about that one counts."""
    new = table_arn("New")
    guarded = guard(directory(user("denied", allow("*"), {**allow("*", new), "Effect": "Deny"}),
                              user("allowed", allow("*", [new, new.replace(*other)]))))
    body = {"TableName": new.replace(*other), "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}], "Tags": [{"Key": "k", "Value": "v"}],
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}]}
    assert send(guarded, "denied", "CreateTable", body)[0] == "AccessDeniedException"
    assert guarded.client().list_tables()["TableNames"] == []
    kind, _ = send(guarded, "allowed", "CreateTable", body)
    assert kind == ("AccessDeniedException" if OTHER in other else "fine")


def test_a_restore_into_another_region_sees_the_tags_and_the_policy_of_its_source(guard, refused):
    forbidden = {**allow("*", condition={"StringEquals": {"aws:ResourceTag/secret": "yes"}}), "Effect": "Deny"}
    guarded = guard(directory(user("dev", allow("*"), forbidden)))
    guarded.table()
    root, west = guarded.client(), guarded.user("dev", region="eu-west-1")
    root.update_continuous_backups(TableName="App", PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    restore = {"SourceTableArn": APP, "UseLatestRestorableTime": True,
               "SSESpecificationOverride": {"Enabled": True, "SSEType": "KMS"}}
    west.restore_table_to_point_in_time(**restore, TargetTableName="First")
    root.tag_resource(ResourceArn=APP, Tags=[{"Key": "secret", "Value": "yes"}])
    message = refused("AccessDeniedException", west.restore_table_to_point_in_time, **restore, TargetTableName="Second")
    assert f"RestoreTableToPointInTime on resource: {APP} with an explicit deny in an identity" in message
    root.untag_resource(ResourceArn=APP, TagKeys=["secret"])
    guarded.attach(APP, {"Effect": "Deny", "Principal": "*", "Action": "dynamodb:*", "Resource": APP})
    message = refused("AccessDeniedException", west.restore_table_to_point_in_time, **restore, TargetTableName="Second")
    assert f"RestoreTableToPointInTime on resource: {APP} with an explicit deny in a resource-based policy" in message


@pytest.mark.parametrize("name", ["guest", {"id": "AKIAOTHERROOT", "secret": "s" * 40}])
def test_another_account_gets_nothing_without_a_policy(guarded, name):
    for operation, body in ITEM_CALLS.items():
        for names in (APP, APP + "/index/by_other"):
            kind, content = send(guarded, name, operation, {"TableName": names, **body})
            assert kind != "fine", (operation, content)
    for operation, body in [
            ("ListTables", {}), ("ListStreams", {}), ("ListStreams", {"TableName": APP}), ("ListBackups", {}),
            ("ListBackups", {"TableName": APP}), ("ListExports", {}), ("ListExports", {"TableArn": APP}),
            ("ListImports", {"TableArn": APP}), ("ListContributorInsights", {"TableName": APP})]:
        kind, content = send(guarded, name, operation, body)
        assert "App" not in json.dumps(content) or kind != "fine", (operation, content)


def test_no_policy_opens_to_other_accounts_what_it_cannot_carry(guarded):
    who = f"arn:aws:iam::{OTHER}:user/guest"
    guarded.attach(APP, {"Effect": "Allow", "Principal": {"AWS": who}, "Action": "dynamodb:*",
                         "Resource": [APP, APP + "/index/*"]})
    for operation, body in [
            ("CreateBackup", {"TableName": APP, "BackupName": "abc"}),
            ("UpdateTimeToLive", {"TableName": APP, "TimeToLiveSpecification": {"Enabled": True, "AttributeName": "n"}}),
            ("DescribeTimeToLive", {"TableName": APP}),
            ("UpdateContinuousBackups", {"TableName": APP, "PointInTimeRecoverySpecification": {
                "PointInTimeRecoveryEnabled": True}}),
            ("ExportTableToPointInTime", {"TableArn": APP, "S3Bucket": "bucket"}),
            ("ExecuteStatement", {"Statement": f'SELECT * FROM "{APP}"'}),
            ("BatchExecuteStatement", {"Statements": [{"Statement": f"SELECT * FROM \"{APP}\" WHERE pk='t2#a' AND sk='x'"}]}),
            ("CreateTable", {"TableName": APP, "BillingMode": "PAY_PER_REQUEST", "KeySchema": [
                {"AttributeName": "pk", "KeyType": "HASH"}], "AttributeDefinitions": [
                    {"AttributeName": "pk", "AttributeType": "S"}]}),
            ("PutResourcePolicy", {"ResourceArn": APP, "Policy": "{}"}), ("GetResourcePolicy", {"ResourceArn": APP}),
            ("DeleteResourcePolicy", {"ResourceArn": APP}),
            ("RestoreTableToPointInTime", {"SourceTableArn": APP, "TargetTableName": "Other",
                                           "UseLatestRestorableTime": True})]:
        kind, content = send(guarded, "guest", operation, body)
        assert "t2#a" not in json.dumps(content)
        assert kind != "fine" or operation == "BatchExecuteStatement", (operation, content)


def test_tables_of_two_accounts_in_one_call(guarded):
    """A name and an ARN of another account, of which one is not granted."""
    guarded.client({"id": "AKIAOTHERROOT", "secret": "s" * 40}).create_table(
        TableName="App", BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in ("pk", "sk")],
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}])
    theirs = table_arn("App", OTHER)
    guarded.client({"id": "AKIAOTHERROOT", "secret": "s" * 40}).put_item(TableName="App", Item=item("t1#a", "of-other"))
    for names in ([theirs, "App"], ["App", theirs], [theirs], [theirs, APP], [APP, theirs]):
        kind, content = send(guarded, "t1", "BatchGetItem", {"RequestItems": {
            name: {"Keys": [key("t1#a", "of-other"), key("t1#a")]} for name in names}})
        assert "of-other" not in json.dumps(content), content
        kind, content = send(guarded, "t1", "TransactGetItems", {"TransactItems": [
            {"Get": {"TableName": name, "Key": key("t1#a", "of-other")}} for name in names]})
        assert "of-other" not in json.dumps(content), content


@pytest.mark.parametrize("mode", ["signature", "audit", "iam"])
def test_an_account_too_many_does_not_get_the_tables_of_the_first(guard, refused, mode):
    others = [{"arn": f"arn:aws:iam::{number:012}:root", "keys": [key_of(f"n{number}")]} for number in range(1, 1002)]
    guarded = guard(directory(*others), mode=mode)
    guarded.table()
    for name in ("n1", "n1000"):
        assert guarded.user(name).list_tables()["TableNames"] == []
    message = refused("AccessDeniedException", guarded.user("n1001").list_tables)
    assert message == "there is no room for tables of account 000000001001"


def test_tags_of_a_chained_session_come_from_nowhere_else(guard, refused):
    """A role's own tag does not become the next session's by being called transitive."""
    trusts = {"Effect": "Allow", "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:user/dev"}, "Action": "sts:AssumeRole"}
    roles = [{"arn": f"arn:aws:iam::{ACCOUNT}:role/first", "tags": {"tenant": "t2"}, "trust": policy(trusts),
              "policies": [policy(allow("sts:AssumeRole"))]},
             {"arn": f"arn:aws:iam::{ACCOUNT}:role/second", "tags": {"tenant": "t1"},
              "trust": policy({**trusts, "Principal": {"AWS": f"arn:aws:iam::{ACCOUNT}:role/first"}}),
              "policies": [policy(tenant_statement(KEYS))]}]
    guarded = guard(directory(user("dev", allow("sts:*")), *roles))
    guarded.table()
    guarded.client().put_item(TableName="App", Item=item("t2#a"))
    sts = guarded.user("dev", service="sts")
    refused("ValidationError", sts.assume_role, RoleArn=roles[0]["arn"], RoleSessionName="first",
            TransitiveTagKeys=["tenant"])
    first = sts.assume_role(RoleArn=roles[0]["arn"], RoleSessionName="first")["Credentials"]
    second = guarded.client(first, service="sts").assume_role(
        RoleArn=roles[1]["arn"], RoleSessionName="second")["Credentials"]
    refused("AccessDeniedException", guarded.client(second).get_item, TableName="App", Key=key("t2#a"))
