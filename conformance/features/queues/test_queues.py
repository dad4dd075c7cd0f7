"""A queue and a topic get messages about discarded records, as a program reads them that polls the queue."""

import itertools
import json

import boto3
import pytest

from called import World, error, function_flags
from server_process import wait_until

NUMBERS = itertools.count(1)
KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret"}


class Queues:
    """What a user has at the server of SQS and SNS, with its ARNs and its messages."""

    def __init__(self, endpoint):
        self.endpoint = endpoint
        members = {"endpoint_url": endpoint, "region_name": "us-east-1", "aws_access_key_id": KEYS["AWS_ACCESS_KEY_ID"],
                   "aws_secret_access_key": KEYS["AWS_SECRET_ACCESS_KEY"]}
        self.sqs = boto3.client("sqs", **members)
        self.sns = boto3.client("sns", **members)

    def queue(self):
        url = self.sqs.create_queue(QueueName=f"failed_{next(NUMBERS)}")["QueueUrl"]
        attributes = self.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]
        return url, attributes["QueueArn"]

    def topic(self, queue_arn):
        """A topic whose messages the queue gets."""
        arn = self.sns.create_topic(Name=f"failed_{next(NUMBERS)}")["TopicArn"]
        self.sns.subscribe(TopicArn=arn, Protocol="sqs", Endpoint=queue_arn)
        return arn

    def take(self, url):
        """The next message."""
        def received():
            return self.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=1).get("Messages")

        [message] = wait_until(received, what="a message")
        self.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
        return json.loads(message["Body"])


@pytest.fixture
def queues(moto):
    return Queues(moto)


@pytest.fixture
def discard(start, functions, queues):
    """discard(arn, kind) lets a function fail a record of a mapping with this destination; returns its world."""
    def begin(arn, kind, names=("é\"+&=",)):
        place = f"{arn}={queues.endpoint},kind={kind}"
        world = World(start(*function_flags(functions), "--function-destination", place, env=KEYS), functions)
        functions.answer("f", lambda *_: error())
        table = world.table()
        world.map(table, MaximumRetryAttempts=0, BatchSize=1, DestinationConfig={"OnFailure": {"Destination": arn}})
        for name in names:
            world.put(table, name)
        world.settle()
        return world, table

    return begin


def check(message, world, table):
    """The form of the message is that of the cloud."""
    assert list(message) == ["requestContext", "responseContext", "version", "timestamp", "DDBStreamBatchInfo"]
    assert message["requestContext"]["condition"] == "RetryAttemptsExhausted"
    assert message["responseContext"] == {"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"}
    batch = message["DDBStreamBatchInfo"]
    assert (batch["batchSize"], batch["streamArn"]) == (1, world.stream(table))
    [failure] = world.failures()
    assert failure["message"] == message
    wait_until(lambda: world.failures()[0]["delivery"] == "sent", what="the end of the delivery")


def test_a_queue_gets_the_message(queues, discard):
    url, arn = queues.queue()
    world, table = discard(arn, "sqs")
    check(queues.take(url), world, table)


def test_a_topic_passes_the_message_on(queues, discard):
    url, queue_arn = queues.queue()
    arn = queues.topic(queue_arn)
    world, table = discard(arn, "sns")
    notification = queues.take(url)
    assert (notification["Type"], notification["TopicArn"]) == ("Notification", arn)
    check(json.loads(notification["Message"]), world, table)


def test_each_record_has_a_message(queues, discard):
    url, arn = queues.queue()
    world, _ = discard(arn, "sqs", [f"k{number}" for number in range(30)])
    starts = {queues.take(url)["DDBStreamBatchInfo"]["startSequenceNumber"] for _ in range(30)}
    assert len(starts) == len(world.failures()) == 30


@pytest.mark.parametrize("kind, code", [("sqs", "400"), ("sns", "404")])
def test_a_destination_that_is_not_there(discard, kind, code):
    """The record is done all the same, and what the server of SQS or SNS said stands beside the message."""
    world, _ = discard(f"arn:aws:{kind}:us-east-1:123456789012:nowhere", kind)
    said = wait_until(lambda: [f["delivery"] for f in world.failures() if f["delivery"] != "being sent"])
    assert said[0].startswith("not sent: ") and code in said[0], said
