"""Servers that verify signatures serve the AWS CLI, whatever its values are, and refuse a wrong secret."""

import json

import pytest

from server_process import Server, given_endpoint

SECRET = "root/secret+0123456789abcdefghijklmnopqr"
ITEM = {"pk": {"S": "Björk – 日本 😀"}, "text": {"S": 'naïve & "ça" = 100 %'}}
KEY = {"pk": ITEM["pk"]}


@pytest.fixture
def signed(aws, tmp_path):
    """signed(secret)(operation, ...): the CLI with the root's key and this secret."""
    if given_endpoint():
        pytest.skip("needs a server started by the test")
    path = tmp_path / "access.json"
    path.touch(0o600)
    path.write_text(json.dumps({"version": 1, "principals": [
        {"arn": "arn:aws:iam::000000000000:root", "keys": [{"id": "AKIAROOT", "secret": SECRET}]}]}))
    with Server("--auth", "iam", "--access-file", path) as server:
        def sign(secret):
            return lambda operation, *arguments: aws(
                operation, *arguments, endpoint=server.endpoint, AWS_ACCESS_KEY_ID="AKIAROOT",
                AWS_SECRET_ACCESS_KEY=secret)
        yield sign


def test_right_and_wrong_signatures(signed):
    call = signed(SECRET)
    call("create-table", "--table-name", "Signed", "--billing-mode", "PAY_PER_REQUEST",
         "--attribute-definitions", "AttributeName=pk,AttributeType=S", "--key-schema",
         "AttributeName=pk,KeyType=HASH").json
    call("put-item", "--table-name", "Signed", "--item", ITEM).json
    assert call("get-item", "--table-name", "Signed", "--key", KEY).json["Item"] == ITEM
    found = call("query", "--table-name", "Signed", "--key-condition-expression", "pk = :p",
                 "--expression-attribute-values", {":p": ITEM["pk"]}).json
    assert found["Items"] == [ITEM]
    read = call("batch-get-item", "--request-items", {"Signed": {"Keys": [KEY]}}).json
    assert read["Responses"]["Signed"] == [ITEM]
    assert "(InvalidSignatureException)" in signed("wrong")("list-tables").error
