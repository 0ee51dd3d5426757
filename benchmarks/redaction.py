"""Redaction against gold labels, generated secrets and look-alikes; one JSON object a line.

    python benchmarks/redaction.py [--data DIR]

Sets under DIR/pii: `spans` with types (Presidio research, MultiPriv). Secrets are generated from published key
formats with a fixed seed. `recall`: share of gold values of which at least half of the characters are covered;
`precision`: share of findings that overlap any gold span of any kind; `touched`: share of look-alikes changed.
`forms_*`: the forms of tests/attack, those of other projects' rules and our own. `real_look_alikes`: 1,000 texts that
look like secrets, drawn from real logs and a lock file. Speeds are of CPU time.
"""

from __future__ import annotations

import base64
import gzip
import json
import random
import string
import sys
import time
from collections import Counter
from pathlib import Path

from inputs.lockbox import guarded
from inputs.look_alikes import look_alikes as real_look_alikes
from inputs.places import arguments

from ultron_core.redaction import find_secrets, redact_patterns, redact_texts

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.attack.forms import forms, sets  # noqa: E402

SETS = ("multipriv_en", "multipriv_zh", "presidio_generated_large", "presidio_synth_v2")
GOLD = {"ID_NUMBER": "CN_ID"}
ENTITIES = (
    "EMAIL_ADDRESS",
    "PHONE_NUMBER",
    "IP_ADDRESS",
    "CREDIT_CARD",
    "IBAN_CODE",
    "US_SSN",
    "CN_ID",
    "PERSON",
)
ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "_-"
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + "234567"

#: literal start, alphabet and length of the random part; from the vendors' own pages
FORMATS = [
    ("sk-" + "proj-", WORD, 80), ("sk-" + "ant-api03-", WORD, 95), ("sk-", ALNUM, 48), ("sk-", HEX, 32),
    ("sk-" + "or-v1-", HEX, 64), ("sk-" + "svcacct-", WORD, 60), ("gsk" + "_", ALNUM, 52), ("xai" + "-", ALNUM, 80),
    ("hf" + "_", ALNUM, 34), ("AI" + "za", WORD, 35), ("ghp" + "_", ALNUM, 36), ("gho" + "_", ALNUM, 36),
    ("ghs" + "_", ALNUM, 36), ("github" + "_pat_", ALNUM + "_", 82), ("glpat" + "-", WORD, 20), ("AK" + "IA", UPPER, 16),  # noqa: E501
    ("AS" + "IA", UPPER, 16), ("xox" + "b-", string.digits, 12), ("xox" + "p-", ALNUM, 40), ("sk" + "_live_", ALNUM, 24),  # noqa: E501
    ("rk" + "_live_", ALNUM, 24), ("wh" + "sec_", ALNUM, 32), ("npm" + "_", ALNUM, 36), ("pypi" + "-Ag", WORD, 120),
    ("shp" + "at_", HEX, 32), ("dop" + "_v1_", HEX, 64), ("LT" + "AI", ALNUM, 20), ("GOC" + "SPX-", WORD, 28),
    ("ya" + "29.", WORD, 120), ("dapi", HEX, 32), ("SK", HEX, 32), ("hv" + "s.", WORD, 90), ("fig" + "d_", WORD, 40),
]  # fmt: skip
NAMES = (
    "DB_PASSWORD",
    "api_key",
    "clientSecret",
    "aws_secret_access_key",
    "密码",
    "DASHSCOPE_API_KEY",
    "auth_token",
    "secret",
)
FRAMES = (
    "export {n}={v}",
    '{{"{n}": "{v}"}}',
    "{n}: {v}\n",
    '{n} = "{v}"',
    "{n}='{v}' make run",
    "请设置{n}={v}，然后重启",
    "{n}：{v}。",
)
SHAPED = (
    "{v}",
    "my key is {v}, keep it",
    "密钥是{v}，别外传",
    'client = OpenAI("{v}")',
    '{{"x": "{v}"}}',
    "curl -H 'X-Key: {v}' u",
    "https://h.example/p?k={v}&z=1",
    "请用{v}登录",
    "a\\n{v}\\nb",
)


