"""Tags with boto3: set, change, remove, list, and every rule about them."""

import pytest

ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/"


def pairs(*names, value="v"):
    return [{"Key": name, "Value": value} for name in names]


@pytest.fixture
def tagged(dynamodb, new_table):
    """tagged(tags) creates a table with these tags and returns its ARN."""
    def create(tags=None):
        members = {"Tags": tags} if tags is not None else {}
        return ARN + new_table(**members)

    return create


def all_tags(dynamodb, arn):
    pages = list(dynamodb.get_paginator("list_tags_of_resource").paginate(ResourceArn=arn))
    return {tag["Key"]: tag["Value"] for page in pages for tag in page["Tags"]}, len(pages)


def test_set_change_and_remove(dynamodb, tagged):
    arn = tagged(pairs("a", "b"))
    assert all_tags(dynamodb, arn) == ({"a": "v", "b": "v"}, 1)
    answer = dynamodb.tag_resource(ResourceArn=arn, Tags=pairs("b", "c", value="new"))
    assert answer["ResponseMetadata"]["HTTPHeaders"]["content-length"] == "0"
    assert all_tags(dynamodb, arn)[0] == {"a": "v", "b": "new", "c": "new"}
    answer = dynamodb.untag_resource(ResourceArn=arn, TagKeys=["a", "never", "c"])
    assert answer["ResponseMetadata"]["HTTPHeaders"]["content-length"] == "0"
    assert all_tags(dynamodb, arn)[0] == {"b": "new"}
    dynamodb.untag_resource(ResourceArn=arn, TagKeys=["b"])
    assert dynamodb.list_tags_of_resource(ResourceArn=arn)["Tags"] == []


def test_no_tags(dynamodb, tagged):
    for tags in (None, []):
        answer = dynamodb.list_tags_of_resource(ResourceArn=tagged(tags))
        assert answer["Tags"] == [] and "NextToken" not in answer


def test_all_tags_are_one_page(dynamodb, tagged):
    arn = tagged(pairs(*(f"k{n:02d}" for n in range(30))))
    found, pages = all_tags(dynamodb, arn)
    assert (sorted(found), pages) == ([f"k{n:02d}" for n in range(30)], 1)
    assert "NextToken" not in dynamodb.list_tags_of_resource(ResourceArn=arn)


def test_fifty_at_most(dynamodb, tagged, refused):
    arn = tagged(pairs(*(f"k{n}" for n in range(40))))
    dynamodb.tag_resource(ResourceArn=arn, Tags=pairs(*(f"k{n}" for n in range(30, 50))))
    too_many = "Number of Tags exceed the current limit for the provided ResourceArn"
    refused("ValidationException", too_many, dynamodb.tag_resource, ResourceArn=arn, Tags=pairs("k50"))
    dynamodb.tag_resource(ResourceArn=arn, Tags=pairs("k7", value="changed"))
    found, pages = all_tags(dynamodb, arn)
    assert (len(found), pages, found["k7"]) == (50, 1, "changed")


def test_create_with_too_many_creates_nothing(dynamodb, refused):
    refused("ValidationException", "Number of Tags exceed the current limit for the provided ResourceArn",
            dynamodb.create_table, TableName="py_no_tags", BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "pk", "AttributeType": "S"}],
            Tags=pairs(*(f"k{n}" for n in range(51))))
    refused("ResourceNotFoundException", "Requested resource not found: Table: py_no_tags not found",
            dynamodb.describe_table, TableName="py_no_tags")


@pytest.mark.parametrize(
    "tags, message",
    [
        (pairs("aws:mine"), "Tag Key cannot be prefixed with aws:, Key: aws:mine"),
        (pairs("a", "b", "a"), "Duplicate Tag Keys provided as input: Duplicate Tag Key found a"),
        (pairs("k" * 129), f"The Tag Key provided is invalid, Key: {'k' * 129}"),
        (pairs("no#hash"), "The Tag Key provided is invalid, Key: no#hash"),
        (pairs("k", value="v" * 257), f"The Tag Value provided is invalid, Value: {'v' * 257}"),
        (pairs("k", value="no#hash"), "The Tag Value provided is invalid, Value: no#hash"),
        ([], "Atleast one Tag needs to be provided as Input."),
    ],
    ids=["aws", "twice", "long-key", "bad-key", "long-value", "bad-value", "none"],
)
def test_rules(dynamodb, tagged, refused, tags, message):
    arn = tagged(pairs("kept"))
    refused("ValidationException", message, dynamodb.tag_resource, ResourceArn=arn, Tags=tags)
    assert all_tags(dynamodb, arn)[0] == {"kept": "v"}


def test_empty_list_of_keys(dynamodb, tagged, refused):
    refused("ValidationException", "Atleast one Tag Key needs to be provided as Input.",
            dynamodb.untag_resource, ResourceArn=tagged(), TagKeys=[])


def test_longest_and_unusual_tags(dynamodb, tagged):
    arn = tagged()
    tags = {"k" * 128: "v" * 256, "empty": "", "a b+c-d=e.f_g:h/i": "0 +-=._:/", "été 東京": "ñ 1"}
    dynamodb.tag_resource(ResourceArn=arn, Tags=[{"Key": k, "Value": v} for k, v in tags.items()])
    assert all_tags(dynamodb, arn)[0] == tags


@pytest.mark.parametrize("table", ["no_such_table"])
def test_missing_table(dynamodb, refused, table):
    arn = ARN + table
    message = f"Requested resource not found: ResourceArn: {arn} not found"
    for call, members in ((dynamodb.tag_resource, {"Tags": pairs("a")}),
                          (dynamodb.untag_resource, {"TagKeys": ["a"]}),
                          (dynamodb.list_tags_of_resource, {})):
        refused("ResourceNotFoundException", message, call, ResourceArn=arn, **members)


@pytest.mark.parametrize(
    "arn, message",
    [
        ("plain", "One or more parameter values were invalid: ARNs must start with 'arn:': plain"),
        ("arn:aws:s3:us-east-1:000000000000:table/t",
         "Provided Arn is not a DynamoDB resource arn: arn:aws:s3:us-east-1:000000000000:table/t"),
    ],
    ids=["no-arn", "service"],
)
def test_other_arns(dynamodb, refused, arn, message):
    refused("ValidationException", message, dynamodb.list_tags_of_resource, ResourceArn=arn)


@pytest.mark.parametrize("own, other", [("us-east-1", "eu-west-1"), ("000000000000", "999999999999")])
def test_other_regions_and_accounts(dynamodb, refused, own, other):
    arn = ARN.replace(own, other) + "t"
    refused("AccessDeniedException",
            "User: arn:aws:iam::000000000000:root is not authorized to perform: "
            f"dynamodb:ListTagsOfResource on resource: {arn}",
            dynamodb.list_tags_of_resource, ResourceArn=arn)
    refused("ValidationException", f"Invalid TableArn: Invalid ResourceArn provided as input {arn}",
            dynamodb.tag_resource, ResourceArn=arn, Tags=pairs("k"))


def test_tags_end_with_their_table(dynamodb, new_table):
    name = new_table(TableName="py_tags_end", Tags=pairs("old"))
    dynamodb.delete_table(TableName=name)
    new_table(TableName=name)
    assert dynamodb.list_tags_of_resource(ResourceArn=ARN + name)["Tags"] == []
