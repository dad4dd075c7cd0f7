"""The endpoint of Kinesis that hosts streams: JSON over HTTP/1.1."""

import hashlib

import pytest
from botocore.exceptions import ClientError

from admin import Admin
from kinesis_world import ACCOUNT, arn_of, kinesis_client, read_all, read_shard
from raw_client import Connection, authorization


def error_of(call, **arguments):
    with pytest.raises(ClientError) as caught:
        call(**arguments)
    error = caught.value.response["Error"]
    return error["Code"], error["Message"]


def test_describe(kinesis, new_stream):
    name = new_stream(2)
    found = kinesis.describe_stream(StreamName=name)["StreamDescription"]
    created = found.pop("StreamCreationTimestamp")
    shards = found.pop("Shards")
    common = {"StreamName": name, "StreamARN": arn_of(name), "StreamStatus": "ACTIVE",
              "StreamModeDetails": {"StreamMode": "PROVISIONED"}, "RetentionPeriodHours": 24,
              "EnhancedMonitoring": [{"ShardLevelMetrics": []}], "EncryptionType": "NONE"}
    assert found == {**common, "HasMoreShards": False}
    half = 2 ** 127
    assert [shard["HashKeyRange"] for shard in shards] == [
        {"StartingHashKey": "0", "EndingHashKey": str(half - 1)},
        {"StartingHashKey": str(half), "EndingHashKey": str(2 * half - 1)}]
    assert [shard["ShardId"] for shard in shards] == ["shardId-000000000000", "shardId-000000000001"]
    assert all(len(shard["SequenceNumberRange"]["StartingSequenceNumber"]) == 56 for shard in shards)
    summary = kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
    assert summary == {**common, "StreamCreationTimestamp": created, "OpenShardCount": 2, "ConsumerCount": 0}
    page = kinesis.describe_stream(StreamName=name, Limit=1)["StreamDescription"]
    assert page["HasMoreShards"] and len(page["Shards"]) == 1
    rest = kinesis.describe_stream(StreamName=name, ExclusiveStartShardId="shardId-000000000000")
    assert rest["StreamDescription"]["Shards"] == shards[1:]
    kinesis.get_waiter("stream_exists").wait(StreamName=name)


def test_create_on_demand_and_delete(kinesis):
    kinesis.create_stream(StreamName="on-demand")
    found = kinesis.describe_stream_summary(StreamName="on-demand")["StreamDescriptionSummary"]
    assert (found["OpenShardCount"], found["StreamModeDetails"]) == (4, {"StreamMode": "ON_DEMAND"})
    assert error_of(kinesis.create_stream, StreamName="on-demand") == (
        "ResourceInUseException", f"Stream on-demand under account {ACCOUNT} already exists.")
    kinesis.delete_stream(StreamName="on-demand")
    kinesis.get_waiter("stream_not_exists").wait(StreamName="on-demand")
    assert error_of(kinesis.describe_stream, StreamName="on-demand") == (
        "ResourceNotFoundException", f"Stream on-demand under account {ACCOUNT} not found.")


def test_lists_have_pages(kinesis, new_stream):
    names = sorted(new_stream(3) for _ in range(3))
    listed, more = [], {}
    while True:
        page = kinesis.list_streams(Limit=2, **more)
        listed += page["StreamNames"]
        if not page["HasMoreStreams"]:
            break
        more = {"ExclusiveStartStreamName": page["StreamNames"][-1]}
    assert [name for name in listed if name in names] == names and listed == sorted(listed)
    page = kinesis.list_shards(StreamName=names[0], MaxResults=2)
    rest = kinesis.list_shards(NextToken=page["NextToken"])
    assert [len(page["Shards"]), len(rest["Shards"])] == [2, 1] and "NextToken" not in rest
    assert len(kinesis.list_shards(StreamName=names[0], ShardFilter={"Type": "AT_LATEST"})["Shards"]) == 3
    assert error_of(kinesis.list_shards, StreamName=names[0], NextToken=page["NextToken"]) == (
        "InvalidArgumentException", "NextToken and StreamName cannot be provided together.")
    assert error_of(kinesis.list_shards) == (
        "InvalidArgumentException", "Either NextToken or StreamName should be provided.")


