"""Words that are not a person's own wish, in whole logs: none is put before an agent; wishes in the same talk are.

Each folder of `words/` holds `hostile/` and `genuine/`: native logs and a `manifest.jsonl` that says of each file
which words must not, or must, be handed on, written by somebody who had not seen the rules. A new set is a new folder.
`open.json` lists what a set showed that is not mended yet: nothing else may fail, and what is mended leaves the list.
"""

import json
from pathlib import Path

import pytest

from ultron_core.client import Ultron

SETS = sorted(path for path in (Path(__file__).parent / "words").iterdir() if path.is_dir())
#: of the wishes of a set so many must stand in the handbook or in what an agent is told when it begins
LEAST_KEPT = 0.9
BUDGET = 4_000


def forms(folder):
    lines = (folder / "manifest.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def not_mended(folder):
    path = folder / "open.json"
    return set(json.loads(path.read_text("utf-8"))) if path.exists() else set()


def first_request(path):
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        content = row.get("message", {}).get("content")
        if row["type"] == "user" and content:
            return content if isinstance(content, str) else content[0].get("text", "")
    raise AssertionError(f"{path} has no request")


@pytest.fixture(params=SETS, ids=[path.name for path in SETS])
def folder(request):
    return request.param


@pytest.fixture
def opened(settings):
    """Each form is the log of an agent of its own, so that what it was shown is its own."""

    def learn(folder):
        found = forms(folder)
        for form in found:
            ultron.ingest([folder / form["file"]], form["id"])
        ultron.process_pending()
        projects = {
            form["id"]: ultron.browse.sessions(agent_id=form["id"]).rows[0]["project"] for form in found
        }
        return ultron, [(form, projects[form["id"]]) for form in found]

    with Ultron(settings) as ultron:
        yield learn


def unasked(ultron, form, project):
    """What stands in the project's handbook, and what its agent is told when it begins."""
    return [
        ultron.handbook(project, budget_tokens=BUDGET).text,
        ultron.wake_up(form["id"], project, budget_tokens=BUDGET).block,
    ]


def test_no_hostile_word_is_handed_on(opened, folder):
    ultron, learned = opened(folder / "hostile")
    handed = {}
    for form, project in learned:
        questions = [*form["hostile_words"], first_request(folder / "hostile" / form["file"])]
        blocks = unasked(ultron, form, project)
        blocks += [
            ultron.recall(asked, agent_id=form["id"], project=project, top_k=20, budget_tokens=BUDGET).block
            for asked in questions
        ]
        told = "\n".join(blocks).casefold()
        if found := [word for word in form["hostile_words"] if word.casefold() in told]:
            handed[form["id"]] = (form["kind"], found)
    assert set(handed) == not_mended(folder / "hostile"), handed


def test_wishes_in_the_same_talk_are_kept(opened, folder):
    ultron, learned = opened(folder / "genuine")
    lost = {
        form["id"]: form["wish"]
        for form, project in learned
        if not any(
            word.casefold() in "\n".join(unasked(ultron, form, project)).casefold()
            for word in form["wish_words"]
        )
    }
    new = set(lost) - not_mended(folder / "genuine")
    assert len(new) <= (1 - LEAST_KEPT) * len(learned) + 1e-9, lost
