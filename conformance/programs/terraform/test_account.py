"""Terraform whose provider checks its keys and asks for its account, at a server with --auth iam."""

import json
import shutil
from pathlib import Path

import pytest

from project import Project
from server_process import given_endpoint

ACCOUNT = Path(__file__).parent / "account"
ARN = "arn:aws:iam::111122223333:user/terraform"


def flags_for(project, *actions):
    file = project.folder / "access.json"
    file.touch(0o600)
    statement = {"Effect": "Allow", "Action": actions, "Resource": "arn:aws:dynamodb:us-east-1:111122223333:table/Albums"}
    file.write_text(json.dumps({"version": 1, "account": "111122223333", "principals": [
        {"arn": ARN, "keys": [{"id": "AKIATERRAFORM", "secret": "terraform-secret"}],
         "policies": [{"Version": "2012-10-17", "Statement": statement}]}]}))
    return "--auth", "iam", "--access-file", file, "--console-token", "none"


def test_the_provider_asks_for_its_account(tmp_path):
    if given_endpoint():
        pytest.skip("needs servers started by the test, and STATOR_ENDPOINT is set")
    project = Project(tmp_path)
    shutil.copy(ACCOUNT / "provider.tf", tmp_path)
    project.init()
    actions = ("CreateTable", "DescribeTable", "DeleteTable", "DescribeContinuousBackups", "DescribeTimeToLive",
               "ListTagsOfResource", "TagResource")
    with project.served(*flags_for(project, *(f"dynamodb:{action}" for action in actions))):
        told = project.apply("created", ACCOUNT)
        assert f"111122223333 {ARN}" in told
        assert "arn:aws:dynamodb:us-east-1:111122223333:table/Albums" in told
        project.plan_without_a_change()
        project.destroy()
    assert [request for request in project.requests() if request[1] == 400] == [
        request for request in project.requests() if request[2] == "ResourceNotFoundException"]
