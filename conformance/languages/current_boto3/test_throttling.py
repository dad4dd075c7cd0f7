"""What a current boto3 makes of being throttled: it knows the reasons, and by its defaults makes 4 attempts with waits
of up to 1, 2 and 4 seconds. The packaged one is tried in capacity/test_boto3.py."""

import botocore
import nightly_batch
import pytest
from causes import ARN, CAUSES, fill, item

ATTEMPTS = 4
WAITS_MAX_S = [1, 2, 4]
# 500 at first, of which an attempt behind a refusal costs 5: a client that is always refused stops trying again.
RETRIES_OF_A_CLIENT = 500 // 5
TABLE_WRITE = "TableWriteProvisionedThroughputExceeded"


@pytest.fixture
def by_default(world, monkeypatch):
    """by_default(capacity) is a world, and its client without any choice about retries."""
    for name in ("AWS_RETRY_MODE", "AWS_MAX_ATTEMPTS", "AWS_NEW_RETRIES_2026"):
        monkeypatch.delenv(name, raising=False)

    def begin(capacity="initial-burst-seconds=1", **options):
        here = world(capacity, **options)
        return here, here.client(retries=None)

    return begin


def test_it_is_a_current_one():
    assert tuple(map(int, botocore.__version__.split("."))) >= (1, 44)


@pytest.mark.parametrize("cause", CAUSES)
def test_throttled_for_good(by_default, cause):
    """Nothing is better after waiting: the default's attempts, then the typed exception with its reasons."""
    members, capacity, code, name, reason = CAUSES[cause]
    here, client = by_default(capacity, is_waiting=False)
    here.table("Orders", **members)
    fill(client)
    with pytest.raises(getattr(client.exceptions, code)) as caught:
        client.put_item(TableName="Orders", Item=item(1))
    error = caught.value.response
    assert error["Error"]["Code"] == code
    assert error[name] == [{"reason": reason, "resource": ARN}]  # parsed, by the SDK's model
    assert len(client.seen) == ATTEMPTS
    assert error["ResponseMetadata"]["RetryAttempts"] == ATTEMPTS - 1
    assert here.throttled("Orders") == {reason: ATTEMPTS}
    assert len(here.waited_s) == len(WAITS_MAX_S)
    assert all(0 <= waited <= most for waited, most in zip(here.waited_s, WAITS_MAX_S))


def test_several_reasons_are_a_list(by_default):
    """A table and its index that both refuse."""
    here, client = by_default()
    here.table("Orders", 1, 1, types="pk:S", AttributeDefinitions=[
        {"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "by", "AttributeType": "S"}],
        GlobalSecondaryIndexes=[{
            "IndexName": "ByBy", "Projection": {"ProjectionType": "ALL"},
            "KeySchema": [{"AttributeName": "by", "KeyType": "HASH"}],
            "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}])
    one = {"pk": {"S": "one"}, "by": {"S": "me"}, "filler": {"S": "x" * 20_000}}
    client.put_item(TableName="Orders", Item=one)
    with pytest.raises(client.exceptions.ProvisionedThroughputExceededException) as caught:
        client.put_item(TableName="Orders", Item={**one, "pk": {"S": "two"}})
    assert caught.value.response["ThrottlingReasons"] == [
        {"reason": TABLE_WRITE, "resource": ARN},
        {"reason": "IndexWriteProvisionedThroughputExceeded", "resource": f"{ARN}/index/ByBy"}]


def test_the_next_attempt_passes_when_there_is_room(by_default):
    here, client = by_default()
    here.table("Orders", 1, 1)
    client.put_item(TableName="Orders", Item=item(0))  # leaves nothing, and no debt
    client.seen.clear()
    answer = client.put_item(TableName="Orders", Item=item(1))
    assert answer["ResponseMetadata"]["RetryAttempts"] == 1
    assert [status for status, _ in client.seen] == [400, 200]
    assert here.throttled("Orders") == {TABLE_WRITE: 1}
    assert 0 < here.waited_s[0] <= WAITS_MAX_S[0]


def test_a_transaction_is_cancelled_with_its_reasons(by_default):
    here, client = by_default()
    here.table("Orders", 4, 4)
    puts = [{"Put": {"TableName": "Orders", "Item": {"pk": {"S": str(n)}}}} for n in range(3)]
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.transact_write_items(TransactItems=puts)
    codes = [reason["Code"] for reason in caught.value.response["CancellationReasons"]]
    assert codes == ["None", "None", "ProvisionedThroughputExceeded"]
    assert len(client.seen) == 1


def test_a_nightly_batch_that_leaves_trying_again_to_the_sdk(by_default):
    """Of 40 calls one is served in part, which no SDK tries again; the others are, until the client may not any more."""
    here, client = by_default(is_waiting=False)
    here.table("Import", 5, 5)
    assert nightly_batch.load(client, "Import", range(100)) == (40, 95)
    assert len(client.seen) == 40 + RETRIES_OF_A_CLIENT
    assert len(here.waited_s) == RETRIES_OF_A_CLIENT
    batches = [status for status, _ in client.seen]
    assert batches[0] == 200 and set(batches[1:]) == {400}


def test_a_nightly_batch_whose_waits_take_time(by_default):
    """The SDK's waits are on the server's clock, so units come in meanwhile, and all rows get through."""
    here, client = by_default()
    here.table("Import", 5, 5)
    calls, lost = nightly_batch.load(client, "Import", range(100), attempts=100)
    assert lost == 0
    assert here.told("Import")["write"]["consumed_units"] == 100
    assert len(client.seen) == calls + len(here.waited_s)
    assert sum(here.waited_s) > (100 - 5 - 25) / 5