def secrets(rng: random.Random, count: int) -> list[tuple[str, str]]:
    """(text, secret) pairs."""
    pairs = []
    for i in range(count):
        kind = i % 10
        if kind < 6:
            start, alphabet, length = FORMATS[rng.randrange(len(FORMATS))]
            value = start + "".join(rng.choice(alphabet) for _ in range(length - 1)) + rng.choice("a3f7b5")
            if alphabet == UPPER:
                value = value[:-1] + "Q"
            pairs.append((rng.choice(SHAPED).format(v=value), value))
        elif kind < 8:
            value = "".join(rng.choice(ALNUM + "+/") for _ in range(rng.choice((20, 32, 40)))) + "7x"
            pairs.append(
                (rng.choice(FRAMES).format(n=rng.choice(NAMES), v=value.lstrip("/+")), value.lstrip("/+"))
            )
        else:
            pairs.append(_surrounded(rng, kind))
    return pairs


def _surrounded(rng: random.Random, kind: int) -> tuple[str, str]:
    value = "".join(rng.choice(ALNUM) for _ in range(18)) + "4k"
    if kind == 8:
        scheme = rng.choice(("postgres", "mysql", "redis", "mongodb+srv", "amqp", "https"))
        return f"{scheme}://svc:{value}@db.internal:5432/app", value
    choice = rng.randrange(3)
    if choice == 0:
        return f"Authorization: Bearer {value}{value}", value + value
    if choice == 1:
        pair = base64.b64encode(f"svc:{value}".encode()).decode()
        return f'headers = {{"Authorization": "Basic {pair}"}}', pair
    parts = [
        base64.urlsafe_b64encode(json.dumps(p).encode()).decode().rstrip("=")
        for p in ({"alg": "HS256"}, {"sub": value})
    ]
    token = ".".join([*parts, "".join(rng.choice(WORD) for _ in range(42)) + "A"])
    return f"token {token}", token


def look_alikes(rng: random.Random, count: int) -> list[str]:
    def pick(alphabet: str, length: int) -> str:
        return "".join(rng.choice(alphabet) for _ in range(length))

    makers = (
        lambda: f"commit {pick(HEX, 40)}", lambda: f"index {pick(HEX, 7)}..{pick(HEX, 7)} 100644", lambda: f"sha256:{pick(HEX, 64)}",  # noqa: E501
        lambda: f"at {rng.randrange(1_500_000_000, 1_800_000_000)}", lambda: f"ts={rng.randrange(1_500_000_000_000, 1_800_000_000_000)}",  # noqa: E501
        lambda: f"version {rng.randrange(30)}.{rng.randrange(30)}.{rng.randrange(30)}.{rng.randrange(30)}",
        lambda: f'"id": "call_{pick(ALNUM, 24)}"', lambda: f'"tool_use_id": "toolu_{pick(ALNUM, 24)}"', lambda: "ls /rootfs/etc /root/x",  # noqa: E501
        lambda: f"basic usage of {pick(string.ascii_lowercase, 8)}", lambda: f"max_tokens={rng.randrange(9000)}",
        lambda: f"password = os.environ['{pick(string.ascii_uppercase, 8)}']", lambda: f"token = self.{pick(string.ascii_lowercase, 9)}()",  # noqa: E501
        lambda: f"api_key: str = settings.{pick(string.ascii_lowercase, 8)}", lambda: "API_KEY=<YOUR_API_KEY>", lambda: "密码不能为空",  # noqa: E501
        lambda: f"integrity sha512-{pick(ALNUM + '+/', 86)}==", lambda: f"class sk-{pick(string.ascii_lowercase, 6)}-button-primary",  # noqa: E501
        lambda: f"line {rng.randrange(999)}-{rng.randrange(999)}: ok", lambda: f"2024-0{rng.randrange(1, 9)}-1{rng.randrange(9)} 10:2{rng.randrange(9)}:00.{pick(string.digits, 6)}",  # noqa: E501
    )  # fmt: skip
    return [makers[i % len(makers)]() for i in range(count)]


def covered(findings, start: int, end: int) -> bool:
    inside = sum(max(0, min(f.end, end) - max(f.start, start)) for f in findings)
    return 2 * inside >= end - start


