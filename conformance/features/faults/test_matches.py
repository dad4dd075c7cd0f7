"""Rules that look at the head of a request, and at the consistency of a read."""

import json

from boto3_fixtures import make_client
from raw_client import Connection, request


def statuses(server, *headers):
    """Of ListTables with each of these headers, on one connection."""
    with Connection(server) as connection:
        return [connection.exchange(request("ListTables", {}, header)).status for header in headers]


def test_a_header_chooses_the_requests(server, faults):
    with Connection(server) as early:  # begins before there is a rule for headers
        assert early.exchange(request("ListTables", {}, {"x-test": "7"})).status == 200
        faults.add("ListTables", match={"header": {"X-Test": "7*"}}, error="InternalServerError")
        assert early.exchange(request("ListTables", {}, {"x-test": "7"})).status == 500
    assert statuses(server, {"x-test": "7"}, {"X-TEST": "71"}, {"x-test": "8"}, {"x-tests": "7"}, {}) == [
        500, 500, 200, 200, 200]
    assert faults.of()["matched"] == 3
    faults.clear()
    assert statuses(server, {"x-test": "7"}) == [200]


def test_a_user_agent_chooses_the_requests(server, faults, table):
    faults.add("ListTables", match={"user_agent": "Boto3/*"}, error={"type": "InternalServerError", "status": 503})
    assert statuses(server, {"User-Agent": "other/1"}, {}) == [200, 200]
    client = make_client(server.endpoint, retries={"total_max_attempts": 2})
    try:
        client.list_tables()
    except client.exceptions.InternalServerError:
        pass
    assert faults.of()["fired"] == 2


def test_the_consistency_of_a_read_chooses_it(server, faults, table):
    client = make_client(server.endpoint, retries={"total_max_attempts": 1})
    client.put_item(TableName=table, Item={"pk": {"S": "a"}})

    def fails(call, **members):
        try:
            getattr(client, call)(**members)
        except client.exceptions.InternalServerError:
            return True
        return False

    key = {"TableName": table, "Key": {"pk": {"S": "a"}}}
    batch = {table: {"Keys": [key["Key"]], "ConsistentRead": True}}
    for consistent in (True, False):
        faults.add(None, match={"consistent": consistent}, error="InternalServerError")
        assert fails("get_item", **key, ConsistentRead=True) is consistent
        assert fails("get_item", **key) is not consistent
        assert fails("scan", TableName=table, ConsistentRead=True) is consistent
        assert fails("batch_get_item", RequestItems=batch) is consistent
        assert fails("transact_get_items", TransactItems=[{"Get": key}]) is consistent
        assert not fails("put_item", TableName=table, Item=key["Key"])
        assert not fails("list_tables")


def test_a_proxy_answers_instead(server, faults, table):
    faults.add("PutItem", {"times": 1}, http={"status": 502, "body": "<html>bad gateway</html>", "headers": {
        "Content-Type": "text/html", "Via": "1.1 proxy"}})
    body = {"TableName": table, "Item": {"pk": {"S": "proxy"}}}
    with Connection(server) as connection:
        answer = connection.exchange(request("PutItem", body))
        assert (answer.status, answer.body) == (502, b"<html>bad gateway</html>")
        assert (answer.get("Via"), answer.get("Content-Type")) == ("1.1 proxy", "text/html")
        assert answer.get("x-amzn-RequestId") is None and answer.get("x-amz-crc32") is None
        assert answer.get("x-stator-fault") == "rule=r; n=1"
        assert connection.exchange(request("GetItem", {"TableName": table, "Key": body["Item"]})).json() == {}
    seen = [one for one in faults.admin.ok("requests?show=all")["requests"] if "fault" in one][0]
    assert (seen["status"], seen["fault"]["effect"], seen["fault"]["committed"]) == (502, "http", False)
    faults.add("PutItem", {"times": 1}, http={"status": 503})
    client = make_client(server.endpoint, retries={"mode": "standard", "max_attempts": 2})
    client.put_item(TableName=table, Item=body["Item"])  # an SDK tries again
    assert faults.of()["fired"] == 1


def test_a_proxy_answers_before_a_request_is_read(server, faults):
    rule = {"name": "r", "stage": "arrival", "match": {"operation": "PutItem", "header": {"x-test": "7"}},
            "effect": {"http": {"status": 503}}}
    faults.admin.ok("faults", rule)
    with Connection(server) as connection:
        assert connection.exchange(request("PutItem", {"TableName": 1}, {"x-test": "7"})).status == 503
        assert connection.exchange(request("PutItem", {"TableName": 1})).status == 400


def test_a_server_has_256_rules(faults):
    rules = [{"name": f"r{i}", "match": {"operation": "Scan"}, "effect": {"error": "InternalServerError"}}
             for i in range(257)]
    assert faults.refused({"rules": rules}) == "there are to be 1 to 256 rules"
    assert len(faults.admin.ok("faults", {"rules": rules[:256]})["rules"]) == 256
    assert faults.refused(rules[256]) == "there can be 256 rules at most, remove some"
    faults.admin.ok("faults", rules[7])  # takes the place of its namesake
    assert faults.clear() == 256


def test_one_request_has_1_mib_of_rules(faults):
    """Of the rules' texts without spaces and names."""
    def of_size(name, size):
        rule = {"match": {"operation": "Scan"}, "effect": {"http": {"status": 503, "body": ""}}}
        rule["effect"]["http"]["body"] = "x" * (size - len(json.dumps(rule, separators=(",", ":"))))
        return {"name": name, **rule}

    rules = [of_size(f"r{i:02}", 16 * 1024) for i in range(64)]
    assert len(faults.admin.ok("faults", {"rules": rules})["rules"]) == 64
    faults.clear()
    rules[0] = of_size("r00", 16 * 1024 - 100)
    assert faults.refused({"rules": rules + [of_size("more", 101)]}) == "the rules are to have at most 1 MiB together"
    assert faults.admin.ok("faults")["rules"] == []
    faults.admin.ok("faults", {"rules": rules + [of_size("more", 100)]})
    assert faults.clear() == 65
