"""Imports: formats and compressions, bad records, what fails, tokens and lists."""

import boto3
import pytest

from importing import Importer, counts, lines, pack, parameters
from server_process import assert_whole, wait_until
from table_content import by_key, items_of_every_type

INVALID = ("Some of the items failed validation checks and were not imported. Please check CloudWatch error logs "
           "for more details.")
NOT_FOUND = ("The specified bucket does not exist (Service: Amazon S3; Status Code: 404; "
             "Error Code: NoSuchBucket; Request ID: ")


def item(pk, **more):
    return {"pk": {"S": pk}, "sk": {"S": "1"}, **more}


@pytest.mark.parametrize("compression", ["NONE", "GZIP", "ZSTD"])
def test_dynamodb_json_of_every_type(importer, compression):
    items = items_of_every_type()
    half = len(items) // 2
    files = [pack(lines(part), compression) for part in (items[:half], items[half:])]
    importer.write("in/a.json", files[0])
    importer.write("in/deep/er/b", files[1])
    importer.write("in/empty", pack(b"", compression))
    description = importer.completed("in/", InputCompressionType=compression)
    assert counts(description) == (len(items), len(items), 0)
    assert description["ProcessedSizeBytes"] == sum(map(len, files)) + len(pack(b"", compression))
    assert description["EndTime"] >= description["StartTime"]
    assert importer.status() == "ACTIVE"
    assert by_key(importer.scan()) == by_key(items)
    table = importer.client.ok("DescribeTable", TableName="Things")["Table"]
    assert (table["ItemCount"], table["TableId"]) == (len(items), description["TableId"])


def exported(importer, format="DYNAMODB_JSON"):
    """Exports a table with items of every type; the folder of the export."""
    client = importer.client
    client.create_table("Source", sort_key="sk")
    for one in items_of_every_type():
        client.ok("PutItem", TableName="Source", Item=one)
    client.ok("UpdateContinuousBackups", TableName="Source",
              PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    arn = client.ok("DescribeTable", TableName="Source")["Table"]["TableArn"]
    begun = client.ok("ExportTableToPointInTime", TableArn=arn, S3Bucket="bucket", ExportFormat=format)
    export = begun["ExportDescription"]["ExportArn"]
    wait_until(lambda: client.ok("DescribeExport", ExportArn=export)["ExportDescription"]["ExportStatus"] == "COMPLETED",
               deadline_s=120, what="the end of the export")
    return f"AWSDynamoDB/{export.rsplit('/', 1)[1]}/"


@pytest.mark.parametrize("format", ["DYNAMODB_JSON", "ION"])
def test_an_export_comes_back(importer, format):
    folder = exported(importer, format)
    importer.completed(f"{folder}data/", InputFormat=format, InputCompressionType="GZIP")
    assert by_key(importer.scan()) == by_key(importer.scan("Source"))


def test_the_manifests_of_an_export_are_no_items(importer):
    """Its root as the prefix: all but the data files are errors, also the empty one, and the items are there."""
    folder = exported(importer)
    description = importer.failed(folder, InputCompressionType="GZIP")
    items = importer.scan("Source")
    assert (description["FailureCode"], description["FailureMessage"]) == ("ItemValidationError", INVALID)
    assert counts(description) == (len(items), len(items), 5)
    assert importer.status() == "ACTIVE" and by_key(importer.scan()) == by_key(items)
    assert [error["itemS3Pointer"]["key"] for error in importer.errors(description)] == [
        folder + name for name in ("_started", "manifest-files.json", "manifest-files.md5", "manifest-summary.json",
                                   "manifest-summary.md5")]


def test_csv(importer):
    importer.write("a.csv", b'pk,sk,n,age:N,note\n"a, ""b""",1,7,8,\nb,2,,x,"two\nlines"\n')
    table = parameters(AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"},
                                             {"AttributeName": "sk", "AttributeType": "N"},
                                             {"AttributeName": "n", "AttributeType": "N"}],
                       GlobalSecondaryIndexes=[{"IndexName": "by_n", "Projection": {"ProjectionType": "ALL"},
                                                "KeySchema": [{"AttributeName": "n", "KeyType": "HASH"}]}])
    importer.completed("a.csv", InputFormat="CSV", table=table)
    items = sorted(importer.scan(), key=lambda one: one["sk"]["N"])
    assert items == [
        {"pk": {"S": 'a, "b"'}, "sk": {"N": "1"}, "n": {"N": "7"}, "age:N": {"S": "8"}, "note": {"S": ""}},
        {"pk": {"S": "b"}, "sk": {"N": "2"}, "age:N": {"S": "x"}, "note": {"S": "two\nlines"}}]
    assert importer.scan(IndexName="by_n") == items[:1]


