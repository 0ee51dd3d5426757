"""What a good model answers to the questions of `ultron model`, and ways to be worse."""

import json
from importlib.resources import files

from tests.support.records import messages_in

CASES = [
    json.loads(line)
    for line in files("ultron_core.cli.model").joinpath("cases.jsonl").read_text("utf-8").splitlines()
]


def good(request):
    """The answer that the cases expect."""
    shown = messages_in(request["messages"][1]["content"])
    case = next(c for c in CASES if c["messages"][0][1].startswith(shown[0].body.strip()[:10]))
    metrics = [{"name": name, "score": 0.5} for name in ("goal_reached", "completeness")]
    judged = {"task_type": "code", "success_probability": 0.5, "metrics": metrics}
    tasks = []
    for start in case["starts"]:
        asked = start == case["task"][0]
        outcome = case["outcomes"][0] if asked else "unknown"
        own = notes(case) if asked else []
        tasks.append({"start": start, "topic": "x", "outcome": outcome, **judged, "memories": own})
    return json.dumps({"tasks": tasks}, ensure_ascii=False)


def notes(case):
    if case["note"] is None:
        return []
    number = next(n for n, (_, text) in enumerate(case["messages"], start=1) if case["note"] in text)
    quote = {"message": number, "quote": case["messages"][number - 1][1]}
    kind = "preference" if case["note"] == "-x" else "error"
    return [{"memory_type": kind, "evidence": [quote], "content": f"It is about {case['note']}."}]


def without_outcomes(request):
    """One that never says how a task went."""
    answer = json.loads(good(request))
    return json.dumps({"tasks": [task | {"outcome": "partial"} for task in answer["tasks"]]})


def without_sense(request):
    """One that writes, and not what is asked for."""
    return "Sure! Here is a summary of the conversation."
