"""The function for Python, run by awslambdaric. What it does stands in the event's first new item."""

import os
import time


def handler(event, context):
    image = event["Records"][0]["dynamodb"]["NewImage"]
    how = image["how"]["S"]
    if how == "fail":
        raise ValueError("no")
    if how == "hang":
        time.sleep(60)
    if how == "exit":
        os._exit(2)
    if how == "second":
        return {"batchItemFailures": [{"itemIdentifier": r["dynamodb"]["SequenceNumber"]}
                                      for r in event["Records"][1:2]]}
    if how == "long":
        return "x" * 7_000_000
    print("handles", len(event["Records"]), context.aws_request_id)
    return {"count": len(event["Records"])}
