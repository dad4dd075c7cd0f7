"""Tables as the generators know them, and random definitions of tables and indexes."""

from data import ATTRIBUTES

# Attributes that indexes are made of, each with one type, so that one item fits all tables.
INDEXABLE = {"x1": "S", "x2": "N", "x3": "B", "x4": "S", "x5": "N", "x6": "S", "x7": "B", "x8": "N"}


class Index:
    """Key attributes in order, as (name, type) pairs, and what is projected."""

    def __init__(self, name, hashes, ranges, is_global, projection):
        self.name, self.hashes, self.ranges = name, hashes, ranges
        self.is_global, self.projection = is_global, projection

    def attributes(self):
        return [name for name, _ in (*self.hashes, *self.ranges)]


class Table:
    """Made from the Table member of DescribeTable's answer."""

    def __init__(self, description):
        self.name = description["TableName"]
        self.arn = description["TableArn"]
        types = {a["AttributeName"]: a["AttributeType"] for a in description["AttributeDefinitions"]}

        def keys_of(schema, role):
            return [(k["AttributeName"], types[k["AttributeName"]]) for k in schema if k["KeyType"] == role]

        self.keys = keys_of(description["KeySchema"], "HASH") + keys_of(description["KeySchema"], "RANGE")
        self.indexes = []
        for member, is_global in (("LocalSecondaryIndexes", False), ("GlobalSecondaryIndexes", True)):
            for index in description.get(member, []):
                schema = index["KeySchema"]
                self.indexes.append(Index(index["IndexName"], keys_of(schema, "HASH"), keys_of(schema, "RANGE"),
                                          is_global, index["Projection"]["ProjectionType"]))
        own = {name for name, _ in self.keys}
        self.indexed = {name: kind for name, kind in types.items() if name not in own}
        self.is_heavy = self.name[-1] in "238"  # its items are large enough for pages that 1 MB ends
        self.primary = Index(None, self.keys[:1], self.keys[1:], False, "ALL")

    def heavy_key(self):
        """The partition key whose items are the largest."""
        kind = self.keys[0][1]
        return {kind: {"S": "k00", "N": "0", "B": "azAw"}[kind]}

    def reference(self, data):
        """The name, or now and then the ARN, which requests may give instead."""
        return self.arn if data.chance(0.03) else self.name


def projection(data):
    kind = data.weighted({"ALL": 4, "KEYS_ONLY": 3, "INCLUDE": 3})
    out = {"ProjectionType": kind}
    if kind == "INCLUDE" and not data.slip(0.01):
        out["NonKeyAttributes"] = data.sample(ATTRIBUTES, data.randrange(1, 5))
    elif data.slip(0.01):
        out["NonKeyAttributes"] = ["s1"]
    return out


def schema_of(hashes, ranges):
    return ([{"AttributeName": name, "KeyType": "HASH"} for name in hashes]
            + [{"AttributeName": name, "KeyType": "RANGE"} for name in ranges])


def global_index(data, name):
    """(index, its attributes): one to four hash and up to four range attributes."""
    several = data.chance(0.35)
    hashes = data.randrange(1, 5) if several else 1
    ranges = data.randrange(0, 5) if several else data.randrange(2)
    chosen = data.sample(sorted(INDEXABLE), min(hashes + ranges, len(INDEXABLE)))
    if data.chance(0.1):
        chosen[data.randrange(len(chosen))] = "pk"
    index = {"IndexName": name, "KeySchema": schema_of(chosen[:hashes], chosen[hashes:]),
             "Projection": projection(data)}
    return index, chosen


def local_index(data, name):
    attribute = data.choice(sorted(INDEXABLE))
    index = {"IndexName": name, "KeySchema": schema_of(["pk"], [attribute]), "Projection": projection(data)}
    return index, [attribute]


def throughput(data):
    return {"ReadCapacityUnits": data.randrange(1, 50), "WriteCapacityUnits": data.randrange(1, 50)}


def definition(data, name):
    """A CreateTable request."""
    types = {"pk": data.weighted({"S": 6, "N": 2, "B": 2})}
    ranges = ["sk"] if data.chance(0.75) else []
    if ranges:
        types["sk"] = data.weighted({"S": 5, "N": 3, "B": 2})
    body = {"TableName": name, "KeySchema": schema_of(["pk"], ranges)}
    used = []
    if ranges and data.chance(0.6):
        made = [local_index(data, f"local-{n}") for n in range(data.randrange(1, 4))]
        body["LocalSecondaryIndexes"] = [index for index, _ in made]
        used += [name for _, names in made for name in names]
    if data.chance(0.8):
        made = [global_index(data, f"global.{n}") for n in range(data.randrange(1, 4))]
        body["GlobalSecondaryIndexes"] = [index for index, _ in made]
        used += [name for _, names in made for name in names]
    for attribute in used:
        types.setdefault(attribute, INDEXABLE.get(attribute))
    body["AttributeDefinitions"] = [{"AttributeName": n, "AttributeType": t} for n, t in types.items()]
    if data.chance(0.25):
        body["ProvisionedThroughput"] = throughput(data)
        for index in body.get("GlobalSecondaryIndexes", []):
            index["ProvisionedThroughput"] = throughput(data)
    else:
        body["BillingMode"] = "PAY_PER_REQUEST"
    body.update(extras(data))
    return body


def extras(data):
    """Members that a table may have, each in a few requests of a hundred."""
    possible = {
        "Tags": [{"Key": f"t{n}", "Value": "v" * n} for n in range(data.randrange(1, 4))],
        "TableClass": data.choice(("STANDARD", "STANDARD_INFREQUENT_ACCESS")),
        "DeletionProtectionEnabled": data.chance(0.2),
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
        "SSESpecification": {"Enabled": data.chance(0.5)},
        "OnDemandThroughput": {"MaxReadRequestUnits": 100, "MaxWriteRequestUnits": 50},
        "WarmThroughput": {"ReadUnitsPerSecond": 12500, "WriteUnitsPerSecond": 4500},
    }
    return {name: value for name, value in possible.items() if data.chance(0.04)}
