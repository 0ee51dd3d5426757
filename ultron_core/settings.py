"""Typed settings, one frozen record per stage, read once at the edge.

    settings = Settings.load()                     # ULTRON_* variables, then ultron.toml, then defaults
    settings = Settings(dedup=DedupSettings(similarity_threshold=0.9))

Every field carries the variables it is read from (first one set wins) and one sentence; `describe()` lists
them for docs/settings.md, `ultron doctor` and the tests. In `ultron.toml` the key is the variable's name in lower
case without `ULTRON_` (`session_quiet_minutes = 0`). Nothing below this module reads the environment.
"""

from __future__ import annotations

import logging
import os
import tomllib
from collections.abc import Iterator, Mapping, Set
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from ultron_core.errors import SettingsError
from ultron_core.folders import find_home
from ultron_core.setting_models import EmbeddingSettings, LLMSettings, QualityLLMSettings
from ultron_core.setting_runs import RunSettings
from ultron_core.setting_sft import SftSettings, TrainSettings
from ultron_core.setting_stages import (
    ClusterSettings,
    DedupSettings,
    ExtractSettings,
    LabelSettings,
    RedactionSettings,
    SearchSettings,
    SegmentSettings,
    ServeSettings,
    SessionSettings,
    Stage,
    StoreSettings,
    TierSettings,
)

__all__ = [
    "CONFIG_FILE",
    "DEMO_MARK",
    "NO_SETTINGS",
    "ClusterSettings",
    "DedupSettings",
    "EmbeddingSettings",
    "ExtractSettings",
    "LLMSettings",
    "LabelSettings",
    "QualityLLMSettings",
    "RedactionSettings",
    "RunSettings",
    "SearchSettings",
    "SegmentSettings",
    "ServeSettings",
    "SessionSettings",
    "Settings",
    "SftSettings",
    "StoreSettings",
    "TierSettings",
    "TrainSettings",
]

logger = logging.getLogger("ultron.settings")
CONFIG_FILE = "ultron.toml"
#: in the configuration that the demo writes: its store may be removed
DEMO_MARK = "Written by `make demo`"
#: variables of this name that others read: clients of the server, Dagster's host, deployments, tests, benchmarks
NO_SETTINGS = frozenset(
    {
        *("ULTRON_ACCESS_KEY", "ULTRON_AUTOSTART", "ULTRON_COMPUTE_LOGS_BUCKET", "ULTRON_DB_PASSWORD"),
        *("ULTRON_DAGSTER_SQLALCHEMY_URL", "ULTRON_NAMESPACE", "ULTRON_BENCH_DATA", "ULTRON_BROWSER"),
        *("ULTRON_CHROMIUM", "ULTRON_DOCS", "ULTRON_FAULTS", "ULTRON_FAULT_FILES", "ULTRON_FAULT_KILLS"),
        "ULTRON_FAULT_DATABASE_KILLS",
        *("ULTRON_FAULT_SEED", "ULTRON_SAMPLE", "ULTRON_TEST_DATABASE_URL", "ULTRON_TEST_FUZZ"),
        "ULTRON_TEST_HOME",
    }
)
#: how alike a name is to a setting's that must have meant it, e.g. `ULTRON_ACCOUNT_ID`, `ULTRON_HOT_PERCENTIL`
_ALIKE = 0.8


