"""Bulk puts: what they put, count and report, what ends them, and what survives a kill."""

import gzip
import shutil

import boto3
import pytest

from bulk import Bulk, item, line, place, zstd
from server_process import assert_whole, wait_until

UNUSED = {"ConditionExpression": "attribute_not_exists(pk)"}
NOT_FOUND = "The specified bucket does not exist (Service: Amazon S3; Status Code: 404; Error Code: NoSuchBucket; "
MISSING_KEY = "One or more parameter values were invalid: Missing the key pk in the item"


def counts(description):
    return (description["BulkOperationStatus"], description["ProcessedItemCount"], description["FailedItemCount"])


def test_objects_below_a_prefix_are_put(bulk):
    bulk.client.create_table("Things")
    bulk.object("in/b.json", [{"Item": item("b", n={"N": "1"})}, {"Item": item("c")}])
    bulk.object("in/a.json", [{"Item": item("a", l={"L": [{"NULL": True}]})}, ""])
    bulk.object("other.json", [{"Item": item("x")}])
    started = bulk.start(input={"S3KeyPrefix": "in/"})
    assert started["BulkOperationStatus"] == "IN_PROGRESS" and started["ProcessedItemCount"] == 0
    ended = bulk.wait(started["BulkOperationArn"])
    assert counts(ended) == ("COMPLETED", 3, 0)
    assert bulk.keys() == ["a", "b", "c"]
    sizes = sum((bulk.root / "source" / "in" / name).stat().st_size for name in ("a.json", "b.json"))
    assert ended["ProcessedInputBytes"] == ended["TotalInputBytes"] == sizes
    assert ended["EndTime"] >= ended["StartTime"] == started["StartTime"]
    table = bulk.client.describe("Things")
    assert ended["TableDetails"] == [{"TableName": "Things", "TableId": table["TableId"]}]
    assert ended["BulkOperationUsage"] == [{"TableName": "Things", "BulkPutBytes": table["TableSizeBytes"],
                                            "Table": {"BulkPutBytes": table["TableSizeBytes"]}}]
    manifest, lines = bulk.report(ended)
    assert lines == {"ERROR": [], "CONDITION_CHECK_FAILURE": []} and manifest["files"] == []


def test_no_objects(bulk):
    bulk.client.create_table("Things")
    ended = bulk.run(input={"S3KeyPrefix": "nothing"})
    assert counts(ended) == ("COMPLETED", 0, 0) and ended["TotalInputBytes"] == 0


