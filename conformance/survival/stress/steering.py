"""Workers on the admin path: marks and rollbacks, the clock, what can be looked at."""

import metrics_page
from server_process import wait_until
from world import KEYS, Worker, key, number, ran_out_of_time, string, told


class Rollbacks(Worker):
    """Goes back to a mark over and over. The table `sealed` is its own: what it finds there after a
    rollback is what was there at the mark."""

    def __init__(self, world, name, is_late):
        super().__init__(world, name)
        self.is_late = is_late  # indexes follow later
        self.at_mark = None

    def step(self):
        if self.at_mark is None or self.dice.random() < 0.02:
            self.mark()
        for _ in range(self.dice.randrange(4)):
            self.change()
        self.go_back()

    def mark(self):
        self.at_mark = self.seen()
        self.admin("marks/m", {})

    def change(self):
        place = {"TableName": "sealed", "Key": key(*self.dice.choice(KEYS))}
        choice = self.dice.randrange(4)
        if choice == 0:
            self.ask("DeleteItem", frozenset(), **place)
        elif choice == 1 and self.dice.random() < 0.2:
            self.ask("UpdateTable", frozenset(), TableName="sealed",
                     GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by_g"}}])
            self.ask("DeleteTable", frozenset({"ResourceInUseException"}), TableName="sealed")
            self.go_back()
        else:
            self.ask("UpdateItem", frozenset({"ProvisionedThroughputExceededException"}), **place,
                     UpdateExpression="SET g = :g ADD n :one",
                     ExpressionAttributeValues={":g": string(f"g{self.dice.randrange(5)}"), ":one": number(1)})

    def go_back(self):
        self.admin("marks/m/rollback", {})
        self.world.counts["rollbacks"] += 1
        found = self.seen()
        assert found == self.at_mark, f"not what it was at the mark:\n{found}\n{self.at_mark}"

    def seen(self):
        """The whole table as it can be seen, once its index has followed."""
        table = self.ask("Scan", frozenset(), TableName="sealed", ConsistentRead=True)
        expected = sorted(told(item) for item in table["Items"] if "g" in item)

        def by_index():
            page = self.ask("Scan", frozenset(), TableName="sealed", IndexName="by_g")
            return sorted(told(item) for item in page["Items"])

        if self.is_late:
            wait_until(lambda: by_index() == expected, what="the index follows")
        else:
            found = by_index()
            assert found == expected, f"the index is another one than the table:\n{found}\n{expected}"
        described = self.ask("DescribeTable", frozenset(), TableName="sealed")["Table"]
        return told([table, described])


class OtherMarks(Worker):
    """Marks that nobody goes back to. The rollbacks of others forget them."""

    def step(self):
        name = f"other{self.dice.randrange(3)}"
        choice = self.dice.randrange(3)
        if choice == 0:
            self.admin(f"marks/{name}", {})
        elif choice == 1:
            self.admin(f"marks/{name}/forget", {}, expected=(200, 404))
        else:
            self.admin("marks")


class Clock(Worker):
    """Moves time on; a rollback turns it back."""

    def step(self):
        choice = self.dice.randrange(10)
        if choice < 7:
            self.admin("clock", {"advance": self.dice.choice(("1s", "30s", "10m", "2h"))})
        elif choice == 7:
            self.admin("clock", {"advance": "26h"})
        elif choice == 8:
            self.admin("clock", {"mode": self.dice.choice(("real", "manual"))})
        else:
            self.admin("clock", {"rate": self.dice.choice((1, 60))})
        self.admin("clock")



class Watchers(Worker):
    """What people and Prometheus look at, and what becomes of throughput."""

    def step(self):
        choice = self.dice.randrange(8)
        if choice < 2:
            answer = self.exchange(metrics_page.metrics_request(), "GET")
            self.world.counts[f"GET metrics {answer.status}"] += 1
            if ran_out_of_time(answer):
                return
            assert answer.status == 200, f"/metrics: {answer.status} {answer.body[:300]!r}"
            for line in answer.body.decode().splitlines():
                assert line.startswith("#") or metrics_page.LINE.fullmatch(line), f"/metrics: {line!r}"
        elif choice == 2:
            self.admin("capacity")
        elif choice == 3:
            self.admin("capacity/shared")
        elif choice == 4:
            self.change_capacity()
        elif choice == 5:
            self.explain()
        elif choice == 6:
            self.admin("ttl/sweep", {})
        else:
            self.admin("clock")

    def change_capacity(self):
        wish = self.dice.choice(({"throttling": "observe"}, {"throttling": "default"},
                                 {"partitions": self.dice.randrange(1, 5)}))
        table = self.dice.choice(("shared", "shifting", "churn0_1"))
        self.admin("capacity", {"table": table, **wish}, expected=(200, 404))

    def explain(self):
        listed = self.admin("requests").json()["requests"]
        for asked in listed[-2:]:
            self.admin(f"requests/{asked['request_id']}", expected=(200, 404))
