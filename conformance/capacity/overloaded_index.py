"""Orders with an index by status: the index has too little, and the table pays for it."""

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
