"""A provisioned table that follows its load: what a target tracking policy of Application Auto Scaling does in the cloud,
by the consumption of each minute and UpdateTable. That service is not DynamoDB's, so here this program is its part."""

import re
import urllib.request
from fractions import Fraction

import at_endpoint

MINUTES_OUT, MINUTES_IN = 2, 15  # in a row, above the target and well below it
BELOW_PCT = 20
UNITS = re.compile(r'stator_consumed_capacity_units_total\{(.*)\} (\S+)')


def consumed_writes(endpoint, table):
    """All that the table has consumed so far; in the cloud CloudWatch tells it minute by minute."""
    with urllib.request.urlopen(f"{endpoint}/metrics", timeout=60) as page:
        for labels, value in UNITS.findall(page.read().decode()):
            if f'table="{table}"' in labels and 'dimension="write"' in labels and "index=" not in labels:
                return Fraction(value)
    return Fraction(0)


class TargetTracking:
    """Keeps the writes of a table near a part of what is provisioned, between two bounds."""

    def __init__(self, client, table, least, most, target_pct=70):
        self.client, self.table = client, table
        self.least, self.most, self.target_pct = least, most, target_pct
        self.minutes = []  # what they consumed, the last one behind

    def end_minute(self, consumed):
        """The units that are provisioned from now on; None: as before."""
        self.minutes.append(consumed)
        throughput = self.client.describe_table(TableName=self.table)["Table"]["ProvisionedThroughput"]
        now = throughput["WriteCapacityUnits"]
        wanted = self.wanted(now)
        if wanted is None or wanted == now:
            return None
        self.client.update_table(TableName=self.table, ProvisionedThroughput={
            "ReadCapacityUnits": throughput["ReadCapacityUnits"], "WriteCapacityUnits": wanted})
        return wanted

    def wanted(self, now):
        last_two, last_fifteen = self.minutes[-MINUTES_OUT:], self.minutes[-MINUTES_IN:]
        if len(last_two) == MINUTES_OUT and min(last_two) > self.share(now, self.target_pct):
            return max(now, self.fitting(last_two))
        if len(last_fifteen) == MINUTES_IN and max(last_fifteen) < self.share(now, self.target_pct - BELOW_PCT):
            return min(now, self.fitting(last_fifteen))
        return None

    def share(self, units, percent):
        """Of what so many units serve in a minute."""
        return Fraction(units * 60 * percent, 100)

    def fitting(self, minutes):
        """The units of which the busiest minute takes the target."""
        units = -(-max(minutes) // self.share(1, self.target_pct))
        return min(max(int(units), self.least), self.most)


def load(client, table, units, wait):
    """A minute in which so many units are consumed, a multiple of 10, by items of 10 KB."""
    pauses = 6
    for pause in range(pauses):
        for number in range(pause, units // 10, pauses):
            client.put_item(TableName=table, Item={"pk": {"S": f"item-{number}"}, "x": {"S": "x" * 10_000}})
        wait(60 / pauses)


def follow(client, endpoint, policy, loads, wait):
    """Minutes of such loads; (minute, units) of each change, minutes counted from 0."""
    changes, before = [], consumed_writes(endpoint, policy.table)
    for minute, units in enumerate(loads):
        load(client, policy.table, units, wait)
        after = consumed_writes(endpoint, policy.table)
        wanted = policy.end_minute(after - before)
        before = after
        if wanted is not None:
            changes.append((minute, wanted))
    return changes


def main():
    client, wait = at_endpoint.connect()
    at_endpoint.create(client, "Scaled", writes=5)
    policy = TargetTracking(client, "Scaled", 5, 40)
    for minute, units in follow(client, client.meta.endpoint_url, policy, [270] * 3 + [100] * 16, wait):
        print(f"behind minute {minute}: {units} writes a second")


if __name__ == "__main__":
    main()
