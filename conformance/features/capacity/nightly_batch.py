"""A nightly import into a table of few units: with and without waiting between attempts."""

import at_endpoint

BATCH = 25
WAIT_MAX_S = 20


def put_requests(rows):
    return [{"PutRequest": {"Item": {"pk": {"S": f"row-{row}"}}}} for row in rows]


def write_some(client, table, requests):
    """Sends a batch; what is left of it."""
    try:
        answer = client.batch_write_item(RequestItems={table: requests})
    except client.exceptions.ProvisionedThroughputExceededException:
        return requests
    return answer["UnprocessedItems"].get(table, [])


def load(client, table, rows, wait=None, attempts=10):
    """Writes rows in batches. What is left of a batch is sent again at once, or, with `wait`, after 1, 2, 4, …
    seconds; after so many attempts the rest is given up. (requests sent, rows given up)"""
    sent, lost = 0, 0
    for first in range(0, len(rows), BATCH):
        left = put_requests(rows[first:first + BATCH])
        for attempt in range(attempts):
            sent += 1
            left = write_some(client, table, left)
            if not left:
                break
            if wait:
                wait(min(2 ** attempt, WAIT_MAX_S))
        lost += len(left)
    return sent, lost


def main():
    client, wait = at_endpoint.connect()
    for table, waits in (("Hasty", None), ("Patient", wait)):
        at_endpoint.create(client, table, writes=5)
        sent, lost = load(client, table, range(100), waits)
        print(f"{table}: 100 rows, {sent} requests, {lost} rows given up")


if __name__ == "__main__":
    main()
