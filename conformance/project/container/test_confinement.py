"""With the least that a container may have: a read-only root, no rights, any user."""

import pytest

from conftest import artists, create_table, podman, put
from server_process import wait_until

JAR = ["-jar", "DynamoDBLocal.jar"]
SHARED = [*JAR, "-sharedDb", "-dbPath", "./data"]
CONFINED = ["--read-only", "--read-only-tmpfs=false", "--cap-drop", "all",
            "--security-opt", "no-new-privileges"]


def works(container):
    client = container.client()
    create_table(client)
    put(client, "Nina")
    assert artists(client) == ["Nina"]


@pytest.mark.parametrize("command", [[], SHARED], ids=["memory", "volume"])
@pytest.mark.parametrize("user", [None, "2147480000:0", "65534:65534", "0:0"])
def test_read_only_root_no_rights_any_user(start, command, user):
    container = start(*CONFINED, *(["--user", user] if user else []), command=command)
    works(container)
    assert container.run("touch", "/home/dynamodblocal/file").returncode != 0
    seen = container.run("id", "-u").stdout.strip()
    assert seen == (user or "1000").split(":")[0]


def test_a_random_user_without_a_name_keeps_data_in_the_working_directory(start):
    container = start("--user", "1234567:0", command=[*JAR, "-sharedDb"])
    works(container)


def test_a_bound_folder_of_another_user(create, tmp_path):
    """The classic of the other image: the folder was made by root, and requests hang."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o755)
    container = create("--volume", f"{folder}:/home/dynamodblocal/data", command=SHARED).start()
    assert container.wait_for_end() != 0
    assert "data" in container.logs() and "Permission denied" in container.logs()
    folder.chmod(0o777)
    container.start().wait_until_it_answers()
    works(container)


def test_no_network(create):
    container = create("--network", "none").start()
    wait_until(lambda: container.run("stator", "health").returncode == 0, what="a healthy server")


def test_health_check_finds_the_port_there_too(start):
    container = start(*CONFINED, "--user", "1234567:0", port=9000,
                      command=[*JAR, "-inMemory", "-port", "9000"])
    done = podman("healthcheck", "run", container.name, check=False)
    assert done.returncode == 0, done
    assert container.run("stator", "health").stdout == "http://localhost:9000 is healthy\n"
