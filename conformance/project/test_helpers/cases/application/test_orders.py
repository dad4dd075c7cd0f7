"""Copied as two files. ../../test_application.py runs it."""

import os

import orders


def expect_stator():
    assert not {"AWS_PROFILE", "AWS_SESSION_TOKEN"} & os.environ.keys()
    orders.create_table()
    orders.place("one")
    assert orders.count() == 1 and orders.has_stream()


def test_the_application_calls_stator(stator_environment):
    expect_stator()


def test_and_finds_an_empty_database_again(stator_environment):
    expect_stator()
