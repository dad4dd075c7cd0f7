"""Authentication errors that need no key store: completeness and form (conformance/observed/wire.md 5)."""

import pytest

from raw_client import AMZ_DATE, authorization, request

SCOPE = "key/20260101/us-east-1/dynamodb/aws4_request"
NAMES = {"X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Credential": SCOPE.replace("/", "%2F"),
         "X-Amz-Signature": "00", "X-Amz-SignedHeaders": "host", "X-Amz-Date": AMZ_DATE}


def header(text, date=AMZ_DATE):
    return request("ListTables", b"{}", {"Authorization": text, "X-Amz-Date": date})


def query(names, headers=None):
    path = "/?" + "&".join(f"{name}={NAMES[name]}" for name in names)
    unsigned = {"Authorization": None, "X-Amz-Date": None}
    return request("ListTables", b"{}", {**unsigned, **(headers or {})}, path=path)


def signed(algorithm="AWS4-HMAC-SHA256", credential=SCOPE, signed_headers="host"):
    return f"{algorithm} Credential={credential}, SignedHeaders={signed_headers}, Signature=00"


def test_complete_header_passes(connection):
    assert connection.exchange(header(authorization())).status == 200


def test_parts_may_be_joined_by_bare_commas(connection):
    assert connection.exchange(header(authorization().replace(", ", ","))).status == 200


def test_date_header_instead_of_x_amz_date(connection):
    data = request("ListTables", b"{}", {"X-Amz-Date": None, "Date": AMZ_DATE})
    assert connection.exchange(data).status == 200


def test_complete_query_passes(connection):
    assert connection.exchange(query(NAMES)).status == 200


@pytest.mark.parametrize("text", [None, "", "Bearer abc", "AWS3-HTTPS key", "aws4-hmac-sha256 x", "AWS key:sig"])
def test_missing_token(connection, text):
    expected = (400, "MissingAuthenticationTokenException", "Request is missing Authentication Token")
    answer = connection.exchange(header(text))
    assert answer.error() == expected
    assert answer.json()["__type"] == "com.amazon.coral.service#MissingAuthenticationTokenException"
    assert set(answer.json()) == {"__type", "message"}


def test_header_and_query_together(connection):
    answer = connection.exchange(query(["X-Amz-Algorithm"], {"Authorization": authorization()}))
    assert answer.error() == (
        400, "InvalidSignatureException",
        "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP header.")


CREDENTIAL = "Authorization header requires 'Credential' parameter. "
SIGNATURE = "Authorization header requires 'Signature' parameter. "
HEADERS = "Authorization header requires 'SignedHeaders' parameter. "
DATE = ("Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. ")


@pytest.mark.parametrize(
    "text, date, sentences",
    [
        ("AWS4-HMAC-SHA256", AMZ_DATE, CREDENTIAL + SIGNATURE + HEADERS),
        ("AWS4-HMAC-SHA256", None, CREDENTIAL + SIGNATURE + HEADERS + DATE),
        ("AWS4-HMAC-SHA256 Signature=00", AMZ_DATE, CREDENTIAL + HEADERS),
        ("AWS4-HMAC-SHA256 SignedHeaders=host", AMZ_DATE, CREDENTIAL + SIGNATURE),
        (f"AWS4-HMAC-SHA256 Credential={SCOPE}, SignedHeaders=host", AMZ_DATE, SIGNATURE),
        (f"AWS4-HMAC-SHA256 Credential={SCOPE}, Signature=00", None, HEADERS + DATE),
        (signed(), None, DATE),
    ],
    ids=["nothing", "nothing-no-date", "signature", "signed-headers", "no-signature",
         "no-signed-headers-no-date", "no-date"],
)
def test_incomplete_header(connection, text, date, sentences):
    expected = (400, "IncompleteSignatureException", f"{sentences}Authorization={text}")
    assert connection.exchange(header(text, date)).error() == expected


@pytest.mark.parametrize(
    "text, part",
    [
        (signed(credential=SCOPE.replace("key/", "key /")), SCOPE.removeprefix("key")),
        (signed(credential=" " + SCOPE), SCOPE),
        ("AWS4-HMAC-SHA256 key, host", "key"),
    ],
    ids=["blank-behind-key", "blank-before-key", "no-names"],
)
def test_part_without_an_equals_sign(connection, text, part):
    assert connection.exchange(header(text)).error() == (
        400, "IncompleteSignatureException",
        f"'{part}' not a valid key=value pair (missing equal-sign) in Authorization header: '{text}'.")


@pytest.mark.parametrize("absent", [[n] for n in list(NAMES)[1:]] + [list(NAMES)[1:], list(NAMES)[2:4]])
def test_incomplete_query(connection, absent):
    present = [name for name in NAMES if name not in absent]
    sentences = "".join(f"AWS query-string parameters must include '{name}'. " for name in absent)
    assert connection.exchange(query(present)).error() == (
        400, "IncompleteSignatureException", sentences + "Re-examine the query-string parameters.")


FORM = [
    ("date", header(signed(), "201"), "IncompleteSignatureException",
     "Date must be in ISO-8601 'basic format'. Got '201'. See http://en.wikipedia.org/wiki/ISO_8601"),
    ("date-extended", header(signed(), "2026-01-01T00:00:00Z"), "IncompleteSignatureException",
     "Date must be in ISO-8601 'basic format'. Got '2026-01-01T00:00:00Z'. "
     "See http://en.wikipedia.org/wiki/ISO_8601"),
    ("host", header(signed(signed_headers="content-type;x-amz-date")), "InvalidSignatureException",
     "'Host' must be a 'SignedHeader' in the AWS Authorization."),
    ("algorithm", header(signed(algorithm="AWS4-HMAC-MD5")), "IncompleteSignatureException",
     "Unsupported AWS 'algorithm': 'AWS4-HMAC-MD5' (only AWS4-HMAC-SHA256 for now). "),
    ("four-parts", header(signed(credential="a/b/c/d")), "IncompleteSignatureException",
     "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, "
     "got 'a/b/c/d'"),
    ("service", header(signed(credential=SCOPE.replace("dynamodb", "s3"))), "InvalidSignatureException",
     "Credential should be scoped to correct service: 'dynamodb'. "),
    ("terminator", header(signed(credential=SCOPE.replace("aws4_request", "e"))),
     "InvalidSignatureException",
     "Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. "),
    ("scope-date", header(signed(credential=SCOPE.replace("20260101", "b"))), "InvalidSignatureException",
     "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
     f"'b' != '20260101', from '{AMZ_DATE}'."),
    ("scope-no-key", header(signed(credential=SCOPE.replace("key/", "/", 1))), "UnrecognizedClientException",
     "The security token included in the request is invalid."),
    ("scope-all", header(signed(credential="key/b/us-east-1/d/e")), "InvalidSignatureException",
     "Credential should be scoped to correct service: 'dynamodb'. "
     "Credential should be scoped with a valid terminator: 'aws4_request', not 'e'. "
     "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: "
     f"'b' != '20260101', from '{AMZ_DATE}'."),
]


@pytest.mark.parametrize("name, data, error, message", FORM, ids=[row[0] for row in FORM])
def test_form_of_a_complete_signature(connection, name, data, error, message):
    status, got_error, got_message = connection.exchange(data).error()
    assert (status, got_error, got_message.rstrip()) == (400, error, message.rstrip())
