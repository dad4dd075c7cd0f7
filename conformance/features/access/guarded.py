"""A server with --auth, its access file, and clients that sign with its keys."""

import json
import os
from pathlib import Path

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials

from admin import Admin
from raw_client import Connection, request
from server_process import Server

ACCOUNT = "111122223333"
OTHER = "444455556666"
TOKEN = "console-token-of-the-tests"
ROOT = {"id": "AKIAROOT", "secret": "root/secret+0123456789"}
ACTIONS = ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem",
           "ConditionCheckItem"]


def allow(actions, resources="*", condition=None, **members):
    actions = [actions] if isinstance(actions, str) else actions
    statement = {"Effect": "Allow", "Action": [a if ":" in a else f"dynamodb:{a}" for a in actions],
                 "Resource": resources, **members}
    if condition:
        statement["Condition"] = condition
    return statement


def policy(*statements):
    return {"Version": "2012-10-17", "Statement": list(statements)}


def table_arn(name, account=ACCOUNT):
    return f"arn:aws:dynamodb:us-east-1:{account}:table/{name}"


def user(name, *statements, account=ACCOUNT, **members):
    return {"arn": f"arn:aws:iam::{account}:user/{name}", "keys": [key_of(name)],
            "policies": [policy(*statements)] if statements else [], **members}


def key_of(name):
    return {"id": f"AKIA{name.upper()}", "secret": f"{name}-secret-of-forty-characters-abcdefghij"}


def directory(*principals, **members):
    root = {"arn": f"arn:aws:iam::{ACCOUNT}:root", "keys": [ROOT]}
    return {"version": 1, "account": ACCOUNT, "principals": [root, *principals], **members}


class Guarded:
    """Starts a server for the content of an access file."""

    def __init__(self, folder, content, *flags, mode="iam", start=Server):
        self.path = Path(folder) / "access.json"
        self.write(content)
        self.server = start("--auth", mode, "--access-file", self.path, "--console-token", TOKEN, *flags)
        self.endpoint = self.server.endpoint

    def write(self, content):
        self.path.write_text(content if isinstance(content, str) else json.dumps(content))
        os.chmod(self.path, 0o600)

    def client(self, key=None, token=None, service="dynamodb", region="us-east-1", **config):
        """A client that signs with a key {"id":…, "secret":…} or credentials of STS."""
        key = key or ROOT
        return boto3.session.Session().client(
            service, endpoint_url=self.endpoint, region_name=region,
            aws_access_key_id=key.get("id") or key["AccessKeyId"],
            aws_secret_access_key=key.get("secret") or key["SecretAccessKey"],
            aws_session_token=token or key.get("SessionToken"),
            config=Config(retries={"total_max_attempts": 1}, **config))

    def user(self, name, **options):
        return self.client(key_of(name), **options)

    def signed(self, operation, body=b"{}", key=None, headers=None, auth=SigV4Auth, **options):
        """A request that botocore is about to sign, and the signer."""
        key = key or ROOT
        asked = AWSRequest("POST", self.endpoint + "/", data=body, headers={
            "Host": self.endpoint.split("//")[1].rstrip("/"), "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Target": f"DynamoDB_20120810.{operation}", **(headers or {})})
        return asked, auth(Credentials(key["id"], key["secret"], key.get("token")), "dynamodb", "us-east-1", **options)

    def ask(self, operation, **members):
        """An answer to the root, by hand: the packaged botocore does not know the operations of policies."""
        body = json.dumps(members).encode()
        asked, signer = self.signed(operation, body)
        signer.add_auth(asked)
        with Connection(self.server) as connection:
            return connection.exchange(request(None, body, dict(asked.headers.items())))

    def attach(self, arn, *statements):
        """Gives a table its resource policy."""
        answer = self.ask("PutResourcePolicy", ResourceArn=arn, Policy=json.dumps(policy(*statements)))
        assert answer.status == 200, answer.body

    def send(self, path, body=None, token=TOKEN):
        headers = {"x-stator-token": token} if token else {}
        return Admin(self.server).send(path, body, headers)

    def ok(self, path, body=None):
        answer = self.send(path, body)
        assert answer.status == 200, answer
        return answer.json()

    def reload(self, content=None):
        if content is not None:
            self.write(content)
        return self.send("access/reload", {})

    def table(self, name="App", sort=True, client=None, **members):
        """A table with the keys pk and sk, and an index by `owner_id`."""
        names = ["pk", "sk"] if sort else ["pk"]
        client = client or self.client()
        client.create_table(
            TableName=name, BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": n, "AttributeType": "S"} for n in [*names, "owner_id"]],
            KeySchema=[{"AttributeName": n, "KeyType": t} for n, t in zip(names, ["HASH", "RANGE"])],
            GlobalSecondaryIndexes=[{"IndexName": "by_other", "Projection": {"ProjectionType": "ALL"},
                                     "KeySchema": [{"AttributeName": "owner_id", "KeyType": "HASH"}]}],
            **members)
        return name