def test_csv_with_a_list_of_headers(importer):
    importer.write("a.csv", b"a;1;x\nb;2;y\n")
    importer.completed("a.csv", InputFormat="CSV",
                       InputFormatOptions={"Csv": {"Delimiter": ";", "HeaderList": ["pk", "sk", "v"]}})
    assert {key: one["v"]["S"] for key, one in by_key(importer.scan()).items()} == {("a", "1"): "x", ("b", "2"): "y"}


def test_a_long_list_of_headers_is_described_whole(importer):
    headers = ["pk", "sk", *(f"h{number}" + "x" * 40_000 for number in range(5))]
    importer.write("data.csv", b"a,1,,,,,\n")
    options = {"Csv": {"Delimiter": ",", "HeaderList": headers}}
    description = importer.completed("data.csv", InputFormat="CSV", InputFormatOptions=options)
    assert description["InputFormatOptions"] == options


def test_ion(importer):
    importer.write("a.ion", b'$ion_1_0 {Item:{pk:"a",sk:"1",n:103.,ss:$dynamodb_SS::["x"],b:{{AQ==}}}}\n')
    importer.completed("a.ion", InputFormat="ION")
    assert importer.scan() == [item("a", n={"N": "103"}, ss={"SS": ["x"]}, b={"B": "AQ=="})]


def test_a_prefix_is_no_folder(importer):
    for key in ("data/1", "data2/1", "other/1"):
        importer.write(key, lines([item(key)]))
    importer.completed("data")
    assert {key for key, _ in by_key(importer.scan())} == {"data/1", "data2/1"}


def test_bad_records_are_counted_and_logged(importer):
    bad = [b'{"Item":{"sk":{"S":"1"}}}\n', b"no JSON\n", b'{"pk":{"S":"a"},"sk":{"S":"1"}}\n',
           b'{"Item":{"pk":{"N":"1"},"sk":{"S":"1"}}}\n', b'{"Item":{"pk":{"S":""},"sk":{"S":"1"}}}\n',
           lines([item("large", v={"S": "x" * 410_000})])]
    importer.write("in/1", lines([item("a")]) + b"".join(bad) + lines([item("b")]))
    importer.write("in/2", lines([item("c")]))
    description = importer.failed("in/")
    assert (description["FailureCode"], description["FailureMessage"]) == ("ItemValidationError", INVALID)
    assert counts(description) == (9, 3, 6)
    assert importer.status() == "ACTIVE"
    assert {key for key, _ in by_key(importer.scan())} == {"a", "b", "c"}
    errors = importer.errors(description)
    assert [error["itemS3Pointer"]["itemIndex"] for error in errors] == [1, 2, 3, 4, 5, 6]
    assert errors[0] == {"itemS3Pointer": {"bucket": "bucket", "key": "in/1", "itemIndex": 1},
                         "importArn": description["ImportArn"],
                         "errorMessages": ["One or more parameter values were invalid: Missing the key pk in the item"]}


