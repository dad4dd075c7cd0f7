"""What boto3 makes of being throttled: exceptions, attempts and waits, in both modes of its retries."""

import boto3
import pytest
from botocore.exceptions import ClientError

from causes import ARN, CAUSES, fill, item

ATTEMPTS = {"standard": 3, "legacy": 10}
NOT_TRIED_AGAIN = ("quota", "legacy")  # this mode looks for status 503 with RequestLimitExceeded


@pytest.mark.parametrize("mode", ATTEMPTS)
@pytest.mark.parametrize("cause", CAUSES)
def test_throttled_for_good(world, cause, mode):
    """Nothing is better after waiting: the documented number of attempts, then the typed exception."""
    members, capacity, code, name, reason = CAUSES[cause]
    here = world(capacity, is_waiting=False)
    here.table("Orders", **members)
    client = here.client(mode)
    fill(client)
    with pytest.raises(ClientError) as caught:
        client.put_item(TableName="Orders", Item=item(1))
    error = caught.value.response
    assert error["Error"]["Code"] == code
    assert type(caught.value).__name__ in (code, "ClientError")  # the model of old SDKs lacks one of them
    assert {status for status, _ in client.seen} == {400}
    assert all(body[name] == [{"reason": reason, "resource": ARN}] for _, body in client.seen)
    assert here.throttled("Orders") == {reason: len(client.seen)}
    attempts = 1 if (cause, mode) == NOT_TRIED_AGAIN else ATTEMPTS[mode]
    assert len(client.seen) == attempts
    assert error["ResponseMetadata"]["RetryAttempts"] == attempts - 1
    assert len(here.waited_s) == attempts - 1


@pytest.mark.parametrize("kind", ["ProvisionedThroughputExceededException", "RequestLimitExceeded"])
def test_the_exception_has_its_type(world, kind):
    members, capacity, _, _, _ = CAUSES["quota" if kind == "RequestLimitExceeded" else "provisioned"]
    here = world(capacity, is_waiting=False)
    here.table("Orders", **members)
    client = here.client()
    fill(client)
    with pytest.raises(getattr(client.exceptions, kind)):
        client.put_item(TableName="Orders", Item=item(1))


def test_legacy_waits_until_there_is_room(world):
    """4 units on a table of 1 leave 3 to repay and one to have: 50 ms, doubled each time, come to 3.15 s before the
    seventh attempt."""
    here = world()
    here.table("Orders", 1, 1)
    client = here.client("legacy")
    fill(client)
    answer = client.put_item(TableName="Orders", Item=item(1))
    assert here.waited_s == pytest.approx([0.05, 0.1, 0.2, 0.4, 0.8, 1.6])
    assert answer["ResponseMetadata"]["RetryAttempts"] == 6
    assert here.throttled("Orders") == {"TableWriteProvisionedThroughputExceeded": 6}
    assert here.told("Orders")["write"]["consumed_units"] == 5
    assert client.get_item(TableName="Orders", Key={"pk": {"S": "one"}}, ConsistentRead=True)["Item"] == item(1)


def test_standard_succeeds_when_time_passes_meanwhile(world):
    here = world()
    here.table("Orders", 1, 1)
    client = here.client("standard")
    fill(client)
    client.meta.events.register("needs-retry.dynamodb.PutItem", lambda **_: here.wait(10))
    answer = client.put_item(TableName="Orders", Item=item(1))
    assert answer["ResponseMetadata"]["RetryAttempts"] == 1
    assert here.throttled("Orders") == {"TableWriteProvisionedThroughputExceeded": 1}


@pytest.mark.parametrize("call", ["get_item", "query", "scan"])
def test_reads_are_refused_and_tried_again(world, call):
    here = world()
    here.table("Orders", 1, 4)
    client = here.client("legacy")
    client.put_item(TableName="Orders", Item=item(1, 4))
    members = {"get_item": {"Key": {"pk": {"S": "one"}}},
               "query": {"KeyConditionExpression": "pk = :pk", "ExpressionAttributeValues": {":pk": {"S": "one"}}},
               "scan": {}}[call]
    read = getattr(client, call)
    for _ in range(3):
        answer = read(TableName="Orders", ConsistentRead=True, **members)
        assert answer.get("Item", answer.get("Items", [None])[0]) == item(1, 4)
    told = here.told("Orders")["read"]
    assert told["consumed_units"] == 3
    assert told["throttled"] == {"TableReadProvisionedThroughputExceeded": len(here.waited_s)}
    assert here.waited_s


@pytest.mark.parametrize("mode", ATTEMPTS)
def test_a_transaction_is_cancelled_at_once(world, mode):
    """The SDK leaves trying again to the caller."""
    here = world()
    here.table("Orders", 4, 4)
    client = here.client(mode)
    puts = [{"Put": {"TableName": "Orders", "Item": {"pk": {"S": str(n)}}}} for n in range(3)]
    with pytest.raises(client.exceptions.TransactionCanceledException) as caught:
        client.transact_write_items(TransactItems=puts)
    codes = [reason["Code"] for reason in caught.value.response["CancellationReasons"]]
    assert codes == ["None", "None", "ProvisionedThroughputExceeded"]
    assert len(client.seen) == 1
    here.wait(1)
    client.transact_write_items(TransactItems=puts[:2])


def test_the_batch_writer_gets_everything_through(world):
    """boto3's batch_writer() sends what is unprocessed again at once, and waits only when nothing was processed."""
    here = world()
    here.table("Orders", 5, 5)
    resource = boto3.session.Session().resource("dynamodb", endpoint_url=here.server.endpoint)
    with resource.Table("Orders").batch_writer() as batch:
        for number in range(30):
            batch.put_item(Item={"pk": str(number)})
    assert here.told("Orders")["write"]["consumed_units"] == 30
    assert sum(here.waited_s) >= (30 - 5) / 5 - 1  # 5 at once, then 5 each second; some waits are shorter
    client = here.client()
    assert client.scan(TableName="Orders")["Count"] == 30
