"""A server of Kinesis for tests: takes records, and fails where a test wants it."""

import base64
import http.server
import json
import threading


class OtherKinesis:
    def __init__(self, port=0):
        self.records = []       # (partition key, data) in the order in which they were taken
        self.requests = []      # (operation, headers)
        self.refusals = []      # functions of a list of records: which places fail; one for each call
        self.statuses = []      # statuses to answer instead, one for each call of PutRecords
        self.stream_status = "ACTIVE"
        self.hangs = threading.Event()
        self.ends = threading.Event()
        self.lock = threading.Lock()
        handler = type("Handler", (Handler,), {"world": self})
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        self.port = self.server.server_address[1]
        self.endpoint = f"http://127.0.0.1:{self.port}"

    def close(self):
        self.ends.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()

    def changes(self):
        with self.lock:
            return [json.loads(data) for _, data in self.records]


class Handler(http.server.BaseHTTPRequestHandler):
    world = None
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        operation = self.headers["X-Amz-Target"]
        self.close_connection = self.world.ends.is_set()
        if self.close_connection:
            return
        with self.world.lock:
            self.world.requests.append((operation, dict(self.headers)))
        if self.world.hangs.is_set():
            self.world.ends.wait()
            return
        assert body["StreamARN"].endswith("/" + body["StreamName"])
        if operation == "Kinesis_20131202.DescribeStreamSummary":
            self.describe()
        elif operation == "Kinesis_20131202.PutRecords":
            self.put(body["Records"])

    def describe(self):
        status = self.world.stream_status
        if status is None:
            return self.answer(400, {"__type": "ResourceNotFoundException", "message": "not found"})
        if status == "ERROR":
            return self.answer(500, {})
        self.answer(200, {"StreamDescriptionSummary": {"StreamStatus": status}})

    def put(self, records):
        with self.world.lock:
            if self.world.statuses:
                return self.answer(self.world.statuses.pop(0), {"__type": "InternalFailure"})
            fails = self.world.refusals.pop(0)(records) if self.world.refusals else set()
            places = []
            for place, record in enumerate(records):
                if place in fails:
                    places.append({"ErrorCode": "ProvisionedThroughputExceededException", "ErrorMessage": "slow"})
                    continue
                self.world.records.append((record["PartitionKey"], base64.b64decode(record["Data"])))
                places.append({"SequenceNumber": "1", "ShardId": "shardId-000000000000"})
        self.answer(200, {"FailedRecordCount": len(fails), "Records": places})

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/x-amz-json-1.1")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass
