"""Reading the functions that the server was started with."""

import pytest

from lambda_api import ACCOUNT, Lambda, lambda_client


@pytest.fixture
def functions(start):
    with start("--function", "a=http://127.0.0.1:9/", "--function", "b=http://127.0.0.1:9/,timeout=3s") as running:
        yield running


def test_functions_are_read_with_boto3(functions):
    client = lambda_client(functions.endpoint)
    got = client.get_function(FunctionName="b")["Configuration"]
    assert got == {
        "FunctionName": "b", "FunctionArn": f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:b",
        "Runtime": "provided.al2023", "PackageType": "Zip", "CodeSize": 0, "Description": "", "Timeout": 3,
        "Version": "$LATEST", "State": "Active", "LastUpdateStatus": "Successful"}
    other = client.get_function_configuration(FunctionName=got["FunctionArn"])
    del other["ResponseMetadata"]
    assert other == got
    client.get_waiter("function_active_v2").wait(FunctionName="a")
    pages = client.get_paginator("list_functions").paginate(PaginationConfig={"PageSize": 1})
    assert [[one["FunctionName"] for one in page["Functions"]] for page in pages] == [["a"], ["b"]]


def test_an_unknown_function(functions):
    answer = Lambda(functions).send("GET", "/2015-03-31/functions/c")
    assert (answer.status, answer.error) == (404, "ResourceNotFoundException")
    assert answer.body == {"Type": "User",
                           "Message": f"Function not found: arn:aws:lambda:us-east-1:{ACCOUNT}:function:c"}
