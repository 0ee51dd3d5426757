"""A model endpoint on this machine that speaks the OpenAI protocol and fails on command."""

import json
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ModelServer:
    """Answers /v1/chat/completions and /v1/embeddings.

    `behaviours` is used up one a request, then every request succeeds: "ok", "malformed" (no JSON in the
    answer), "broken" (no JSON at all), "page" (HTML), 429, 500, any other status, (status, message), "slow", "drop",
    and those of `hostile.py`: a mapping is sent as the body, bytes as well; a function of the handler sends anything.
    `answer(request)` makes the text of a chat answer; the default fits any schema with the least it allows.
    """

    def __init__(self, *, answer=None, dimension=8, json_schema=True, temperature=True, port=0):
        self.answer = answer or minimal_answer
        self.dimension = dimension
        self.json_schema = json_schema
        self.temperature = temperature
        self.behaviours = []
        self.requests = []
        self.always = None
        self.retry_after = "0"
        self._lock = threading.Lock()
        self._port = port
        self._http = None

    @property
    def url(self):
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def is_up(self):
        """A connection that was open before it went down must not be served on."""
        return self._http is not None

    def start(self):
        handler = type("Handler", (_Handler,), {"owner": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", self._port), handler)
        self._http.daemon_threads = True
        self._port = self._http.server_address[1]
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def stop(self):
        """Goes down; `start` brings it back on the same port."""
        if self._http is not None:
            http, self._http = self._http, None
            http.shutdown()
            http.server_close()

    def take(self, request):
        with self._lock:
            self.requests.append(request)
            if self.behaviours:
                return self.behaviours.pop(0)
        return self.always or "ok"

    def chats(self):
        return [r for r in self.requests if "messages" in r]


@contextmanager
def model_server(**arguments):
    server = ModelServer(**arguments).start()
    try:
        yield server
    finally:
        server.stop()


def minimal_answer(request):
    """The least that fits the schema of the request; a segmentation gets one task over all messages."""
    described = request["response_format"]["json_schema"]["schema"]
    return json.dumps(least(described, described, request))


def least(schema, root, request):
    if "$ref" in schema:
        return least(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, request)
    if "default" in schema:
        return schema["default"]
    if "enum" in schema:
        return schema["enum"][0]
    for choice in ("anyOf", "allOf"):
        if choice in schema:
            return least(schema[choice][0], root, request)
    kind = schema.get("type")
    if kind == "object":
        return {name: least(part, root, request) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [least(schema["items"], root, request)] * schema.get("minItems", 0)
    if kind in ("integer", "number"):
        return schema.get("minimum", schema.get("exclusiveMinimum", 0))
    return {"string": "x" * schema.get("minLength", 0), "boolean": False, "null": None}[kind]


class _Handler(BaseHTTPRequestHandler):
    owner: ModelServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        behaviour = self.owner.take(body) if self.owner.is_up else "drop"
        if behaviour == "drop":
            self.close_connection = True
            self.connection.close()
        elif behaviour == "slow":
            time.sleep(2)
            self._send(200, {"choices": []})
        elif behaviour == "broken":
            self._send_bytes(200, b"<html>proxy error</html>")
        elif behaviour == "page":
            self._send_bytes(200, b"<html>sign in</html>", "text/html")
        elif callable(behaviour):
            with suppress(BrokenPipeError, ConnectionResetError):
                behaviour(self, body)
            self.close_connection = True
        elif isinstance(behaviour, dict):
            self._send(200, behaviour)
        elif isinstance(behaviour, bytes):
            self._send_bytes(200, behaviour)
        elif isinstance(behaviour, tuple):
            self._send(behaviour[0], {"error": {"message": behaviour[1]}})
        elif isinstance(behaviour, int):
            self._send(behaviour, {"error": {"message": f"status {behaviour}"}})
        elif "temperature" in body and not self.owner.temperature:
            self._send(400, {"error": {"message": "Unsupported value: 'temperature' does not support 0"}})
        elif body.get("response_format", {}).get("type") == "json_schema" and not self.owner.json_schema:
            self._send(400, {"error": {"message": "response_format json_schema is not supported"}})
        elif self.path.endswith("/embeddings"):
            self._send(200, self._vectors(body))
        else:
            text = "I would rather not." if behaviour == "malformed" else self.owner.answer(body)
            self._send(200, _completion(body, text))

    def _vectors(self, body):
        data = [
            {
                "object": "embedding",
                "index": i,
                "embedding": [float(len(text) + j) for j in range(self.owner.dimension)],
            }
            for i, text in enumerate(body["input"])
        ]
        return {
            "object": "list",
            "data": data,
            "model": body["model"],
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }

    def _send(self, status, value):
        self._send_bytes(status, json.dumps(value).encode())

    def _send_bytes(self, status, payload, content_type="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(payload)))
        if status == 429:
            self.send_header("Retry-After", self.owner.retry_after)
        self.end_headers()
        with suppress(BrokenPipeError, ConnectionResetError):  # the client gave up waiting
            self.wfile.write(payload)


def _completion(body, text):
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}],
        # a third of the characters or more, like any tokenizer, when the request is long
        "usage": {"prompt_tokens": max(100, len(json.dumps(body)) // 4 - 3_000), "completion_tokens": 10},
    }
