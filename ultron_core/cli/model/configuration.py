"""The choice of a model in `ultron.toml`: a few keys are set or taken out, everything else stays as it is."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ultron_core.cli.writing import write_beside
from ultron_core.errors import SettingsError
from ultron_core.folders import make_home
from ultron_core.setting_models import LLMSettings
from ultron_core.settings import CONFIG_FILE

__all__ = ["CHOICE", "write_choice"]

#: fields of the settings of the model that a choice decides
CHOICE = ("provider", "base_url", "model", "key_variable", "max_input_tokens", "offline")


def write_choice(home: Path, values: Mapping[str, str | int | bool]) -> Path:
    """Write these fields of a choice into the file of the home and take the others out; a backup is kept.

    Raises SettingsError when the file cannot be read or written.
    """
    path = home / CONFIG_FILE
    try:
        old = path.read_text("utf-8") if path.is_file() else None
        new = _changed(old or "", values)
        make_home(home)
        write_beside(path, new, old)
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} cannot be written: {error}.") from error
    return path


def _changed(text: str, values: Mapping[str, str | int | bool]) -> str:
    """The text with the keys of a choice on lines of their own; the values of other keys are not touched."""
    before = _parsed(text)
    chosen = {key for field in CHOICE for key in _keys(field)}
    mine = re.compile(rf"^[ \t]*(?:{'|'.join(sorted(chosen))})[ \t]*=.*(?:\n|\Z)", re.MULTILINE)
    lines = [
        f"{_keys(field)[0]} = {json.dumps(value, ensure_ascii=False)}\n" for field, value in values.items()
    ]
    rest = mine.sub("", text)
    new = rest + ("" if not rest or rest.endswith("\n") else "\n") + "".join(lines)
    kept = {key: value for key, value in before.items() if key not in chosen}
    if {key: value for key, value in _parsed(new).items() if key not in chosen} != kept:
        raise SettingsError(
            f"{CONFIG_FILE} has a value that cannot be told from its keys: change it by hand."
        )
    return new


def _parsed(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{CONFIG_FILE} is not TOML: {error}. Fix or remove it.") from error


def _keys(field: str) -> list[str]:
    """The keys of a field in the file, the one that is written first."""
    extra: Any = LLMSettings.model_fields[field].json_schema_extra
    names = [
        name.removeprefix("ULTRON_").lower() for name in extra["variables"] if name.startswith("ULTRON_")
    ]
    return sorted(names, key=lambda name: not name.startswith("llm_"))
