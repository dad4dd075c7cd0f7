"""Every refusal: status, header, the member that has the text, the text, and which comes first."""

import json

import pytest

from admin import Admin
from lambda_api import ACCOUNT, MAPPINGS, Lambda

NOT_THERE = "The resource you requested does not exist."
UUID = "14e0db71-0000-4000-8000-0000000000ff"
ARN = f"arn:aws:lambda:us-east-1:{ACCOUNT}:event-source-mapping:{UUID}"
INVALID = "InvalidParameterValueException"
FILTERS = '{"a": ["b"]}'


def constraint(member, value, text):
    return f"1 validation error detected: Value '{value}' at '{member}' failed to satisfy constraint: {text}"


def check(answer, status, error, text, member="message", type_="User"):
    assert (answer.status, answer.error) == (status, error), answer.body
    assert answer.body == ({"Type": type_, member: text} if type_ else {member: text})


@pytest.fixture
def create(api, stream, function):
    """create(...) sends a right request with changes; None removes a member."""
    def send(**changes):
        members = {"EventSourceArn": stream, "FunctionName": function, "StartingPosition": "LATEST", **changes}
        return api.create(**{name: value for name, value in members.items() if value is not None})

    return send


@pytest.mark.parametrize("call", ["get", "update", "delete"])
def test_an_unknown_mapping(api, call):
    check(getattr(api, call)(UUID), 404, "ResourceNotFoundException", NOT_THERE, "Message")


