"""Started as images of DynamoDB Local are: its arguments, its folder, its health checks."""

import boto3
import pytest

from conftest import IMAGE, artists, create_table, podman, put

BANNER = "Initializing DynamoDB Local with the following configuration:"
JAR = ["-jar", "DynamoDBLocal.jar"]


def settings(container):
    """What the banner says, by name."""
    lines = container.logs().splitlines()
    first = lines.index(BANNER)
    return dict(line.split(":\t", 1) for line in lines[first + 1:first + 8])


def works(container, **caller):
    client = container.client(**caller)
    create_table(client)
    put(client, "Nina")
    assert artists(client) == ["Nina"]
    return client


def test_default_arguments(start):
    container = start()
    assert settings(container)["InMemory"] == "true"
    assert settings(container)["Port"] == "8000"
    assert container.get("/") == 400
    assert container.get("/healthz") == 200
    works(container)
    # Without -sharedDb there is one database for each key and Region.
    assert container.client(key="another").list_tables()["TableNames"] == []
    assert container.client(region="eu-west-1").list_tables()["TableNames"] == []


def test_published_port(start):
    create_table(start("--publish", "127.0.0.1:8200:8000").client())
    outside = boto3.client("dynamodb", endpoint_url="http://127.0.0.1:8200", region_name="us-east-1",
                           aws_access_key_id="key", aws_secret_access_key="secret")
    assert outside.list_tables()["TableNames"] == ["Music"]


def test_as_the_documentation_of_the_other_image_composes_it(start, volume):
    container = start("--volume", f"{volume}:/home/dynamodblocal/data",
                      "--workdir", "/home/dynamodblocal",
                      command=[*JAR, "-sharedDb", "-dbPath", "./data"])
    assert settings(container)["SharedDb"] == "true"
    assert settings(container)["DbPath"] == "./data"
    works(container)
    assert container.client("eu-west-1", "another").list_tables()["TableNames"] == ["Music"]


def test_as_the_go_module_of_testcontainers_starts_it(start):
    container = start("--entrypoint", '["java", "-Djava.library.path=./DynamoDBLocal_lib"]',
                      command=[*JAR, "-sharedDb", "-disableTelemetry"])
    assert settings(container)["SharedDb"] == "true"
    works(container)


@pytest.mark.parametrize("entry_point, command", [
    (None, ["-Djava.library.path=./DynamoDBLocal_lib", *JAR, "-sharedDb"]),
    (None, ["-Djava.library.path=.", "-Xmx256m", *JAR, "-sharedDb", "-inMemory", "-cors", "*"]),
    (None, [*JAR, "-sharedDb", "-dbPath", "."]),
    (None, [*JAR, "-sharedDb"]),
    (None, [*JAR, "-inMemory", "-sharedDb", "-port", "8000", "-delayTransientStatuses"]),
    ("sh", ["-c", "cd /home/dynamodblocal && exec java -jar DynamoDBLocal.jar -sharedDb"]),
    ("/bin/bash", ["-c", "java -jar DynamoDBLocal.jar -inMemory"]),
    ("java", ["-cp", "DynamoDBLocal.jar",
              "com.amazonaws.services.dynamodbv2.local.main.ServerRunner", "-inMemory"]),
    ("/usr/bin/java", [*JAR, "-optimizeDbBeforeStartup", "-dbPath", "data", "-sharedDb"]),
])
def test_other_forms_in_use(start, entry_point, command):
    options = ["--entrypoint", entry_point] if entry_point else []
    container = start(*options, command=command)
    client = container.client()
    create_table(client)
    client.get_waiter("table_exists").wait(TableName="Music", WaiterConfig={"Delay": 1})
    put(client, "Nina")
    assert artists(client) == ["Nina"]


def test_stators_own_flags(start):
    container = start(command=["--db-path", "./data", "--control-plane-delay", "600"])
    create_table(container.client())
    assert container.client().describe_table(TableName="Music")["Table"]["TableStatus"] == "CREATING"
    assert "(data in ./data)" in container.logs()


