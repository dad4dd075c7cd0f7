"""Tenants in one table, separated by dynamodb:LeadingKeys: the example of the documentation, and its traps."""

import pytest

from guarded import ACTIONS, allow, directory, table_arn, user

KEYS = "${aws:PrincipalTag/tenant}#*"
TABLE = [table_arn("App"), table_arn("App") + "/index/*"]


def tenant_statement(pattern=KEYS, operator="ForAllValues:StringLike", actions=tuple(ACTIONS), resources=TABLE,
                     has_null=True):
    condition = {operator: {"dynamodb:LeadingKeys": [pattern]}}
    if has_null:
        condition["Null"] = {"dynamodb:LeadingKeys": "false"}
    return allow(list(actions), list(resources), condition)


def item(pk, sk="x", **more):
    return {"pk": {"S": pk}, "sk": {"S": sk}, **{name: {"S": value} for name, value in more.items()}}


def put(client, pk, **more):
    return client.put_item(TableName="App", Item=item(pk, **more))


def key(pk, sk="x"):
    return {"pk": {"S": pk}, "sk": {"S": sk}}


@pytest.fixture
def tenant(guard):
    """tenant(*statements, tags=…) starts a server with the table App; returns the client of user t1."""
    def begin(*statements, tags=None):
        tags = {"tenant": "t1"} if tags is None else tags
        guarded = guard(directory(user("t1", *statements, tags=tags)))
        guarded.table()
        root = guarded.client()
        for pk in ("t1#a", "t10#a", "t2#a"):
            put(root, pk, owner_id=pk)
        return guarded.user("t1")
    return begin


def test_the_example(tenant, refused):
    client = tenant(tenant_statement())
    put(client, "t1#b")
    assert "Item" in client.get_item(TableName="App", Key=key("t1#a"))
    where = {"KeyConditionExpression": "pk = :p", "TableName": "App"}
    assert client.query(**where, ExpressionAttributeValues={":p": {"S": "t1#a"}})["Count"] == 1
    client.update_item(TableName="App", Key=key("t1#a"), UpdateExpression="SET n = :n",
                       ExpressionAttributeValues={":n": {"N": "1"}})
    for call, arguments in [
            (client.get_item, {"TableName": "App", "Key": key("t2#a")}),
            (client.get_item, {"TableName": "App", "Key": key("t10#a")}),
            (client.query, {**where, "ExpressionAttributeValues": {":p": {"S": "t2#a"}}}),
            (client.delete_item, {"TableName": "App", "Key": key("t2#a")}),
            (client.scan, {"TableName": "App"})]:
        refused("AccessDeniedException", call, **arguments)


def test_1_a_scan_has_no_keys_to_compare(tenant, refused):
    client = tenant(tenant_statement(actions=["*"], has_null=False))
    assert client.scan(TableName="App")["Count"] == 3
    client = tenant(tenant_statement(actions=["*"]))
    refused("AccessDeniedException", client.scan, TableName="App")


def test_2_a_pattern_without_a_separator_reaches_other_tenants(tenant):
    client = tenant(tenant_statement("${aws:PrincipalTag/tenant}*"))
    assert "Item" in client.get_item(TableName="App", Key=key("t10#a"))


def test_3_a_principal_without_the_tag_matches_nothing(tenant, refused):
    client = tenant(tenant_statement(), tags={})
    refused("AccessDeniedException", client.get_item, TableName="App", Key=key("t1#a"))


def test_4_plain_operators_never_match_lists(tenant, refused):
    client = tenant(tenant_statement("t1#a", operator="StringEquals"))
    refused("AccessDeniedException", client.get_item, TableName="App", Key=key("t1#a"))


def test_5_composite_keys_need_string_like(tenant, refused):
    client = tenant(tenant_statement("${aws:PrincipalTag/tenant}", operator="ForAllValues:StringEquals"))
    refused("AccessDeniedException", client.get_item, TableName="App", Key=key("t1#a"))


def test_6_an_index_has_keys_of_its_own(tenant, refused):
    client = tenant(tenant_statement())
    where = {"TableName": "App", "IndexName": "by_other", "KeyConditionExpression": "owner_id = :o"}
    assert client.query(**where, ExpressionAttributeValues={":o": {"S": "t1#a"}})["Count"] == 1
    told = refused("AccessDeniedException", client.query, **where, ExpressionAttributeValues={":o": {"S": "t2#a"}})
    assert table_arn("App") + "/index/by_other" in told


def test_7_the_table_does_not_stand_for_its_indexes(tenant, refused):
    client = tenant(allow("Query", table_arn("App")))
    told = refused("AccessDeniedException", client.query, TableName="App", IndexName="by_other",
                   KeyConditionExpression="owner_id = :o", ExpressionAttributeValues={":o": {"S": "t1#a"}})
    assert f"dynamodb:Query on resource: {table_arn('App')}/index/by_other because" in told


