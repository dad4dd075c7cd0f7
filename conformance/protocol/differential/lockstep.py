"""Sends one session to both sides, request by request, and compares the answers."""

import time

from report import Report
from session import Session

READS = ("GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan", "DescribeTable", "ListTables",
         "ListTagsOfResource")
SIGNATURE = ("Authorization", "X-Amz-Date")  # wrong ones would not reach what is compared
TABLE_PREFIXES = ("dr_", "vc_")
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems", "CreateTable",
          "UpdateTable", "DeleteTable")


class Lockstep:
    """`patience_s`: how long reads that differ are asked again, for sides that answer from replicas.
    `crash_every`: the right side is killed and started again after that many requests, 0 for never."""

    def __init__(self, left, right, seed, normaliser, patience_s=0, crash_every=0):
        self.left, self.right = left, right
        self.normaliser, self.patience_s, self.crash_every = normaliser, patience_s, crash_every
        self.session, self.report = Session(seed), Report(seed)

    def both(self, request, number):
        self.left.send(request, number)
        self.right.send(request, number)
        return self.left.receive(), self.right.receive()

    def run(self, requests):
        self.remove_tables()
        for number in range(1, requests + 1):
            request = self.session.next()
            if self.left.signs or self.right.signs:
                request.headers = {k: v for k, v in request.headers.items() if k not in SIGNATURE}
            answers = self.both(request, number)
            if request.compared and not self.agree(answers):
                answers = self.asked_again(request, number, answers)
            self.report.count(request.operation, answers[0])
            if request.compared and not self.agree(answers):
                self.report.differ(number, request, *answers, self.normaliser)
                if request.operation in WRITES:
                    self.session.give_up(request.table_names())
            self.session.learn(request, answers[0])
            self.settle()
            if self.crash_every and number % self.crash_every == 0:
                self.right.crash_and_restart()
        self.remove_tables()
        return self.report

    def agree(self, answers):
        return not any(answer.wrong for answer in answers) and self.normaliser.same(*answers)

    def asked_again(self, request, number, answers):
        end = time.monotonic() + self.patience_s
        while request.operation in READS and not self.agree(answers) and time.monotonic() < end:
            answers = self.both(request, number)
        return answers

    def settle(self):
        """Waits until both sides are done with changed tables, and shows the session what became."""
        for name in self.session.take_changed():
            descriptions = [side.settled(name) for side in (self.left, self.right)]
            self.session.set_table(name, descriptions[0])

    def remove_tables(self):
        """Removes the tables of sessions from endpoints that live on."""
        for side in (self.left, self.right):
            if not side.is_own:
                for name in {*self.session.tables, *side.table_names(TABLE_PREFIXES)}:
                    side.remove_table(name)