def test_settings_by_environment(start):
    container = start("--env", "STATOR_CONTROL_PLANE_DELAY=600", "--env", "STATOR_HTTP_ROOT=aws",
                      "--env", "STATOR_ISOLATE=none")
    assert container.get("/") == 200
    create_table(container.client())
    assert container.client().describe_table(TableName="Music")["Table"]["TableStatus"] == "CREATING"
    assert container.client("eu-west-1", "another").list_tables()["TableNames"] == ["Music"]


def test_a_mistake_ends_it_and_says_why(create):
    container = create(command=[*JAR, "-sharedDB"]).start()
    assert container.wait_for_end() != 0
    assert "Unrecognized option: -sharedDB" in container.logs()


def test_memory_and_folder_at_once(create):
    container = create(command=[*JAR, "-inMemory", "-dbPath", "./data"]).start()
    assert container.wait_for_end() != 0
    assert "dbPath and inMemory cannot be set at the same time." in container.logs()


# As found in public compose files and pipelines for the other image.
HEALTH_CHECKS = [
    "curl http://localhost:8000 || exit 1",
    "curl -s http://localhost:8000/shell || exit 1",
    """[ "$(curl -s -o /dev/null -I -w '%{http_code}' http://localhost:8000)" == "400" ]""",
    """if [ "$(curl -s -o /dev/null -I -w '%{http_code}' http://localhost:8000)" == "400" ]; """
    "then exit 0; else exit 1; fi",
    "curl -sS --retry 3 --retry-connrefused --max-time 5 -o /dev/null http://127.0.0.1:8000/",
    "curl --fail --silent --show-error http://localhost:8000/healthz",
    "wget -q -O /dev/null http://localhost:8000/healthz",
    # How Java's testcontainers look whether the port listens (1F40 is 8000).
    "cat /proc/net/tcp* | awk '{print $2}' | grep -i ':0*1f40'",
    "stator health",
]


@pytest.mark.parametrize("check", HEALTH_CHECKS)
def test_health_checks_in_use(start, check):
    container = start()
    done = container.run("/bin/sh", "-c", check)
    assert done.returncode == 0, done


@pytest.mark.parametrize("check", [check for check in HEALTH_CHECKS if "/shell" not in check])
def test_health_checks_notice_that_nothing_listens(start, check):
    container = start(command=[*JAR, "-port", "8001", "-inMemory"], port=8001)
    done = container.run("/bin/sh", "-c", check)
    # `stator health` finds the server at its port.
    assert (done.returncode == 0) == (check == "stator health"), done


def test_curl_refuses_a_bad_status_and_what_it_does_not_know(start):
    container = start()
    failed = container.run("curl", "-f", "http://localhost:8000/")
    assert (failed.returncode, failed.stdout) == (22, "")
    assert "400" in failed.stderr
    body = container.run("curl", "-s", "http://localhost:8000/")
    assert "MissingAuthenticationTokenException" in body.stdout
    head = container.run("curl", "-sI", "http://localhost:8000/healthz")
    assert head.stdout.startswith("HTTP/1.1 200 OK")
    refused = container.run("curl", "--socks5", "x", "http://localhost:8000")
    assert refused.returncode == 2
    nobody = container.run("curl", "-s", "-S", "http://localhost:1/")
    assert nobody.returncode == 7
    assert "Failed to connect" in nobody.stderr


@pytest.mark.parametrize("command, port", [
    ([], 8000), ([*JAR, "-inMemory", "-port", "9000"], 9000), (["--port", "9001"], 9001)])
def test_own_health_check(start, command, port):
    container = start(command=command, port=port)
    assert podman("healthcheck", "run", container.name, check=False).returncode == 0
    podman("pause", container.name)
    paused = podman("run", "--rm", "--network", f"container:{container.name}", "--entrypoint", "stator",
                    IMAGE, "health", "--port", port, "--timeout", "0.2", check=False)
    assert paused.returncode == 1 and "no answer within 200 ms" in paused.stderr, paused
    podman("unpause", container.name)
