"""Requests made from the OpenAPI description, right ones and wrong ones: none is answered with 5xx."""

import json
import os
import random

import pytest

REQUESTS = int(os.environ.get("ULTRON_TEST_FUZZ", "2000"))
ODD = [
    *(
        None,
        True,
        -1,
        0,
        2**63,
        1.5,
        1e308,
        "",
        " ",
        "x",
        "\ud800",
        "a\0b",
        "x" * 5_000,
        "\u202e",
        "%00",
        "' OR 1=1 --",
    ),
    *(
        [],
        {},
        [None],
        {"a": []},
        "2026-09-01T00:00:00Z",
        "00000000-0000-0000-0000-000000000000",
        "HOT",
        "l1",
        "../x",
    ),
]


class Maker:
    """Values that fit a schema, mostly."""

    def __init__(self, api, seed):
        self.api, self.random = api, random.Random(seed)

    def value(self, schema, depth=0):
        if self.random.random() < 0.12:
            return self.random.choice(ODD)
        if "$ref" in schema:
            schema = self.api["components"]["schemas"][schema["$ref"].split("/")[-1]]
        if "anyOf" in schema:
            return self.value(self.random.choice(schema["anyOf"]), depth)
        if "enum" in schema:
            return self.random.choice(schema["enum"])
        kind = schema.get("type")
        if kind == "object":
            required = schema.get("required", [])
            fields = schema.get("properties", {}).items()
            chosen = {k: v for k, v in fields if k in required or self.random.random() < 0.5}
            return {k: self.value(v, depth + 1) for k, v in chosen.items()}
        if kind == "array":
            return [self.value(schema.get("items", {}), depth + 1) for _ in range(self.random.randint(0, 3))]
        if kind == "integer":
            return self.random.choice([schema.get("minimum", 0), 1, 5, schema.get("maximum", 10)])
        if kind == "boolean":
            return self.random.choice([True, False])
        if kind == "null":
            return None
        return self.random.choice(
            ["yaml", "the parser needs yaml", "a", "00000000-0000-0000-0000-000000000000"]
        )

    def request(self, path, method, operation, ids):
        for part in [p["name"] for p in operation.get("parameters", ()) if p["in"] == "path"]:
            odd = self.random.choice(["x", "%00", "..", "0" * 70, "\u00e9"])
            path = path.replace("{" + part + "}", self.random.choice([*ids, *ids, odd]))
        query = {
            p["name"]: str(self.value(p["schema"])).encode("utf-8", "replace").decode()
            for p in operation.get("parameters", ())
            if p["in"] == "query" and (p.get("required") or self.random.random() < 0.4)
        }
        body, kind = None, None
        for kind, content in operation.get("requestBody", {}).get("content", {}).items():
            given = self.value(content["schema"])
            body = json.dumps(given) if kind == "application/json" else str(given).encode("utf-8", "replace")
        return method.upper(), path, query, body, {"Content-Type": kind} if kind else {}


@pytest.mark.slow
def test_no_request_is_answered_with_5xx(client, key, ultron, log):
    ultron.ingest([log], "a", process=True)
    headers = key()
    api = client.get("/openapi.json").json()
    operations = [
        (path, method, operation)
        for path, methods in api["paths"].items()
        for method, operation in methods.items()
    ]
    maker = Maker(api, seed=18)
    seen = {}
    for number in range(REQUESTS):
        if number % 200 == 0:
            ids = [str(one.id) for one in ultron.browse.memories().rows[:5]]
            ids += [str(one["id"]) for one in ultron.browse.sessions().rows[:3]]
        method, path, query, body, kind = maker.request(*operations[number % len(operations)], ids)
        answer = client.request(method, path, params=query, content=body, headers={**headers, **kind})
        assert answer.status_code < 500, (method, path, query, body, answer.text)
        # `/memories/..` is `/`, which leads browsers to the page
        assert answer.url.path == "/ui" or answer.json()["success"] in (True, False), (method, path)
        seen[answer.status_code] = seen.get(answer.status_code, 0) + 1
    assert sum(seen.values()) == REQUESTS and {200, 404, 422} <= set(seen), seen
