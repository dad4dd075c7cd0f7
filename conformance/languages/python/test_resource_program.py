"""A lending library on the boto3 resource: conditions built in Python, batch writers, all expressions."""

from decimal import Decimal

import pytest
from boto3.dynamodb.conditions import Attr, Key

LOANS = [
    {"member": f"m{i % 9}", "due": f"2026-{1 + i % 12:02d}-{1 + i % 28:02d}#{i:03d}", "book": f"b{i % 31}",
     "fee": Decimal(i % 50) / 10, "tags": {f"t{i % 4}", "all"}, "renewals": [i % 3], "open": i % 5 != 0,
     **({"shelf": {"room": i % 3, "row": f"r{i}"}} if i % 2 else {})}
    for i in range(300)]


@pytest.fixture(scope="module")
def loans(resource):
    table = resource.create_table(
        TableName="py_loans", BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": "member", "KeyType": "HASH"}, {"AttributeName": "due", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind}
                              for name, kind in (("member", "S"), ("due", "S"), ("book", "S"), ("fee", "N"))],
        LocalSecondaryIndexes=[{
            "IndexName": "by_fee", "Projection": {"ProjectionType": "KEYS_ONLY"},
            "KeySchema": [{"AttributeName": "member", "KeyType": "HASH"}, {"AttributeName": "fee", "KeyType": "RANGE"}]}],
        GlobalSecondaryIndexes=[{
            "IndexName": "by_book", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "book", "KeyType": "HASH"}, {"AttributeName": "due", "KeyType": "RANGE"}]}])
    table.wait_until_exists()
    with table.batch_writer(overwrite_by_pkeys=["member", "due"]) as batch:
        for loan in LOANS:
            batch.put_item(Item={**loan, "fee": Decimal(99)})
            batch.put_item(Item=loan)  # replaces the one before in the same batch
    yield table
    table.delete()


def pages(call, **arguments):
    answer = call(**arguments)
    yield from answer["Items"]
    while "LastEvaluatedKey" in answer:
        answer = call(**arguments, ExclusiveStartKey=answer["LastEvaluatedKey"])
        yield from answer["Items"]


def by_due(rows):
    return sorted(rows, key=lambda loan: loan["due"])


def test_queries_with_conditions_in_python(loans):
    condition = Key("member").eq("m4") & Key("due").between("2026-03", "2026-09")
    expected = by_due(loan for loan in LOANS if loan["member"] == "m4" and "2026-03" <= loan["due"] <= "2026-09")
    assert list(pages(loans.query, KeyConditionExpression=condition, Limit=5)) == expected
    assert list(pages(loans.query, KeyConditionExpression=condition, ScanIndexForward=False)) == expected[::-1]
    late = Key("book").eq("b7") & Key("due").begins_with("2026-1")
    costly = Attr("open").eq(True) & (Attr("fee").gt(1) | Attr("shelf.room").exists())
    expected = by_due(
        loan for loan in LOANS if loan["book"] == "b7" and loan["due"].startswith("2026-1")
        and loan["open"] and (loan["fee"] > 1 or "shelf" in loan))
    found = list(pages(loans.query, IndexName="by_book", KeyConditionExpression=late, FilterExpression=costly))
    assert found == expected
    fees = pages(loans.query, IndexName="by_fee", KeyConditionExpression=Key("member").eq("m2") & Key("fee").lte(2),
                 ProjectionExpression="fee, book")  # the book is fetched from the table
    expected = [loan for loan in LOANS if loan["member"] == "m2" and loan["fee"] <= 2]
    assert sorted((f["fee"], f["book"]) for f in fees) == sorted((e["fee"], e["book"]) for e in expected)


def test_scans_with_every_kind_of_filter(loans):
    filters = [
        (Attr("tags").contains("t3"), lambda loan: "t3" in loan["tags"]),
        (Attr("book").is_in(["b1", "b30"]), lambda loan: loan["book"] in ("b1", "b30")),
        (Attr("shelf").not_exists(), lambda loan: "shelf" not in loan),
        (Attr("shelf").attribute_type("M") & ~Attr("shelf.row").begins_with("r1"),
         lambda loan: "shelf" in loan and not loan["shelf"]["row"].startswith("r1")),
        (Attr("tags").size().eq(2) & Attr("renewals[0]").ne(1), lambda loan: loan["renewals"][0] != 1),
    ]
    for condition, holds in filters:
        found = list(pages(loans.scan, FilterExpression=condition, Limit=70))
        assert by_due(found) == by_due(filter(holds, LOANS))
    segments = [list(pages(loans.scan, Segment=i, TotalSegments=4)) for i in range(4)]
    assert by_due(sum(segments, [])) == by_due(LOANS)


def test_updates_through_the_resource(loans):
    before = LOANS[7]
    key = {"member": before["member"], "due": before["due"]}
    answer = loans.update_item(
        Key=key, ReturnValues="ALL_NEW", ConditionExpression=Attr("book").eq(before["book"]),
        UpdateExpression="SET renewals = list_append(renewals, :more), fee = fee + :fee, #n = if_not_exists(#n, :none) "
                         "REMOVE shelf.#r ADD visits :one DELETE tags :all",
        ExpressionAttributeNames={"#n": "note", "#r": "row"},
        ExpressionAttributeValues={":more": [Decimal(9)], ":fee": Decimal("0.25"), ":none": None, ":one": 1,
                                   ":all": {"all"}})
    assert answer["Attributes"] == {
        **before, "renewals": [*before["renewals"], Decimal(9)], "fee": before["fee"] + Decimal("0.25"),
        "note": None, "shelf": {"room": before["shelf"]["room"]}, "visits": 1, "tags": before["tags"] - {"all"}}
    with pytest.raises(loans.meta.client.exceptions.ConditionalCheckFailedException):
        loans.put_item(Item=before, ConditionExpression=Attr("visits").not_exists())
    deleted = loans.delete_item(Key=key, ConditionExpression=Attr("visits").eq(1), ReturnValues="ALL_OLD")
    assert deleted["Attributes"] == answer["Attributes"]
    loans.put_item(Item=before)
    assert loans.get_item(Key=key)["Item"] == before


def test_batches_through_the_resource(resource, loans):
    keys = [{"member": loan["member"], "due": loan["due"]} for loan in LOANS[:100]]
    answer = resource.batch_get_item(RequestItems={loans.name: {"Keys": keys, "ConsistentRead": True}})
    assert answer["UnprocessedKeys"] == {}
    assert by_due(answer["Responses"][loans.name]) == by_due(LOANS[:100])
    with loans.batch_writer() as batch:
        for key in keys[:40]:
            batch.delete_item(Key=key)
    assert loans.scan(Select="COUNT")["Count"] == 260
    with loans.batch_writer() as batch:
        for loan in LOANS[:40]:
            batch.put_item(Item=loan)
    loans.reload()
    assert loans.item_count == 300