@pytest.mark.parametrize("compression, pack", [("GZIP", gzip.compress), ("ZSTD", zstd), ("NONE", lambda data: data)])
@pytest.mark.parametrize("format", ["DYNAMODB_JSON", "ION"])
def test_an_export_goes_in_again(bulk, format, compression, pack):
    """Every type of value; the file of an export in its format."""
    arn = bulk.client.create_table("Source")["TableArn"]
    bulk.client.ok("UpdateContinuousBackups", TableName="Source",
                   PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    everything = {"s": {"S": "ü \"q\" \\ \n"}, "n": {"N": "-1.5"}, "b": {"B": "AQI="}, "t": {"BOOL": True},
                  "nil": {"NULL": True}, "ss": {"SS": ["a", "b"]}, "ns": {"NS": ["1", "2"]}, "bs": {"BS": ["AQ=="]},
                  "m": {"M": {"a b": {"L": [{"S": "x"}, {"M": {}}]}}}}
    for key in ("a", "b", "c"):
        bulk.client.ok("PutItem", TableName="Source", Item=item(key, **everything))
    export = bulk.client.ok("ExportTableToPointInTime", TableArn=arn, S3Bucket="source", ExportFormat=format)
    export_arn = export["ExportDescription"]["ExportArn"]
    wait_until(lambda: bulk.client.ok("DescribeExport", ExportArn=export_arn)["ExportDescription"]["ExportStatus"]
               == "COMPLETED", what="the export")
    data = bulk.root / "source" / "AWSDynamoDB" / export_arn.rsplit("/", 1)[1] / "data"
    for number, file in enumerate(sorted(data.iterdir())):
        bulk.bytes(f"again/{number}", pack(gzip.decompress(file.read_bytes())))
    bulk.client.create_table("Things")
    ended = bulk.run(input={"S3KeyPrefix": "again/", "InputFormat": format, "InputCompressionType": compression})
    assert counts(ended) == ("COMPLETED", 3, 0)
    by_key = {found["pk"]["S"]: found for found in bulk.scan()}
    assert by_key == {found["pk"]["S"]: found for found in bulk.scan("Source")}


def test_records_that_cannot_be_put_are_reported(bulk):
    bulk.client.create_table("Things")
    bulk.object("a.json", [{"Item": item("a")}, {"Item": {"sk": {"S": "x"}}}, "{\"Item\":", {"Other": {}},
                           {"Item": item("b"), "ConditionExpresion": "x"},
                           {"Item": item("large", x={"S": "x" * 409_600})},
                           {"Item": {"pk": {"N": "1"}}}, {"Item": item("c")},
                           {"Item": item("d"), "ConditionExpression": "a ="}])
    ended = bulk.run()
    assert counts(ended) == ("COMPLETED_WITH_ERRORS", 9, 7)
    assert "FailureCode" not in ended
    assert bulk.keys() == ["a", "c"]
    lines = bulk.report(ended)[1]
    assert [place(found) for found in lines["ERROR"]] == [("source", "a.json", i) for i in (1, 2, 3, 4, 5, 6, 8)]
    messages = [found["errorMessages"] for found in lines["ERROR"]]
    assert messages[0] == [MISSING_KEY]
    assert messages[1] == ["The record is not a JSON object"]
    assert messages[2] == ["The record has no Item"]
    assert messages[3] == ["The record has an unknown member: ConditionExpresion"]
    assert messages[4] == ["Item size has exceeded the maximum allowed size"]
    assert "Type mismatch for key pk" in messages[5][0]
    assert "ConditionExpression" in messages[6][0]


def test_an_object_that_cannot_be_unpacked_ends_there(bulk):
    bulk.client.create_table("Things")
    whole = gzip.compress("".join(line({"Item": item(f"a{i}")}) + "\n" for i in range(3)).encode())
    bulk.bytes("a", b"no gzip")
    bulk.bytes("b", whole)
    ended = bulk.run(input={"InputCompressionType": "GZIP"})
    assert counts(ended) == ("COMPLETED_WITH_ERRORS", 4, 1)
    assert bulk.keys() == ["a0", "a1", "a2"]
    assert [place(found) for found in bulk.report(ended)[1]["ERROR"]] == [("source", "a", 0)]


def test_conditions_are_of_each_record(bulk):
    bulk.client.create_table("Things")
    bulk.client.ok("PutItem", TableName="Things", Item=item("old", v={"N": "1"}))
    newer = {"ConditionExpression": "#v < :v", "ExpressionAttributeNames": {"#v": "v"}}
    bulk.object("a.json", [{"Item": item("new"), **UNUSED}, {"Item": item("old"), **UNUSED},
                           {"Item": item("new", v={"N": "2"}), **UNUSED},
                           {"Item": item("old", v={"N": "2"}), **newer, "ExpressionAttributeValues": {":v": {"N": "2"}}},
                           {"Item": item("none"), **newer, "ExpressionAttributeValues": {":v": {"N": "2"}}}])
    ended = bulk.run()
    # Conditions that fail are no errors.
    assert counts(ended) == ("COMPLETED", 5, 0)
    assert {found["pk"]["S"]: found for found in bulk.scan()} == {"new": item("new"), "old": item("old", v={"N": "2"})}
    manifest, lines = bulk.report(ended)
    assert manifest["conditionCheckFailureCount"] == 3
    failures = lines["CONDITION_CHECK_FAILURE"]
    assert [place(found)[2] for found in failures] == [1, 2, 4]
    assert failures[0]["Item"] == item("old") and failures[0]["ExistingItem"] == item("old", v={"N": "1"})
    assert failures[1]["ExistingItem"] == item("new")
    assert failures[2]["Item"] == item("none") and "ExistingItem" not in failures[2]


def test_conditions_in_ion(bulk):
    bulk.client.create_table("Things")
    condition = "ConditionExpression:\"attribute_not_exists(#p) OR v < :v\""
    placeholders = "ExpressionAttributeNames:{'#p':\"pk\"},ExpressionAttributeValues:{':v':2.}"
    bulk.object("a.ion", ["$ion_1_0", "$ion_1_0 {Item:{pk:\"a\",v:1.}}",
                          f"{{Item:{{pk:\"a\",v:2.}},{condition},{placeholders}}}",
                          f"{{{condition},Item:{{pk:\"a\",v:3.}},{placeholders}}}", "{Item:{pk:\"b\"},Other:1}"])
    ended = bulk.run(input={"InputFormat": "ION"})
    assert counts(ended) == ("COMPLETED_WITH_ERRORS", 4, 1)
    assert bulk.scan() == [item("a", v={"N": "2"})]
    manifest, lines = bulk.report(ended)
    assert [place(found)[2] for found in lines["CONDITION_CHECK_FAILURE"]] == [2]
    assert "a record has no Other" in lines["ERROR"][0]["errorMessages"][0]


def test_a_report_has_the_types_that_were_asked_for(bulk):
    bulk.client.create_table("Things")
    bulk.object("a.json", [{"Item": item("a")}, {"Item": item("a"), **UNUSED}, "x"])
    ended = bulk.run(output={"OutputType": ["ERROR"], "S3KeyPrefix": "some/where"})
    assert counts(ended) == ("COMPLETED_WITH_ERRORS", 3, 1)
    assert [place(found)[2] for found in bulk.report(ended)[1]["ERROR"]] == [2]


def test_indexes_streams_and_sizes_follow(bulk):
    attributes = [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "g")]
    bulk.client.create_table(
        "Things", AttributeDefinitions=attributes, StreamSpecification={"StreamEnabled": True,
                                                                        "StreamViewType": "NEW_IMAGE"},
        GlobalSecondaryIndexes=[{"IndexName": "by_g", "Projection": {"ProjectionType": "KEYS_ONLY"},
                                 "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}]}])
    bulk.object("a.json", [{"Item": item("a", g={"S": "1"})}, {"Item": item("b")}, {"Item": item("c", g={"S": ""})}])
    ended = bulk.run()
    assert counts(ended) == ("COMPLETED_WITH_ERRORS", 3, 1)
    assert [found["pk"]["S"] for found in bulk.scan(IndexName="by_g")] == ["a"]
    table = bulk.client.describe("Things")
    index_bytes = table["GlobalSecondaryIndexes"][0]["IndexSizeBytes"]
    assert ended["BulkOperationUsage"] == [
        {"TableName": "Things", "BulkPutBytes": table["TableSizeBytes"] + index_bytes,
         "Table": {"BulkPutBytes": table["TableSizeBytes"]},
         "GlobalSecondaryIndexes": {"by_g": {"BulkPutBytes": index_bytes}}}]
    client = boto3.client("dynamodbstreams", endpoint_url=bulk.server.endpoint, region_name="us-east-1")
    stream = {"StreamArn": table["LatestStreamArn"]}
    shards = client.describe_stream(**stream)["StreamDescription"]["Shards"]
    iterator = client.get_shard_iterator(ShardId=shards[0]["ShardId"], ShardIteratorType="TRIM_HORIZON", **stream)
    records = client.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
    assert [record["dynamodb"]["Keys"]["pk"]["S"] for record in records] == ["a", "b"]


def test_a_missing_bucket(bulk):
    bulk.client.create_table("Things")
    bulk.object("a.json", [{"Item": item("a")}])
    for input, output in (({"S3Bucket": "missing"}, None), (None, {"S3Bucket": "missing"})):
        ended = bulk.run("Things", input, output)
        assert counts(ended) == ("FAILED", 0, 0)
        assert ended["FailureCode"] == "S3NoSuchBucket" and ended["FailureMessage"].startswith(NOT_FOUND)
    assert bulk.keys() == []


def paced(bulk, records=400):
    """A bulk put that cannot end while the clock stands: each record costs a unit."""
    bulk.client.create_table("Things")
    bulk.admin.move(mode="manual")
    bulk.object("a.json", [{"Item": item(f"{i:05}")} for i in range(records)])
    arn = bulk.start(MaxWriteRequestUnits=1024)["BulkOperationArn"]
    wait_until(lambda: bulk.describe(arn)["ProcessedItemCount"] > 0, what="the first piece")
    return arn


def test_the_pace_follows_the_clock(bulk):
    arn = paced(bulk)
    first = bulk.describe(arn)
    # A tenth of a second of units at most is ahead.
    assert first["BulkOperationStatus"] == "IN_PROGRESS" and 0 < first["ProcessedItemCount"] <= 103
    assert len(bulk.keys()) >= first["ProcessedItemCount"]
    bulk.admin.move(advance="10s")
    assert counts(bulk.wait(arn)) == ("COMPLETED", 400, 0)


def test_cancel_leaves_what_is_put(bulk):
    arn = paced(bulk)
    answer = bulk.client.ok("CancelBulkOperation", BulkOperationArn=arn)
    assert answer == {"BulkOperationArn": arn, "BulkOperationStatus": "CANCELLING"}
    # Though the clock stands.
    ended = bulk.wait(arn)
    status, processed, failed = counts(ended)
    assert (status, failed) == ("CANCELLED", 0) and 0 < processed < 400
    assert len(bulk.keys()) == processed
    assert "FailureCode" not in ended and ended["ProcessedInputBytes"] <= ended["TotalInputBytes"]
    bulk.report(ended)
    status, error, message = bulk.client.error("CancelBulkOperation", BulkOperationArn=arn)
    assert (status, error) == (400, "ValidationException")
    assert message == "Invalid Request: The bulk operation cannot be cancelled, its status is CANCELLED"


def test_the_table_goes(bulk):
    arn = paced(bulk)
    bulk.client.ok("DeleteTable", TableName="Things")
    bulk.admin.move(advance="1h")
    ended = bulk.wait(arn)
    assert ended["BulkOperationStatus"] == "FAILED"
    assert ended["FailureCode"] == "ResourceNotFoundException"
    assert ended["FailureMessage"] == "Requested resource not found: Table: Things not found"


def test_an_object_goes(bulk):
    bulk.client.create_table("Things")
    bulk.admin.move(mode="manual")
    bulk.object("a.json", [{"Item": item(f"{i:05}")} for i in range(400)])
    bulk.object("b.json", [{"Item": item("b")}])
    arn = bulk.start(MaxWriteRequestUnits=1024)["BulkOperationArn"]
    wait_until(lambda: bulk.describe(arn)["ProcessedItemCount"] > 0, what="the first piece")
    (bulk.root / "source" / "b.json").unlink()
    bulk.admin.move(advance="1h")
    ended = bulk.wait(arn)
    assert counts(ended)[:2] == ("FAILED", 400)
    assert ended["FailureCode"] == "S3NoSuchKey" and "b.json" in ended["FailureMessage"]


def test_the_bucket_of_reports_goes(bulk):
    arn = paced(bulk)
    shutil.rmtree(bulk.root / "reports")
    bulk.admin.move(advance="1h")
    ended = bulk.wait(arn)
    assert counts(ended) == ("FAILED", 400, 0) and ended["FailureCode"] == "S3NoSuchBucket"
    assert len(bulk.keys()) == 400


def test_a_rollback_takes_the_progress_back(bulk):
    bulk.client.create_table("Things")
    bulk.admin.mark("before")
    bulk.object("a.json", [{"Item": item(f"{i:05}")} for i in range(400)])
    bulk.run()
    bulk.admin.rollback("before")
    assert bulk.keys() == [] and bulk.client.ok("ListBulkOperations") == {"BulkOperationsSummaryList": []}


def test_a_rollback_into_a_bulk_put_runs_it_again(bulk):
    arn = paced(bulk)
    bulk.admin.mark("within")
    before = bulk.describe(arn)["ProcessedItemCount"]
    bulk.admin.move(advance="1h")
    assert counts(bulk.wait(arn)) == ("COMPLETED", 400, 0)
    bulk.admin.rollback("within")
    # The pace counts from the first piece after the rollback, so that must come before the clock moves.
    wait_until(lambda: bulk.describe(arn)["ProcessedItemCount"] > before, what="a piece after the rollback")
    bulk.admin.move(advance="1h")
    assert counts(bulk.wait(arn)) == ("COMPLETED", 400, 0)
    assert len(bulk.keys()) == 400


def test_a_kill_delays_a_bulk_put(start, tmp_path):
    """The next process goes on after the last commit: each record is put and counted once."""
    for bucket in ("source", "reports"):
        (tmp_path / "s3" / bucket).mkdir(parents=True)
    flags = ("--db-path", tmp_path / "data", "--s3-root", tmp_path / "s3")
    bulk = Bulk(start(*flags), tmp_path / "s3")
    bulk.client.create_table("Things")
    for name in ("a", "b"):
        # Put twice, so that a record that is put again is a failed condition, and an error in between.
        bulk.object(f"{name}.json", [{"Item": item(f"{name}{i // 2:05}"), **UNUSED} if i % 2 == 0 else "no record"
                                     for i in range(10_000)])
    arn = bulk.start()["BulkOperationArn"]
    kills = 0
    while bulk.describe(arn)["BulkOperationStatus"] == "IN_PROGRESS" and kills < 5:
        before = bulk.describe(arn)["ProcessedItemCount"]
        wait_until(lambda: bulk.describe(arn)["ProcessedItemCount"] > before
                   or bulk.describe(arn)["BulkOperationStatus"] != "IN_PROGRESS", what="progress")
        bulk.server.kill()
        assert_whole(tmp_path / "data")
        kills += 1
        bulk = Bulk(start(*flags), tmp_path / "s3")
    ended = bulk.wait(arn)
    assert counts(ended) == ("COMPLETED_WITH_ERRORS", 20_000, 10_000)
    assert len(bulk.keys()) == 10_000
    manifest, lines = bulk.report(ended)
    assert manifest["conditionCheckFailureCount"] == 0 and lines["CONDITION_CHECK_FAILURE"] == []
    assert [place(found)[1:] for found in lines["ERROR"]] == [
        (f"{name}.json", i) for name in ("a", "b") for i in range(1, 10_000, 2)]


def test_tokens_and_lists(bulk):
    bulk.client.create_table("Things")
    bulk.object("a.json", [{"Item": item("a")}])
    first = bulk.run(ClientToken="one")
    again = bulk.start(ClientToken="one")
    assert again == first and again["BulkOperationStatus"] == "COMPLETED"
    status, error, _ = bulk.client.error("StartBulkPutItems", **bulk.request(output={"S3KeyPrefix": "p"}),
                                         ClientToken="one")
    assert (status, error) == (400, "IdempotentParameterMismatchException")
    arns = [first["BulkOperationArn"]] + [bulk.run()["BulkOperationArn"] for _ in range(11)]
    listed, token = [], {}
    while True:
        page = bulk.client.ok("ListBulkOperations", **token)
        listed += [summary["BulkOperationArn"] for summary in page["BulkOperationsSummaryList"]]
        assert all(summary["EndTime"] >= summary["StartTime"] for summary in page["BulkOperationsSummaryList"])
        if "NextToken" not in page:
            break
        assert len(page["BulkOperationsSummaryList"]) == 10 and len(page["NextToken"]) % 16 == 0
        token = {"NextToken": page["NextToken"]}
    assert listed == sorted(arns, reverse=True)


def test_a_server_without_buckets_says_how_to_get_one(start, tmp_path):
    bulk = Bulk(start(), tmp_path)
    bulk.client.create_table("Things")
    ended = bulk.run()
    assert ended["FailureCode"] == "S3NoSuchBucket" and "--s3-root" in ended["FailureMessage"]
