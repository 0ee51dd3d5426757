"""Sloppy forms of good answers, from tests/replay/sloppy.jsonl: what real models put around, beside and into them.

A variant has `text` (a template around `$answer`), or `neighbour` (a bad note beside the good ones), or `field` (what
every note gets instead of its own). `expect` is what must come of it: "kept", or "refused": then the model is asked
again, and its second answer counts.
"""

import json
import re
from pathlib import Path
from string import Template

FILE = Path(__file__).resolve().parents[2] / "replay" / "sloppy.jsonl"


def variants():
    return [json.loads(line) for line in FILE.read_text("utf-8").splitlines()]


def spoil(variant, value, title="Answer"):
    """The text of an answer in this form; a good answer where the variant is about notes and there are none."""
    if "text" in variant:
        return _framed(variant["text"], value, title)
    return json.dumps(_with_notes(variant, value), ensure_ascii=False)


def _with_notes(variant, value):
    """The answer with its notes in this form, each task's own where it is about several."""
    if "memories" not in value:
        if not any("memories" in task for task in value.get("tasks", ())):
            return value
        return value | {"tasks": [_with_notes(variant, task) for task in value["tasks"]]}
    notes = list(value["memories"])
    if "field" in variant:
        notes = [note | variant["field"] for note in notes]
    elif variant["where"] == "before":
        notes = [variant["neighbour"], *notes]
    elif notes:  # bad notes alone are another matter: then nothing of the answer can be used
        notes = [*notes, variant["neighbour"]]
    return value | {"memories": notes}


def is_second_try(request):
    """Whether the request shows the model its refused answer."""
    return sum(message["role"] == "user" for message in request["messages"]) > 1


def _framed(template, value, title):
    answer = json.dumps(value, ensure_ascii=False)
    return Template(template).substitute(
        answer=answer,
        title=title,
        quoted=json.dumps(answer, ensure_ascii=False),
        indented=json.dumps(value, ensure_ascii=False, indent=4),
        trailing=re.sub(r"([}\]])", r",\1", answer).replace("[,]", "[]").replace("{,}", "{}"),
        rawnewlines=re.sub(r"(?<=[a-z]\.) (?=[A-Z])", "\n", answer),
        capitals=json.dumps(_capital_keys(value), ensure_ascii=False),
        half=answer[: len(answer) // 2],
    )


def _capital_keys(value):
    if isinstance(value, dict):
        return {key.capitalize(): _capital_keys(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_capital_keys(inner) for inner in value]
    return value
