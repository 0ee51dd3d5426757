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


def long_text(size):
    """A completion that says one word of so many characters."""
    return said("a" * size)


def many_lists(size):
    """A completion with a field of so many bytes that nobody asked for, all empty lists."""
    return b'{"choices": [{"message": {"content": "none"}}], "more": [' + b"[]," * (size // 3) + b"0]}"


NESTED_BODY = b'{"choices": ' + b"[" * 200_000
NESTED_TEXT = said("[" * 100_000)
NO_MESSAGE = {"choices": [{"message": None}]}
NO_CHOICE = {"choices": [None]}
NOT_AN_OBJECT = json.dumps(["no", "object"]).encode()


def refusing(answer, *names):
    """An old server: it refuses requests that hold any of these, and says which."""

    def behave(handler, request):
        for name in names:
            if name in request:
                return handler._send(400, {"error": {"message": f"Extra inputs are not permitted: {name}"}})
        return handler._send(200, said(answer(request)))

    return behave


def old_server(answer):
    """A server without any way to ask for JSON, and without temperature."""
    return refusing(answer, "response_format", "temperature")


def without_schemas(answer):
    """A server that gives JSON when it is asked for some, and knows no schemas."""

    def behave(handler, request):
        if request.get("response_format", {}).get("type") == "json_schema":
            return handler._send(400, {"error": {"message": "response_format json_schema is not supported"}})
        return handler._send(200, said(answer(request)))

    return behave


def placed(answer, place):
    """A server that puts its answers somewhere else: `place(text)` makes the completion."""
    return lambda handler, request: handler._send(200, place(answer(request)))


def in_a_list(text):
    return said([{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}])


def in_a_tool_call(text):
    call = {"id": "1", "type": "function", "function": {"name": "answer", "arguments": text}}
    return said(None, finish_reason="tool_calls", tool_calls=[call])


def behind_reasoning(text):
    return said(f'<think>Let me see: {{}} or {{"tasks": []}}?</think>\n{text}')


def slow_but_in_time(answer, seconds=0.4):
    """Headers at once, the body byte by byte at first."""

    def behave(handler, request):
        body = json.dumps(said(answer(request))).encode()
        _begin(handler, 200, ("Content-Length", str(len(body))))
        for byte in body[:4]:
            handler.wfile.write(bytes([byte]))
            handler.wfile.flush()
            time.sleep(seconds / 4)
        handler.wfile.write(body[4:])

    return behave


def cutting_silently(answer, tokens, count):
    """A server that reads so many tokens, answers all the same, and reports what it read."""

    def behave(handler, request):
        size = sum(count(message["content"]) for message in request["messages"])
        usage = {"prompt_tokens": min(size, tokens), "completion_tokens": 10}
        return handler._send(200, said(answer(request), usage=usage))

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
