"""An application that makes its clients when it is called, without `stator_env`. ../../test_application.py runs it."""

import os
import sys

import boto3
import pytest


@pytest.mark.parametrize("name", ["one", "two"])
def test_each_has_an_empty_database(stator_environment, name):
    sys.modules.pop("orders", None)
    import orders

    orders.create_table()
    orders.place(name)
    assert orders.count() == 1 and orders.has_stream()


def test_the_environment_is_as_it_was():
    assert os.environ["AWS_PROFILE"] == "mine" and "AWS_ENDPOINT_URL_DYNAMODB" not in os.environ
    assert boto3.DEFAULT_SESSION is None
