"""Which JSON schemas model servers refuse, as their published sources had it when they were read in November 2026.

`llama_cpp`: common/json-schema-to-grammar.cpp and src/llama-grammar.cpp of ggml-org/llama.cpp. A length or number of
items becomes a repetition of grammar rules, and 2,000 repeated rules are refused; Ollama and LM Studio (for GGUF) use
the same converter. `vllm`: what its xgrammar backend does not support.
"""

import re

#: MAX_REPETITION_THRESHOLD of src/llama-grammar.cpp; an item of a list with the comma before it is at most three rules
REPEATED, RULES_OF_AN_ITEM = 2_000, 3
TYPES = {"object", "array", "string", "integer", "number", "boolean", "null"}
#: keywords that the converter knows at all; others are passed over or refused, depending on the build
KNOWN = {
    *("$defs", "$ref", "type", "title", "description", "default", "enum", "const", "anyOf", "oneOf", "allOf"),
    *("properties", "required", "additionalProperties", "items", "minItems", "maxItems"),
    *("minLength", "maxLength", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
}
#: of vLLM's xgrammar backend
NOT_IN_VLLM = {"multipleOf", "uniqueItems", "contains", "patternProperties", "propertyNames", "minProperties"}


def llama_cpp(schema):
    """Why llama-server answers 400 to this schema; empty where it takes it."""
    for node in nodes(schema):
        if reason := _llama_cpp(node, schema):
            return reason
    return ""


def ollama(schema):
    """The same converter; a bound counts as long as it says that a text has at most so many characters."""
    return "invalid JSON schema in format" if llama_cpp(schema) else ""


def vllm(schema):
    """Why vLLM answers 400."""
    found = [key for node in nodes(schema) for key in node if key in NOT_IN_VLLM]
    return (
        f"The provided JSON schema contains features not supported by xgrammar: {found[0]}" if found else ""
    )


SERVERS = {"llama.cpp": llama_cpp, "Ollama": ollama, "vLLM": vllm}


def nodes(schema):
    """Every schema within a schema, itself first; the names of properties are none."""
    yield schema
    for key in ("properties", "$defs"):
        for part in schema.get(key, {}).values():
            yield from nodes(part)
    for key in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(key, []):
            yield from nodes(part)
    if isinstance(schema.get("items"), dict):
        yield from nodes(schema["items"])


def _llama_cpp(node, root):
    if unknown := set(node) - KNOWN:
        return f"failed to parse grammar: unknown keyword {sorted(unknown)[0]}"
    if "$ref" in node:
        name = node["$ref"].removeprefix("#/$defs/")
        return "" if name in root.get("$defs", {}) else f"Error resolving ref {node['$ref']}"
    if "type" in node and node["type"] not in TYPES:
        return f"Unrecognized schema: {node}"
    if "pattern" in node and not re.fullmatch(r"\^.*\$", node["pattern"]):
        return "Pattern must start with '^' and end with '$'"
    texts = max(node.get("maxLength", 0), node.get("minLength", 0))
    items = max(node.get("maxItems", 0), node.get("minItems", 0)) * RULES_OF_AN_ITEM
    if max(texts, items) >= REPEATED:
        return (
            "failed to parse grammar: number of repetitions exceeds sane defaults, please reduce the number"
        )
    return ""


def order(schema, root=None):
    """The names of an object's fields in the order that a grammar of llama.cpp makes a model write them."""
    root = root or schema
    if "$ref" in schema:
        return order(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    needed = set(schema.get("required", ()))
    names = list(schema.get("properties", {}))
    return [name for name in names if name in needed] + [name for name in names if name not in needed]
