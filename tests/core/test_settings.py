"""Where a setting comes from, and what is said of one that cannot work."""

import re
from pathlib import Path

import pytest

import ultron_core
import ultron_pipelines
from ultron_core.errors import SettingsError
from ultron_core.folders import find_home
from ultron_core.setting_models import is_loopback
from ultron_core.settings import NO_SETTINGS, LLMSettings, Settings


@pytest.fixture
def load(tmp_path):
    """Settings from these variables, with a home and a working folder of the test's own."""

    def make(toml=None, project_toml=None, **env):
        home = tmp_path / "project" / ".ultron"
        home.mkdir(parents=True, exist_ok=True)
        if toml is not None:
            (home / "ultron.toml").write_text(toml)
        if project_toml is not None:
            (home.parent / "ultron.toml").write_text(project_toml)
        return Settings.load(env, cwd=tmp_path, home=home)

    return make


def test_without_anything_the_defaults_hold(load):
    settings = load()
    assert settings.sessions == Settings().sessions and settings.dedup == Settings().dedup
    assert settings.exports_dir == settings.store.home / "exports"
    assert not settings.llm.enabled


def test_the_environment_wins_over_the_file_and_the_file_over_the_default(load):
    toml = "session_quiet_minutes = 5\nhot_percentile = 20\n"
    settings = load(toml, ULTRON_SESSION_QUIET_MINUTES="7")
    assert settings.sessions.quiet_minutes == 7
    assert settings.tiers.hot_percentile == 20
    assert settings.tiers.warm_percentile == 40


def test_the_home_s_file_goes_before_the_project_s(load):
    settings = load("hot_percentile = 20\n", "hot_percentile = 30\nwarm_percentile = 50\n")
    assert (settings.tiers.hot_percentile, settings.tiers.warm_percentile) == (20, 50)


def test_an_empty_variable_counts_as_unset(load):
    assert load("hot_percentile = 20\n", ULTRON_HOT_PERCENTILE=" ").tiers.hot_percentile == 20


def test_of_two_names_of_one_setting_the_first_wins(load):
    settings = load(ULTRON_MODEL="short", ULTRON_LLM_MODEL="long")
    assert settings.llm.model == "short"
    assert load(ULTRON_LLM_MODEL="long").llm.model == "long"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ULTRON_HOT_PERCENTILE", "abc"),
        ("ULTRON_HOT_PERCENTILE", "0"),
        ("ULTRON_DEDUP_SIMILARITY_THRESHOLD", "1.5"),
        ("ULTRON_LOG_LEVEL", "loud"),
        ("ULTRON_EMBEDDING_BACKEND", "cloud"),
        ("ULTRON_OFFLINE", "perhaps"),
        ("ULTRON_SFT_REASONING", "sometimes"),
        ("ULTRON_LLM_PROVIDER", "nobody"),
    ],
)
def test_a_value_that_cannot_work_is_named_with_its_variable(load, variable, value):
    with pytest.raises(SettingsError, match=variable) as caught:
        load(**{variable: value})
    assert repr(value) in str(caught.value)


def test_a_wrong_value_in_the_file_is_named_as_well(load):
    with pytest.raises(SettingsError, match=r"ULTRON_HOT_PERCENTILE.*'abc'"):
        load('hot_percentile = "abc"\n')


def test_a_key_that_nothing_reads_is_no_silent_typo(load):
    with pytest.raises(SettingsError, match="'hot_percentil'"):
        load("hot_percentil = 20\n")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("ULTRON_ACCOUNT_ID", "ULTRON_ACCOUNT"),
        ("ULTRON_HOT_PERCENTIL", "ULTRON_HOT_PERCENTILE"),
        ("ULTRON_SESSION_DIR", "ULTRON_SESSIONS_DIR"),
        ("ULTRON_DATABASEURL", "ULTRON_DATABASE_URL"),
    ],
)
def test_a_variable_that_is_almost_a_setting_is_no_silent_typo(load, typed, meant):
    with pytest.raises(SettingsError, match=f"{typed} is no setting; is {meant} meant"):
        load(**{typed: "7"})
    load(**{typed: " "})