def gold_set(path: Path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    begun = time.process_time()
    results = redact_texts([row["text"] for row in rows])
    seconds = time.process_time() - begun
    gold, hit, made, right = Counter(), Counter(), Counter(), Counter()
    for row, result in zip(rows, results, strict=True):
        for span in row["spans"]:
            kind = GOLD.get(span["type"], span["type"])
            gold[kind] += 1
            hit[kind] += covered(result.findings, span["start"], span["end"])
        for finding in result.findings:
            made[finding.entity] += 1
            right[finding.entity] += any(
                s["start"] < finding.end and finding.start < s["end"] for s in row["spans"]
            )
    megabytes = sum(len(row["text"].encode()) for row in rows) / 1e6
    for entity in ENTITIES:
        if gold[entity]:
            yield {
                "benchmark": "redaction", "set": path.name.split(".")[0], "n": gold[entity], "seconds": round(seconds, 2), "entity": entity,  # noqa: E501
                "recall": round(hit[entity] / gold[entity], 4), "precision": round(right[entity] / made[entity], 4) if made[entity] else None,  # noqa: E501
                "mb_per_s": round(megabytes / seconds, 3),
            }  # fmt: skip


def main() -> None:
    data = arguments(__doc__).parse_args().data
    with guarded("redaction", data):
        measure_all(data)


def measure_all(data: Path) -> None:
    for name in SETS:
        path = data / "pii" / f"{name}.jsonl.gz"
        if path.exists():
            for row in gold_set(path):
                say(row)
        else:
            skip(name)
    rng = random.Random(20)
    say(generated_secrets(rng))
    say(touched_look_alikes(rng))
    for name in sets():
        say(foreign_forms(name))
    if (data / "pii" / f"{SETS[0]}.jsonl.gz").exists() and (data / "sessions").exists():
        say(untouched(data))
    else:
        skip("real_look_alikes")
    log = data / "malformed" / "huge_session.jsonl.gz"
    if log.exists():
        say(patterns_on_log(log))
    else:
        skip("patterns_on_log")


def generated_secrets(rng: random.Random) -> dict:
    pairs = secrets(rng, 3000)
    begun = time.perf_counter()
    hits = [secret not in redact_patterns(text).text for text, secret in pairs]
    return {
        "benchmark": "redaction",
        "set": "generated_secrets",
        "n": len(pairs),
        "seconds": round(time.perf_counter() - begun, 2),
        "entity": "SECRET",
        "recall": round(sum(hits) / len(hits), 4),
    }


def touched_look_alikes(rng: random.Random) -> dict:
    texts = look_alikes(rng, 2000)
    touched = sum(redact_patterns(text).text != text for text in texts)
    return {
        "benchmark": "redaction",
        "set": "look_alikes",
        "n": len(texts),
        "entity": "SECRET",
        "touched": round(touched / len(texts), 4),
    }


def foreign_forms(name: str) -> dict:
    tried = list(forms(name))
    hits = 0
    for form in tried:
        start = form.text.index(form.secret)
        hits += covered(redact_patterns(form.text).findings, start, start + len(form.secret))
    recall = round(hits / len(tried), 4)
    return {
        "benchmark": "redaction", "set": f"forms_{name}", "n": len(tried), "entity": "SECRET", "recall": recall,
    }  # fmt: skip


def untouched(data: Path) -> dict:
    texts = real_look_alikes(data, ROOT / "uv.lock", 1000)
    hit = Counter(kind for kind, text in texts if find_secrets(text))
    touched = round(sum(hit.values()) / len(texts), 4)
    return {
        "benchmark": "redaction", "set": "real_look_alikes", "n": len(texts), "entity": "SECRET", "touched": touched,
        "kinds": dict(hit),
    }  # fmt: skip


def patterns_on_log(path: Path) -> dict:
    """Speed of the patterns alone on the lines of a long log, in CPU time."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        lines = file.readlines()
    begun = time.process_time()
    for line in lines:
        redact_patterns(line)
    seconds = time.process_time() - begun
    return {
        "benchmark": "redaction",
        "set": "patterns_on_log",
        "n": len(lines),
        "seconds": round(seconds, 2),
        "mb_per_s": round(sum(len(line.encode()) for line in lines) / 1e6 / seconds, 2),
    }


def say(row: dict) -> None:
    print(json.dumps(row), flush=True)


def skip(name: str) -> None:
    say({"benchmark": "redaction", "set": name, "skipped": "not in the data folder"})


if __name__ == "__main__":
    main()