def test_8_one_foreign_key_denies_the_whole_call(tenant, refused):
    client = tenant(tenant_statement())
    requests = {"App": [{"PutRequest": {"Item": item(pk)}} for pk in ("t1#new", "t2#new")]}
    told = refused("AccessDeniedException", client.batch_write_item, RequestItems=requests)
    assert "dynamodb:BatchWriteItem on resource: " + table_arn("App") in told
    refused("AccessDeniedException", client.batch_get_item,
            RequestItems={"App": {"Keys": [key("t1#a"), key("t2#a")]}})
    puts = [{"Put": {"TableName": "App", "Item": item(pk)}} for pk in ("t1#new", "t2#new")]
    told = refused("AccessDeniedException", client.transact_write_items, TransactItems=puts)
    assert "dynamodb:PutItem on resource" in told
    assert "Item" not in client.get_item(TableName="App", Key=key("t1#new"))


def test_9_checks_of_transactions_need_their_action(tenant, refused):
    actions = [action for action in ACTIONS if action != "ConditionCheckItem"]
    client = tenant(tenant_statement(actions=actions))
    check = {"ConditionCheck": {"TableName": "App", "Key": key("t1#a"), "ConditionExpression": "attribute_exists(pk)"}}
    write = {"Put": {"TableName": "App", "Item": item("t1#new")}}
    client.transact_write_items(TransactItems=[write])
    told = refused("AccessDeniedException", client.transact_write_items, TransactItems=[
        {"Put": {"TableName": "App", "Item": item("t1#other")}}, check])
    assert "dynamodb:ConditionCheckItem" in told


def test_10_a_list_of_attributes_needs_select_and_return_values(tenant, refused):
    names = {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["pk", "sk", "n"]}}
    client = tenant(allow(["GetItem", "UpdateItem"], TABLE, names))
    assert "owner_id" in client.get_item(TableName="App", Key=key("t1#a"))["Item"]
    strict = {**names, "StringEqualsIfExists": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES",
                                                "dynamodb:ReturnValues": ["NONE", "UPDATED_NEW"]}}
    client = tenant(allow(["GetItem", "UpdateItem"], TABLE, strict))
    refused("AccessDeniedException", client.get_item, TableName="App", Key=key("t1#a"))
    assert client.get_item(TableName="App", Key=key("t1#a"), ProjectionExpression="pk, n")["Item"]
    update = {"TableName": "App", "Key": key("t1#a"), "UpdateExpression": "SET n = :n",
              "ExpressionAttributeValues": {":n": {"N": "1"}}}
    client.update_item(**update)
    refused("AccessDeniedException", client.update_item, **update, ReturnValues="ALL_NEW")


def test_11_statements_are_a_way_around(tenant, refused):
    client = tenant(tenant_statement(), allow("PartiQLSelect", TABLE))
    assert client.execute_statement(Statement="SELECT * FROM App WHERE pk = 't2#a'")["Items"]
    deny_scans = allow("PartiQLSelect", TABLE, {"Bool": {"dynamodb:FullTableScan": "true"}}, Effect="Deny")
    client = tenant(allow("PartiQLSelect", TABLE), deny_scans)
    refused("AccessDeniedException", client.execute_statement, Statement="SELECT * FROM App")
    assert client.execute_statement(Statement="SELECT * FROM App WHERE pk = 't2#a'")["Items"]
    client = tenant(tenant_statement(actions=["PartiQLSelect"]))
    assert client.execute_statement(Statement="SELECT * FROM App WHERE pk = ?", Parameters=[{"S": "t1#a"}])["Items"]
    refused("AccessDeniedException", client.execute_statement, Statement="SELECT * FROM App WHERE pk = 't2#a'")


def test_12_a_stream_has_no_leading_keys(guard, refused):
    guarded = guard(directory(user("t1", tenant_statement(actions=["*"], resources=["*"], has_null=False),
                                   tags={"tenant": "t1"})))
    guarded.table(StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    put(guarded.client(), "t2#a")
    stream = guarded.client().describe_table(TableName="App")["Table"]["LatestStreamArn"]
    streams = guarded.user("t1", service="dynamodbstreams")
    shard = streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"][0]["ShardId"]
    iterator = streams.get_shard_iterator(StreamArn=stream, ShardId=shard,
                                          ShardIteratorType="TRIM_HORIZON")["ShardIterator"]
    assert len(streams.get_records(ShardIterator=iterator)["Records"]) == 1


def test_13_numbers_are_compared_as_digits(guard, refused):
    statement = tenant_statement("${aws:PrincipalTag/tenant}", operator="ForAllValues:StringEquals")
    guarded = guard(directory(user("t1", statement, tags={"tenant": "1"})))
    guarded.client().create_table(
        TableName="App", BillingMode="PAY_PER_REQUEST", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "N"}])
    client = guarded.user("t1")
    for number in ("1", "1.0", "1e0"):
        client.put_item(TableName="App", Item={"pk": {"N": number}})
    refused("AccessDeniedException", client.get_item, TableName="App", Key={"pk": {"N": "10"}})
