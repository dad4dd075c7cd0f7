"""A small server of S3 with faults, which checks each signature by botocore: HostileStore(...).fault(step, kind, times) makes the next requests of a step fail.

Steps: head (HeadBucket), put (PutObject), begin, part, complete, abort (of multipart uploads); list (ListObjectsV2),
look (HeadObject), get (GetObject, in ranges).
"""

import hashlib
import socket
import ssl
import struct
import subprocess
import threading
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

KEYS = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]
ALWAYS = 10 ** 9
DENIED = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message><RequestId>R1</RequestId></Error>"


def error(code):
    return f"<Error><Code>{code}</Code><Message>Not now: {code}.</Message></Error>".encode()


class HostileStore:
    def __init__(self, certificate=None):
        self.objects = {}  # (bucket, key) -> bytes
        self.uploads = {}  # id -> {number: bytes}
        self.requests = []  # (step, head) of each
        self.faults = {}  # step -> [kind, times left, requests that pass before]
        self.arrived = threading.Event()  # a request that hangs
        self.released = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.tls = None
        if certificate:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(*certificate)
        scheme = "https" if certificate else "http"
        self.endpoint = f"{scheme}://127.0.0.1:{self.listener.getsockname()[1]}"
        self.environment = {"AWS_ACCESS_KEY_ID": "AKIDHOSTILE", "AWS_SECRET_ACCESS_KEY": "secret-of-the-test",
                            "AWS_SESSION_TOKEN": "token-of-the-test"}
        threading.Thread(target=self.accept, daemon=True).start()

    def stop(self):
        self.released.set()
        self.listener.close()

    def fault(self, step, kind, times=ALWAYS, after=0):
        self.faults[step] = [kind, times, after]

    def take_fault(self, step):
        kind, left, before = self.faults.get(step, (None, 0, 0))
        if left == 0:
            return None
        if before > 0:
            self.faults[step][2] = before - 1
            return None
        self.faults[step][1] = left - 1
        return kind

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        try:
            if self.tls:
                connection = self.tls.wrap_socket(connection, server_side=True)
            with connection, connection.makefile("rb") as incoming:
                while self.exchange(connection, incoming):
                    pass
        except OSError:
            pass

    def exchange(self, connection, incoming):
        """Whether the connection stays."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = incoming.readline()
            if not line:
                return False
            head += line
        lines = head.decode().splitlines()
        method, target, _ = lines[0].split(" ")
        fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:] if line)}
        body = incoming.read(int(fields.get("content-length", "0")))
        url = urlsplit(target)
        bucket, _, key = unquote(url.path)[1:].partition("/")
        query = dict(parse_qsl(url.query, keep_blank_values=True))
        step = step_of(method, key, query)
        self.requests.append((step, head))
        if not self.is_signed(method, target, fields, body):
            connection.sendall(response(403, {}, error("SignatureDoesNotMatch"), is_head=method == "HEAD"))
            return True
        kind = self.take_fault(step)
        if kind == "lost":  # it is done, and nothing says so
            self.answer(step, bucket, key, query, body)
            return False
        if kind:
            return self.fail(kind, connection)
        status, answer_fields, answer = self.answer(step, bucket, key, query, body, fields.get("range"))
        connection.sendall(response(status, answer_fields, answer, is_head=method == "HEAD"))
        return True

    def is_signed(self, method, target, fields, body):
        names = fields["authorization"].partition("SignedHeaders=")[2].partition(",")[0].split(";")
        request = AWSRequest(method, self.endpoint + target, {name: fields[name] for name in names}, body)
        request.context["timestamp"] = fields["x-amz-date"]
        signer = S3SigV4Auth(Credentials(*(self.environment[name] for name in KEYS)), "s3", "us-east-1")
        text = signer.string_to_sign(request, signer.canonical_request(request))
        return (fields["authorization"].endswith("Signature=" + signer.signature(text, request))
                and fields["x-amz-content-sha256"] == hashlib.sha256(body).hexdigest())

    def fail(self, kind, connection):
        if kind in ("500", "503", "403"):
            text = {"500": error("InternalError"), "503": error("SlowDown"), "403": DENIED}[kind]
            connection.sendall(response(int(kind), {}, text))
            return False
        if kind == "reset":
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return False
        if kind == "truncate":
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\nETag: \"x\"\r\n\r\n<a>")
            return False
        if kind == "garbage":
            connection.sendall(b"\x15\x03\x01\x00\x02\x02\x16" * 20)
            return False
        if kind == "page":  # of a server that is none of S3
            connection.sendall(response(200, {"Content-Type": "text/html"}, b"<html>Welcome!<br></html>"))
            return False
        if kind == "endless":
            connection.sendall(b"HTTP/1.1 200 OK\r\nETag: \"x\"\r\nTransfer-Encoding: chunked\r\n\r\n")
            block = b"10000\r\n" + b"x" * 65536 + b"\r\n"
            while True:
                connection.sendall(block)
        if kind == "deep":
            connection.sendall(response(200, {}, b"<a>" * 300_000))
            return False
        if kind == "late error":  # as completing an upload has it
            connection.sendall(response(200, {}, error("InternalError")))
            return False
        assert kind == "hang", kind
        self.arrived.set()
        self.released.wait()
        return False

    def answer(self, step, bucket, key, query, body, asked_range=None):
        if bucket != "bucket":
            return 404, {}, error("NoSuchBucket")
        if step == "head":
            return 200, {}, b""
        if step == "list":
            return 200, {}, self.list(bucket, query["prefix"])
        if step == "get":
            return self.range_of(bucket, key, asked_range)
        if step == "put":
            self.objects[bucket, key] = body
            return 200, {"ETag": f'"{hashlib.md5(body).hexdigest()}"'}, b""
        if step == "begin":
            upload = f"id/{len(self.requests)}+ü&<"
            self.uploads[upload] = {}
            escaped = upload.replace("&", "&amp;").replace("<", "&lt;")
            return 200, {}, (f"<InitiateMultipartUploadResult><UploadId>{escaped}</UploadId>"
                             "</InitiateMultipartUploadResult>").encode()
        if step == "look" and (bucket, key) not in self.objects:
            return 404, {}, b""
        if step == "look":
            data = self.objects[bucket, key]
            return 200, {"ETag": '"looked-2"', "Length-Of": str(len(data))}, b""
        if query.get("uploadId") not in self.uploads:
            return 404, {}, error("NoSuchUpload")
        upload = self.uploads[query["uploadId"]]
        if step == "part":
            upload[int(query["partNumber"])] = body
            return 200, {"ETag": f'"part-{query["partNumber"]}"'}, b""
        del self.uploads[query["uploadId"]]
        if step == "abort":
            return 204, {}, b""
        assert all(f'<ETag>"part-{number}"</ETag>'.encode() in body for number in upload)
        self.objects[bucket, key] = b"".join(upload[number] for number in sorted(upload))
        return 200, {}, b'<CompleteMultipartUploadResult><ETag>"whole-2"</ETag></CompleteMultipartUploadResult>'

    def list(self, bucket, prefix):
        keys = sorted(key for of, key in self.objects if of == bucket and key.startswith(prefix))
        found = "".join(f"<Contents><Key>{quote(key)}</Key></Contents>" for key in keys)
        return f"<ListBucketResult><IsTruncated>false</IsTruncated>{found}</ListBucketResult>".encode()

    def range_of(self, bucket, key, asked):
        data = self.objects.get((bucket, key))
        if data is None:
            return 404, {}, error("NoSuchKey")
        first, _, last = asked.removeprefix("bytes=").partition("-")
        part = data[int(first):int(last) + 1]
        if not part:
            return 416, {}, error("InvalidRange")
        place = f"bytes {first}-{int(first) + len(part) - 1}/{len(data)}"
        return 206, {"ETag": f'"{hashlib.md5(data).hexdigest()}"', "Content-Range": place}, part


def step_of(method, key, query):
    if method == "GET":
        return "get" if key else "list"
    if method == "HEAD":
        return "look" if key else "head"
    if method == "DELETE":
        return "abort"
    if method == "POST":
        return "begin" if "uploads" in query else "complete"
    return "part" if "partNumber" in query else "put"


def response(status, fields, body, is_head=False):
    size = fields.pop("Length-Of", len(body))
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {size}", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (b"" if is_head else body)


def make_certificate(folder):
    """A certificate for 127.0.0.1 that its own key has signed: the files of both."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-out", certificate, "-keyout", key],
                   check=True, capture_output=True)
    return certificate, key