def test_an_object_that_cannot_be_unpacked(importer):
    packed = pack(lines([item(f"p{i}", v={"S": str(i) * 50}) for i in range(2000)]), "GZIP")
    importer.write("in/1", packed[:len(packed) // 2])
    importer.write("in/2", lines([item("not packed")]))
    importer.write("in/3", pack(lines([item("z")]), "GZIP"))
    description = importer.failed("in/", InputCompressionType="GZIP")
    assert description["FailureCode"] == "ItemValidationError" and description["ErrorCount"] == 2
    assert description["ProcessedItemCount"] == description["ImportedItemCount"] == len(importer.scan()) > 1
    assert [error["itemS3Pointer"]["key"] for error in importer.errors(description)] == ["in/1", "in/2"]


def test_one_key_twice(importer):
    importer.write("in/1", lines([item("a", v={"N": "1"}), item("a", v={"N": "2"})]))
    importer.write("in/2", lines([item("a", v={"N": "3"})]))
    assert counts(importer.completed("in/")) == (3, 3, 0)
    assert importer.scan() == [item("a", v={"N": "3"})]
    assert importer.client.ok("DescribeTable", TableName="Things")["Table"]["ItemCount"] == 1


def test_no_objects(importer):
    description = importer.completed("nothing")
    assert counts(description) == (0, 0, 0) and importer.status() == "ACTIVE" and importer.scan() == []


@pytest.mark.parametrize("prefix", ["../other/", "in/../../other/", "/other/", "link/"])
def test_a_prefix_does_not_leave_its_bucket(importer, tmp_path, prefix):
    importer.write("x", lines([item("outside")]), bucket="other")
    importer.write("in/x", b"")
    (importer.root / "bucket" / "link").symlink_to(importer.root / "other")
    assert counts(importer.completed(prefix)) == (0, 0, 0)
    assert importer.scan() == []


def test_a_missing_bucket(importer):
    description = importer.failed(bucket="missing")
    assert description["FailureCode"] == "S3NoSuchBucket" and description["FailureMessage"].startswith(NOT_FOUND)
    assert importer.status() is None


def test_a_server_without_buckets_says_how_to_get_one(start, tmp_path):
    description = Importer(start(), tmp_path).failed()
    assert description["FailureCode"] == "S3NoSuchBucket" and "--s3-root" in description["FailureMessage"]


def test_buckets_below_the_data_folder(start, tmp_path):
    (tmp_path / "data" / "s3" / "bucket").mkdir(parents=True)
    importer = Importer(start("--db-path", tmp_path / "data"), tmp_path / "data" / "s3")
    importer.write("a", lines([item("a")]))
    importer.completed()
    assert importer.scan() == [item("a")]


def test_objects_that_cannot_be_read(importer, tmp_path):
    (tmp_path / "outside").write_bytes(lines([item("outside")]))
    (importer.root / "bucket" / "link").symlink_to(tmp_path / "outside")
    importer.completed()
    assert importer.scan() == []


def test_settings_of_the_table(importer):
    importer.write("a", lines([item("a", g={"S": "x"})]))
    table = parameters(BillingMode="PROVISIONED", ProvisionedThroughput={"ReadCapacityUnits": 3, "WriteCapacityUnits": 4},
                       SSESpecification={"Enabled": True, "SSEType": "KMS"},
                       GlobalSecondaryIndexes=[{"IndexName": "by_g", "Projection": {"ProjectionType": "KEYS_ONLY"},
                                                "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                                                "ProvisionedThroughput": {"ReadCapacityUnits": 1,
                                                                          "WriteCapacityUnits": 2}}])
    table["AttributeDefinitions"].append({"AttributeName": "g", "AttributeType": "S"})
    description = importer.completed(table=table)
    assert description["TableCreationParameters"] == table
    made = importer.client.ok("DescribeTable", TableName="Things")["Table"]
    assert made["ProvisionedThroughput"]["ReadCapacityUnits"] == 3 and made["SSEDescription"]["SSEType"] == "KMS"
    assert made["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["WriteCapacityUnits"] == 2
    assert len(importer.scan(IndexName="by_g")) == 1


def test_tokens(importer):
    importer.write("a", lines([item("a")]))
    first = importer.run(ClientToken="one")
    error = importer.client.error("ImportTable", S3BucketSource={"S3Bucket": "bucket"}, InputFormat="DYNAMODB_JSON",
                                  TableCreationParameters=parameters(), ClientToken="one")
    assert error == (400, "ResourceInUseException", "Table already exists: Things")
    error = importer.client.error("ImportTable", S3BucketSource={"S3Bucket": "bucket"}, InputFormat="DYNAMODB_JSON",
                                  TableCreationParameters=parameters("Other"), ClientToken="one")
    assert error == (400, "ImportConflictException",
                     "Import conflict: Duplicate request detected with conflicting parameters")
    assert importer.describe(first["ImportArn"]) == first


def test_boto3_imports(importer):
    importer.write("a", lines([item("a")]))
    client = boto3.client("dynamodb", endpoint_url=importer.server.endpoint, region_name="us-east-1")
    arns = []
    for name in ("One", "Two", "Three"):
        begun = client.import_table(S3BucketSource={"S3Bucket": "bucket"}, InputFormat="DYNAMODB_JSON",
                                    TableCreationParameters=parameters(name))["ImportTableDescription"]
        assert begun["ImportStatus"] == "IN_PROGRESS" and begun["ClientToken"]
        arns.append(begun["ImportArn"])
        assert importer.wait(begun["ImportArn"])["ImportStatus"] == "COMPLETED"
    listed, token = [], {}
    while True:
        page = client.list_imports(PageSize=2, **token)
        listed += [summary["ImportArn"] for summary in page["ImportSummaryList"]]
        if "NextToken" not in page:
            break
        assert len(page["NextToken"]) >= 112 and len(page["NextToken"]) % 16 == 0
        token = {"NextToken": page["NextToken"]}
    assert listed == arns[::-1]
    two = client.describe_import(ImportArn=arns[1])["ImportTableDescription"]
    client.delete_table(TableName="Two")
    summaries = client.list_imports(TableArn=two["TableArn"])["ImportSummaryList"]
    assert [summary["ImportArn"] for summary in summaries] == [arns[1]]


def wait_for_progress(importer, arn):
    """Until more items are stored, or the import is over."""
    before = importer.describe(arn)["ProcessedItemCount"]

    def moved():
        description = importer.describe(arn)
        return description["ImportStatus"] != "IN_PROGRESS" or description["ProcessedItemCount"] > before

    wait_until(moved, deadline_s=60, what="progress")


@pytest.mark.parametrize("has_errors", [False, True])
def test_a_kill_delays_an_import(start, tmp_path, has_errors):
    """The next process goes on, with exact counters and a whole log."""
    (tmp_path / "s3" / "bucket").mkdir(parents=True)
    flags = ("--db-path", tmp_path / "data", "--s3-root", tmp_path / "s3", "--sync", "commit")
    importer = Importer(start(*flags), tmp_path / "s3")
    items = [item(f"p{i}", v={"S": "x" * 20}) for i in range(30_000)]
    sizes = 0
    for number in range(10):
        data = lines(items[number * 3000:(number + 1) * 3000])
        if has_errors:
            data = b"bad\n" + data + b"worse\n"
        importer.write(f"in/{number}", data)
        sizes += len(data)
    arn = importer.begin("in/")["ImportArn"]
    for kills in (True, False):
        wait_for_progress(importer, arn)
        importer.server.kill() if kills else importer.server.stop()
        assert_whole(tmp_path / "data")
        importer = Importer(start(*flags), tmp_path / "s3")
    description = importer.wait(arn)
    errors = 20 if has_errors else 0
    assert description["ImportStatus"] == ("FAILED" if has_errors else "COMPLETED"), description
    assert counts(description) == (30_000 + errors, 30_000, errors)
    assert description["ProcessedSizeBytes"] == sizes
    assert len(importer.errors(description)) == errors
    assert by_key(importer.scan()) == by_key(items)


def test_a_bucket_that_vanishes(start, tmp_path):
    """Half a table never becomes ACTIVE."""
    (tmp_path / "s3" / "bucket").mkdir(parents=True)
    flags = ("--db-path", tmp_path / "data", "--s3-root", tmp_path / "s3", "--sync", "commit")
    importer = Importer(start(*flags), tmp_path / "s3")
    for number in range(10):
        importer.write(f"in/{number}", lines([item(f"p{number} {i}") for i in range(3000)]))
    arn = importer.begin("in/")["ImportArn"]
    wait_for_progress(importer, arn)
    (tmp_path / "s3" / "bucket").rename(tmp_path / "s3" / "gone")
    description = importer.wait(arn)
    assert (description["ImportStatus"], description["FailureCode"]) == ("FAILED", "S3NoSuchBucket")
    assert importer.status() is None