def test_put_and_read(kinesis, new_stream):
    name = new_stream(4)
    put = kinesis.put_record(StreamName=name, Data=b"\xff\x00", PartitionKey="é")
    number = int(hashlib.md5("é".encode()).hexdigest(), 16) // 2 ** 126
    assert put["ShardId"] == f"shardId-00000000000{number}"
    explicit = kinesis.put_record(StreamName=name, Data=b"1", PartitionKey="é", ExplicitHashKey=str(3 * 2 ** 126))
    assert explicit["ShardId"] == "shardId-000000000003"
    many = kinesis.put_records(StreamName=name, Records=[{"Data": str(i).encode(), "PartitionKey": f"k{i}"}
                                                         for i in range(100)])
    assert many["FailedRecordCount"] == 0 and len(many["Records"]) == 100
    records = read_all(kinesis, name)
    assert len(records) == 102
    assert {record["Data"] for record in records} == {b"\xff\x00", b"1", *(str(i).encode() for i in range(100))}
    sequences = [place["SequenceNumber"] for place in many["Records"]]
    assert sorted(sequences) == sorted(record["SequenceNumber"] for record in records
                                       if record["PartitionKey"].startswith("k"))
    assert all(len(sequence) == 56 for sequence in sequences)
    assert error_of(kinesis.put_record, StreamName=name, Data=b"1", PartitionKey="p", ExplicitHashKey=str(2 ** 128))[
        0] == "InvalidArgumentException"
    assert error_of(kinesis.put_record, StreamName="nobody", Data=b"1", PartitionKey="p") == (
        "ResourceNotFoundException", f"Stream nobody under account {ACCOUNT} not found.")


def test_all_types_of_iterators(start):
    server = start("--clock", "manual")
    admin, kinesis = Admin(server), kinesis_client(server.endpoint)
    kinesis.create_stream(StreamName="s", ShardCount=1)
    shard, sequences, times = "shardId-000000000000", [], []
    for number in range(4):
        sequences.append(kinesis.put_record(StreamName="s", Data=str(number).encode(),
                                            PartitionKey="p")["SequenceNumber"])
        times.append(read_shard(kinesis, "s", shard)[-1]["ApproximateArrivalTimestamp"])
        admin.move(advance="60s")

    def read(kind, **members):
        return b"".join(record["Data"] for record in read_shard(kinesis, "s", shard, ShardIteratorType=kind,
                                                                **members))

    assert sequences == sorted(sequences)
    assert read("TRIM_HORIZON") == b"0123"
    assert read("AT_SEQUENCE_NUMBER", StartingSequenceNumber=sequences[1]) == b"123"
    assert read("AFTER_SEQUENCE_NUMBER", StartingSequenceNumber=sequences[1]) == b"23"
    assert read("AT_TIMESTAMP", Timestamp=times[2]) == b"23"
    latest = kinesis.get_shard_iterator(StreamName="s", ShardId=shard, ShardIteratorType="LATEST")["ShardIterator"]
    assert len(latest) <= 512
    assert kinesis.get_records(ShardIterator=latest)["Records"] == []
    kinesis.put_record(StreamName="s", Data=b"4", PartitionKey="p")
    assert kinesis.get_records(ShardIterator=latest)["Records"][0]["Data"] == b"4"
    first = kinesis.get_shard_iterator(StreamName="s", ShardId=shard, ShardIteratorType="TRIM_HORIZON")
    page = kinesis.get_records(ShardIterator=first["ShardIterator"], Limit=1)
    assert [record["Data"] for record in page["Records"]] == [b"0"]
    assert page["MillisBehindLatest"] == 3 * 60_000
    admin.move(advance="301s")
    code, text = error_of(kinesis.get_records, ShardIterator=latest)
    assert code == "ExpiredIteratorException" and text.endswith(
        "which is further in the future than the tolerated delay of 300000 milliseconds.")
    admin.move(advance="24h")
    assert read("TRIM_HORIZON") == b""


