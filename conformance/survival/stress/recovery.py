"""Workers on backups and point-in-time recovery."""

from world import ACCOUNTS, MONEY_EACH, OF_TABLES, Worker

# What a rollback, or the end of a restore, may bring about at any time.
OF_BACKUPS = OF_TABLES | {"BackupNotFoundException", "BackupInUseException", "TableAlreadyExistsException",
                          "TableInUseException", "PointInTimeRecoveryUnavailableException",
                          "InvalidRestoreTimeException"}


class Recovery(Worker):
    """Enables and disables recovery, makes backups, and restores the accounts, whose sum is always the same."""

    def step(self):
        table = self.dice.choice(("money", "shared", "shifting"))
        choice = self.dice.randrange(10)
        if choice < 3:
            is_on = self.dice.random() < 0.8
            self.ask("UpdateContinuousBackups", OF_BACKUPS, TableName=table,
                     PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": is_on})
        elif choice < 5:
            self.ask("CreateBackup", OF_BACKUPS, TableName=table, BackupName="stress")
        elif choice < 6:
            self.look()
        else:
            self.restore()

    def look(self):
        """At most 20 backups stay."""
        listed = self.ask("ListBackups", frozenset(), BackupType="ALL")["BackupSummaries"]
        for backup in listed[:-20]:
            if backup["BackupType"] == "USER":
                self.ask("DeleteBackup", OF_BACKUPS, BackupArn=backup["BackupArn"])
        if listed:
            self.ask("DescribeBackup", OF_BACKUPS, BackupArn=self.dice.choice(listed)["BackupArn"])
        self.ask("DescribeContinuousBackups", OF_BACKUPS, TableName="money")

    def restore(self):
        target = {"TargetTableName": f"{self.name}_again"}
        if self.dice.random() < 0.5:
            begun = self.ask("RestoreTableToPointInTime", OF_BACKUPS, **target, SourceTableName="money",
                             UseLatestRestorableTime=True)
        else:
            backups = self.ask("ListBackups", frozenset(), TableName="money")["BackupSummaries"]
            if not backups:
                return
            begun = self.ask("RestoreTableFromBackup", OF_BACKUPS, **target,
                             BackupArn=self.dice.choice(backups)["BackupArn"])
        if begun:
            found = self.ask("Scan", OF_TABLES, TableName=target["TargetTableName"])
            if found:
                self.check(found["Items"])
        self.ask("DeleteTable", OF_TABLES, TableName=target["TargetTableName"])

    def check(self, items):
        total = sum(int(item["amount"]["N"]) for item in items)
        assert (len(items), total) == (len(ACCOUNTS), len(ACCOUNTS) * MONEY_EACH), f"restored: {items}"
        self.world.counts["restored sums"] += 1
