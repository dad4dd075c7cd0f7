"""Backups and restores beside 16 writers that move money between accounts: the sum is always the same, also when
the server is killed while items are copied."""

import random
import threading

from boto3_fixtures import make_client
from botocore.exceptions import BotoCoreError, ClientError
from server_process import assert_whole, run_to_end, wait_until

ACCOUNTS = 3000
EACH = 100
WRITERS = 16


class Bank:
    def __init__(self, server):
        self.db = make_client(server.endpoint, retries={"max_attempts": 0}, max_pool_connections=WRITERS + 2)

    def open(self):
        self.db.create_table(TableName="Bank", BillingMode="PAY_PER_REQUEST",
                             AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
                             KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}])
        names = [f"a{number}" for number in range(ACCOUNTS)]
        for at in range(0, ACCOUNTS, 25):
            puts = [{"PutRequest": {"Item": {"pk": {"S": name}, "money": {"N": str(EACH)}}}}
                    for name in names[at:at + 25]]
            self.db.batch_write_item(RequestItems={"Bank": puts})

    def transfer(self, dice):
        giver, taker = dice.sample(range(ACCOUNTS), 2)
        amount = {":m": {"N": str(dice.randrange(1, 20))}}
        update = lambda account, sign: {"Update": {
            "TableName": "Bank", "Key": {"pk": {"S": f"a{account}"}}, "ExpressionAttributeValues": amount,
            "UpdateExpression": f"SET money = money {sign} :m"}}
        self.db.transact_write_items(TransactItems=[update(giver, "-"), update(taker, "+")])

    def total(self, table):
        pages = self.db.get_paginator("scan").paginate(TableName=table)
        return [(len(page["Items"]), sum(int(item["money"]["N"]) for item in page["Items"])) for page in pages]

    def check(self, table):
        counts = self.total(table)
        assert sum(count for count, _ in counts) == ACCOUNTS
        assert sum(money for _, money in counts) == ACCOUNTS * EACH

    def is_available(self, arn):
        details = self.db.describe_backup(BackupArn=arn)["BackupDescription"]["BackupDetails"]
        return details["BackupStatus"] == "AVAILABLE"

    def is_active(self, table):
        return self.db.describe_table(TableName=table)["Table"]["TableStatus"] == "ACTIVE"


class Writers:
    """Threads that transfer until they are told to stop, or until the server is gone."""

    def __init__(self, bank, seed):
        self.is_over = threading.Event()
        self.transfers = 0
        self.threads = [threading.Thread(target=self.run, args=(bank, random.Random(f"{seed}-{number}")))
                        for number in range(WRITERS)]
        for thread in self.threads:
            thread.start()

    def run(self, bank, dice):
        while not self.is_over.is_set():
            try:
                bank.transfer(dice)
                self.transfers += 1
            except (BotoCoreError, ClientError):
                self.is_over.wait(0.01)

    def stop(self):
        self.is_over.set()
        for thread in self.threads:
            thread.join()


def test_the_sum_of_backups(start, tmp_path, rounds):
    folder = ("--db-path", tmp_path / "data")
    server = start(*folder)
    bank = Bank(server)
    bank.open()
    bank.db.update_continuous_backups(TableName="Bank",
                                      PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True})
    for number in range(rounds):
        writers = Writers(bank, number)
        wait_until(lambda: writers.transfers > 50, what="transfers")
        arn = bank.db.create_backup(TableName="Bank", BackupName=f"backup{number}")["BackupDetails"]["BackupArn"]
        if number % 3 == 2:  # while it is copied, with luck
            server.kill()
            writers.stop()
            assert_whole(tmp_path / "data")
            server = start(*folder)
            bank = Bank(server)
        wait_until(lambda: bank.is_available(arn), what="the backup")
        writers.stop()
        bank.check("Bank")
        bank.db.restore_table_from_backup(TargetTableName=f"Restored{number}", BackupArn=arn)
        writers = Writers(bank, f"{number}p")
        wait_until(lambda: writers.transfers > 20, what="transfers")
        bank.db.restore_table_to_point_in_time(SourceTableName="Bank", TargetTableName=f"Point{number}",
                                               UseLatestRestorableTime=True)
        for table in (f"Restored{number}", f"Point{number}"):
            wait_until(lambda: bank.is_active(table), what="the restore")
            bank.check(table)
        writers.stop()
        for table in (f"Restored{number}", f"Point{number}"):
            bank.db.delete_table(TableName=table)
        bank.db.delete_backup(BackupArn=arn)
    server.stop()
    checked = run_to_end("check", folder[1])
    assert checked.returncode == 0, checked.stdout
