"""Each error of each operation, on demand: every SDK raises its class, and sends again what the service would have it send
again, as often as it was told. The server counts the attempts."""

import os
import shlex
from types import SimpleNamespace

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError

import sdk
from admin import Admin
from checkout import CONFORMANCE
from errors_on_demand import NOT_ON_DEMAND, OF_ALL, REQUESTS, TRANSIENT, modelled
from server_process import clean_environment

ATTEMPTS = 3
# Some SDKs take the first for a throttle. The model calls the second retryable, and some SDKs follow it.
UNCLEAR = {"LimitExceededException": {"python": ATTEMPTS, "javascript": ATTEMPTS, "go": ATTEMPTS, "java": 1},
           "ReplicatedWriteConflictException": {"javascript": ATTEMPTS, "java": ATTEMPTS}}


class Boto3:
    """Answers as an agent does."""

    def __init__(self, server):
        config = Config(parameter_validation=False, retries={"mode": "standard", "total_max_attempts": ATTEMPTS})
        session = boto3.session.Session()
        self.clients = [session.client(service, endpoint_url=server.endpoint, config=config, verify=False)
                        for service in ("dynamodb", "dynamodbstreams")]

    def exchange(self, operation, members):
        name = sdk.words(operation)
        call = next((getattr(client, name) for client in self.clients if hasattr(client, name)), None)
        if call is None:
            return {"broken": f"no operation {operation}"}
        try:
            return {"output": call(**sdk.decoded(members))}
        except ClientError as error:
            code = error.response["Error"]["Code"]
            return {"error": code, "message": error.response["Error"]["Message"],
                    "typed": type(error) is not ClientError and type(error).__name__ == code,
                    "status": error.response["ResponseMetadata"]["HTTPStatusCode"]}

    def knows(self, error):
        """The packaged boto3 is older than some errors."""
        return any(error in client.meta.service_model.shape_names for client in self.clients)

    def close(self):
        pass


@pytest.fixture
def patient(server, monkeypatch):
    """What calls through the SDK under test, with three attempts and all of what a client may spend on them."""
    if "STATOR_SDK" not in os.environ:
        monkeypatch.setattr("botocore.endpoint.time", SimpleNamespace(sleep=lambda _: None))
        begun = Boto3(server)
    else:
        folder, *command = shlex.split(os.environ["STATOR_SDK"])
        environment = {"STATOR_ENDPOINT": server.endpoint, "AWS_RETRY_MODE": "standard", "AWS_MAX_ATTEMPTS": str(ATTEMPTS)}
        begun = sdk.Agent(command, CONFORMANCE / "languages" / folder, clean_environment(environment))
    yield begun
    begun.close()


def attempts_at(admin, operation, cursor):
    """What the server saw of an operation since."""
    seen = admin.ok(f"requests?show=all&after={cursor}")
    assert not seen.get("lost")
    return [request["status"] for request in seen["requests"] if request["operation"] == operation]


@pytest.mark.parametrize("operation", REQUESTS)
def test_each_error_of_an_operation(server, patient, name_of_sdk, operation):
    admin = Admin(server)
    if admin.send("faults").status != 200:
        pytest.skip("this server has no faults")
    errors = [error for error in modelled()[operation] if error != NOT_ON_DEMAND]
    for error in [*errors, OF_ALL]:
        cursor = admin.ok("requests?last=1")["cursor"]
        admin.ok("faults", {"name": "each", "match": {"operation": operation},
                            "effect": {"error": {"type": error, "message": "told"}}})
        try:
            answer = patient.exchange(operation, REQUESTS[operation])
        finally:
            admin.ok("faults/each/remove", {})
        if answer.get("broken", "").startswith(("no operation", "java.lang.ClassNotFoundException")):
            pytest.skip("an SDK from before this operation")
        assert (answer.get("error"), answer["message"]) == (error, "told"), answer
        knows = getattr(patient, "knows", lambda _: True)
        assert answer["typed"] == (error != OF_ALL and knows(error)), answer
        attempts = UNCLEAR.get(error, {}).get(name_of_sdk, ATTEMPTS if error in TRANSIENT else 1)
        assert attempts_at(admin, operation, cursor) == [answer["status"]] * attempts, answer
