"""Workers that create, change and delete tables."""

import time

from client import Client
from world import OF_TABLES, STREAMED, Worker, attributes, index, number, string

CHURNED = 12


class Churn(Worker):
    """Creates and deletes tables of all kinds, and writes to them in between."""

    def step(self):
        name = f"{self.name}_{self.dice.randrange(CHURNED)}"
        if self.dice.random() < 0.5:
            self.create(name)
            self.ask("PutItem", TableName=name, Item={"pk": string("a"), "g": string("b"),
                                                      "ttl": number(int(time.time()) - 5)})
        else:
            self.ask("DeleteTable", OF_TABLES, TableName=name)

    def create(self, name):
        wish = self.dice.randrange(4)
        members = {"AttributeDefinitions": attributes("pk")["AttributeDefinitions"]}
        if wish == 1:
            members = {**attributes("pk", "g"), "GlobalSecondaryIndexes": [index("by_g", "g")]}
        elif wish == 2:
            members.update(STREAMED)
        created = self.ask("CreateTable", OF_TABLES, TableName=name, BillingMode="PAY_PER_REQUEST", **members,
                           KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
        if created and wish == 3:
            self.ask("UpdateTimeToLive", OF_TABLES, TableName=name,
                     TimeToLiveSpecification={"Enabled": True, "AttributeName": "ttl"})


class Changes(Worker):
    """Changes of one table that others write to: indexes, time to live, streams, throughput, tags."""

    def step(self):
        self.dice.choice((self.index, self.index, self.time_to_live, self.stream, self.throughput, self.tags))()

    def update(self, **members):
        self.ask("UpdateTable", OF_TABLES, TableName="shifting", **members)

    def index(self):
        name = self.dice.choice(("late_g", "late_l"))
        if self.dice.random() < 0.5:
            self.update(**attributes("pk", "sk", name[-1]),
                        GlobalSecondaryIndexUpdates=[{"Create": index(name, name[-1])}])
        else:
            self.update(GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": name}}])

    def time_to_live(self):
        self.ask("UpdateTimeToLive", OF_TABLES, TableName="shifting", TimeToLiveSpecification={
            "Enabled": self.dice.random() < 0.7, "AttributeName": "ttl"})

    def stream(self):
        is_on = self.dice.random() < 0.6
        self.update(**(STREAMED if is_on else {"StreamSpecification": {"StreamEnabled": False}}))

    def throughput(self):
        if self.dice.random() < 0.5:
            self.update(BillingMode="PAY_PER_REQUEST")
        else:
            units = self.dice.randrange(500, 2000)
            self.update(BillingMode="PROVISIONED",
                        ProvisionedThroughput={"ReadCapacityUnits": units, "WriteCapacityUnits": units})

    def tags(self):
        arn = "arn:aws:dynamodb:us-east-1:000000000000:table/shifting"
        if self.dice.random() < 0.5:
            self.ask("TagResource", OF_TABLES, ResourceArn=arn, Tags=[{"Key": "a", "Value": "b"}])
        else:
            self.ask("UntagResource", OF_TABLES, ResourceArn=arn, TagKeys=["a"])


class Resets(Worker):
    """Tables of a Region of its own, which it removes by the admin path."""

    def __init__(self, world, name):
        super().__init__(world, name)
        self.client = Client(world.server, region="eu-west-1")

    def step(self):
        for made in range(self.dice.randrange(1, 4)):
            table = f"reset_{made}"
            self.ask("CreateTable", OF_TABLES, TableName=table, BillingMode="PAY_PER_REQUEST", **attributes("pk"),
                     KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}], **STREAMED)
            self.ask("PutItem", TableName=table, Item={"pk": string("a")})
        self.admin("reset", {"region": "eu-west-1"})
