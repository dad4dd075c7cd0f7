"""HTTPS with a certificate of the user's or one that the server makes itself."""

import shutil
import ssl
import subprocess

import pytest

from client import Client
from raw_client import Closed, Connection, request
from server_process import STOP_DEADLINE_S, given_endpoint, run_to_end, wait_until

pytestmark = pytest.mark.skipif(given_endpoint() is not None, reason="STATOR_ENDPOINT is set")


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """(certificate file, key file) for localhost, made by the openssl command."""
    if not shutil.which("openssl"):
        pytest.skip("the openssl command is missing")
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
         "-nodes", "-keyout", str(key), "-out", str(cert), "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True, capture_output=True)
    return cert, key


def trusting(pem):
    """A client context that trusts exactly this certificate and checks the host name."""
    return ssl.create_default_context(cadata=pem)


def assert_serves(server, tls):
    with Connection(server, tls=tls) as connection:
        for _ in range(3):
            assert connection.call("ListTables").json() == {"TableNames": []}
        item = {"pk": {"S": "a"}, "v": {"S": "x" * 300_000}}
        Client(server).create_table("secret")
        assert connection.call("PutItem", {"TableName": "secret", "Item": item}).json() == {}
        got = connection.call("GetItem", {"TableName": "secret", "Key": {"pk": {"S": "a"}}})
        assert got.json() == {"Item": item}


def test_given_certificate(start, certificate):
    cert, key = certificate
    server = start("--tls-cert", cert, "--tls-key", key)
    assert server.endpoint == f"https://127.0.0.1:{server.port}"
    assert_serves(server, trusting(cert.read_text()))
    assert ssl.get_server_certificate(("127.0.0.1", server.port)).split() == cert.read_text().split()
    assert server.stop() == 0


def test_self_signed(start):
    server = start("--tls", "self-signed")
    assert server.scheme == "https"
    pem = ssl.get_server_certificate(("127.0.0.1", server.port))
    assert_serves(server, trusting(pem))
    with Connection(server, tls=trusting(pem), server_name="127.0.0.1") as connection:
        assert connection.call("DescribeLimits").status == 200


def test_self_signed_certificates_differ(start):
    seen = {ssl.get_server_certificate(("127.0.0.1", start("--tls", "self-signed").port))
            for _ in range(2)}
    assert len(seen) == 2


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1")
def test_old_protocol_versions_are_refused(start):
    server = start("--tls", "self-signed")
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname, old.verify_mode = False, ssl.CERT_NONE
    old.set_ciphers("ALL:@SECLEVEL=0")
    old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1
    with pytest.raises((ssl.SSLError, ConnectionResetError)):
        Connection(server, tls=old)
    assert Client(server).table_names() == []


def test_plain_http_on_the_tls_port_is_refused(start):
    server = start("--tls", "self-signed")
    plain = type("Plain", (), {"host": server.host, "port": server.port, "scheme": "http"})
    for data in (request("ListTables"), request("PutItem", b"x" * 100_000),
                 request(None, b"", {}, "GET", "/healthz"), request(None, b"", {}, "HEAD")):
        with Connection(plain) as connection:
            connection.send_as_far_as_taken(data)
            answer = connection.receive()
            assert (answer.status, answer.body) == (400, b"this port speaks https\n")
            assert answer.get("Connection") == "close"
    assert Client(server).table_names() == []
    assert server.stop() == 0
    assert server.log().count("speaks https") == 1


def subject_of(pem, *fields):
    return subprocess.run(["openssl", "x509", "-noout", *fields], input=pem, text=True, check=True,
                          capture_output=True).stdout