class Settings(Stage):
    """All settings of one process."""

    store: StoreSettings = StoreSettings()
    sessions: SessionSettings = SessionSettings()
    llm: LLMSettings = LLMSettings()
    quality_llm: QualityLLMSettings = QualityLLMSettings()
    embedding: EmbeddingSettings = EmbeddingSettings()
    segments: SegmentSettings = SegmentSettings()
    labels: LabelSettings = LabelSettings()
    extract: ExtractSettings = ExtractSettings()
    dedup: DedupSettings = DedupSettings()
    tiers: TierSettings = TierSettings()
    search: SearchSettings = SearchSettings()
    clusters: ClusterSettings = ClusterSettings()
    redaction: RedactionSettings = RedactionSettings()
    sft: SftSettings = SftSettings()
    train: TrainSettings = TrainSettings()
    serve: ServeSettings = ServeSettings()
    runs: RunSettings = RunSettings()

    @classmethod
    def load(
        cls, environ: Mapping[str, str] | None = None, *, cwd: Path | None = None, home: Path | None = None
    ) -> Self:
        """Settings from the environment, then `ultron.toml` in the home (or beside a clone's `.ultron`), then defaults.

        Raises SettingsError for an invalid value and for a variable that is spelt almost like a setting's; the message
        names the variable.
        """
        env = os.environ if environ is None else environ
        start = (cwd or Path.cwd()).resolve()
        home = (home or find_home(env)).resolve()
        files = [home / CONFIG_FILE, *([home.parent / CONFIG_FILE] if home.name == ".ultron" else [])]
        file_values: dict[str, Any] = {}
        for path in reversed(files):
            file_values |= _read_toml(path)
        stages = {
            name: _read_stage(field.annotation, env, file_values)
            for name, field in cls.model_fields.items()
            if field.annotation is not None
        }
        variables = {variable for _, f in _stage_fields(cls) for variable in _variables(f)}
        _check_variables(env, variables)
        known = {variable.removeprefix("ULTRON_").lower() for variable in variables}
        if unknown := sorted(set(file_values) - known):
            raise SettingsError(
                f"ultron.toml: unknown key {unknown[0]!r}; docs/settings.md lists all settings."
            )
        settings = cls(**stages)
        places = {"home": home, "working_folder": settings.store.working_folder or start}
        settings = settings.model_copy(update={"store": settings.store.model_copy(update=places)})
        return settings._with_the_right_key(env)

    def _with_the_right_key(self, env: Mapping[str, str]) -> Self:
        """No key goes to another endpoint than its own; and OPENAI_API_KEY alone, set for another program, must not
        send anyone's logs to a remote service."""
        llm = self.llm
        own = env.get("ULTRON_API_KEY") or env.get("ULTRON_LLM_API_KEY")
        if llm.key_variable and not own:
            return self._keyed(env.get(llm.key_variable))
        openai, dashscope = env.get("OPENAI_API_KEY"), env.get("DASHSCOPE_API_KEY")
        if own or not llm.api_key or llm.api_key not in (openai, dashscope):
            return self
        if llm.is_local and llm.base_url != env.get("OPENAI_BASE_URL"):
            return self._keyed(None)
        if llm.api_key != openai:
            return self
        if llm.provider or llm.base_url or llm.model:
            return self._keyed(openai, provider=llm.provider or "openai")
        return self._keyed(dashscope)

    def _keyed(self, key: str | None, **more: str) -> Self:
        return self.model_copy(update={"llm": self.llm.model_copy(update={"api_key": key, **more})})

    def in_folder(self, folder: Path | None) -> Self:
        """The same settings, in another working folder."""
        return self.model_copy(update={"store": self.store.model_copy(update={"working_folder": folder})})

    @property
    def sessions_dir(self) -> Path:
        return self.sessions.sessions_dir or self.store.home / "sessions"

    @property
    def run_files(self) -> int:
        """Maximum number of files in one Dagster run.

        Starting a run costs some 5 s of CPU, a file offline some 0.1 s: at 500 files the start is a tenth of the
        work. A model takes seconds a file, and a run that fails is begun again as a whole.
        """
        return self.sessions.run_files or (50 if self.llm.enabled else 500)

    @property
    def auto_reprocess(self) -> bool:
        """Whether what an older version made is made again by itself: always where no model has to be paid."""
        return self.sessions.auto_reprocess or not self.llm.enabled

    @property
    def exports_dir(self) -> Path:
        return self.store.exports_dir or self.store.home / "exports"

    @property
    def adapters_dir(self) -> Path:
        return self.train.adapters_dir or self.store.home / "adapters"

    @property
    def reviews_dir(self) -> Path:
        """Which datasets a person has reviewed."""
        return self.store.home / "reviews"

    def describe(self) -> Iterator[tuple[str, tuple[str, ...], Any, str, bool]]:
        """(stage, variables, value, one sentence, secret) of every setting, in order."""
        for stage_name in type(self).model_fields:
            stage = getattr(self, stage_name)
            for name, field in type(stage).model_fields.items():
                secret = _extra(field)["secret"]
                yield stage_name, _variables(field), getattr(stage, name), field.description or "", secret


def _check_variables(env: Mapping[str, str], known: Set[str]) -> None:
    """A variable that nothing reads is no silent typo: whoever sets `ULTRON_ACCOUNT_ID` must not write into another
    account. One like no setting may be another program's, e.g. what Kubernetes tells of a service named `ultron`."""
    unknown = sorted(
        n for n in env if n.startswith("ULTRON_") and env[n].strip() and n not in known | NO_SETTINGS
    )
    short = {name.removeprefix("ULTRON_"): name for name in known if name.startswith("ULTRON_")}
    for name in unknown:
        if near := get_close_matches(name.removeprefix("ULTRON_"), short, n=1, cutoff=_ALIKE):
            raise SettingsError(
                f"{name} is no setting; is {short[near[0]]} meant? docs/settings.md lists all."
            )
    if unknown:
        _tell_unknown(", ".join(unknown))


@cache
def _tell_unknown(names: str) -> None:
    """Once a process."""
    logger.warning("%s: no setting of this name; docs/settings.md lists all.", names)


def _extra(field: FieldInfo) -> dict[str, Any]:
    extra = field.json_schema_extra
    return dict(extra) if isinstance(extra, dict) else {"variables": [], "secret": False}


def _variables(field: FieldInfo) -> tuple[str, ...]:
    return tuple(_extra(field)["variables"])


def _stage_fields(cls: type[Settings]) -> Iterator[tuple[str, FieldInfo]]:
    for stage in cls.model_fields.values():
        annotation = stage.annotation
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            yield from annotation.model_fields.items()


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"{path} cannot be read: {error}. Fix or remove it.") from error


def _read_stage(stage: Any, env: Mapping[str, str], file_values: Mapping[str, Any]) -> Stage:
    values: dict[str, Any] = {}
    for name, field in stage.model_fields.items():
        for variable in _variables(field):
            if env.get(variable, "").strip():
                values[name] = env[variable].strip()
                break
            key = variable.removeprefix("ULTRON_").lower()
            if variable.startswith("ULTRON_") and key in file_values:
                values[name] = file_values[key]
                break
    try:
        made = stage(**values)
    except ValidationError as error:
        raise SettingsError(_explain(stage, error)) from error
    assert isinstance(made, Stage)
    return made


def _explain(stage: Any, error: ValidationError) -> str:
    first = error.errors()[0]
    field = stage.model_fields[str(first["loc"][0])]
    shown = "the value given" if _extra(field)["secret"] else repr(first["input"])
    return f"{_variables(field)[0]}: {shown} is not valid ({first['msg']}). {field.description}"
