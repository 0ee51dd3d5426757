"""Keys and personal data made for tests, and sessions that hold them everywhere a log can.

Values are put together here, so that no scanner takes this file for a leak.
"""

import json
import zlib

BODY = "aB3dE5gH7jK9mN1pQ2sT4vW6xY8zC0bD5fG7hJ9k"
HEX = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"

SECRETS = {
    "openai": "sk-" + "proj-" + BODY + "_" + BODY[:20],
    "openai letters": "sk-" + "abcdefghijklmnopqrstuvwxyz" + "ABCDEF",
    "anthropic": "sk-" + "ant-api03-" + BODY + "-" + BODY[:30],
    "dashscope": "sk-" + HEX,
    "google": "AI" + "zaSyB" + BODY[:32],
    "github": "ghp" + "_" + BODY[:36],
    "github fine": "github" + "_pat_" + "11ABCDEFG0" + BODY,
    "gitlab": "glpat" + "-" + BODY[:20],
    "aws": "AKIA" + "J3Q7ZKXW2M5RT6YB",
    "aws secret": "wJa7rXUt/FEMI+K7MDENG/bPxRfi" + "CYzQ8LmN0pQr",
    "slack": "xox" + "b-123456789012-123456789012-" + BODY[:24],
    "stripe": "sk" + "_live_" + BODY[:24],
    "hugging face": "hf" + "_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH",
    "npm": "npm" + "_" + BODY[:36],
    "pypi": "pypi" + "-AgEIcHlwaS5vcmc" + BODY + BODY,
    "sendgrid": "SG." + BODY[:22] + "." + BODY + "abc",
    "twilio": "SK" + HEX,
    "jwt": "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJ" + "zdWIiOiIxMjM0NSJ9." + BODY,
    "azure": "Zq4" + "8Q~" + BODY[:34],
    "url password": "tr0mb0ne" + "Fjord77",
    "password": "h0nig" + "Wabe!93",
    "chinese password": "mima" + "Xy7#2024q",
    "bearer": "Qq7" + BODY[:30],
    "pem": BODY[::-1],
}
PERSONAL = {
    "mail": "ella.snider" + "@corp-mail.org",
    "mobile": "138" + "57124680",
    "phone": "+41 44 668 18 00",
    "ip": "203.0.113.77",
    "card": "4111 1111" + " 1111 1111",
    "iban": "GB82 WEST 1234" + " 5698 7654 32",
    "ssn": "308-63-" + "0237",
    "chinese id": "1101051949" + "1231002X",
    "user": "wolfgangbeck",
    "name": "Ella Snider",
    "chinese name": "欧阳晓岚",
}
ALL = {**SECRETS, **PERSONAL}
#: none of these belongs to a value above: texts in which a scanner must find something
PEM = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + SECRETS["pem"] + "\n" + "-----END RSA " + "PRIVATE KEY-----"


def frames(name):
    """The value as it appears in different kinds of text."""
    value = ALL[name]
    if name in ("url password",):
        return [f"postgres://svc:{value}@db.internal.example.org:5432/app"]
    if name == "password":
        return [f'DB_PASSWORD="{value}"', f"password: {value}", json.dumps({"password": value})]
    if name == "chinese password":
        return [f"数据库密码：{value}。", f"密码是{value}，请保密"]
    if name == "bearer":
        return [
            f"Authorization: Bearer {value}",
            f"curl -H 'Authorization: Bearer {value}' https://api.example",
        ]
    if name == "aws secret":
        return [f"AWS_SECRET_ACCESS_KEY={value}", f"aws_secret_access_key = {value}"]
    if name == "pem":
        return [PEM]
    if name == "user":
        return [f"cd /home/{value}/work", f"C:\\Users\\{value}\\work"]
    if name == "name":
        return [f"My name is {value}.", f"Please tell {value} about it."]
    if name == "chinese name":
        return [f"我叫{value}，请记住。", f"联系人：{value}"]
    if name in PERSONAL:
        return [f"reach me: {value}", f"联系方式 {value} 谢谢"]
    return [
        f"export API_TOKEN={value}",
        f"the key is {value}, keep it",
        f"密钥是{value}，别外传",
        f"https://h.example/p?k={value}&z=1",
        json.dumps({"key": value}),
    ]


