# SPDX-License-Identifier: Apache-2.0
"""Fixtures for pytest, there as soon as the package is installed. `dynamodb` needs boto3.

One server runs for all tests, from the first that asks for it. Each test that takes `dynamodb` has an empty
database in it:

    def test_put(dynamodb):                     # a boto3 client
        dynamodb.create_table(...)

`dynamodb_resource` and `dynamodb_streams` see the same tables, and `database` holds their settings, for other clients. A
test that needs flags of its own starts a server for itself:

    def test_slow_tables(start_stator):
        server = start_stator("--control-plane-delay", "2")
        client = boto3.client("dynamodb", **server.new_database())

Such a server's time moves, and what became due has happened when these return:

    server.clock(advance="25h")                 # or set="2027-01-01T00:00:00Z", rate=60, mode="manual"
    server.reset()                              # removes all its tables
    server.mark("seeded")                       # remembers the state of all its databases,
    server.rollback("seeded")                   # and goes back to it, before each test for instance

Tests that begin with filled tables: their module, or its conftest.py, says by a fixture `stator_seed` what fills an
empty database. That is done once for the module, on a server of its own, and before each test that takes `seeded` it
goes back to that state:

    @pytest.fixture(scope="module")
    def stator_seed():
        return fill                             # which is called with a boto3 client

    def test_delete(seeded):                    # a boto3 client of the filled database
        seeded.delete_table(TableName="Albums")

    def test_a_day_later(seeded, seeded_stator):
        seeded_stator.clock(advance="25h")      # the next test finds the time as it was, too

That server has the flags that a fixture `stator_seed_flags` of the module returns, a tuple. A test that fails reports why
its requests did, as `stator explain` says it.

A run that needs more than a policy grants fails, and tells all that is missing:

    def test_orders(limited_stator):
        limits = limited_stator(policy)         # a dict or JSON; a server for the test
        boto3.client("dynamodb", **limits.owner).create_table(...)
        orders.place(boto3.client("dynamodb", **limits.database))

An application that makes a client of its own, `client = boto3.client("dynamodb")`, finds the server by the environment.
With `stator_env = true` in pytest's configuration that holds from before the first import, for one database of the
process; the fixture `stator_environment` empties that for a test. Without, the fixture gives clients that are made
during the test a new database:

    def test_order(stator_environment):
        orders.place(...)                       # calls boto3.client("dynamodb") itself
"""

import contextlib

import pytest

from stator.environment import Environment, refuse_old_botocore
from stator.explain import TITLE, Explainer
from stator.limits import Limits
from stator.server import Stator

_explainer = Explainer()


def pytest_addoption(parser):
    parser.addini("stator_env", "start Stator before anything is imported, as the server of clients that are given no "
                  "settings", type="bool", default=False)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Before the first conftest.py, which may import the application."""
    _begin(early_config)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """For a plug-in that a conftest.py names."""
    _begin(config)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """A test that failed tells why its requests did."""
    report = (yield).get_result()
    explanation = _explainer.explain() if report.failed else ""
    if explanation:
        report.sections.append((TITLE, explanation))


def pytest_runtest_logstart():
    _explainer.begin()


def _begin(config):
    _explainer.install()
    if not config.getini("stator_env") or _of_process(config):
        return
    try:
        refuse_old_botocore()
        server = Stator()
        config._stator = server, Environment(server.new_database())
    except RuntimeError as error:
        raise pytest.UsageError(f"stator_env: {error}") from None


def _of_process(config):
    """Server and environment of `stator_env`, or None."""
    return getattr(config, "_stator", None)


def pytest_unconfigure(config):
    _explainer.uninstall()
    if _of_process(config):
        server, environment = _of_process(config)
        del config._stator
        environment.restore()
        server.stop()


@pytest.fixture(scope="session")
def stator(pytestconfig):
    """The server of the run, a `stator.Stator`; `stator.new_database()` makes further databases."""
    if _of_process(pytestconfig):
        yield _of_process(pytestconfig)[0]
    else:
        with Stator() as server:
            yield server


@pytest.fixture
def stator_environment(stator, pytestconfig):
    """An empty database for clients that the application makes without settings; the settings of one by hand.

    With `stator_env = true` it is the one database of the process, so clients from before the test see it too.
    """
    if _of_process(pytestconfig):
        database = _of_process(pytestconfig)[1].database
        stator.reset(access_key=database["aws_access_key_id"])
        yield database
    else:
        environment = Environment(stator.new_database())
        yield environment.database
        environment.restore()
        _explainer.forget(environment.database["aws_access_key_id"])


@pytest.fixture
def start_stator():
    """Starts servers with flags of their own, start_stator("--gsi-delay", "1"), which stop at the end of the test."""
    with contextlib.ExitStack() as servers:
        def start(*flags):
            server = Stator(*flags)
            servers.callback(server.stop)
            return server

        yield start


@pytest.fixture
def limited_stator():
    """limited_stator(policy, ...): a stator.Limits; the test has an error when it needs more than the policies grant."""
    with contextlib.ExitStack() as limits:
        def start(*policies, **options):
            made = Limits(*policies, **options)
            limits.callback(made.stop)
            return made

        yield start


@pytest.fixture
def database(stator):
    """The settings of clients for an empty database: boto3.client("dynamodb", **database)."""
    made = stator.new_database()
    yield made
    _explainer.forget(made["aws_access_key_id"])


@pytest.fixture
def dynamodb(database):
    """A boto3 client of the empty database of the test."""
    import boto3

    return boto3.client("dynamodb", **database)


@pytest.fixture
def dynamodb_resource(database):
    """A boto3 resource of the empty database of the test."""
    import boto3

    return boto3.resource("dynamodb", **database)


@pytest.fixture
def dynamodb_streams(database):
    """A boto3 client of the streams in the empty database of the test."""
    import boto3

    return boto3.client("dynamodbstreams", **database)


@pytest.fixture(scope="module")
def stator_seed():
    """For a module or conftest.py to define: returns what fills the database of `seeded`, called with a boto3 client."""
    pytest.fail("the fixture `seeded` needs a fixture `stator_seed` that returns what fills its database")


@pytest.fixture(scope="module")
def stator_seed_flags():
    """For a module or conftest.py to define: the flags of `seeded_stator`."""
    return ()


@pytest.fixture(scope="module")
def seeded_stator(stator_seed, stator_seed_flags):
    """The server of `seeded`, for its clock for instance: each test finds it as it was when its database was filled."""
    import boto3

    with Stator(*stator_seed_flags) as server:
        server.seeded_database = server.new_database()
        stator_seed(boto3.client("dynamodb", **server.seeded_database))
        server.mark("seeded")
        yield server


@pytest.fixture
def seeded_database(seeded_stator):
    """The settings of clients for the filled database, which is as it was filled."""
    seeded_stator.rollback("seeded")
    return seeded_stator.seeded_database


@pytest.fixture
def seeded(seeded_database):
    """A boto3 client of the filled database, which is as it was filled."""
    import boto3

    return boto3.client("dynamodb", **seeded_database)
