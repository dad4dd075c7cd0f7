"""A data folder of every format version opens with its content as it was."""

import pytest

import content
from client import Client
from server_process import Server, given_endpoint

pytestmark = pytest.mark.skipif(bool(given_endpoint()), reason="starts servers on folders of its own")


@pytest.mark.parametrize("version", content.versions())
def test_golden_folder(version, tmp_path):
    content.unpack(version, tmp_path)
    wanted = content.expected(version)
    for _ in range(2):  # as migrated, and as that is opened again
        server = Server("--db-path", tmp_path)
        try:
            found = content.content_of(Client(server))
        finally:
            assert server.stop() == 0
        assert sorted(found) == sorted(wanted)
        for name, table in wanted.items():
            assert found[name] == table, name
