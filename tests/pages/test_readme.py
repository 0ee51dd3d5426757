"""Every command of the README does what it says, and every Python line runs."""

from tests.pages.commands import ENDED, ROOT, blocks, commands

PAGE = ROOT / "README.md"
#: run elsewhere: `.ci/run` calls the demo, the supervisor's tests are those of `make dev`
_ELSEWHERE = {"make demo", "make dev"}
_GOES_ON = ".venv/bin/ultron serve"
#: the example logs hold no task that passes the gate; what the stand-in for a model says is the least that a schema
#: allows, and some of it does not do
_ENDS_WITH = {".venv/bin/ultron export-sft": {0, 2}, ".venv/bin/ultron process": {0, 3}}


def test_every_command_in_its_order(reader, model):
    reader.filled_in = {
        " PATH...": " ~/logs",
        " init": " init --yes",
        " ID": lambda: " " + reader.first_memory(),
        "API_KEY=...": "API_KEY=key",
        "https://host/v1": model.url,
    }
    for command in commands(PAGE):
        if command in _ELSEWHERE:
            continue
        if command == _GOES_ON:
            assert reader.type_and_leave(command, lambda text: "http://127.0.0.1:" in text) in ENDED
            continue
        code, text = reader.type(command)
        assert code in _ENDS_WITH.get(command, {0}), f"{command}: {code}\n{text}"
    assert "Conventions, as people said them" in (reader.place / "AGENTS.md").read_text("utf-8")
    assert model.requests, "the model was asked once it was set"


def test_the_python_lines(reader):
    program = reader.place / "program.py"
    program.write_text(
        "\n".join(blocks(PAGE, "python")).replace('("pip install fails in docker")', '("baggage")')
    )
    code, text = reader.type(".venv/bin/python program.py")
    assert code == 0, text
    assert reader.type(".venv/bin/ultron stats --json")[0] == 0


def test_the_demo_is_run_by_the_ci():
    assert "make demo" in (ROOT / ".ci" / "run").read_text("utf-8")
