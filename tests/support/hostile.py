"""What a hostile, a broken or an old model server does with a request: behaviours for `model_server`.

Each is a function of (handler, request), a body to send, or (status, message).
"""

import gzip
import json
import time


def redirect_to(url):
    """307 asks a client to send the same request, prompt and key included, to another address."""

    def behave(handler, _):
        handler.send_response(307)
        handler.send_header("Location", url)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return behave


def endless(handler, _, status=200):
    """A body without end, as fast as the line is."""
    _begin(handler, status)
    while True:
        handler.wfile.write(b" " * 65_536)


def endless_error(handler, request):
    endless(handler, request, status=500)


def bomb(handler, _):
    """64 MB of blanks, in some 64 kB."""
    _begin(handler, 200, ("Content-Encoding", "gzip"))
    handler.wfile.write(gzip.compress(b" " * 64_000_000))


def slow_body(handler, _):
    """A byte every tenth of a second: no read ever times out."""
    _begin(handler, 200)
    _drip(handler, 100)


def slow_headers(handler, _):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    _drip(handler, 100)


def _drip(handler, count):
    for _ in range(count):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.1)


def _begin(handler, status, *headers):
    handler.send_response(status)
    for name, value in (("Content-Type", "application/json"), ("Connection", "close"), *headers):
        handler.send_header(name, value)
    handler.end_headers()


def said(content, *, finish_reason="stop", usage=None, **message):
    """A completion with any content."""
    return {
        "choices": [
            {"finish_reason": finish_reason, "message": {"role": "assistant", "content": content} | message}
        ],
        "usage": usage or {"prompt_tokens": 100, "completion_tokens": 10},
    }


NESTED_BODY = b'{"choices": ' + b"[" * 200_000
NESTED_TEXT = said("[" * 100_000)
NO_MESSAGE = {"choices": [{"message": None}]}
NO_CHOICE = {"choices": [None]}
NOT_AN_OBJECT = json.dumps(["no", "object"]).encode()


def old_server(answer):
    """A server without any way to ask for JSON, without temperature, and with max_tokens under its old name."""

    def behave(handler, request):
        for name in ("response_format", "temperature"):
            if name in request:
                return handler._send(400, {"error": {"message": f"Extra inputs are not permitted: {name}"}})
        return handler._send(200, said(answer(request)))

    return behave


def small_context(answer, characters):
    """A server that refuses longer requests as vLLM does."""

    def behave(handler, request):
        size = sum(len(message["content"]) for message in request["messages"])
        if size > characters:
            reason = "This model's maximum context length is 1024 tokens. Please reduce the length of the messages."
            return handler._send(400, {"error": {"message": reason}})
        return handler._send(200, said(answer(request)))

    return behave
