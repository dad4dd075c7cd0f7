"""A server of S3 that fails at each step of an import or a bulk put: the job ends complete, or FAILED with a plain
reason and without a half-made table, and nothing else is harmed."""

import gzip
import json
import sys
from pathlib import Path

import pytest

FEATURES = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(FEATURES / name) for name in ("imports", "bulk")]

from bulk import Bulk, line  # noqa: E402
from importing import Importer, counts, lines  # noqa: E402
from table_content import by_key  # noqa: E402
from test_faults import LARGE_TIMEOUT_S, PASSING, TIMEOUT_S, check_reason  # noqa: E402

ITEMS = [{"pk": {"S": f"k{number}"}, "sk": {"S": "1"}, "v": {"N": str(number)}} for number in range(40)]
RANGE = 8 * 1024 * 1024  # what one request reads
OTHER = {"pk": {"S": "mine"}, "sk": {"S": "1"}}
# HEAD has no body that could be a page, endless or deep.
NEVER = [("head", kind) for kind in ("500", "reset", "garbage", "hang")] + \
        [("list", kind) for kind in ("500", "503", "403", "reset", "truncate", "garbage", "hang", "page", "endless",
                                     "deep")] + \
        [("get", kind) for kind in ("500", "503", "403", "reset", "truncate", "garbage", "hang", "endless")]


def fill(store, items=ITEMS):
    """The items in two objects."""
    for number in range(2):
        store.objects["bucket", f"in/{number}.json"] = lines(items[number::2])


class Beside:
    """A table beside the jobs that nothing may harm."""

    def __init__(self, tool):
        self.client = tool.client
        self.client.create_table("Other", sort_key="sk")
        self.client.ok("PutItem", TableName="Other", Item=OTHER)

    def check(self):
        self.client.ok("PutItem", TableName="Other", Item=OTHER)
        assert self.client.ok("Scan", TableName="Other")["Items"] == [OTHER]


@pytest.fixture
def world(start, hostile):
    """world(Importer): a server on a hostile store, with a tool of the kind."""
    def make(kind, *flags):
        store = hostile()
        fill(store)
        tool = kind(start("--s3-endpoint", store.endpoint, *(flags or ("--s3-timeout", TIMEOUT_S)),
                          env=store.environment), None)
        return tool, store, Beside(tool)

    return make


def gone(importer):
    importer.client.ok("DeleteTable", TableName="Things")


# ---- imports

def test_what_passes_does_no_harm_to_an_import(world):
    importer, store, beside = world(Importer)
    for step in ("head", "list", "get"):
        for kind in PASSING:
            store.fault(step, kind, times=1)
            assert counts(importer.completed("in/")) == (40, 40, 0), (step, kind)
            assert store.faults[step][1] == 0, f"no request of step {step}"
            assert by_key(importer.scan()) == by_key(ITEMS), (step, kind)
            gone(importer)
    beside.check()


@pytest.mark.parametrize("step, kind", NEVER)
def test_what_never_passes_ends_an_import(world, step, kind):
    importer, store, beside = world(Importer)
    store.fault(step, kind)
    check_reason(importer.failed("in/"), step, kind)
    assert importer.status() is None, "a table that is half made"
    assert len(store.requests) < 20, "an endless number of attempts"
    beside.check()
    store.faults.clear()
    assert counts(importer.completed("in/")) == (40, 40, 0)


@pytest.mark.parametrize("kind", ["500", "403", "reset", "truncate"])
def test_the_items_of_the_first_object_go_with_the_second(world, kind):
    importer, store, beside = world(Importer)
    store.fault("get", kind, after=1)
    failed = importer.failed("in/")
    check_reason(failed, "get", kind)
    assert importer.status() is None
    beside.check()
    store.faults.clear()
    assert counts(importer.completed("in/")) == (40, 40, 0)
    # Its description stays as it was.
    assert importer.describe(failed["ImportArn"]) == failed


