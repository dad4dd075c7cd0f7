"""A table used as a queue: messages of one key in the order of their numbers, or dealt out over several keys."""

import at_endpoint
from botocore.exceptions import ClientError

THROTTLED = ("ThrottlingException", "ProvisionedThroughputExceededException")


def lane_of(queue, number, lanes):
    return {"S": f"{queue}#{number % lanes}"}


def attempt(operation, **request):
    """The answer; None: it was refused."""
    try:
        return operation(**request)
    except ClientError as error:
        if error.response["Error"]["Code"] not in THROTTLED:
            raise
        return None


def send(client, table, queue, numbers, lanes=1):
    """The numbers of the messages that were refused."""
    return [number for number in numbers
            if attempt(client.put_item, TableName=table,
                       Item={"queue": lane_of(queue, number, lanes), "number": {"N": str(number)}}) is None]


def receive(client, table, queue, count, lanes=1):
    """Takes up to `count` messages of each lane and deletes them: their numbers, and how many stay because
    deleting them was refused."""
    taken, refused = [], 0
    for lane in range(lanes):
        page = attempt(client.query, TableName=table, Limit=count, ConsistentRead=True,
                       KeyConditionExpression="queue = :queue",
                       ExpressionAttributeValues={":queue": lane_of(queue, lane, lanes)})
        for message in page["Items"] if page else []:
            if attempt(client.delete_item, TableName=table, Key=message) is None:
                refused += 1
            else:
                taken.append(int(message["number"]["N"]))
    return taken, refused


def main():
    client, wait = at_endpoint.connect()
    at_endpoint.create(client, "Messages", "queue:S number:N")
    for queue, lanes in (("mail", 1), ("post", 8)):
        for first in (0, 8, 16):
            lost = send(client, "Messages", queue, range(first, first + 8), lanes)
            taken, left = receive(client, "Messages", queue, 10, lanes)
            print(f"8 messages in {lanes} lanes: {len(lost)} refused, {len(taken)} taken, {left} could not be deleted")
            wait(1)


if __name__ == "__main__":
    main()
