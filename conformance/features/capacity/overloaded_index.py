"""Orders with an index by status: the index has too little, and the table pays for it."""

import at_endpoint

TABLE, INDEX = "Orders", "ByStatus"


def definition(table_writes, index_writes):
    """The arguments of create_table."""
    def throughput(writes):
        return {"ReadCapacityUnits": 10, "WriteCapacityUnits": writes}

    def key(name):
        return [{"AttributeName": name, "KeyType": "HASH"}]

    return {
        "TableName": TABLE,
        "BillingMode": "PROVISIONED",
        "ProvisionedThroughput": throughput(table_writes),
        "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("id", "status")],
        "KeySchema": key("id"),
        "GlobalSecondaryIndexes": [{"IndexName": INDEX, "KeySchema": key("status"),
                                    "Projection": {"ProjectionType": "KEYS_ONLY"},
                                    "ProvisionedThroughput": throughput(index_writes)}],
    }


def place_orders(client, first, orders, status="OPEN"):
    """Puts orders one by one; how many were refused. Without a status an order is not in the index."""
    refused = 0
    for number in range(first, first + orders):
        item = {"id": {"S": f"order-{number}"}, **({"status": {"S": status}} if status else {})}
        try:
            client.put_item(TableName=TABLE, Item=item)
        except client.exceptions.ProvisionedThroughputExceededException:
            refused += 1
    return refused


def raise_index(client, writes):
    client.update_table(TableName=TABLE, GlobalSecondaryIndexUpdates=[{"Update": {
        "IndexName": INDEX, "ProvisionedThroughput": {"ReadCapacityUnits": 10, "WriteCapacityUnits": writes}}}])


def main():
    client, wait = at_endpoint.connect()
    client.create_table(**definition(table_writes=100, index_writes=5))
    client.get_waiter("table_exists").wait(TableName=TABLE)
    for second in range(6):
        if second == 3:
            raise_index(client, 20)
            client.get_waiter("table_exists").wait(TableName=TABLE)
            wait(1)
        print(f"20 orders: {place_orders(client, 100 * second, 20)} refused")
        wait(1)


if __name__ == "__main__":
    main()
