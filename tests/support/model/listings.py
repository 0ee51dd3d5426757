"""Servers of one machine as their makers publish them: what they list, what they answer, how they refuse.

Ollama        docs/api.md of ollama/ollama
LM Studio     lmstudio.ai/docs/api/rest-api; "Unexpected endpoint or method" with status 200
llama-server  tools/server/README.md of ggml-org/llama.cpp
vLLM, Jan     the listing of OpenAI, with max_model_len; 401 without a key
"""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MODEL = "qwen3:8b"


class Listing:
    """Paths that are answered without a model; anything else as `unknown` says."""

    unknown = (404, {"error": "not found"})

    def get(self, path, headers):
        return self.unknown

    def post(self, path, body):
        return self.unknown


class Ollama(Listing):
    """Two models and one for vectors; `num_ctx` of the first stands in its parameters where it is given."""

    def __init__(self, num_ctx=None, loaded=None, names=(MODEL, "nomic-embed-text:latest")):
        self.num_ctx, self.loaded, self.names = num_ctx, loaded, names

    def get(self, path, headers):
        details = {
            "format": "gguf",
            "family": "qwen3",
            "parameter_size": "8.2B",
            "quantization_level": "Q4_K_M",
        }
        rows = [{"name": n, "model": n, "size": 5_225_387_923, "details": details} for n in self.names]
        if path == "/api/tags":
            return 200, {"models": rows}
        if path == "/api/ps":
            return 200, {"models": [{**rows[0], "context_length": self.loaded}] if self.loaded else []}
        if path == "/v1/models":
            return 200, {
                "object": "list",
                "data": [{"id": n, "object": "model", "owned_by": "library"} for n in self.names],
            }
        return 404, {"error": "404 page not found"}

    def post(self, path, body):
        if path != "/api/show" or body["model"] not in self.names:
            return 404, {"error": f"model '{body.get('model')}' not found"}
        if "embed" in body["model"]:
            return 200, {"capabilities": ["embedding"], "model_info": {"nomic-bert.context_length": 2048}}
        parameters = 'stop                           "<|im_end|>"'
        if self.num_ctx:
            parameters = f"num_ctx                        {self.num_ctx}\n{parameters}"
        info = {"general.architecture": "qwen3", "qwen3.context_length": 40_960, "qwen3.block_count": 36}
        return 200, {"parameters": parameters, "model_info": info, "capabilities": ["completion", "tools"]}


class LMStudio(Listing):
    """One model that is loaded, one that is not, one for vectors."""

    unknown = (200, {"error": "Unexpected endpoint or method."})

    def get(self, path, headers):
        if path == "/api/v0/models":
            loaded = {"type": "llm", "state": "loaded", "loaded_context_length": 8_192}
            rows = [
                {"id": MODEL, "max_context_length": 131_072, **loaded},
                {
                    "id": "qwen2-vl-7b-instruct",
                    "type": "vlm",
                    "state": "not-loaded",
                    "max_context_length": 32_768,
                },
                {"id": "text-embedding-nomic", "type": "embeddings", "max_context_length": 2_048},
            ]
            return 200, {
                "object": "list",
                "data": [{"object": "model", "arch": "llama", **row} for row in rows],
            }
        if path == "/v1/models":
            return 200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]}
        return self.unknown


class LlamaServer(Listing):
    """One model; `loading`: it still reads its file."""

    def __init__(self, n_ctx=16_384, loading=False):
        self.n_ctx, self.loading = n_ctx, loading

    def get(self, path, headers):
        row = {"id": MODEL, "object": "model", "owned_by": "llamacpp", "meta": {"n_ctx_train": 131_072}}
        if path == "/v1/models":
            return 200, {"object": "list", "data": [row], "models": [{"name": MODEL, "model": MODEL}]}
        if self.loading:
            return 503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}
        if path == "/props":
            return 200, {
                "default_generation_settings": {"id": 0, "n_ctx": self.n_ctx},
                "total_slots": 1,
                "model_path": "m.gguf",
            }
        if path == "/api/tags":  # for clients of Ollama
            return 200, {"models": [{"name": MODEL, "model": MODEL}]}
        return 404, {"error": {"code": 404, "message": "File Not Found", "type": "not_found_error"}}


class OpenAIListing(Listing):
    """`rows` under /v1/models; 401 without `key` where one is wanted."""

    def __init__(self, rows, key=None):
        self.rows, self.key = rows, key

    def get(self, path, headers):
        if self.key and headers.get("Authorization") != f"Bearer {self.key}":
            return 401, {"error": {"message": "Unauthorized"}}
        return (200, {"object": "list", "data": self.rows}) if path == "/v1/models" else self.unknown


class Website(Listing):
    """Something else that listens on a usual port."""

    unknown = (404, "<html>Not Found</html>")


@contextmanager
def serving(listing, answer=None):
    """The server on a port of its own; yields (address, what was asked). `answer` is given the chats."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def do_GET(self):
            asked.append(("GET", self.path, None))
            self._send(*listing.get(self.path, self.headers))

        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(("POST", self.path, body))
            if self.path.endswith("/chat/completions") and answer is not None:
                answer(self, body)
            else:
                self._send(*listing.post(self.path, body))

        def _send(self, status, value):
            self._send_bytes(status, (value if isinstance(value, str) else json.dumps(value)).encode())

        def _send_bytes(self, status, payload, content_type="application/json"):
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(payload)))
            self.end_headers()
            self.wfile.write(payload)

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{http.server_address[1]}", asked
    finally:
        http.shutdown()
        http.server_close()


def chats(asked):
    return [body for how, path, body in asked if path.endswith("/chat/completions")]
