"""What tables can serve, over an orderly end and a kill of the server: partitions, splits, growth, what was set."""

import pytest

from admin import Admin
from client import Client
from throttled_world import EPOCH

SMALL = ("initial-burst-seconds=1,partition-reads=30,partition-writes=10,on-demand-reads=120,on-demand-writes=40,"
         "split-seconds=120,heat-windows=2")


class Life:
    """A server on a folder, started again and again; its time stands until it is moved."""

    def __init__(self, start, folder):
        self.start, self.folder = start, folder
        self.begin("--clock", EPOCH)

    def begin(self, *flags):
        self.server = self.start("--db-path", self.folder, "--throttling", "enforce", "--threads", "1",
                                 "--capacity", SMALL, *flags)
        self.client, self.admin = Client(self.server), Admin(self.server)

    def again(self, ending, *flags):
        if ending == "kill":
            self.server.kill()
        else:
            assert self.server.stop() == 0
        self.begin(*flags)

    def move(self, seconds):
        self.admin.move(advance=f"{seconds}s")

    def told(self, table="Things"):
        (one,) = [one for one in self.admin.ok("capacity")["tables"] if one["table"] == table]
        return one

    def shape(self):
        told = self.told()
        return ([one["first_hash"] for one in told["partitions"]], told["splits"], told["splits_due"],
                told["throttling"], told["is_warming"], told["read"]["warm_units"], told["write"]["warm_units"])

    def delete(self, key):
        """A write of one unit; whether it was served."""
        answer = self.client.send("DeleteItem", {"TableName": "Things", "Key": {"pk": {"S": key}}})
        assert answer.status in (200, 400)
        return answer.status == 200

    def heat(self, seconds):
        """Two keys that ask for nine tenths of what a partition serves."""
        for _ in range(seconds):
            for number in range(9):
                assert self.delete("hot" if number % 2 else "also hot")
            self.move(1)


@pytest.fixture
def life(start, tmp_path):
    return Life(start, tmp_path / "data")


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_set_by_the_admin_path(life, ending):
    life.client.create_table("Things")
    life.admin.ok("capacity", {"table": "Things", "partitions": 9, "throttling": "observe"})
    before = life.shape()
    assert len(before[0]) >= 9 and before[3] == "observe"
    life.again(ending)
    assert life.shape() == before
    life.client.create_table("Others")
    assert life.told("Others")["throttling"] == "enforce"


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_growth_and_warming(life, ending):
    life.client.create_table("Things")
    for _ in range(60):
        for number in range(32):
            life.delete(f"key-{number}")
        life.move(1)
    life.client.ok("UpdateTable", TableName="Things", WarmThroughput={"ReadUnitsPerSecond": 13000})
    life.move(60)
    before = life.shape()
    assert before[4], "it is being warmed"
    life.again(ending)
    assert life.shape() == before
    life.move(400)
    warmed = life.told()
    assert (warmed["is_warming"], warmed["read"]["warm_units"]) == (False, 13000)
    life.again(ending)
    life.move(1800)
    grown = life.told()
    assert grown["write"]["warm_units"] > 40
    life.again(ending)
    assert life.told()["write"]["warm_units"] == grown["write"]["warm_units"]
    assert len(life.told()["partitions"]) == len(grown["partitions"])


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_split_for_heat(life, ending):
    """A split that is due happens in the next process, and stays in the one behind it."""
    life.client.ok("CreateTable", TableName="Things", AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                   KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                   ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 9})
    life.heat(121)
    before = life.shape()
    assert (len(before[0]), len(before[1]), len(before[2])) == (1, 0, 1)
    life.again(ending)
    assert life.shape() == before
    life.move(180)
    after = life.shape()
    assert (len(after[0]), len(after[1]), len(after[2])) == (2, 1, 0)
    life.again(ending)
    assert life.shape() == after


def provisioned(life, reads, writes, **members):
    life.client.ok("CreateTable", TableName="Things", KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
                   ProvisionedThroughput={"ReadCapacityUnits": reads, "WriteCapacityUnits": writes},
                   **{"AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}], **members})


def at(seconds):
    return f"2027-01-01T00:00:{seconds:02}Z"


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_exhausted_bucket(life, ending):
    """A bucket that was exhausted has after a restart exactly what came in meanwhile."""
    provisioned(life, 1, 3)
    assert [life.delete("a") for _ in range(4)] == [True, True, True, False]
    if ending == "kill":
        life.move(1)  # what was drawn is stored a second later
    life.again(ending, "--clock", at(2))
    assert [life.delete("a") for _ in range(8)] == 6 * [True] + 2 * [False]
    life.move(1)
    assert [life.delete("a") for _ in range(4)] == 3 * [True] + [False]
    if ending == "kill":
        life.move(1)
    life.again(ending, "--clock", at(6))
    assert [life.delete("a") for _ in range(11)] == 9 * [True] + 2 * [False]


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_debt(life, ending):
    """What was drawn beyond what there was is paid off over restarts, too."""
    provisioned(life, 1, 3)
    life.client.ok("PutItem", TableName="Things", Item={"pk": {"S": "a"}, "large": {"S": "x" * 20 * 1024}})  # 21 of 3
    assert not life.delete("b")
    if ending == "kill":
        life.move(1)
    life.again(ending, "--clock", at(6))
    assert not life.delete("b")
    life.again(ending, "--clock", at(7))
    assert [life.delete("b") for _ in range(4)] == 3 * [True] + [False]


@pytest.mark.parametrize("ending", ["stop", "kill"])
def test_exhausted_index(life, ending):
    """An index has buckets of its own, and refuses its table's writes after a restart as before it."""
    provisioned(life, 1, 9, AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}, {"AttributeName": "g", "AttributeType": "S"}],
                GlobalSecondaryIndexes=[{"IndexName": "ByG", "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                                         "Projection": {"ProjectionType": "KEYS_ONLY"},
                                         "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2}}])
    put = lambda key: life.client.send("PutItem", {"TableName": "Things", "Item": {"pk": {"S": key}, "g": {"S": "g"}}}).status
    assert [put(key) for key in "abc"] == [200, 200, 400]
    if ending == "kill":
        life.move(1)
    life.again(ending, "--clock", at(2))
    assert [put(key) for key in "cdefg"] == [200, 200, 200, 200, 400]
    assert life.delete("without an entry"), "the table has units left"


def test_killed_at_once(life):
    """A kill loses what was drawn within the last second, and nothing of before."""
    provisioned(life, 1, 3)
    life.move(2)
    assert [life.delete("a") for _ in range(4)] == 4 * [True]
    life.move(1)
    served = 8 * [True] + [False]  # 3 at first, 3 in each of 3 seconds, less 4
    assert [life.delete("a") for _ in range(9)] == served
    life.again("kill", "--clock", at(3))
    assert [life.delete("a") for _ in range(9)] == served
