"""The requests of tests/cases as material: what the service is known to refuse, as it is or broken
further. Their tables become tables of the session."""

import case_file

# What the session knows by itself; cases of other operations are left to raw_http.
OPERATIONS = {"BatchGetItem", "BatchWriteItem", "CreateTable", "DeleteItem", "DescribeTable", "GetItem",
              "ListTables", "ListTagsOfResource", "PutItem", "Query", "Scan", "TagResource", "UntagResource",
              "TransactGetItems", "TransactWriteItems", "UpdateItem", "UpdateTable"}


def load():
    """(CreateTable requests of the fixtures, [(operation, request)])."""
    fixtures, cases = case_file.load()
    requests = [(case["operation"], case["request"]) for case in cases
                if case["operation"] in OPERATIONS and "request" in case]
    return list(fixtures.values()), requests
