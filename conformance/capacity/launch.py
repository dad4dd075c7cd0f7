"""A launch: the traffic of a table on demand steps up, beyond what it was ever asked for."""

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