def test_a_variable_like_no_setting_is_told_and_stops_nothing(load, caplog):
    for _ in range(2):
        load(ULTRON_SERVICE_HOST="10.0.0.1", ULTRON_PORT_9999_TCP="tcp://10.0.0.1:9999", ULTRON_NAMESPACE="x")
    (told,) = [record.getMessage() for record in caplog.records]
    assert told.startswith("ULTRON_PORT_9999_TCP, ULTRON_SERVICE_HOST: no setting")


def test_every_variable_that_is_named_here_is_a_setting_or_listed_as_none():
    """Else whoever sets one as a page says is told that nothing reads it."""
    root = Path(ultron_core.__file__).parents[1]
    known = {name for _, names, *_ in Settings().describe() for name in names} | NO_SETTINGS
    kinds = {".py", ".md", ".yaml", ".yml", ".toml", ""}
    places = [
        root / part for part in ("ultron_core", "ultron_pipelines", "deploy", "docs", "benchmarks", "tests")
    ]
    files = [path for place in places for path in place.rglob("*") if path.suffix in kinds and path.is_file()]
    named = {}
    for path in [*files, root / "Makefile", root / "README.md"]:
        if path.name not in ("settings.py", "test_settings.py"):  # they hold names that are wrong
            for name in re.findall(r"\bULTRON_[A-Z0-9_]+[A-Z0-9]\b", path.read_text("utf-8", "replace")):
                named.setdefault(name, path.name)
    assert {name: where for name, where in named.items() if name not in known | {"ULTRON_KEY"}} == {}


@pytest.mark.parametrize("body", [b"[x", b"\xff\xfe\x00"])
def test_a_file_that_is_no_toml_is_named(load, tmp_path, body):
    path = tmp_path / "project" / ".ultron" / "ultron.toml"
    load()
    path.write_bytes(body)
    with pytest.raises(SettingsError) as caught:
        load()
    assert str(path) in str(caught.value)


def test_openai_s_key_alone_sends_nothing_anywhere(load):
    settings = load(OPENAI_API_KEY="of-another-program")
    assert not settings.llm.enabled and settings.llm.api_key is None


@pytest.mark.parametrize(
    "also", [{"ULTRON_MODEL": "m"}, {"ULTRON_LLM_PROVIDER": "openai"}, {"OPENAI_BASE_URL": "http://x/v1"}]
)
def test_openai_s_key_with_a_model_provider_or_address_is_meant_for_ultron(load, also):
    llm = load(OPENAI_API_KEY="mine", **also).llm
    assert llm.enabled and llm.provider == "openai"
    assert llm.url == also.get("OPENAI_BASE_URL", "https://api.openai.com/v1")


@pytest.mark.parametrize("variable", ["ULTRON_API_KEY", "ULTRON_LLM_API_KEY", "DASHSCOPE_API_KEY"])
def test_a_key_of_ultron_or_dashscope_switches_the_model_on(load, variable):
    llm = load(**{variable: "k"}).llm
    assert llm.enabled and llm.model_name == "qwen3.6-flash" and "dashscope" in llm.url


def test_dashscope_s_key_is_not_hidden_by_a_stray_one_of_openai(load):
    llm = load(OPENAI_API_KEY="stray", DASHSCOPE_API_KEY="k").llm
    assert (llm.enabled, llm.api_key) == (True, "k") and "dashscope" in llm.url


def test_offline_wins_over_every_key(load):
    keys = dict.fromkeys(("ULTRON_API_KEY", "OPENAI_API_KEY", "DASHSCOPE_API_KEY"), "k")
    assert not load(ULTRON_OFFLINE="1", ULTRON_MODEL="m", **keys).llm.enabled


def test_a_secret_is_neither_in_an_error_nor_described_as_plain(load):
    secret = {v for _, names, _, _, is_secret in Settings().describe() if is_secret for v in names}
    assert {"ULTRON_DATABASE_URL", "ULTRON_API_KEY", "ULTRON_EMBEDDING_API_KEY"} <= secret
    assert not {v for v in secret if not v.endswith(("_URL", "_KEY", "_REDACT_WORDS", "_SALT"))}
    with pytest.raises(SettingsError) as caught:
        load("database_url = 12345\n")
    assert "12345" not in str(caught.value) and "ULTRON_DATABASE_URL" in str(caught.value)


def test_every_setting_is_described_once():
    described = list(Settings().describe())
    names = [name for _, variables, *_ in described for name in variables]
    assert len(names) == len(set(names)) and all(about for *_, about, _ in described)