def texts():
    return [frame for name in ALL for frame in frames(name)]


def _task(number, planted, *, anthropic):
    """A request, an error that is solved, a correction and a wish, each with planted text in it."""
    said, command, failed, fix, wish = (planted[(number * 5 + i) % len(planted)] for i in range(5))
    package = ("pandas", "scipy", "torch", "lxml")[number % 4]
    rows = [
        ("user", f"TASK {number}: please make the import work. {said}"),
        ("call", {"command": f"python run{number}.py # {command}"}),
        (
            "result",
            f'Traceback (most recent call last):\n  File "/home/wolfgangbeck/run{number}.py", line 3, in <module>\n'
            f"    import {package}\nModuleNotFoundError: No module named '{package}'\n{failed}",
        ),
        ("assistant", f"The package {package} is missing. I install it. {fix}"),
        ("call", {"command": f"pip install {package} # {fix}"}),
        ("result", f"Successfully installed {package}\n{command}"),
        ("call", {"command": f"python run{number}.py"}),
        ("result", f"5 passed in 0.12s {said}"),
        (
            "user",
            f"No, use uv instead of pip for {package}. From now on always run the tests with {wish} before you"
            f" answer. {said}",
        ),
        ("assistant", f"Understood: uv for {package}. The import works and all tests pass. {wish}"),
        ("user", f"谢谢，很好。以后都用中文回答，{failed}"),
        ("assistant", f"好的，以后都用中文回答。{command}"),
    ]
    return list(_anthropic(number, rows) if anthropic else _openai(number, rows))


def _openai(number, rows):
    last = 0
    for at, (kind, body) in enumerate(rows):
        if kind == "call":
            last = at
            function = {"name": "bash", "arguments": json.dumps(body, ensure_ascii=number % 2 == 0)}
            call = {"id": f"call_{number}_{at}", "type": "function", "function": function}
            yield {"role": "assistant", "content": "", "tool_calls": [call]}
        elif kind == "result":
            yield {"role": "tool", "tool_call_id": f"call_{number}_{last}", "name": "bash", "content": body}
        else:
            yield {"role": kind, "content": body}


def _anthropic(number, rows):
    last = 0
    for at, (kind, body) in enumerate(rows):
        role, content = kind, [{"type": "text", "text": body}] if isinstance(body, str) else []
        if kind == "call":
            last = at
            role, content = (
                "assistant",
                [{"type": "tool_use", "id": f"toolu_{number}_{at}", "name": "Bash", "input": body}],
            )
        elif kind == "result":
            role, content = (
                "user",
                [{"type": "tool_result", "tool_use_id": f"toolu_{number}_{last}", "content": body}],
            )
        yield {
            "type": role,
            "uuid": f"row-{number}-{at}",
            "sessionId": "planted",
            "cwd": "/home/wolfgangbeck/work",
            "timestamp": f"2025-06-14T{number % 24:02d}:{at:02d}:00Z",
            "message": {"role": role, "content": content},
        }


