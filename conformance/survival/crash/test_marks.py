"""Killed while it goes back to a mark and while others write: the mark still leads to the seeded state, whole."""

import random
import threading

from admin import Admin
from client import Client
from raw_client import Closed
from server_process import START_DEADLINE_S, run_to_end
from table_content import content_of

ROUNDS = 12
ITEMS = 150


def fill(client):
    client.ok("CreateTable", TableName="seeded", BillingMode="PAY_PER_REQUEST",
              AttributeDefinitions=[{"AttributeName": a, "AttributeType": "S"} for a in ("pk", "g")],
              KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
              GlobalSecondaryIndexes=[{"IndexName": "by_g", "Projection": {"ProjectionType": "ALL"},
                                       "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}]}],
              StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    for number in range(ITEMS):
        client.ok("PutItem", TableName="seeded", Item=item(number, "seeded"))
    client.create_table("doomed")
    client.ok("PutItem", TableName="doomed", Item={"pk": {"S": "a"}})


def item(number, g):
    return {"pk": {"S": f"k{number}"}, "g": {"S": g}, "fill": {"S": "x" * (number % 7 * 300)}}


class Changes(threading.Thread):
    """Changes something of everything until the server is gone."""

    def __init__(self, server, dice, wanted):
        super().__init__()
        self.client = Client(server)
        self.dice = dice
        self.left = wanted
        self.were_enough = threading.Event()

    def run(self):
        try:
            while True:
                self.change()
                self.left -= 1
                if self.left == 0:
                    self.were_enough.set()
        except (OSError, Closed):
            pass
        finally:
            self.were_enough.set()

    def change(self):
        number = self.dice.randrange(2 * ITEMS)
        choice = self.dice.randrange(10)
        if choice < 5:
            self.client.send("PutItem", {"TableName": "seeded", "Item": item(number, "changed")})
        elif choice < 8:
            self.client.send("DeleteItem", {"TableName": "seeded", "Key": {"pk": {"S": f"k{number}"}}})
        elif choice == 8:
            self.client.send("DeleteTable", {"TableName": "doomed"})
        else:
            self.client.send("CreateTable", {
                "TableName": f"new{number}", "BillingMode": "PAY_PER_REQUEST",
                "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}]})


def go_back_until_gone(admin):
    try:
        while True:
            admin.rollback("seeded")
    except (OSError, Closed):
        pass


def test_killed_while_it_goes_back(start, tmp_path, seed):
    dice = random.Random(seed)
    folder = tmp_path / "db"
    flags = ("--db-path", folder)
    server = start(*flags)
    fill(Client(server))
    Admin(server).mark("seeded")
    wanted = content_of(Client(server))
    for _ in range(ROUNDS):
        changes = Changes(server, dice, dice.randrange(1, 200))
        rollbacks = threading.Thread(target=go_back_until_gone, args=(Admin(server),))
        changes.start()
        rollbacks.start()
        assert changes.were_enough.wait(START_DEADLINE_S)
        server.kill()
        changes.join()
        rollbacks.join()
        checked = run_to_end("check", folder)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        server = start(*flags)
        Admin(server).rollback("seeded")
        found = content_of(Client(server))
        assert sorted(found) == sorted(wanted)
        for name, table in wanted.items():
            assert found[name] == table, name