def test_the_self_signed_certificate_for_clients(start, tmp_path):
    """It is written before the server listens, is no authority, and is trusted as it stands."""
    file = tmp_path / "cert.pem"
    file.write_text("from before")
    server = start("--tls", "self-signed", "--tls-cert-out", file)
    pem = file.read_text()
    assert ssl.get_server_certificate(("127.0.0.1", server.port)).split() == pem.split()
    assert "PRIVATE" not in pem and list(tmp_path.iterdir()) == [file]
    strict = trusting(pem)
    strict.verify_flags |= ssl.VERIFY_X509_STRICT  # the default of newer Pythons
    for context in (trusting(pem), strict):
        with Connection(server, tls=context, server_name="127.0.0.1") as connection:
            assert connection.call("ListTables").status == 200
    if shutil.which("openssl"):
        told = subject_of(pem, "-ext", "basicConstraints,keyUsage,extendedKeyUsage")
        assert "CA:FALSE" in told and "TLS Web Server Authentication" in told
        assert "Certificate Sign" not in told
    if shutil.which("curl"):
        for host in ("localhost", "127.0.0.1"):
            got = subprocess.run(["curl", "-sS", "--cacert", str(file), f"https://{host}:{server.port}/healthz"],
                                 capture_output=True, text=True, timeout=STOP_DEADLINE_S)
            assert (got.returncode, got.stdout) == (0, "ok\n"), got


def test_boto3_trusts_the_certificate_written(start, tmp_path, monkeypatch):
    boto3 = pytest.importorskip("boto3")
    file = tmp_path / "cert.pem"
    server = start("--tls", "self-signed", "--tls-cert-out", file)
    monkeypatch.setenv("AWS_CA_BUNDLE", str(file))
    client = boto3.client("dynamodb", endpoint_url=f"https://localhost:{server.port}")
    assert client.list_tables()["TableNames"] == []


def test_a_certificate_that_cannot_be_written_ends_the_start(tmp_path):
    file = tmp_path / "none" / "cert.pem"
    result = run_to_end("--tls", "self-signed", "--tls-cert-out", file, "--port", "0")
    assert result.returncode == 1
    assert f"cannot write the certificate {file}: No such file or directory" in result.stderr


def test_a_key_that_everybody_can_read_is_warned_of(start, certificate, tmp_path):
    cert, key = certificate
    open_key = tmp_path / "key.pem"
    shutil.copy(key, open_key)
    for mode, count in ((0o600, 0), (0o640, 0), (0o644, 1)):
        open_key.chmod(mode)
        server = start("--tls-cert", cert, "--tls-key", open_key)
        assert server.stop() == 0
        assert server.log().count("is open to every user of this machine") == count


def test_a_handshake_that_stops_is_closed(start):
    server = start("--tls", "self-signed", "--idle-timeout", "0.3", "--request-timeout", "0.5")
    plain = type("Plain", (), {"host": server.host, "port": server.port, "scheme": "http"})
    for beginning in (b"", b"\x16\x03\x01\x02\x00\x01"):
        with Connection(plain) as connection:
            connection.send(beginning)
            connection.wait_closed()

    def is_answered():
        try:
            return Client(server).table_names() == []
        except (Closed, OSError):  # so impatient a server may close a client that is slow by chance
            return False

    wait_until(is_answered, what="an answer")


def test_key_of_another_certificate_is_refused(start, certificate, tmp_path):
    cert, _ = certificate
    other = tmp_path / "other.pem"
    subprocess.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-out", str(other)], check=True, capture_output=True)
    result = run_to_end("--tls-cert", cert, "--tls-key", other, "--port", "0")
    assert result.returncode > 0
    assert len([line for line in result.stderr.splitlines() if line.strip()]) == 1


def test_a_file_that_is_no_certificate_is_refused(certificate, tmp_path):
    junk = tmp_path / "junk.pem"
    junk.write_text("nothing")
    result = run_to_end("--tls-cert", junk, "--tls-key", certificate[1], "--port", "0")
    assert result.returncode > 0
    assert str(junk) in result.stderr
    assert len([line for line in result.stderr.splitlines() if line.strip()]) == 1
