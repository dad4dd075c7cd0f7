"""Requests about tables: creating, changing, describing, listing, deleting, tags, and the service."""

from data import TEXTS
from schema import INDEXABLE, definition, global_index, throughput

NAMES = tuple(f"dr_{n:02}" for n in range(14))
TAG_KEYS = ("t0", "t1", "a:b", "é", "k" * 128, "aws:x", "")
TABLES_MOST = 9
TABLES_LEAST = 4


def create(data, tables):
    present = {table.name for table in tables}
    free = [name for name in NAMES if name not in present]
    name = data.choice(free) if free and len(present) < TABLES_MOST else data.choice(sorted(present))
    return "CreateTable", definition(data, name)


def delete(data, tables):
    if len(tables) <= TABLES_LEAST or data.chance(0.2):
        return "DeleteTable", {"TableName": "dr_absent"}
    return "DeleteTable", {"TableName": data.choice(tables).reference(data)}


def update(data, tables):
    table = data.choice(tables)
    body = {"TableName": table.reference(data)}
    form = data.weighted({"add": 6, "drop": 4, "billing": 3, "throughput": 3, "protection": 2, "class": 1,
                          "stream": 2, "index": 2, "nothing": 1, "warm": 1, "sse": 1, "replica": 0.3})
    global_names = [index.name for index in table.indexes if index.is_global] or ["none"]
    if form == "add":
        index, used = global_index(data, f"global.{data.randrange(6)}")
        if data.chance(0.2):
            index["ProvisionedThroughput"] = throughput(data)
        known = dict([*table.keys, *table.indexed.items()])
        body["GlobalSecondaryIndexUpdates"] = [{"Create": index}]
        body["AttributeDefinitions"] = [
            {"AttributeName": n, "AttributeType": known.get(n) or INDEXABLE.get(n, "S")} for n in dict.fromkeys(used)]
    elif form == "drop":
        body["GlobalSecondaryIndexUpdates"] = [{"Delete": {"IndexName": data.choice(global_names)}}]
    elif form == "index":
        body["GlobalSecondaryIndexUpdates"] = [
            {"Update": {"IndexName": data.choice(global_names), "ProvisionedThroughput": throughput(data)}}]
    else:
        body.update(setting(data, form))
    return "UpdateTable", body


def setting(data, form):
    """Members of UpdateTable that have nothing to do with indexes."""
    return {
        "billing": lambda: {"BillingMode": "PAY_PER_REQUEST"} if data.chance(0.6) else
                           {"BillingMode": "PROVISIONED", "ProvisionedThroughput": throughput(data)},
        "throughput": lambda: {"ProvisionedThroughput": throughput(data)},
        "protection": lambda: {"DeletionProtectionEnabled": data.chance(0.3)},
        "class": lambda: {"TableClass": data.choice(("STANDARD", "STANDARD_INFREQUENT_ACCESS"))},
        "stream": lambda: {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}
                           if data.chance(0.5) else {"StreamEnabled": False}},
        "warm": lambda: {"WarmThroughput": {"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 5000}},
        "sse": lambda: {"SSESpecification": {"Enabled": data.chance(0.5), "SSEType": "KMS"}},
        "replica": lambda: {"ReplicaUpdates": [{"Create": {"RegionName": "eu-west-1"}}]},
        "nothing": dict,
    }[form]()


def describe(data, tables):
    name = data.choice(tables).reference(data) if not data.chance(0.05) else data.choice(("absent", "x", "a b"))
    return "DescribeTable", {"TableName": name}


def list_tables(data, _tables):
    body = {}
    if data.chance(0.6):
        body["Limit"] = data.choice((1, 2, 5, 100, 101, 0))
    if data.chance(0.4):
        body["ExclusiveStartTableName"] = data.choice((*NAMES, "a", "zzz", "dr"))
    return "ListTables", body


def tags(data, tables):
    arn = data.choice(tables).arn if not data.chance(0.05) else data.choice(
        ("arn:aws:dynamodb:us-east-1:000000000000:table/absent", "nonsense"))
    kind = data.choice(("TagResource", "UntagResource", "ListTagsOfResource"))
    body = {"ResourceArn": arn}
    if kind == "TagResource":
        body["Tags"] = [{"Key": data.choice(TAG_KEYS), "Value": data.choice(TEXTS[:5])}
                        for _ in range(data.randrange(1, 3))]
    elif kind == "UntagResource":
        body["TagKeys"] = data.sample(TAG_KEYS, data.randrange(1, 4))
    return kind, body


def service(data, _tables):
    return data.choice(("DescribeLimits", "DescribeEndpoints")), {}


REQUESTS = {describe: 30, list_tables: 12, create: 10, update: 22, delete: 4, tags: 14, service: 4}
