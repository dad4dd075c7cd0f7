"""With a STATOR_ENDPOINT that is none. ../../test_where.py reads what it says."""

from stator import Stator


def test_no_client(dynamodb):
    pass


def test_no_settings(database):
    pass


def test_no_server():
    Stator().new_database()


def test_no_filled_database(seeded):
    pass