def write_sessions(folder, tasks=8):
    """Both wire formats under `folder`, with planted file names; returns the paths."""
    planted = texts()
    made = []
    for anthropic in (False, True):
        lines = [] if anthropic else [{"role": "system", "content": "You help. " + " ".join(planted)}]
        for number in range(tasks):
            lines += _task(number + 100 * anthropic, planted, anthropic=anthropic)
        name = (
            f"{SECRETS['github']}-{PERSONAL['mail']}.jsonl" if anthropic else f"{SECRETS['dashscope']}.jsonl"
        )
        path = folder / "agent" / ("deep" if anthropic else "flat") / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(line, ensure_ascii=anthropic) + "\n" for line in lines), "utf-8")
        made.append(path)
    # one that a dataset takes: no key that makes it unsafe, but people in it
    people = [frame for name in PERSONAL for frame in frames(name)]
    mild = folder / "agent" / "mild.jsonl"
    rows = [line for number in range(2) for line in _task(200 + number, people, anthropic=False)]
    mild.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in rows), "utf-8")
    made.append(mild)
    broken = folder / "agent" / f"broken-{SECRETS['slack']}.jsonl"
    broken.write_text('{"role": "user", "content": "' + SECRETS["stripe"] + "\n\x00\x00", "utf-8")
    return [*made, broken]


def leaks(text):
    """Names of the planted values that stand in the text, plain or with JSON escapes."""
    escaped = {name: json.dumps(value)[1:-1] for name, value in ALL.items()}
    return sorted(name for name, value in ALL.items() if value in text or escaped[name] in text)


#: text columns that hold no words of anybody: names that a constraint or the code gives, hashes, versions
NO_WORDS = {
    "account_id", "status", "kind", "state", "stage", "scope", "place", "decision", "verdict", "fate", "tier", "role",
    "origin", "trust", "proof", "lesson", "memory_type", "extractor", "segmenter", "labeler", "parser_version",
    "redaction_version", "version", "model_id", "windowed", "cursor", "counts", "started", "id", "embedding",
    "sha256", "content_sha256", "body_sha256", "words_sha256", "log_id", "fingerprint", "digest", "prompt_hash",
    "base_hash", "dataset_hash", "content_hash", "request_hash", "key", "hash", "group_key", "split", "format",
    "decided_by", "topic_by", "cure", "thread", "archive_reason", "holder",
}  # fmt: skip
#: kept by the name that a file, an agent or a project has: the test names these
NAMED = {"agent_id", "session_file", "partition_key", "project", "private_path", "private_root"}
_TEXT = "('text', '_text', 'jsonb', 'bytea')"


def text_columns(conn):
    """`(table, column)` to the type of every column of the schema that may hold words."""
    rows = conn.execute(
        "SELECT table_name, column_name, udt_name FROM information_schema.columns"
        f" WHERE table_schema = 'ultron' AND table_name <> 'schema_migrations' AND udt_name IN {_TEXT}"
    ).fetchall()
    return {(row["table_name"], row["column_name"]): row["udt_name"] for row in rows}


def plant(conn, table, condition, word, params):
    """The word in every free column of some rows of a table."""
    values = {
        "text": "%(word)s",
        "_text": "ARRAY[%(word)s]",
        "jsonb": "jsonb_build_object('word', %(word)s::text)",
        "bytea": "convert_to(%(word)s, 'UTF8')",
    }
    kept = {
        "content",
        "context",
        "resolution",
        "lines",
        "quality_metrics",
        "tools",
        "body",
        "body_before",
        "scopes",
    }
    free = [
        f"{column} = {values[kind]}"
        for (of, column), kind in text_columns(conn).items()
        if of == table and column not in NO_WORDS | NAMED | kept
    ]
    if free:
        conn.execute(f"UPDATE {table} SET {', '.join(free)} WHERE {condition}", {**params, "word": word})


def columns_holding(conn, word):
    """`table.column` of every column with the word in it; archived bytes are unpacked."""
    found = set()
    for (table, column), kind in text_columns(conn).items():
        rows = conn.execute(f"SELECT {column} AS value FROM {table} WHERE {column} IS NOT NULL").fetchall()
        for row in rows:
            value = row["value"]
            if kind == "bytea":
                value = bytes(value)
                value = zlib.decompress(value) if (table, column) == ("raw_blobs", "body") else value
                value = value.decode("utf-8", "replace")
            if word in (value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)):
                found.add(f"{table}.{column}")
    return found
