"""The first ingest offers a model once, at a terminal; elsewhere one line says how to look."""

import pytest

from tests.core.cli.test_model import at_terminal, env, ultron  # noqa: F401
from tests.support.model.checked import good
from tests.support.model.listings import MODEL, Ollama, chats, serving
from tests.support.model.small import SmallServer
from tests.support.worlds import task, write_log
from ultron_core.cli.model.offer import offer_model
from ultron_core.settings import LLMSettings, Settings, StoreSettings

ONE_LINE = "`ultron model` looks"


@pytest.fixture
def nobody(tmp_path, capsys):
    """Offers to settings on a home of the test's own where nobody sits; returns what was printed."""

    def offer(**llm):
        given = Settings(store=StoreSettings(home=tmp_path), llm=LLMSettings(**llm))
        assert offer_model(given) is given
        printed = capsys.readouterr()
        return printed.out + printed.err

    return offer


def test_where_nobody_sits_one_line_is_all(nobody):
    assert nobody().count("\n") == 1


@pytest.mark.parametrize("llm", [{"api_key": "k"}, {"offline": True}], ids=["one is chosen", "switched off"])
def test_nothing_is_said_where_it_is_decided(nobody, llm):
    assert nobody(**llm) == ""


def test_the_first_ingest_offers_what_is_there_once(env, tmp_path):  # noqa: F811
    log = write_log(tmp_path / "log.jsonl", task("alpha"))
    with serving(Ollama(), SmallServer(4_096, good)) as (place, asked):
        env["OLLAMA_HOST"] = place
        code, shown = at_terminal(env, ["ingest", log], ["n"])
        assert code == 0, shown
        assert MODEL in shown and "Nothing is sent before you agree" in shown
        assert chats(asked) == []
        code, shown = at_terminal(env, ["ingest", log], [])
        assert code == 0 and MODEL not in shown


def test_a_pipe_is_asked_nothing(env, tmp_path):  # noqa: F811
    log = write_log(tmp_path / "log.jsonl", task("alpha"))
    done = ultron(env, "ingest", log)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stderr.splitlines() if ONE_LINE in line] == [
        "No model is used; `ultron model` looks for one."
    ]
    assert ONE_LINE not in ultron(env, "ingest", log).stderr, "not a second time"
    assert (
        ONE_LINE not in ultron(env | {"ULTRON_HOME": str(tmp_path / "other")}, "ingest", log, "--json").stderr
    )
