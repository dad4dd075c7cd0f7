"""Exports, imports and bulk puts through the SDK: their states to the end, pages of their lists, their errors."""

import json

import pytest

from admin import Admin
from definitions import attributes, key_schema
from scenario import unique_name
from sdk import Client, Refused
from server_process import wait_until

DEADLINE_S = 120
RUNNING = ("IN_PROGRESS", "CANCELLING")
ITEMS = [{"pk": {"S": f"k{number}"}, "n": {"N": str(number)}, "b": {"B": "AAH/"}, "bs": {"BS": ["AA==", "AQ=="]},
          "ss": {"SS": ["", "a"]}, "ns": {"NS": ["-1.5", "2"]}, "yes": {"BOOL": True}, "nil": {"NULL": True},
          "l": {"L": [{"S": "x"}, {"M": {"deep": {"L": []}}}]}} for number in range(30)]


def by_key(items):
    """Items by their key, with sets in order."""
    def ordered(value):
        if isinstance(value, dict):
            return {name: sorted(held) if name in ("SS", "NS", "BS") else ordered(held) for name, held in value.items()}
        return [ordered(element) for element in value] if isinstance(value, list) else value

    keyed = {item["pk"]["S"]: ordered(item) for item in items}
    assert len(keyed) == len(items)
    return keyed


