"""A server of S3 that fails at each step: an export ends complete or FAILED with a plain reason, in bounded time, and
nothing else is harmed."""

import base64
import gzip
import json
import random
import re
import signal

import pytest

from exporting import Exporter
from hostile import make_certificate
from server_process import free_port
from test_exports_to_s3 import PREFIXES
from table_content import by_key

TIMEOUT_S = "2"
# For parts of 16 MiB, on a busy machine.
LARGE_TIMEOUT_S = "20"
# What may pass.
PASSING = ["500", "503", "reset", "truncate", "garbage", "hang"]


class HostileExporter(Exporter):
    """Exports to a hostile store, and reads what that has."""

    def __init__(self, start, store, *flags):
        super().__init__(start("--s3-endpoint", store.endpoint, *flags, env=store.environment), None)
        self.store = store

    def object(self, key, bucket="bucket"):
        return self.store.objects[bucket, key]

    def fill(self):
        """More than an object of one part holds."""
        numbers = random.Random(7)
        for i in range(46):
            value = base64.b64encode(numbers.randbytes(380_000)).decode()
            self.client.ok("PutItem", TableName="Things",
                           Item={"pk": {"S": f"p{i}"}, "sk": {"S": "1"}, "b": {"B": value}})

    def check_unharmed(self):
        self.put_values(after=1)
        assert self.client.ok("DescribeTable", TableName="Things")["Table"]["TableStatus"] == "ACTIVE"

    def read_items(self, description):
        _, files = self.manifests(description)
        return by_key([json.loads(line)["Item"] for file in files
                       for line in gzip.decompress(self.object(file["dataFileS3Key"])).splitlines()])


def check_complete_after(exporter, arn, faults):
    """An export for each fault, which the store has once: all of them complete."""
    store = exporter.store
    items = by_key(exporter.scan())
    for step, kind in faults:
        store.fault(step, kind, times=1)
        description = exporter.export(arn)
        assert description["ExportStatus"] == "COMPLETED", (step, kind, description)
        assert store.faults[step][1] == 0, f"no request of step {step}"
        assert exporter.read_items(description) == items, (step, kind)
        store.objects.clear()
    exporter.check_unharmed()


def test_what_passes_does_no_harm(start, hostile):
    exporter = HostileExporter(start, hostile(), "--s3-timeout", TIMEOUT_S)
    arn = exporter.create()
    exporter.put_values(a=1, b=2)
    check_complete_after(exporter, arn, [(step, kind) for step in ("head", "put") for kind in PASSING] +
                         [("put", "lost")])


def test_what_passes_does_no_harm_to_an_upload(start, hostile):
    exporter = HostileExporter(start, hostile(), "--s3-timeout", LARGE_TIMEOUT_S)
    arn = exporter.create()
    exporter.fill()
    check_complete_after(exporter, arn, [("begin", "500"), ("part", "503"), ("part", "reset"), ("part", "hang"),
                                         ("complete", "truncate"), ("complete", "late error"), ("complete", "lost")])
    assert exporter.store.uploads == {}


REASONS = {"500": "Not now: InternalError. (Service: Amazon S3; Status Code: 500; Error Code: InternalError;",
           "503": "Not now: SlowDown. (Service: Amazon S3; Status Code: 503; Error Code: SlowDown;",
           "403": "Access Denied (Service: Amazon S3; Status Code: 403; Error Code: AccessDenied; Request ID: R1;",
           "reset": "reset by peer", "truncate": "closed within an answer", "garbage": "bad version",
           "hang": "no answer within 2 s", "page": "is it an endpoint of S3?", "endless": "the answer is too long",
           "deep": "is it an endpoint of S3?"}
CODES = {"500": "S3InternalError", "503": "S3SlowDown", "403": "S3AccessDenied"}
# HEAD has no body: no reason, no end that is missing, no XML.
OF_HEAD = {"500": "answered status 500", "503": "answered status 503"}


def check_failure(description, step, kind):
    what = (step, kind, description)
    assert description["ExportStatus"] == "FAILED" and "ExportManifest" not in description, what
    check_reason(description, step, kind)


def check_reason(description, step, kind):
    what = (step, kind, description)
    if step in ("head", "look"):
        assert OF_HEAD.get(kind, REASONS[kind]) in description["FailureMessage"], what
        assert description["FailureCode"] == "InternalServerError", what
        return
    assert REASONS[kind] in description["FailureMessage"], what
    assert description["FailureCode"] == CODES.get(kind, "InternalServerError"), what


