"""A launch: the traffic of a table on demand steps up, beyond what it was ever asked for."""

import at_endpoint
from botocore.exceptions import ClientError

THROTTLED = ("ThrottlingException", "ProvisionedThroughputExceededException")


def sign_up(client, table, number):
    """Whether it was served."""
    try:
        client.put_item(TableName=table, Item={"pk": {"S": f"user-{number}"}})
    except ClientError as error:
        if error.response["Error"]["Code"] not in THROTTLED:
            raise
        return False
    return True


def traffic(client, table, seconds, per_second, wait, first=0):
    """So many sign-ups in each second; how many were refused, by second."""
    refused = []
    for second in range(seconds):
        numbers = range(first + second * per_second, first + (second + 1) * per_second)
        refused.append(sum(not sign_up(client, table, number) for number in numbers))
        wait(1)
    return refused


def main():
    client, wait = at_endpoint.connect()
    at_endpoint.create(client, "Users")
    for title, seconds, per_second, first in (("every day", 2, 100, 0), ("launch", 6, 300, 10_000)):
        print(f"{title}, {per_second} a second, refused: {traffic(client, 'Users', seconds, per_second, wait, first)}")
    wait(1860)
    print(f"half an hour later, refused: {traffic(client, 'Users', 2, 300, wait, 20_000)}")


if __name__ == "__main__":
    main()
