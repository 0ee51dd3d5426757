"""Every command of the tutorial does what the page says of it."""

import json

from tests.pages.commands import ENDED, ROOT, commands

PAGE = ROOT / "docs" / "tutorial.md"
#: what goes on until Ctrl-C
_GOES_ON = "ultron dev"
#: what the page says ends otherwise than with 0
_ENDS_WITH = {"ultron export-sft --evidence any": {0, 2}}
#: words that the command's output must hold
_SAYS = {
    "ultron doctor": "home",
    "ultron ingest --claude-code": "lines:",
    "ultron sessions": "spotter",
    "ultron drops": "below_threshold",
    'ultron search "what to do before a push"': "mix test",
    'ultron search "run the tests before a push" --all-projects': "mix test",
    "ultron show ID": "mix test",
    'ultron search "no upstream branch" --sessions --all-agents': "upstream",
    "ultron connect claude-code --dry-run": "SessionStart",
    'ultron search "staging deploy hangs"': "force-unlock",
}


def test_every_command_in_its_order(reader):
    (reader.place / "outcomes.jsonl").write_text(
        "".join(
            json.dumps({"session": f"airline_t0{n}.jsonl", "outcome": 1}) + "\n" for n in ("04_r2", "40_r2")
        )
    )
    reader.filled_in = {" ID": lambda: " " + reader.first_memory(), " NAME ": " spotter "}
    for command in commands(PAGE):
        if command == _GOES_ON:
            assert reader.type_and_leave(command, lambda text: "http://127.0.0.1:" in text) in ENDED
            continue
        code, text = reader.type(command)
        assert code in _ENDS_WITH.get(command, {0}), f"{command}: {code}\n{text}"
        assert _SAYS.get(command, "") in text, f"{command}\n{text}"
    assert "Conventions, as people said them" in (reader.place / "AGENTS.md").read_text("utf-8")


def test_what_is_expected_of_a_command_stands_in_the_page():
    assert {*_SAYS, *_ENDS_WITH, _GOES_ON} <= set(commands(PAGE))
