"""`ultron connect` in the files of somebody else: what is there stays, twice is once, and only our own goes again."""

import json
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from ultron_core.access.clients import jsonc
from ultron_core.access.clients.plan import Commands, plan_edits
from ultron_core.cli.main import cli
from ultron_core.errors import InputError

COMMANDS = Commands("/venv/bin/ultron-hook", "/venv/bin/ultron-mcp", "/home/me/my data", "claude-code")

SETTINGS = """{
  // my own rules
  "permissions": {"allow": ["Bash(ls:*)"]},
  "hooks": {
    "SessionStart": [
      {"hooks": [{"type": "command", "command": "my-own-hook"}]}, /* keep */
    ],
  },
  "model": "opus",
}
"""

EMPTY = [
    "",
    "{}",
    "{}\n",
    "{\n}\n",
    '{"a": 1}',
    '{"a": 1,}',
    '{\n\t"a": [],\n\t"b": {}\n}\n',
    "// nothing yet\n{ }\n",
]


def applied(client, texts, *, remove=False, in_project=False):
    """{path: text} after the edits."""
    edits = plan_edits(client, Path("/base"), COMMANDS, in_project=in_project, remove=remove)
    return {str(edit.path): edit.change(texts.get(str(edit.path), "")) for edit in edits}


def test_foreign_keys_and_comments_stay():
    path = "/base/.claude/settings.json"
    after = applied("claude-code", {path: SETTINGS})
    text = after[path]
    for kept in (
        "// my own rules",
        "/* keep */",
        '"allow": ["Bash(ls:*)"]',
        "my-own-hook",
        '"model": "opus"',
    ):
        assert kept in text
    value = jsonc.read(text).value
    assert [len(value["hooks"][e]) for e in ("SessionStart", "UserPromptSubmit", "SessionEnd")] == [2, 1, 1]
    assert "'/home/me/my data'" in value["hooks"]["SessionEnd"][0]["hooks"][0]["command"]
    assert applied("claude-code", after) == after
    gone = applied("claude-code", after, remove=True)
    assert jsonc.read(gone[path]).value == jsonc.read(SETTINGS).value and "/* keep */" in gone[path]
    assert "ultron" not in "".join(gone.values())


@pytest.mark.parametrize("text", EMPTY)
@pytest.mark.parametrize("client", ["claude-code", "cursor"])
def test_every_shape_of_an_emptyish_file(client, text):
    paths = list(applied(client, {}))
    before = dict.fromkeys(paths, text)
    after = applied(client, before)
    assert all("ultron" in changed for changed in after.values())
    assert applied(client, after) == after
    gone = applied(client, after, remove=True)
    for path in paths:
        assert (jsonc.read(gone[path]).value or {}) == (jsonc.read(text).value or {})


def test_a_changed_installation_replaces_its_own_entry():
    path = "/base/.cursor/mcp.json"
    old = applied("cursor", {path: '{"mcpServers": {"other": {"command": "x"}}}'})
    value = json.loads(old[path])["mcpServers"]
    assert list(value) == ["other", "ultron"] and value["ultron"]["command"] == COMMANDS.bridge
    moved = Commands("/new/ultron-hook", "/new/ultron-mcp", "/data", "cursor")
    edit, hooks = plan_edits("cursor", Path("/base"), moved, in_project=False, remove=False)
    assert hooks.change(hooks.change("")).count("/new/ultron-hook") == 2
    assert json.loads(edit.change(old[path]))["mcpServers"]["ultron"]["command"] == "/new/ultron-mcp"


def test_codex_keeps_its_file():
    path = "/base/.codex/config.toml"
    mine = '# mine\nmodel = "gpt-5"\n\n[mcp_servers.other]\ncommand = "x" # keep\n'
    after = applied("codex", {path: mine})
    assert after[path].startswith(mine)
    assert tomllib.loads(after[path])["mcp_servers"]["ultron"]["args"][1] == COMMANDS.home
    events = json.loads(after["/base/.codex/hooks.json"])["hooks"]
    assert list(events) == ["SessionStart", "UserPromptSubmit", "Stop"]
    assert " turn-end " in events["Stop"][0]["hooks"][0]["command"]
    assert applied("codex", after) == after
    assert applied("codex", after, remove=True)[path] == mine
    with pytest.raises(InputError, match="already"):
        applied("codex", {path: '[mcp_servers.ultron]\ncommand = "x"\n'})


def test_hooks_of_cursor_stand_beside_others():
    path = "/base/.cursor/hooks.json"
    mine = '{\n  "version": 1,\n  "hooks": {"stop": [{"command": "my-own"}]}\n}\n'
    after = applied("cursor", {path: mine})
    value = json.loads(after[path])
    assert value["version"] == 1 and list(value["hooks"]) == ["stop", "sessionStart", "sessionEnd"]
    assert " session-end " in value["hooks"]["sessionEnd"][0]["command"]
    assert json.loads(applied("cursor", after, remove=True)[path]) == json.loads(mine)


@pytest.mark.parametrize(
    "text", ["{", "[1]", '{"a" 1}', "nonsense", '{"mcpServers": 5}', '{"hooks": []}', '{"a": 1} x']
)
def test_a_file_that_is_no_settings_file_is_left_alone(text):
    with pytest.raises(InputError, match="line 1"):
        applied("claude-code", dict.fromkeys(applied("claude-code", {}), text))


def test_the_command_makes_backups_and_changes_nothing_twice(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ULTRON_HOME", str(tmp_path / "data"))
    settings = tmp_path / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(SETTINGS)
    settings.chmod(0o640)

    def run(*arguments):
        done = CliRunner().invoke(cli, ["connect", "claude-code", *arguments], catch_exceptions=False)
        assert done.exit_code == 0
        return done.output

    assert "+" in run("--dry-run") and settings.read_text() == SETTINGS
    assert not (tmp_path / ".claude.json").exists()
    run()
    backup = settings.with_name("settings.json.ultron-backup")
    assert backup.read_text() == SETTINGS and settings.stat().st_mode & 0o777 == 0o640
    assert str(tmp_path / "data") in settings.read_text() and (tmp_path / ".claude.json").exists()
    assert run() == "Nothing to change.\n"
    run("--remove")
    assert "ultron" not in settings.read_text()
    assert jsonc.read(settings.read_text()).value == jsonc.read(SETTINGS).value
    project = tmp_path / "project"
    project.mkdir()
    monkeypatch.chdir(project)
    run("--project")
    assert (project / ".mcp.json").exists() and (project / ".claude" / "settings.json").exists()
