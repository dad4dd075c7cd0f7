"""Lambda's API on the port of a server: a client, and plain requests for members that the packaged SDK lacks."""

import http.client
import json
import ssl
from urllib.parse import quote

import boto3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials

MAPPINGS = "/2015-03-31/event-source-mappings"
ACCOUNT = "000000000000"


def lambda_client(endpoint, region="us-east-1"):
    """Sends what a test gives, right or wrong, once."""
    config = Config(parameter_validation=False, retries={"total_max_attempts": 1})
    return boto3.client("lambda", endpoint_url=endpoint, region_name=region, config=config, verify=False)


class Answer:
    def __init__(self, status, headers, body):
        self.status = status
        self.error = headers.get("x-amzn-ErrorType")
        self.request_id = headers.get("x-amzn-RequestId")
        is_json = headers.get_content_type() == "application/json"
        self.body = json.loads(body) if body and is_json else body or None


class Lambda:
    """Signed requests by method and path."""

    def __init__(self, server, region="us-east-1"):
        self.server = server
        self.region = region

    def send(self, method, path, body=None, service="lambda", is_signed=True, headers=None):
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        asked = AWSRequest(method, self.server.endpoint + path, data=data,
                           headers={"Content-Type": "application/json", **(headers or {})})
        if is_signed:
            SigV4Auth(Credentials("key", "secret"), service, self.region).add_auth(asked)
        prepared = asked.prepare()
        if self.server.scheme == "https":
            connection = http.client.HTTPSConnection(self.server.host, self.server.port, timeout=30,
                                                     context=ssl._create_unverified_context())
        else:
            connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=30)
        try:
            connection.request(method, path, body=data or None, headers=dict(prepared.headers))
            got = connection.getresponse()
            return Answer(got.status, got.headers, got.read())
        finally:
            connection.close()

    def create(self, **members):
        return self.send("POST", MAPPINGS + "/", members)

    def get(self, uuid):
        return self.send("GET", f"{MAPPINGS}/{uuid}")

    def update(self, uuid, **members):
        return self.send("PUT", f"{MAPPINGS}/{uuid}", members)

    def delete(self, uuid):
        return self.send("DELETE", f"{MAPPINGS}/{uuid}")

    def tags(self, arn, method="GET", body=None, query=""):
        return self.send(method, f"/2017-03-31/tags/{quote(arn, safe='')}{query}", body)