@pytest.mark.parametrize("step, kind", [("head", "500"), ("head", "reset"), ("head", "garbage"), ("head", "hang"),
                                        ("put", "500"), ("put", "503"), ("put", "403"), ("put", "reset"),
                                        ("put", "truncate"), ("put", "hang"), ("put", "page"), ("put", "endless")])
def test_what_never_passes_ends_the_export(start, hostile, step, kind):
    store = hostile()
    exporter = HostileExporter(start, store, "--s3-timeout", TIMEOUT_S)
    store.fault(step, kind)
    description = exporter.export(exporter.create())
    check_failure(description, step, kind)
    assert len(store.requests) < 12, "an endless number of attempts"
    exporter.check_unharmed()
    store.faults.clear()
    assert exporter.export(description["TableArn"])["ExportStatus"] == "COMPLETED"


def test_an_upload_that_fails_is_aborted(start, hostile):
    store = hostile()
    exporter = HostileExporter(start, store, "--s3-timeout", LARGE_TIMEOUT_S)
    arn = exporter.create()
    exporter.fill()
    for step, kind in [("begin", "deep"), ("part", "403"), ("part", "reset"), ("complete", "403"),
                       ("complete", "page")]:
        store.fault(step, kind)
        check_failure(exporter.export(arn), step, kind)
        assert store.uploads == {}, (step, kind)
        assert not any("/data/" in key for _, key in store.objects), "an object that is not whole"
        store.faults.clear()
    # The abort may fail, too.
    store.fault("part", "403")
    store.fault("abort", "403")
    check_failure(exporter.export(arn), "part", "403")
    exporter.check_unharmed()


def test_an_endpoint_that_is_not_there(start, hostile):
    store = hostile()
    store.endpoint = f"http://127.0.0.1:{free_port()}"
    exporter = HostileExporter(start, store)
    description = exporter.export(exporter.create())
    assert (description["ExportStatus"], description["FailureCode"]) == ("FAILED", "InternalServerError")
    assert description["FailureMessage"] == f"{store.endpoint}: Connection refused"


@pytest.mark.parametrize("step", ["head", "put", "part"])
def test_a_stop_waits_for_no_answer(start, hostile, tmp_path, step):
    """The server ends at once though a minute is left for the answer, and the next one writes the export."""
    store = hostile()
    flags = ("--db-path", tmp_path / "data")
    exporter = HostileExporter(start, store, *flags)
    arn = exporter.create()
    if step == "part":
        exporter.fill()
    store.fault(step, "hang", times=1)
    begun = exporter.begin(arn)
    assert store.arrived.wait(60)
    exporter.server.signal(signal.SIGTERM)
    assert exporter.server.wait() == 0
    assert store.uploads == {}, "an upload stays"
    exporter = HostileExporter(start, store, *flags)
    assert exporter.wait(begun["ExportArn"])["ExportStatus"] == "COMPLETED"


def test_an_export_over_tls(start, hostile, tmp_path):
    store = hostile(certificate=make_certificate(tmp_path))
    exporter = HostileExporter(start, store)
    arn = exporter.create()
    exporter.put_values(a=1)
    assert len(exporter.items(exporter.export(arn))) == 1


def test_a_wrong_secret(start, hostile):
    store = hostile()
    exporter = HostileExporter(start, store)
    store.environment = {**store.environment, "AWS_SECRET_ACCESS_KEY": "another"}
    description = exporter.export(exporter.create())
    assert (description["ExportStatus"], description["FailureCode"]) == ("FAILED", "S3SignatureDoesNotMatch")


@pytest.mark.parametrize("prefix", PREFIXES)
def test_signatures_of_names_of_all_kinds(start, hostile, prefix):
    exporter = HostileExporter(start, hostile())
    arn = exporter.create()
    exporter.put_values(a=1)
    assert len(exporter.items(exporter.export(arn, S3Prefix=prefix))) == 1


def test_credentials_stay_out_of_the_log(start, hostile):
    store = hostile()
    exporter = HostileExporter(start, store, "--log-level", "trace", "--s3-timeout", TIMEOUT_S)
    arn = exporter.create()
    exporter.export(arn)
    store.fault("put", "403")
    exporter.export(arn)
    exporter.export(arn, S3Bucket="missing")
    assert all(b"x-amz-security-token: token-of-the-test" in head for _, head in store.requests)
    exporter.server.wait_for_log(re.escape(store.endpoint))
    log = exporter.server.log()
    for secret in ("secret-of-the-test", "token-of-the-test", "AKIDHOSTILE", "Signature="):
        assert secret not in log
