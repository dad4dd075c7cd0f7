"""Workers on items: every operation on items, statements, transactions that keep a sum, streams."""

import time

from world import ACCOUNTS, KEYS, MONEY_EACH, OF_TABLES, Worker, key, number, string

TABLES = ("shared", "shifting")


class Items(Worker):
    """Every operation on single items, pages and batches."""

    def step(self):
        self.dice.choices((self.put, self.update, self.delete, self.get, self.query, self.scan, self.batch_write,
                           self.batch_get), (4, 4, 2, 4, 3, 1, 2, 2))[0]()

    def item(self):
        pk, sk = self.dice.choice(KEYS)
        item = {**key(pk, sk), "l": string(sk), "n": number(self.dice.randrange(1000)),
                "fill": string("x" * self.dice.choice((0, 10, 400, 9000)))}
        if self.dice.random() < 0.7:
            item["g"] = string(f"g{self.dice.randrange(5)}")
        if self.dice.random() < 0.3:  # some are due, some will be when the clock is moved
            item["ttl"] = number(int(time.time()) + self.dice.randrange(-50, 8000))
        return item

    def place(self):
        return {"TableName": self.dice.choice(TABLES), "Key": key(*self.dice.choice(KEYS))}

    def put(self):
        guard = {"ConditionExpression": "attribute_not_exists(pk)"} if self.dice.random() < 0.3 else {}
        self.ask("PutItem", TableName=self.dice.choice(TABLES), Item=self.item(), **guard,
                 ReturnValues="ALL_OLD", ReturnConsumedCapacity="INDEXES")

    def update(self):
        self.ask("UpdateItem", **self.place(), UpdateExpression="SET g = :g ADD n :one", ReturnValues="ALL_NEW",
                 ExpressionAttributeValues={":g": string(f"g{self.dice.randrange(5)}"), ":one": number(1)})

    def delete(self):
        self.ask("DeleteItem", **self.place(), ReturnValues="ALL_OLD")

    def get(self):
        self.ask("GetItem", **self.place(), ConsistentRead=self.dice.random() < 0.5, ReturnConsumedCapacity="TOTAL")

    def query(self):
        way = self.dice.choice(("table", "by_l", "by_g"))
        table = "shared" if way != "table" else self.dice.choice(TABLES)
        of = {"IndexName": way} if way != "table" else {}
        name = "g" if way == "by_g" else "pk"
        value = f"g{self.dice.randrange(5)}" if way == "by_g" else self.dice.choice(KEYS)[0]
        found = self.ask("Query", TableName=table, **of, KeyConditionExpression=f"{name} = :v",
                         ExpressionAttributeValues={":v": string(value)}, Limit=self.dice.choice((2, 100)))
        for item in (found or {}).get("Items", ()):
            assert item[name] == string(value), f"{item} in {name} = {value}"

    def scan(self):
        self.ask("Scan", TableName=self.dice.choice(TABLES), ConsistentRead=self.dice.random() < 0.5,
                 FilterExpression="n > :n", ExpressionAttributeValues={":n": number(10)})

    def batch_write(self):
        wanted = {(i["pk"]["S"], i["sk"]["S"]): i for i in (self.item() for _ in range(8))}
        puts = [{"PutRequest": {"Item": item}} for item in wanted.values()]
        self.ask("BatchWriteItem", RequestItems={self.dice.choice(TABLES): puts})

    def batch_get(self):
        keys = [key(*place) for place in self.dice.sample(KEYS, 10)]
        self.ask("BatchGetItem", RequestItems={table: {"Keys": keys} for table in (*TABLES, "sealed")})


class Statements(Worker):
    """PartiQL, alone, in batches and in transactions."""

    def step(self):
        choice = self.dice.randrange(4)
        if choice == 0:
            is_read = self.dice.random() < 0.5
            statements = [{"Statement": self.text(place, is_read)} for place in self.dice.sample(KEYS, 3)]
            self.ask("BatchExecuteStatement", Statements=statements)
        elif choice == 1:
            is_read = self.dice.random() < 0.3
            statements = [{"Statement": self.text(place, is_read)} for place in self.dice.sample(KEYS, 2)]
            self.ask("ExecuteTransaction", TransactStatements=statements,
                     ClientRequestToken=f"{self.name}-{self.dice.randrange(10**18)}")
        elif choice == 2:
            self.ask("ExecuteStatement", Limit=5,
                     Statement=f'SELECT pk, n FROM "{self.dice.choice(TABLES)}" WHERE n > 5')
        else:
            self.ask("ExecuteStatement", Statement=self.text(self.dice.choice(KEYS), self.dice.random() < 0.3))

    def text(self, place, is_read):
        pk, sk = place
        table = self.dice.choice(TABLES)
        where = f"WHERE pk = '{pk}' AND sk = '{sk}'"
        if is_read:
            return f'SELECT * FROM "{table}" {where}'
        return self.dice.choice((f"""INSERT INTO "{table}" VALUE {{'pk': '{pk}', 'sk': '{sk}', 'n': 1}}""",
                                 f'UPDATE "{table}" SET n = {self.dice.randrange(100)} {where}',
                                 f'DELETE FROM "{table}" {where}'))


