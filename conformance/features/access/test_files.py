"""The access file: what is refused, how it is read again, and that its secrets stay in it."""

import os
import signal

import pytest

from guarded import ROOT, TOKEN, allow, directory, key_of, user
from server_process import run_to_end


def start_of(tmp_path, content, *flags, mode=0o600):
    path = tmp_path / "access.json"
    path.write_text(content)
    os.chmod(path, mode)
    return run_to_end("--auth", "iam", "--access-file", path, "--port", "0", *flags)


@pytest.mark.parametrize("content, words", [
    ('{"version":1,\n "principals":[\n {]}', "line 3: this is not JSON"),
    ('{"version":2}', "version: is not 1"),
    ('{"version":1,"principal":[]}', "principal: there is no such member"),
    ('{"version":1,"principals":[{"arn":"arn:aws:iam::1:user/x"}]}', "principals[0].arn: is not that of a user"),
    ('{"version":1,"principals":[{"arn":"arn:aws:iam::111122223333:user/x","policies":[{"Version":"2012-10-17",'
     '"Statement":[{"Effect":"allow","Action":"*","Resource":"*"}]}]}]}', "principals[0].policies[0]"),
    ('{"version":1,"principals":[{"arn":"arn:aws:iam::111122223333:user/x","groups":["none"]}]}',
     "principals[0].groups[0]: there is no such group")])
def test_what_is_wrong_is_named(tmp_path, content, words):
    ended = start_of(tmp_path, content)
    assert ended.returncode == 1
    assert words in ended.stderr
    checked = run_to_end("access", "check", tmp_path / "access.json", "--principal", "p", "--action", "a",
                         "--resource", "r")
    assert checked.returncode == 2
    assert words in checked.stderr


def test_a_file_that_others_may_read(tmp_path, start):
    ended = start_of(tmp_path, '{"version":1}', mode=0o644)
    assert ended.returncode == 1
    assert "others may read its secrets" in ended.stderr
    start("--auth", "iam", "--access-file", tmp_path / "access.json", "--access-file-insecure")


@pytest.mark.parametrize("flags", [["--auth", "iam"], ["--access-file", "x"], ["--auth", "maybe"]])
def test_flags_that_do_not_fit(flags):
    assert run_to_end(*flags).returncode != 0


def test_a_new_file_counts_at_once(guard, refused):
    guarded = guard(directory(user("dev", allow("ListTables")), user("leaving", allow("*"))))
    dev, leaving = guarded.user("dev"), guarded.user("leaving")
    assert leaving.list_tables()
    keys = guarded.user("leaving", service="sts").get_session_token()["Credentials"]
    assert guarded.client(keys).list_tables()
    answer = guarded.reload(directory(user("dev", allow(["ListTables", "DescribeLimits"]))))
    assert answer.json() == {"principals": 2, "warnings": []}
    assert dev.describe_limits()
    refused("UnrecognizedClientException", leaving.list_tables)
    refused("UnrecognizedClientException", guarded.client(keys).list_tables)


def test_a_bad_file_leaves_the_old_one_in_force(guard):
    guarded = guard(directory(user("dev", allow("ListTables"))))
    answer = guarded.reload('{"version":1,"principals":[7]}')
    assert answer.status == 400
    assert "principals[0]: is not an object" in answer.json()["error"]
    assert guarded.user("dev").list_tables()


def test_a_new_secret_of_the_same_key(guard, refused):
    guarded = guard(directory(user("dev", allow("ListTables"))))
    dev = guarded.user("dev")
    assert dev.list_tables()
    changed = user("dev", allow("ListTables"))
    changed["keys"] = [{"id": key_of("dev")["id"], "secret": "another-secret"}]
    guarded.reload(directory(changed))
    refused("InvalidSignatureException", dev.list_tables)
    assert guarded.client(changed["keys"][0]).list_tables()


def test_a_signal_reads_it_again(guard):
    guarded = guard(directory(user("dev")))
    guarded.write(directory(user("dev", allow("ListTables"))))
    guarded.server.signal(signal.SIGHUP)
    guarded.server.wait_for_log("the access file is read again")
    assert guarded.user("dev").list_tables()


def test_keys_that_no_request_has_are_warned_of(guard):
    odd = allow("ListTables", condition={"StringEqualsIfExists": {"aws:PrincipalOrgID": "o-1"}})
    guarded = guard(directory(user("dev", odd)))
    guarded.server.wait_for_log("no request has the condition key aws:principalorgid")


def test_secrets_are_in_no_output(guard):
    secrets = [ROOT["secret"], key_of("dev")["secret"]]
    guarded = guard(directory(user("dev", allow("ListTables"))), "--log-level", "trace")
    keys = guarded.user("dev", service="sts").get_session_token()["Credentials"]
    secrets += [keys["SecretAccessKey"], keys["SessionToken"]]
    guarded.client(keys).list_tables()
    with pytest.raises(Exception):
        guarded.client({"id": ROOT["id"], "secret": "x"}).list_tables()
    shown = [guarded.server.log()]
    for path in ("info", "requests", "access/report", "tables", "capacity", "marks", "faults"):
        shown.append(guarded.send(path).body.decode())
    guarded.server.stop()
    shown.append(guarded.server.log() + guarded.server.stdout_text.decode())
    for text in shown:
        assert not [secret for secret in secrets if secret in text]


def test_the_admin_path_needs_the_token(guard):
    guarded = guard(directory())
    for path in ("info", "requests", "tables", "clock", "access/report", "../metrics", "nothing"):
        assert guarded.send(path, token=None).status == 401, path
        assert guarded.send(path, token="wrong").status == 401, path
    assert guarded.send("info").status == 200
    assert b"App" not in guarded.send("nothing", token=None).body
    assert TOKEN not in guarded.server.log()


def test_the_token_serves_the_console(guard):
    from raw_client import Connection, request
    guarded = guard(directory())
    with Connection(guarded.server) as connection:
        assert connection.exchange(request("ListTables", headers={"x-stator-token": TOKEN})).status == 200
        assert connection.exchange(request("ListTables")).status == 400


def test_a_seed_is_loaded(guard, tmp_path):
    folder = tmp_path / "seed"
    folder.mkdir()
    (folder / "App.table.json").write_text(
        '{"TableName":"App","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}],'
        '"AttributeDefinitions":[{"AttributeName":"pk","AttributeType":"S"}]}')
    guarded = guard(directory(), "--seed", folder)
    assert guarded.client().list_tables()["TableNames"] == ["App"]