def large_items():
    """More than one request reads."""
    return [{"pk": {"S": f"k{number}"}, "sk": {"S": "1"}, "fill": {"S": chr(97 + number % 26) * 390_000}}
            for number in range(2 * RANGE // 390_000 + 1)]


@pytest.mark.parametrize("kind, passes", [("500", True), ("reset", True), ("truncate", True), ("403", False),
                                          ("reset", False)])
def test_a_range_in_the_middle_of_an_object(world, kind, passes):
    importer, store, beside = world(Importer, "--s3-timeout", LARGE_TIMEOUT_S)
    store.objects = {("bucket", "large.json"): lines(large_items())}
    store.fault("get", kind, after=1, **({"times": 1} if passes else {}))
    if passes:
        assert counts(importer.completed("large"))[2] == 0
        assert store.faults["get"][1] == 0
        assert by_key(importer.scan()) == by_key(large_items())
    else:
        check_reason(importer.failed("large"), "get", kind)
        assert importer.status() is None
    beside.check()


def test_a_log_that_cannot_be_written_changes_no_outcome(world):
    """Neither while it is begun nor while it is written: there is no bucket of logs, or a fault."""
    importer, store, beside = world(Importer)
    store.objects["bucket", "in/2.json"] = b"no item\n"
    for kind in ("500", "403", "reset", None):
        if kind:
            store.fault("put", kind)
        failed = importer.failed("in/")
        assert failed["FailureCode"] == "ItemValidationError" and counts(failed) == (41, 40, 1), (kind, failed)
        assert by_key(importer.scan()) == by_key(ITEMS)
        gone(importer)
        store.faults.clear()
    beside.check()


# ---- bulk puts

INPUT = {"S3Bucket": "bucket", "S3KeyPrefix": "in/"}
OUTPUT = {"S3Bucket": "bucket", "S3KeyPrefix": "out"}


class Puts(Bulk):
    def __init__(self, server, root):
        super().__init__(server, root)
        self.client.create_table("Things", sort_key="sk")

    def run_from_store(self):
        return self.run("Things", INPUT, OUTPUT)


def test_what_passes_does_no_harm_to_a_bulk_put(world):
    bulk, store, beside = world(Puts)
    store.objects["bucket", "in/2.json"] = (line({"Item": {"pk": {"S": "no sk"}}}) + "\n").encode()
    for step in ("head", "list", "look", "get", "put"):
        for kind in PASSING:
            store.fault(step, kind, times=1)
            done = bulk.run_from_store()
            what = (step, kind, done)
            assert done["BulkOperationStatus"] == "COMPLETED_WITH_ERRORS", what
            assert (done["ProcessedItemCount"], done["FailedItemCount"]) == (41, 1), what
            assert store.faults[step][1] == 0, f"no request of step {step}"
            report = report_of(store, done)
            assert report["failedItemCount"] == 1 and [file["itemCount"] for file in report["files"]] == [1], what
    assert by_key(bulk.scan()) == by_key(ITEMS)
    beside.check()


def report_of(store, description):
    folder = "out/AWSDynamoDB/" + description["BulkOperationArn"].rsplit("/", 1)[1]
    manifest = json.loads(store.objects["bucket", folder + "/manifest.json"])
    for file in manifest["files"]:
        text = gzip.decompress(store.objects["bucket", file["s3Key"]]).decode()
        assert len(text.splitlines()) == file["itemCount"]
    return manifest


@pytest.mark.parametrize("step, kind", NEVER + [("look", kind) for kind in ("500", "reset", "garbage", "hang")])
def test_what_never_passes_ends_a_bulk_put(world, step, kind):
    bulk, store, beside = world(Puts)
    store.fault(step, kind)
    failed = bulk.run_from_store()
    assert failed["BulkOperationStatus"] == "FAILED", failed
    check_reason(failed, step, kind)
    assert bulk.scan() == [] and failed["ProcessedItemCount"] == 0
    beside.check()
    store.faults.clear()
    assert bulk.run_from_store()["BulkOperationStatus"] == "COMPLETED"
    assert by_key(bulk.scan()) == by_key(ITEMS)


@pytest.mark.parametrize("kind", ["500", "403", "reset", "truncate"])
def test_what_a_bulk_put_has_put_stays(world, kind):
    bulk, store, beside = world(Puts)
    store.fault("get", kind, after=1)
    failed = bulk.run_from_store()
    assert failed["BulkOperationStatus"] == "FAILED", failed
    check_reason(failed, "get", kind)
    there = by_key(bulk.scan())
    assert failed["ProcessedItemCount"] == len(there) < len(ITEMS)
    assert report_of(store, failed)["processedItemCount"] == len(there)
    beside.check()


@pytest.mark.parametrize("kind", ["500", "403", "reset", "truncate", "hang"])
def test_a_report_that_cannot_be_written(world, kind):
    """The items are put, and the reason is said."""
    bulk, store, beside = world(Puts)
    store.fault("put", kind)
    failed = bulk.run_from_store()
    assert failed["BulkOperationStatus"] == "FAILED", failed
    check_reason(failed, "put", kind)
    assert failed["ProcessedItemCount"] == len(ITEMS)
    assert by_key(bulk.scan()) == by_key(ITEMS)
    beside.check()
