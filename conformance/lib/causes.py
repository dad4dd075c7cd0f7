"""Tables that refuse a write too many, for each of the limits; and how they get there."""

from places import hash16, keys_at

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/Orders"
SMALL = "initial-burst-seconds=1,partition-writes=2,on-demand-writes=8,account-writes={}"

# The table; what --capacity says; exception, member and reason of a write too many.
CAUSES = {
    "provisioned": ({"read": 1, "write": 1}, "initial-burst-seconds=1", "ProvisionedThroughputExceededException",
                    "ThrottlingReasons", "TableWriteProvisionedThroughputExceeded"),
    "partition": ({}, SMALL.format(1000), "ThrottlingException",
                  "throttlingReasons", "TableWriteKeyRangeThroughputExceeded"),
    "maximum": ({"OnDemandThroughput": {"MaxWriteRequestUnits": 1}}, "on-demand-max-burst-seconds=1",
                "ThrottlingException", "throttlingReasons", "TableWriteMaxOnDemandThroughputExceeded"),
    "quota": ({}, "account-writes=1", "RequestLimitExceeded",
              "ThrottlingReasons", "TableWriteAccountLimitExceeded"),
}
# Another key in the partition of the key that is written to, however many there are.
BESIDE_ONE = keys_at(frozenset([hash16("one")]))[hash16("one")]


def item(number, size_kb=1):
    return {"pk": {"S": "one"}, "n": {"N": str(number)}, "filler": {"S": "x" * (size_kb * 1024 - 100)}}


def fill(client):
    """Takes all there is at the moment: a large write leaves a debt."""
    client.put_item(TableName="Orders", Item={**item(0, 4), "pk": {"S": BESIDE_ONE}})
    client.seen.clear()