class Jobs:
    def __init__(self, caller, server, buckets):
        self.call = caller.call
        self.wait_active = Client(caller).get_waiter("table_exists").wait
        self.admin, self.buckets, self.tables = Admin(server), buckets, []
        for name in ("bucket", "source", "reports"):
            (buckets / name).mkdir(exist_ok=True)
        self.table = self.create(unique_name("jobs"))

    def create(self, name):
        self.call("CreateTable", self.definition(name))
        return name

    def definition(self, name):
        self.tables.append(name)
        return {"TableName": name, "KeySchema": key_schema("pk"), "AttributeDefinitions": attributes("pk:S"),
                "BillingMode": "PAY_PER_REQUEST"}

    def fill(self):
        """The table's ARN, with recovery enabled and the items put."""
        self.call("UpdateContinuousBackups", {
            "TableName": self.table, "PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}})
        for item in ITEMS:
            self.call("PutItem", {"TableName": self.table, "Item": item})
        return self.call("DescribeTable", {"TableName": self.table})["Table"]["TableArn"]

    def ended(self, kind, arn):
        """The description at the end of a job."""
        operation, member, whole, status = {
            "export": ("DescribeExport", "ExportArn", "ExportDescription", "ExportStatus"),
            "import": ("DescribeImport", "ImportArn", "ImportTableDescription", "ImportStatus"),
            "bulk": ("DescribeBulkOperation", "BulkOperationArn", "BulkOperationDescription", "BulkOperationStatus"),
        }[kind]

        def description():
            found = self.call(operation, {member: arn})[whole]
            return found if found[status] not in RUNNING else None

        return wait_until(description, deadline_s=DEADLINE_S, what=f"the end of the {kind}")

    def pages(self, operation, members, name):
        """The elements of all pages of a list, one on each."""
        found, token = [], {}
        while True:
            page = self.call(operation, {**members, **token})
            assert len(page[name]) <= 1
            found += page[name]
            if "NextToken" not in page:
                return found
            token = {"NextToken": page["NextToken"]}

    def scan(self, table):
        return self.call("Scan", {"TableName": table})["Items"]

    def refused(self, code, operation, members):
        with pytest.raises(Refused) as raised:
            self.call(operation, members)
        assert raised.value.code == code, raised.value
        return raised.value.message

    def clean(self):
        for table in self.tables:
            self.call("DeleteTable", {"TableName": table})


@pytest.fixture
def jobs(caller, server, buckets):
    if not server.controllable:
        pytest.skip("needs the buckets of a server that the test starts")
    made = Jobs(caller, server, buckets)
    yield made
    made.clean()


def test_exports_come_back(jobs):
    arn, exported, imported = jobs.fill(), [], []
    for format_ in ("DYNAMODB_JSON", "ION"):
        begun = jobs.call("ExportTableToPointInTime", {
            "TableArn": arn, "S3Bucket": "bucket", "S3Prefix": f"{jobs.table}/{format_}", "ExportFormat": format_,
            "ClientToken": f"{jobs.table}{format_}"})["ExportDescription"]
        assert begun["ExportStatus"] == "IN_PROGRESS" and begun["StartTime"]["$date"] > 0
        export = jobs.ended("export", begun["ExportArn"])
        assert (export["ExportStatus"], export["ItemCount"]) == ("COMPLETED", len(ITEMS)), export
        exported.append(export["ExportArn"])
        target = f"{jobs.table}_{format_}"
        begun = jobs.call("ImportTable", {
            "S3BucketSource": {"S3Bucket": "bucket", "S3KeyPrefix": export["ExportManifest"].rsplit("/", 1)[0] + "/data/"},
            "InputFormat": format_, "InputCompressionType": "GZIP",
            "TableCreationParameters": jobs.definition(target)})["ImportTableDescription"]
        assert begun["ImportStatus"] == "IN_PROGRESS"
        ended = jobs.ended("import", begun["ImportArn"])
        assert (ended["ImportStatus"], ended["ImportedItemCount"], ended["ErrorCount"]) == ("COMPLETED", len(ITEMS), 0)
        assert by_key(jobs.scan(target)) == by_key(ITEMS)
        imported.append(jobs.pages("ListImports", {"TableArn": begun["TableArn"], "PageSize": 1}, "ImportSummaryList"))
        assert [(one["ImportArn"], one["ImportStatus"]) for one in imported[-1]] == [(begun["ImportArn"], "COMPLETED")]
    listed = jobs.pages("ListExports", {"TableArn": arn, "MaxResults": 1}, "ExportSummaries")
    assert [one["ExportArn"] for one in listed] == exported[::-1]


def test_jobs_that_fail_or_are_refused(jobs):
    arn = jobs.fill()
    members = {"TableArn": arn, "S3Bucket": "nobucket", "ClientToken": jobs.table}
    failed = jobs.ended("export", jobs.call("ExportTableToPointInTime", members)["ExportDescription"]["ExportArn"])
    assert (failed["ExportStatus"], failed["FailureCode"]) == ("FAILED", "S3NoSuchBucket")
    assert jobs.refused("ExportConflictException", "ExportTableToPointInTime", {**members, "S3Prefix": "other"}) == (
        "Export conflict: Duplicate request detected with conflicting parameters")
    jobs.refused("ExportNotFoundException", "DescribeExport", {"ExportArn": f"{arn}/export/01790000000123-00000000"})
    jobs.refused("ImportNotFoundException", "DescribeImport", {"ImportArn": f"{arn}/import/01790000000123-00000000"})
    jobs.refused("ResourceInUseException", "ImportTable", {
        "S3BucketSource": {"S3Bucket": "bucket"}, "InputFormat": "ION",
        "TableCreationParameters": {"TableName": jobs.table, "KeySchema": key_schema("pk"),
                                    "AttributeDefinitions": attributes("pk:S"), "BillingMode": "PAY_PER_REQUEST"}})


def test_a_bulk_put(jobs, name_of_sdk, year_of_sdk):
    if name_of_sdk == "java" or year_of_sdk < 2026:
        pytest.skip("this SDK is older than bulk puts")
    text = "".join(json.dumps({"Item": item}) + "\n" for item in ITEMS)
    (jobs.buckets / "source" / f"{jobs.table}.json").write_text(text + "no item\n")
    begun = jobs.call("StartBulkPutItems", {
        "TableName": jobs.table, "ClientToken": jobs.table,
        "InputS3Configuration": {"S3Bucket": "source", "S3KeyPrefix": jobs.table, "InputFormat": "DYNAMODB_JSON"},
        "OutputS3Configuration": {"S3Bucket": "reports", "OutputType": ["ERROR"]}})["BulkOperationDescription"]
    assert begun["BulkOperationStatus"] == "IN_PROGRESS"
    ended = jobs.ended("bulk", begun["BulkOperationArn"])
    assert (ended["BulkOperationStatus"], ended["ProcessedItemCount"], ended["FailedItemCount"]) == (
        "COMPLETED_WITH_ERRORS", len(ITEMS) + 1, 1), ended
    assert by_key(jobs.scan(jobs.table)) == by_key(ITEMS)
    listed = jobs.pages("ListBulkOperations", {"MaxResults": 1}, "BulkOperationsSummaryList")
    assert begun["BulkOperationArn"] in [one["BulkOperationArn"] for one in listed]
    told = jobs.refused("ValidationException", "CancelBulkOperation", {"BulkOperationArn": begun["BulkOperationArn"]})
    assert told.endswith("its status is COMPLETED_WITH_ERRORS")
