"""Signature Version 4 for endpoints that verify it; the credentials come from the environment."""

import hashlib
import hmac
import os
import time


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def sign(headers, target, payload, region):
    """`headers` with the fields that sign a POST to / of the given target and payload."""
    key, secret = os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"]
    now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    signed = {"host": headers["Host"], "x-amz-date": now, "x-amz-target": target}
    if token := os.environ.get("AWS_SESSION_TOKEN"):
        signed["x-amz-security-token"] = token
    names = ";".join(sorted(signed))
    fields = "".join(f"{name}:{signed[name]}\n" for name in sorted(signed))
    whole = f"POST\n/\n\n{fields}\n{names}\n{hashlib.sha256(payload).hexdigest()}"
    scope = f"{now[:8]}/{region}/dynamodb/aws4_request"
    text = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{hashlib.sha256(whole.encode()).hexdigest()}"
    chain = f"AWS4{secret}".encode()
    for part in (now[:8], region, "dynamodb", "aws4_request"):
        chain = digest(chain, part)
    out = {**headers, "X-Amz-Date": now, "Authorization":
           f"AWS4-HMAC-SHA256 Credential={key}/{scope}, SignedHeaders={names}, "
           f"Signature={digest(chain, text).hex()}"}
    if token:
        out["X-Amz-Security-Token"] = token
    return out
