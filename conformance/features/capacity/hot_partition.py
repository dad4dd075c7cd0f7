"""Votes for one candidate: a hot item, and the same votes spread over several (write sharding)."""

import at_endpoint
from botocore.exceptions import ClientError

THROTTLED = ("ThrottlingException", "ProvisionedThroughputExceededException")


def add_vote(client, table, key):
    client.update_item(TableName=table, Key={"pk": {"S": key}}, UpdateExpression="ADD votes :one",
                       ExpressionAttributeValues={":one": {"N": "1"}})


def shard_of(candidate, number, shards):
    return f"{candidate}#{number % shards}"


def vote(client, table, candidate, votes, shards=1):
    """Adds votes one by one; how many were refused."""
    refused = 0
    for number in range(votes):
        try:
            add_vote(client, table, shard_of(candidate, number, shards))
        except ClientError as error:
            if error.response["Error"]["Code"] not in THROTTLED:
                raise
            refused += 1
    return refused


def count(client, table, candidate, shards=1):
    """The votes of all shards together."""
    keys = [{"pk": {"S": shard_of(candidate, number, shards)}} for number in range(shards)]
    answer = client.batch_get_item(RequestItems={table: {"Keys": keys, "ConsistentRead": True}})
    assert not answer["UnprocessedKeys"]
    return sum(int(item["votes"]["N"]) for item in answer["Responses"][table])


def main():
    client, wait = at_endpoint.connect()
    at_endpoint.create(client, "Votes")
    for candidate, shards in (("ada", 1), ("bob", 12)):
        for _ in range(3):
            print(f"24 votes for {candidate} in {shards} shards: {vote(client, 'Votes', candidate, 24, shards)} refused")
            wait(1)
        print(f"{candidate} has {count(client, 'Votes', candidate, shards)} votes")


if __name__ == "__main__":
    main()
