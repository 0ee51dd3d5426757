"""`ultron model`: what is found is checked, chosen and switched off; nothing is sent before a person agrees."""

import json
import os
import pty
import subprocess
import sys
import tomllib

import pytest

from tests.support.model.checked import good, without_outcomes, without_sense
from tests.support.model.listings import MODEL, LlamaServer, LMStudio, Ollama, OpenAIListing, chats, serving
from tests.support.model.small import SmallServer
from ultron_core.cli.model.check import QUESTIONS, check_model
from ultron_core.llm.client import OpenAICompatibleLLM
from ultron_core.settings import LLMSettings, Settings

FOUND = {
    "Ollama": (Ollama(num_ctx=8_192), 8_192),
    "LM Studio": (LMStudio(), 8_192),
    "llama-server": (LlamaServer(), 16_384),
}


@pytest.fixture
def env(tmp_path):
    """The environment of somebody who has set nothing."""
    left = {name: value for name, value in os.environ.items() if not name.startswith(("ULTRON_", "OPENAI_"))}
    left = {name: value for name, value in left.items() if not name.endswith("_API_KEY")}
    return left | {"ULTRON_HOME": str(tmp_path / "home"), "COLUMNS": "140", "HOME": str(tmp_path)}


def command(*arguments):
    return [sys.executable, "-m", "ultron_core.cli.main", *map(str, arguments)]


def ultron(env, *arguments):
    return subprocess.run(command(*arguments), env=env, capture_output=True, text=True, timeout=120)


def at_terminal(env, arguments, answers):
    """(exit code, what the terminal showed) of a command whose questions are answered as they come."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        command(*arguments), env=env, stdin=slave, stdout=slave, stderr=slave, close_fds=True
    )
    os.close(slave)
    for answer in answers:
        os.write(master, f"{answer}\n".encode())
    shown = b""
    while True:
        try:
            part = os.read(master, 65_536)
        except OSError:  # the terminal is closed: the process ended
            break
        shown += part
    os.close(master)
    return process.wait(timeout=60), shown.decode("utf-8", "replace")


def number_of(env, url):
    """Of the first model at this address, as the list numbers it."""
    servers = json.loads(ultron(env, "model", "--json").stdout)["servers"]
    before = 0
    for server in servers:
        if server["url"] == url:
            return before + 1
        before += len(server["models"])
    raise AssertionError(f"{url} was not found: {servers}")


def written(env):
    return tomllib.loads((Settings.load(env).store.home / "ultron.toml").read_text("utf-8"))


@pytest.mark.parametrize("kind", FOUND)
def test_a_server_is_found_checked_chosen_and_switched_off(env, kind):
    listing, context = FOUND[kind]
    with serving(listing, SmallServer(context, good)) as (place, asked):
        env["OLLAMA_HOST"] = place
        number = number_of(env, f"{place}/v1")
        code, shown = at_terminal(env, ["model"], [number, "y", "y"])
        assert code == 0, shown
        assert "this machine" in shown and "The model works" in shown and len(chats(asked)) == QUESTIONS
        assert written(env) == {
            "llm_base_url": f"{place}/v1",
            "llm_model": MODEL,
            "llm_max_input_tokens": context,
        }
        llm = Settings.load(env).llm
        assert llm.enabled and llm.at_once == 1 and llm.max_input_tokens == context
        checked = ultron(env, "model", "--check", "--json")
        assert (checked.returncode, json.loads(checked.stdout)["verdict"]) == (0, "works")
        assert ultron(env, "model", "--off").returncode == 0
        assert written(env) == {"offline": True} and not Settings.load(env).llm.enabled
        assert ultron(env, "model", "--check").returncode == 1


@pytest.mark.parametrize("answers", [["0"], ["NUMBER", "n"]], ids=["none of them", "not tried"])
def test_nothing_is_sent_or_chosen_without_consent(env, answers):
    with serving(Ollama(), SmallServer(4_096, good)) as (place, asked):
        env["OLLAMA_HOST"] = place
        number = str(number_of(env, f"{place}/v1"))
        code, _ = at_terminal(env, ["model"], [number if a == "NUMBER" else a for a in answers])
        assert code == 0 and chats(asked) == []
        assert not (Settings.load(env).store.home / "ultron.toml").exists()


def test_a_model_that_fails_the_check_is_not_chosen_unless_the_person_says_so(env):
    with serving(Ollama(), SmallServer(4_096, without_sense)) as (place, _):
        env["OLLAMA_HOST"] = place
        number = number_of(env, f"{place}/v1")
        _, shown = at_terminal(env, ["model"], [number, "y", ""])
        assert "unfit" in shown and "Nothing is chosen" in shown
        assert not (Settings.load(env).store.home / "ultron.toml").exists()


def test_what_stands_in_the_file_stays(env):
    home = Settings.load(env).store.home
    home.mkdir(parents=True)
    (home / "ultron.toml").write_text(
        '# mine\nmodel = "old"\nsession_quiet_minutes = 5  # often\napi_key = "k"\n'
    )
    assert ultron(env, "model", "--off").returncode == 0
    text = (home / "ultron.toml").read_text()
    assert text == '# mine\nsession_quiet_minutes = 5  # often\napi_key = "k"\noffline = true\n'
    assert 'model = "old"' in (home / "ultron.toml.ultron-backup").read_text()


@pytest.mark.parametrize("text", ["model = ", 'note = """\nmodel = "x"\n"""\n'])
def test_a_file_that_cannot_be_changed_safely_is_left(env, text):
    home = Settings.load(env).store.home
    home.mkdir(parents=True)
    (home / "ultron.toml").write_text(text)
    done = ultron(env, "model", "--off")
    assert done.returncode == 1 and "ultron.toml" in done.stderr
    assert (home / "ultron.toml").read_text() == text


def test_without_a_terminal_it_lists_and_asks_nothing(env):
    with serving(LMStudio()) as (place, asked):
        env["OLLAMA_HOST"] = place
        done = ultron(env, "model")
        assert done.returncode == 0 and f"{MODEL}  LM Studio, {place}/v1  8,192 tokens" in done.stdout
        assert chats(asked) == []


def test_keys_are_told_by_the_names_of_their_variables(env):
    env["DEEPSEEK_API_KEY"] = "sk-very-secret"
    for arguments in (["model"], ["model", "--json"]):
        done = ultron(env, *arguments)
        assert "DEEPSEEK_API_KEY" in done.stdout and "sk-very-secret" not in done.stdout + done.stderr


CHECKS = [
    (good, "works"),
    (without_outcomes, "works but misses outcomes"),
    (without_sense, "unfit"),
]


@pytest.mark.parametrize(("answer", "verdict"), CHECKS, ids=[verdict for _, verdict in CHECKS])
def test_the_verdict_of_a_check(answer, verdict):
    with serving(Ollama(), SmallServer(4_096, answer)) as (place, _):
        llm = LLMSettings(base_url=f"{place}/v1", model=MODEL, max_input_tokens=4_096)
        assert check_model(OpenAICompatibleLLM(llm)).verdict == verdict


def test_a_check_that_gets_no_answer_says_why():
    with serving(OpenAIListing([])) as (place, _):
        llm = LLMSettings(base_url=f"{place}/v1", model="gone", max_retries=0)
        checked = check_model(OpenAICompatibleLLM(llm))
    assert checked.verdict == "no answer"
    assert "answered 404" in checked.problem and "`ultron model`" in checked.problem