def test_the_home_is_the_variable_s_or_the_user_s_whatever_the_working_folder():
    assert find_home({"ULTRON_HOME": "/data"}) == Path("/data")
    assert find_home({"HOME": "/h"}) == Path("/h/.local/share/ultron")
    assert find_home({"XDG_DATA_HOME": "/x"}) == Path("/x/ultron")


def test_every_setting_has_a_reader():
    """Some module that takes the record of a stage takes this field by its name, or a property of the record does."""
    packages = [Path(package.__file__).parent for package in (ultron_core, ultron_pipelines)]
    sources = {path: path.read_text("utf-8") for folder in packages for path in folder.rglob("*.py")}
    records = "".join(text for path, text in sources.items() if path.name.startswith("setting"))
    unread = []
    for stage, record in Settings.model_fields.items():
        knowing = re.compile(rf"(?:settings|self)\.{stage}\b|\b{record.annotation.__name__}\b")
        readers = [t for p, t in sources.items() if p.name != "setting_stages.py" and knowing.search(t)]
        for name in record.annotation.model_fields:
            if f"self.{name}" not in records and not any(re.search(rf"\.{name}\b", t) for t in readers):
                unread.append(f"{stage}.{name}")
    assert unread == []


def test_a_server_on_this_machine_needs_no_key_but_a_model(load):
    local = {"ULTRON_LLM_BASE_URL": "http://127.0.0.1:11434/v1"}
    assert not load(**local).llm.enabled
    llm = load(**local, ULTRON_MODEL="qwen3:8b").llm
    assert llm.enabled and llm.api_key is None and llm.at_once == 1
    assert not load(ULTRON_LLM_BASE_URL="http://llm.example/v1", ULTRON_MODEL="m").llm.enabled


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("http://localhost:8080/v1", True),
        ("http://[::1]:8080/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://127.0.0.1.evil.example/v1", False),
        ("http://0.0.0.0:8080/v1", False),
        ("http://192.168.0.2:8080/v1", False),
        ("https://api.openai.com/v1", False),
        ("", False),
    ],
)
def test_what_is_this_machine(url, own):
    assert is_loopback(url) == own


def test_no_key_of_another_vendor_goes_to_a_server_on_this_machine(load):
    keys = {"OPENAI_API_KEY": "sk-o", "DASHSCOPE_API_KEY": "sk-d"}
    own = {"ULTRON_LLM_BASE_URL": "http://localhost:1234/v1", "ULTRON_MODEL": "m"}
    assert load(**keys, **own).llm.api_key is None
    assert load(**keys, **own, ULTRON_LLM_API_KEY="mine").llm.api_key == "mine"
    assert load(OPENAI_API_KEY="sk-o", OPENAI_BASE_URL="http://localhost:1234/v1").llm.api_key == "sk-o"


def test_the_key_may_stand_in_a_variable_that_is_named(load):
    named = {"ULTRON_LLM_KEY_VARIABLE": "DEEPSEEK_API_KEY", "ULTRON_MODEL": "deepseek-chat"}
    named |= {"ULTRON_LLM_BASE_URL": "https://api.deepseek.com/v1", "OPENAI_API_KEY": "sk-o"}
    assert load(**named, DEEPSEEK_API_KEY="sk-ds").llm.api_key == "sk-ds"
    assert not load(**named).llm.enabled, "never with another vendor's key"


@pytest.mark.parametrize(
    ("context", "answer"), [(4_096, 1_024), (8_192, 2_048), (16_384, 4_096), (200_000, 8_192)]
)
def test_an_answer_gets_at_most_a_quarter_of_the_context(context, answer):
    llm = LLMSettings(max_input_tokens=context)
    assert (llm.answer_tokens, llm.window_tokens) == (answer, context - answer)
    assert llm.room_for(1_225) == context - answer - 1_225 - 160


def test_a_server_on_this_machine_gets_the_time_that_ten_tokens_a_second_take():
    here = LLMSettings(base_url="http://localhost:11434/v1", model="m", max_input_tokens=32_768)
    assert here.seconds > 120 + 8_192 / 10 + 24_576 / 40 - 1
    assert here.model_copy(update={"timeout_seconds": 5}).seconds == 5
    assert (LLMSettings().seconds, LLMSettings().at_once) == (600, 4)
