"""The five calls: what is answered, when, and in which order."""

import time

import pytest
from botocore.exceptions import ClientError

from admin import Admin
from lambda_api import ACCOUNT, MAPPINGS, Lambda

DEFAULTS = {
    "BatchSize": 100, "MaximumBatchingWindowInSeconds": 0, "ParallelizationFactor": 1,
    "StartingPosition": "TRIM_HORIZON", "MaximumRecordAgeInSeconds": -1, "MaximumRetryAttempts": -1,
    "BisectBatchOnFunctionError": False, "TumblingWindowInSeconds": 0, "FunctionResponseTypes": [],
    "DestinationConfig": {"OnFailure": {}}, "LastProcessingResult": "No records processed",
    "StateTransitionReason": "User action"}


def test_a_mapping_has_these_members_and_no_others(api, stream, function):
    made = api.create(EventSourceArn=stream, FunctionName=function, StartingPosition="TRIM_HORIZON",
                      FilterCriteria={"Filters": []}, Tags={"a": "1"}, Enabled=True)
    assert made.status == 202 and made.error is None and made.request_id
    uuid = made.body.pop("UUID")
    assert len(uuid) == 36
    assert abs(made.body.pop("LastModified") - time.time()) < 60
    assert made.body == {
        **DEFAULTS, "State": "Creating", "EventSourceArn": stream,
        "EventSourceMappingArn": f"arn:aws:lambda:us-east-1:{ACCOUNT}:event-source-mapping:{uuid}",
        "FunctionArn": f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:{function}"}
    got = api.get(uuid)
    assert got.status == 200
    assert {**got.body, "State": "Creating"} == {
        **made.body, "UUID": uuid, "LastModified": got.body["LastModified"]}
    assert got.body["State"] == "Enabled"


def test_all_parameters_come_back(api, stream, function):
    given = {
        "BatchSize": 10000, "MaximumBatchingWindowInSeconds": 300, "ParallelizationFactor": 10,
        "MaximumRecordAgeInSeconds": 60, "MaximumRetryAttempts": 10000, "TumblingWindowInSeconds": 900,
        "BisectBatchOnFunctionError": True, "FunctionResponseTypes": ["ReportBatchItemFailures"],
        "DestinationConfig": {"OnFailure": {"Destination": f"arn:aws:sqs:us-east-1:{ACCOUNT}:q"}},
        "FilterCriteria": {"Filters": [{"Pattern": '{"eventName": ["INSERT"]}'}, {"Pattern": '{"a":[1]}'}]},
        "KMSKeyArn": f"arn:aws:kms:us-east-1:{ACCOUNT}:key/k", "MetricsConfig": {"Metrics": ["EventCount"]},
        "StartingPosition": "LATEST"}
    made = api.create(EventSourceArn=stream, FunctionName=function, Enabled=False, **given)
    assert made.status == 202, made.body
    got = api.get(made.body["UUID"]).body
    assert got["State"] == "Disabled"
    assert {name: got[name] for name in given} == given


def test_boto3_does_the_five_calls_and_tags(client, stream, function):
    made = client.create_event_source_mapping(EventSourceArn=stream, FunctionName=function,
                                              StartingPosition="LATEST", BatchSize=7)
    uuid = made["UUID"]
    assert client.get_event_source_mapping(UUID=uuid)["State"] == "Enabled"
    listed = client.list_event_source_mappings(EventSourceArn=stream)["EventSourceMappings"]
    assert [one["UUID"] for one in listed] == [uuid]
    assert client.update_event_source_mapping(UUID=uuid, BatchSize=8)["State"] == "Updating"
    arn = f"arn:aws:lambda:us-east-1:{ACCOUNT}:event-source-mapping:{uuid}"
    client.tag_resource(Resource=arn, Tags={"a": "1", "b b": "é"})
    client.untag_resource(Resource=arn, TagKeys=["a"])
    assert client.list_tags(Resource=arn)["Tags"] == {"b b": "é"}
    assert client.delete_event_source_mapping(UUID=uuid)["State"] == "Deleting"
    with pytest.raises(ClientError) as caught:
        client.get_event_source_mapping(UUID=uuid)
    assert caught.value.response["Error"]["Code"] == "ResourceNotFoundException"
    assert caught.value.response["Error"]["Message"] == "The resource you requested does not exist."


@pytest.mark.parametrize("slash", ["", "/"])
def test_paths_may_end_in_a_slash(api, stream, function, slash):
    made = api.send("POST", MAPPINGS + slash,
                    {"EventSourceArn": stream, "FunctionName": function, "StartingPosition": "LATEST"})
    path = f"{MAPPINGS}/{made.body['UUID']}{slash}"
    assert api.send("GET", path).body["State"] == "Enabled"
    assert api.send("GET", f"{MAPPINGS}{slash}?EventSourceArn={stream}").body["EventSourceMappings"]
    assert api.send("PUT", path, {"BatchSize": 2}).status == 202
    assert api.send("DELETE", path).status == 202


def test_an_update_answers_the_old_values(api, stream, function):
    made = api.create(EventSourceArn=stream, FunctionName=function, StartingPosition="LATEST",
                      FilterCriteria={"Filters": [{"Pattern": '{"a":["b"]}'}]},
                      DestinationConfig={"OnFailure": {"Destination": "kafka://topic"}}).body
    uuid = made["UUID"]
    changed = api.update(uuid, BatchSize=5, FilterCriteria={}, FunctionName="other",
                         DestinationConfig={"OnFailure": {"Destination": ""}})
    assert changed.status == 202
    assert (changed.body["State"], changed.body["BatchSize"]) == ("Updating", 100)
    assert changed.body["FilterCriteria"] and changed.body["FunctionArn"] == made["FunctionArn"]
    got = api.get(uuid).body
    assert (got["State"], got["BatchSize"], got["DestinationConfig"]) == ("Enabled", 5, {"OnFailure": {}})
    assert "FilterCriteria" not in got and got["FunctionArn"].endswith(":function:other")
    assert api.update(uuid, Enabled=False).body["State"] == "Disabling"
    assert api.get(uuid).body["State"] == "Disabled"
    assert api.update(uuid, BatchSize=6).body["State"] == "Updating"
    assert api.get(uuid).body["State"] == "Disabled"
    assert api.update(uuid, Enabled=True).body["State"] == "Enabling"
    assert api.get(uuid).body["State"] == "Enabled"
    # What an update cannot change it does not read.
    assert api.update(uuid, StartingPosition="TRIM_HORIZON", Tags={"x": "y"}).status == 202
    assert api.get(uuid).body["StartingPosition"] == "LATEST"


@pytest.mark.parametrize("given, tail", [
    ("{f}", "{f}"),
    ("{f}:$LATEST", "{f}:$LATEST"),
    ("{f}:$LATEST.PUBLISHED", "{f}:$LATEST.PUBLISHED"),
    ("{f}:7", "{f}:7"),
    ("function:{f}", "{f}"),
    (ACCOUNT + ":function:{f}", "{f}"),
    (ACCOUNT + ":function:{f}:live", "{f}:live"),
    (f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:" + "{f}", "{f}"),
    (f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:" + "{f}:live", "{f}:live"),
])
def test_names_of_functions(api, stream, function, given, tail):
    made = api.create(EventSourceArn=stream, FunctionName=given.format(f=function),
                      StartingPosition="LATEST")
    assert made.status == 202, made.body
    assert made.body["FunctionArn"] == f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:{tail.format(f=function)}"


def test_lists_have_pages_and_the_order_of_creation(api, client, stream):
    uuids = [api.create(EventSourceArn=stream, FunctionName=f"paged_{i}", StartingPosition="LATEST")
             .body["UUID"] for i in range(5)]
    pages = client.get_paginator("list_event_source_mappings").paginate(
        EventSourceArn=stream, PaginationConfig={"PageSize": 2})
    sizes = []
    met = []
    for page in pages:
        sizes.append(len(page["EventSourceMappings"]))
        met += [one["UUID"] for one in page["EventSourceMappings"]]
    assert (sizes, met) == ([2, 2, 1], uuids)
    # A marker stays right when its mapping goes.
    first = client.list_event_source_mappings(EventSourceArn=stream, MaxItems=2)
    api.delete(uuids[1])
    rest = client.list_event_source_mappings(EventSourceArn=stream, Marker=first["NextMarker"])
    assert [one["UUID"] for one in rest["EventSourceMappings"]] == uuids[2:]
    by_name = client.list_event_source_mappings(FunctionName="paged_3")["EventSourceMappings"]
    assert [one["UUID"] for one in by_name] == [uuids[3]]
    assert client.list_event_source_mappings(FunctionName="paged")["EventSourceMappings"] == []


def test_a_page_has_at_most_a_hundred(start, own_stream):
    with start() as running:
        stream = own_stream(running)
        api = Lambda(running)
        for i in range(101):
            api.create(EventSourceArn=stream, FunctionName=f"f{i}", StartingPosition="LATEST")
        page = api.send("GET", MAPPINGS + "?MaxItems=10000").body
        assert len(page["EventSourceMappings"]) == 100 and page["NextMarker"]


def test_regions_have_mappings_of_their_own(start, own_stream):
    with start("--isolate", "region") as running:
        stream = own_stream(running)
        made = Lambda(running).create(EventSourceArn=stream, FunctionName="f", StartingPosition="LATEST")
        other = Lambda(running, "eu-west-1")
        assert other.get(made.body["UUID"]).status == 404
        assert other.send("GET", MAPPINGS).body["EventSourceMappings"] == []
        assert other.create(EventSourceArn=stream, FunctionName="f",
                            StartingPosition="LATEST").body["message"] == f"Stream not found: {stream}"


def test_states_take_as_long_as_those_of_tables(start, own_stream):
    with start("--control-plane-delay", "600") as running:
        admin = Admin(running)
        stream = own_stream(running)
        api = Lambda(running)
        uuid = api.create(EventSourceArn=stream, FunctionName="f", StartingPosition="LATEST").body["UUID"]
        assert api.get(uuid).body["State"] == "Creating"
        for refused in (api.update(uuid, BatchSize=1), api.delete(uuid)):
            assert (refused.status, refused.error) == (400, "ResourceInUseException")
            assert refused.body["Message"] and "message" not in refused.body
        admin.move(advance="11m")
        assert api.get(uuid).body["State"] == "Enabled"
        api.update(uuid, BatchSize=1)
        got = api.get(uuid).body
        assert (got["State"], got["BatchSize"]) == ("Updating", 100)
        admin.move(advance="11m")
        got = api.get(uuid).body
        assert (got["State"], got["BatchSize"]) == ("Enabled", 1)
        api.delete(uuid)
        assert api.get(uuid).body["State"] == "Deleting"
        admin.move(advance="11m")
        assert api.get(uuid).status == 404
        assert api.create(EventSourceArn=stream, FunctionName="f", StartingPosition="LATEST").status == 202