class Transfers(Worker):
    """Moves money between accounts and looks at all of it: the sum stays, over rollbacks too."""

    def step(self):
        self.dice.choice((self.transfer, self.transfer, self.check))()

    def transfer(self):
        giver, taker = self.dice.sample(ACCOUNTS, 2)
        amount = number(self.dice.randrange(1, 9))
        changes = [{"Update": {"TableName": "money", "Key": {"pk": string(account)},
                               "UpdateExpression": f"SET amount = amount {sign} :a",
                               "ConditionExpression": "amount > :a",
                               "ExpressionAttributeValues": {":a": amount}}}
                   for account, sign in ((giver, "-"), (taker, "+"))]
        if self.dice.random() < 0.5:  # both tables in one commit
            pk, sk = self.dice.choice(KEYS)
            changes.append({"Put": {"TableName": "shared", "Item": {**key(pk, sk), "n": amount}}})
        token = f"{self.name}-{self.dice.randrange(10**18)}"
        for _ in range(self.dice.choice((1, 1, 2))):
            self.ask("TransactWriteItems", TransactItems=changes, ClientRequestToken=token)

    def check(self):
        gets = [{"Get": {"TableName": "money", "Key": {"pk": string(account)}}} for account in ACCOUNTS]
        answer = self.ask("TransactGetItems", TransactItems=gets)
        if answer is None:
            return
        sum_of_all = sum(int(each["Item"]["amount"]["N"]) for each in answer["Responses"])
        assert sum_of_all == MONEY_EACH * len(ACCOUNTS), f"{sum_of_all}: {answer}"
        self.world.counts["sums"] += 1


class StreamReaders(Worker):
    """Reads all streams that there are, from any place, and now and then goes on with old iterators."""

    def __init__(self, world, name):
        super().__init__(world, name)
        self.iterators = []

    def step(self):
        if len(self.iterators) < 30 and self.dice.random() < 0.4:
            self.find()
        elif self.iterators:
            self.read(self.iterators.pop(self.dice.randrange(len(self.iterators))))

    def find(self):
        streams = (self.ask_streams("ListStreams", Limit=100) or {}).get("Streams", ())
        if not streams:
            return
        arn = self.dice.choice(streams)["StreamArn"]
        described = self.ask_streams("DescribeStream", StreamArn=arn)
        shards = described["StreamDescription"]["Shards"] if described else ()
        if not shards:
            return
        kind = self.dice.choice(("TRIM_HORIZON", "LATEST", "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"))
        shard = self.dice.choice(shards)
        first = shard["SequenceNumberRange"]["StartingSequenceNumber"]
        at = {"SequenceNumber": first} if kind.endswith("NUMBER") else {}
        found = self.ask_streams("GetShardIterator", StreamArn=arn, ShardId=shard["ShardId"],
                                 ShardIteratorType=kind, **at)
        if found:
            self.iterators.append(found["ShardIterator"])

    def read(self, iterator):
        page = self.ask_streams("GetRecords", ShardIterator=iterator, Limit=self.dice.choice((1, 50, 1000)))
        if page is None:
            return
        numbers = [int(record["dynamodb"]["SequenceNumber"]) for record in page["Records"]]
        assert numbers == sorted(set(numbers)), f"not in order: {numbers}"
        following = page.get("NextShardIterator")
        if following:
            self.iterators += [following] if self.dice.random() < 0.9 else [following, iterator]


class Looks(Worker):
    """Operations that only look at tables."""

    def step(self):
        table = self.dice.choice((*TABLES, "sealed", "money", "churn0_1"))
        choice = self.dice.randrange(6)
        if choice == 0:
            self.ask("ListTables", Limit=self.dice.choice((3, 100)))
        elif choice == 1:
            self.ask("DescribeTimeToLive", TableName=table)
        elif choice == 2:
            self.ask("DescribeLimits")
        elif choice == 3:
            self.ask("ListTagsOfResource", OF_TABLES,
                     ResourceArn=f"arn:aws:dynamodb:us-east-1:000000000000:table/{table}")
        else:
            self.ask("DescribeTable", TableName=table)