def test_errors_of_iterators(kinesis, new_stream):
    name = new_stream(2)
    put = kinesis.put_record(StreamName=name, Data=b"1", PartitionKey="p", ExplicitHashKey="0")
    get = kinesis.get_shard_iterator
    assert error_of(kinesis.get_records, ShardIterator="AAAA") == (
        "InvalidArgumentException", "Invalid ShardIterator.")
    assert error_of(get, StreamName=name, ShardId="shardId-000000000007", ShardIteratorType="LATEST") == (
        "ResourceNotFoundException",
        f"Shard shardId-000000000007 in stream {name} under account {ACCOUNT} does not exist")
    assert error_of(get, StreamName=name, ShardId="shardId-000000000001", ShardIteratorType="AT_SEQUENCE_NUMBER",
                    StartingSequenceNumber=put["SequenceNumber"]) == (
        "InvalidArgumentException",
        "Invalid StartingSequenceNumber. It encodes shardId-000000000000, while it was used in a call to a shard with "
        "shardId-000000000001")
    assert error_of(get, StreamName=name, ShardId="shardId-000000000000", ShardIteratorType="AT_SEQUENCE_NUMBER") == (
        "InvalidArgumentException",
        "Must either specify (1) AT_SEQUENCE_NUMBER or AFTER_SEQUENCE_NUMBER and StartingSequenceNumber or (2) "
        "TRIM_HORIZON or LATEST and no StartingSequenceNumber. Request specified AT_SEQUENCE_NUMBER and no "
        "StartingSequenceNumber.")


def test_tags(kinesis, new_stream):
    name = new_stream()
    kinesis.add_tags_to_stream(StreamName=name, Tags={"b": "2", "a": "1", "c": ""})
    kinesis.add_tags_to_stream(StreamName=name, Tags={"a": "3"})
    kinesis.remove_tags_from_stream(StreamName=name, TagKeys=["c", "d"])
    found = kinesis.list_tags_for_stream(StreamName=name)
    assert (found["Tags"], found["HasMoreTags"]) == (
        [{"Key": "a", "Value": "3"}, {"Key": "b", "Value": "2"}], False)
    page = kinesis.list_tags_for_stream(StreamName=name, Limit=1)
    assert (len(page["Tags"]), page["HasMoreTags"]) == (1, True)


def test_what_is_not_built_is_unknown(kinesis, new_stream):
    assert error_of(kinesis.split_shard, StreamName=new_stream(), ShardToSplit="shardId-000000000000",
                    NewStartingHashKey="10")[0] == "UnknownOperationException"


def test_the_wire(server, kinesis, new_stream):
    name = new_stream()
    with Connection(server) as connection:
        fields = {"X-Amz-Target": "Kinesis_20131202.DeleteStream", "Content-Type": "application/x-amz-json-1.1",
                  "Authorization": authorization(service="kinesis")}
        answer = connection.call(None, b'{"StreamName": "nobody"}', fields)
        assert answer.status == 400 and answer.get("Content-Type") == "application/x-amz-json-1.1"
        assert answer.json() == {"__type": "ResourceNotFoundException",
                                 "message": f"Stream nobody under account {ACCOUNT} not found."}
        answer = connection.call(None, b'{"StreamName": "%s"}' % name.encode(), fields)
        assert (answer.status, answer.body) == (200, b"")
        answer = connection.call(None, b'{"StreamName": 1}', fields)
        assert (answer.status, answer.json()["__type"]) == (400, "SerializationException")


def test_regions_have_streams_of_their_own(server, kinesis, new_stream):
    import boto3
    other = boto3.client("kinesis", endpoint_url=server.endpoint, region_name="eu-west-1")
    assert new_stream() not in other.list_streams()["StreamNames"]


def cbor_text(text):
    """A text of 24 to 255 bytes, or of fewer, as CBOR."""
    length = bytes([0x60 + len(text)] if len(text) < 24 else [0x78, len(text)])
    return length + text.encode()


@pytest.mark.parametrize("body, error", [
    # {"StreamName": "none-such"} of indefinite length, as the SDK for Java writes maps.
    ("bf6a53747265616d4e616d65696e6f6e652d73756368ff",
     {"__type": "ResourceNotFoundException", "message": f"Stream none-such under account {ACCOUNT} not found."}),
    ("a1", {"__type": "SerializationException"}),  # cut
])
def test_cbor(server, body, error):
    fields = {"X-Amz-Target": "Kinesis_20131202.DeleteStream", "Content-Type": "application/x-amz-cbor-1.1",
              "Authorization": authorization(service="kinesis")}
    with Connection(server) as connection:
        answer = connection.call(None, bytes.fromhex(body), fields)
    assert (answer.status, answer.get("Content-Type")) == (400, "application/x-amz-cbor-1.1")
    members = b"".join(cbor_text(text) for member in error.items() for text in member)
    assert answer.body == bytes([0xA0 + len(error)]) + members
