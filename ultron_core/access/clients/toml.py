"""One marked block at the end of a TOML file of somebody else; nothing else in it is touched."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence

from ultron_core.errors import InputError

__all__ = ["put_block", "remove_block"]

_BEGIN, _END = "# ultron: begin (made by `ultron connect`)", "# ultron: end"
#: e.g. `# ultron: begin⏎[mcp_servers.ultron]⏎# ultron: end⏎`
_BLOCK = re.compile(r"\n?^# ultron: begin[^\n]*\n.*?^# ultron: end[^\n]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)


def put_block(text: str, table: str, values: Mapping[str, str | Sequence[str]]) -> str:
    """The file with `[table]` and its values in our block. Raises InputError for a file that is no TOML, and for one
    that has that table outside of the block."""
    rest = remove_block(text)
    try:
        found = tomllib.loads(rest)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{error}; put it right first.") from error
    for name in table.split("."):
        found = found.get(name, {})
    if found:
        raise InputError(f"[{table}] is there already, not made by `ultron connect`: take it out first.")
    lines = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    block = "\n".join([_BEGIN, f"[{table}]", *lines, _END]) + "\n"
    before = rest if not rest or rest.endswith("\n") else rest + "\n"
    return f"{before}\n{block}" if before else block


def remove_block(text: str) -> str:
    """The file without our block."""
    return _BLOCK.sub("", text)
