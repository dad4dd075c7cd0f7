"""What may differ between two right answers is taken out: request ids, dates, identities made at
random. Everything else is compared byte for byte."""

import json
import re
import zlib

NUMBER = rb"-?[0-9]+(?:\.[0-9]+)?(?:E[+-]?[0-9]+)?"
# Members of descriptions. Item data cannot look like this: an attribute's value is an object.
VARYING = (
    (re.compile(rb'"((?:Table|Index)Id|LatestStreamLabel|LatestStreamArn|Address)":"[^"]*"'), rb'"\1":"?"'),
    (re.compile(rb'"(\w*DateTime|\w*Date)":' + NUMBER), rb'"\1":0'),
    (re.compile(rb"arn:aws[\w-]*:kms:[a-z0-9-]+:[0-9]{12}:key/[0-9a-f-]{36}"), b"arn:aws:kms:?"),
    (re.compile(rb"arn:aws[\w-]*:dynamodb:[a-z0-9-]+:[0-9]{12}:"), rb"arn:aws:dynamodb:us-east-1:000000000000:"),
)
COUNTS = (re.compile(rb'"(ItemCount|TableSizeBytes|IndexSizeBytes)":[0-9]+'), rb'"\1":0')
OWN_HEADERS = {"date", "x-amzn-requestid", "x-amz-crc32", "content-length", "content-encoding", "vary"}


class Normaliser:
    """`any_order`: lists whose order the service leaves open are sorted. `counts`: whether counts and
    sizes of tables are compared. `headers`: whether all header fields are, not the content type only."""

    def __init__(self, any_order=False, counts=True, headers=True):
        self.any_order, self.headers = any_order, headers
        self.patterns = VARYING if counts else (*VARYING, COUNTS)

    def body(self, answer):
        body = answer.body
        for pattern, replacement in self.patterns:
            body = pattern.sub(replacement, body)
        return sorted_lists(body) if self.any_order else body

    def fields(self, answer):
        """Header fields that have to be the same."""
        fields = [(name.lower(), value) for name, value in answer.headers if name.lower() not in OWN_HEADERS]
        return fields if self.headers else [field for field in fields if field[0] == "content-type"]

    def same(self, left, right):
        if left.status != right.status or self.fields(left) != self.fields(right):
            return False
        return left.body == right.body or self.body(left) == self.body(right)


def sorted_lists(body):
    try:
        tree = json.loads(body)
    except ValueError:
        return body
    if not isinstance(tree, dict):
        return body
    lists = [(tree, name) for name in ("Items", "TableNames")]
    lists += [(tree.get("Responses") or {}, name) for name in tree.get("Responses") or {}]
    for holder, name in lists:
        if isinstance(holder, dict) and isinstance(holder.get(name), list):
            holder[name].sort(key=lambda entry: json.dumps(entry, sort_keys=True))
    return json.dumps(tree, sort_keys=True).encode()


def unpacked(answer):
    """Checks the CRC-32 of an answer, which is of the bytes sent, and undoes its compression. Returns
    what was wrong with them, or None."""
    wrong, packed = None, answer.body
    crc = answer.get("x-amz-crc32")
    if crc is not None and int(crc) != zlib.crc32(packed):
        wrong = f"x-amz-crc32 {crc} does not fit the body"
    coding = answer.get("Content-Encoding")
    if coding == "gzip":
        answer.body = zlib.decompress(packed, 31)
    elif coding == "deflate":
        answer.body = zlib.decompress(packed)
    elif coding:
        wrong = f"Content-Encoding {coding}"
    return wrong