@pytest.mark.parametrize("source", [
    None, "text", f"arn:aws:kinesis:us-east-1:{ACCOUNT}:stream/s", f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/t"])
def test_an_unknown_source(create, source):
    check(create(EventSourceArn=source), 400, INVALID, "Unrecognized event source.")


@pytest.mark.parametrize("changes, text", [
    ({"StartingPosition": None},
     "1 validation error detected: Value null at 'startingPosition' failed to satisfy constraint: "
     "Member must not be null."),
    ({"DestinationConfig": {"OnSuccess": {"Destination": "arn:aws:sqs:us-east-1:1:q"}}},
     "Unsupported DestinationConfig parameter for given event source mapping type."),
    ({"FilterCriteria": {"Filters": [{"Pattern": "single-string"}]}}, "Invalid filter pattern definition."),
    ({"FilterCriteria": {"Filters": [{"Pattern": '[{"eventName": ["INSERT"=123}]'}]}},
     "Invalid filter pattern definition."),
    ({"FilterCriteria": {"Filters": [{"Pattern": FILTERS}, {}]}}, "Invalid filter pattern definition."),
    ({"FilterCriteria": {"Filters": [{"Pattern": FILTERS}] * 11}},
     "The number of filters exceeds the quota of 10."),
    ({"MaximumRecordAgeInSeconds": 0}, "Invalid MaximumRecordAgeInSeconds value: 0"),
    ({"MaximumRecordAgeInSeconds": 59}, "Invalid MaximumRecordAgeInSeconds value: 59"),
    ({"Queues": ["q"]}, "Unsupported parameter for given event source mapping type: Queues"),
    ({"ScalingConfig": {"MaximumConcurrency": 2}},
     "Unsupported parameter for given event source mapping type: ScalingConfig"),
    ({"DestinationConfig": {"OnFailure": {"Destination": "arn:aws:lambda:us-east-1:1:function:f"}}},
     "Unsupported destination: arn:aws:lambda:us-east-1:1:function:f"),
])
def test_invalid_values(create, changes, text):
    check(create(**changes), 400, INVALID, text)


def test_positions_at_a_time(create, stream):
    check(create(StartingPosition="AT_TIMESTAMP", StartingPositionTimestamp=1), 400, INVALID,
          f"Unsupported starting position for arn type: {stream}")


def test_an_unknown_stream(create, stream):
    for missing in (stream[:-1] + "x", stream.replace("us-east-1", "eu-west-1"),
                    stream.replace(ACCOUNT, "111111111111")):
        check(create(EventSourceArn=missing), 400, INVALID, f"Stream not found: {missing}")


@pytest.mark.parametrize("member, path, least, most", [
    ("BatchSize", "batchSize", 1, 10000),
    ("MaximumBatchingWindowInSeconds", "maximumBatchingWindowInSeconds", 0, 300),
    ("ParallelizationFactor", "parallelizationFactor", 1, 10),
    ("MaximumRetryAttempts", "maximumRetryAttempts", -1, 10000),
    ("MaximumRecordAgeInSeconds", "maximumRecordAgeInSeconds", -1, 604800),
    ("TumblingWindowInSeconds", "tumblingWindowInSeconds", 0, 900),
])
def test_ranges(create, api, member, path, least, most):
    low = constraint(path, least - 1, f"Member must have value greater than or equal to {least}")
    high = constraint(path, most + 1, f"Member must have value less than or equal to {most}")
    check(create(**{member: least - 1}), 400, "ValidationException", low, type_=None)
    check(create(**{member: most + 1}), 400, "ValidationException", high, type_=None)
    # The model's constraints come before the look for the mapping.
    check(api.update(UUID, **{member: most + 1}), 400, "ValidationException", high, type_=None)
    assert create(**{member: most}).status == 202


@pytest.mark.parametrize("changes, text", [
    ({"StartingPosition": "x"},
     constraint("startingPosition", "x",
                "Member must satisfy enum value set: [LATEST, AT_TIMESTAMP, TRIM_HORIZON]")),
    ({"FunctionName": None},
     "1 validation error detected: Value null at 'functionName' failed to satisfy constraint: "
     "Member must not be null"),
    ({"FunctionName": "f" * 65},
     constraint("functionName", "f" * 65, "Member must have length less than or equal to 64")),
    ({"FunctionResponseTypes": ["x"]},
     constraint("functionResponseTypes", "[x]", "Member must satisfy constraint: "
                "[Member must satisfy enum value set: [ReportBatchItemFailures]]")),
    ({"FilterCriteria": {"Filters": [{"Pattern": "x" * 4097}]}},
     constraint("filterCriteria.filters.1.member.pattern", "x" * 4097,
                "Member must have length less than or equal to 4096")),
])
def test_the_models_constraints(create, changes, text):
    check(create(**changes), 400, "ValidationException", text, type_=None)


@pytest.mark.parametrize("name", ["a b", "f:", "f:a:b", "arn:aws:lambda:us-east-1:1:function:f",
                                  "arn:aws:sqs:us-east-1:000000000000:function:f", "f:$OLD", "é"])
def test_other_names_of_functions_are_refused(create, name):
    answer = create(FunctionName=name)
    assert (answer.status, answer.error) == (400, "ValidationException")
    assert answer.body["message"].startswith(
        constraint("functionName", name, "Member must satisfy regular expression pattern: (arn:"))


def test_several_violations_come_together(create):
    answer = create(BatchSize=0, ParallelizationFactor=11)
    assert answer.body["message"].startswith("2 validation errors detected: Value '0' at 'batchSize'")
    assert "; Value '11' at 'parallelizationFactor'" in answer.body["message"]


@pytest.mark.parametrize("changes", [
    {"BatchSize": "1"}, {"BatchSize": 1.5}, {"Enabled": "true"}, {"FunctionName": 1}, {"FilterCriteria": []},
    {"FilterCriteria": {"Filters": {}}}, {"Tags": {"a": 1}}, {"DestinationConfig": "x"}, {"MetricsConfig": 1}])
def test_wrong_types(create, changes):
    answer = create(**changes)
    assert (answer.status, answer.error) == (400, "SerializationException")


def test_no_json(api):
    assert api.send("POST", MAPPINGS, b"{").error == "InvalidRequestContentException"
    assert api.send("POST", MAPPINGS, b"[]").error == "InvalidRequestContentException"


def test_a_duplicate(create, api, stream, function):
    uuid = create().body["UUID"]
    text = (f'The event source arn (" {stream} ") and function (" {function} ") provided mapping already exists. '
            f"Please update or delete the existing mapping with UUID {uuid}")
    check(create(), 409, "ResourceConflictException", text)
    check(create(FunctionName=f"{ACCOUNT}:function:{function}"), 409, "ResourceConflictException", text)
    assert create(FunctionName=function + ":live").status == 202
    other = create(FunctionName=function + "_2").body["UUID"]
    check(api.update(other, FunctionName=function), 409, "ResourceConflictException", text)
    api.delete(uuid)
    assert create().status == 202


def test_the_order_of_checks(create):
    """Each request has all the later mistakes, too."""
    later = {
        "DestinationConfig": {"OnSuccess": {}, "OnFailure": {}}, "EventSourceArn": "x", "StartingPosition": None,
        "FilterCriteria": {"Filters": [{"Pattern": "x"}]}}
    texts = []
    for name, right in [("DestinationConfig", None), ("EventSourceArn", f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/t/stream/l"),
                        ("StartingPosition", "LATEST"), ("FilterCriteria", None)]:
        texts.append(create(**later).body["message"][:24])
        later[name] = right
    texts.append(create(**later).body["message"][:24])
    assert texts == ["Unsupported DestinationC", "Unrecognized event sourc", "1 validation error detec",
                     "Invalid filter pattern d", "Stream not found: arn:aw"]


def test_tags_of_what_is_not_there(api):
    for method, body, query in [("GET", None, ""), ("POST", {"Tags": {"a": "b"}}, ""), ("DELETE", None, "?tagKeys=a")]:
        check(api.tags(ARN, method, body, query), 404, "ResourceNotFoundException",
              f"Event source mapping not found: {ARN}", "Message")
    answer = api.tags("arn:aws:lambda:us-east-1")
    assert (answer.status, answer.error) == (400, "ValidationException")
    assert answer.body["message"].startswith(
        constraint("resource", "arn:aws:lambda:us-east-1", "Member must satisfy regular expression pattern: arn:"))


@pytest.mark.parametrize("uuid, text", [
    ("x", "Member must have length greater than or equal to 36"),
    ("x" * 600, "Member must have length less than or equal to 36")])
def test_a_uuid_has_36_characters(api, uuid, text):
    for call in (api.get, api.update, api.delete):
        check(call(uuid), 400, "ValidationException", constraint("uUID", uuid, text), type_=None)


def test_bytes_that_are_no_text(api):
    assert api.send("GET", MAPPINGS + "/%ff%fe").status == 400
    assert api.send("GET", MAPPINGS + "?FunctionName=%ff").status == 400
    assert api.send("GET", "/2017-03-31/tags/%ff%00").status == 400
    assert api.send("GET", "/2015-03-31/functions/%ff").status == 400


@pytest.mark.parametrize("query", ["MaxItems=0", "MaxItems=10001", "MaxItems=x", "Marker=x", "Marker=1", "FunctionName=a%20b"])
def test_lists_refuse(api, query):
    assert api.send("GET", f"{MAPPINGS}?{query}").status == 400


@pytest.mark.parametrize("method, path", [
    ("POST", "/2015-03-31/functions"), ("GET", "/2015-03-31/functions/f/policy"), ("PATCH", MAPPINGS),
    ("GET", "/2018-10-31/layers"), ("PUT", "/2017-10-31/functions/f/concurrency"),
    ("GET", "/2020-06-30/functions/f/code-signing-config"), ("DELETE", MAPPINGS)])
def test_other_operations(api, method, path):
    answer = api.send(method, path, {} if method in ("POST", "PUT") else None)
    assert (answer.status, answer.error) == (404, "UnknownOperationException")


def test_signatures_are_of_lambda(api):
    unsigned = api.send("GET", MAPPINGS, is_signed=False)
    assert (unsigned.status, unsigned.error) == (400, "MissingAuthenticationTokenException")
    other = api.send("GET", MAPPINGS, service="dynamodb")
    assert other.error == "InvalidSignatureException"
    assert "Credential should be scoped to correct service: 'lambda'" in other.body["message"]


def test_a_dry_run_changes_nothing(api, stream):
    answer = api.send("POST", MAPPINGS, {"EventSourceArn": stream, "FunctionName": "f", "StartingPosition": "LATEST"},
                      headers={"x-stator-dry-run": "true"})
    assert (answer.status, answer.error) == (400, "ValidationException")
    assert api.send("GET", f"{MAPPINGS}?EventSourceArn={stream}").body["EventSourceMappings"] == []


def test_foreign_pages_read_nothing(api):
    page = api.send("GET", MAPPINGS, headers={"Host": "evil.example", "Origin": "http://evil.example"})
    assert page.status == 403


def test_a_strict_server_knows_its_functions(start, own_stream):
    with start("--lambda-strict", "--function", "known=http://127.0.0.1:9/") as running:
        stream = own_stream(running)
        api = Lambda(running)
        members = {"EventSourceArn": stream, "StartingPosition": "LATEST"}
        check(api.create(FunctionName="other", **members), 400, INVALID, "Function does not exist")
        uuid = api.create(FunctionName="known", **members).body["UUID"]
        check(api.update(uuid, FunctionName="other"), 400, INVALID, "Function does not exist")


def test_requests_are_recorded_and_explained(api, server, stream, function):
    """The list names the operation, its error and its text; without a body it shows the path."""
    made = api.create(EventSourceArn=stream, FunctionName=function, StartingPosition="LATEST")
    twice = api.create(EventSourceArn=stream, FunctionName=function, StartingPosition="LATEST")
    unknown = api.get(UUID)
    nothing = api.send("POST", "/2015-03-31/layers")

    def recorded(answer):
        return Admin(server).ok(f"requests/{answer.request_id}")

    right, wrong, missing, foreign = map(recorded, (made, twice, unknown, nothing))
    assert (right["operation"], right["status"]) == ("lambda:CreateEventSourceMapping", 202)
    assert json.loads(right["request"])["FunctionName"] == function
    assert made.body["UUID"] in right["answer"] and right["hints"] == [] and "error" not in right
    assert (wrong["status"], wrong["error"]) == (409, "ResourceConflictException")
    assert wrong["message"] == twice.body["message"] and "refused" not in wrong
    assert missing["operation"] == "lambda:GetEventSourceMapping"
    assert missing["request"] == f"GET {MAPPINGS}/{UUID}" and missing["message"] == NOT_THERE
    assert (foreign["operation"], foreign["error"]) == ("lambda", "UnknownOperationException")
    assert foreign["hints"] == []
