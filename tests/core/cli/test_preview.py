"""`ultron redact --preview`: each replacement is shown, nothing is opened or stored."""

from __future__ import annotations

import json

from click.testing import CliRunner

from ultron_core.cli.main import cli


def run(tmp_path, *args, **env):
    return CliRunner().invoke(cli, ["redact", *args], env={"ULTRON_HOME": str(tmp_path / "home"), **env})


def test_each_replacement_is_shown_with_its_line(tmp_path):
    log = tmp_path / "one.jsonl"
    log.write_text('{"content": "fine"}\n{"content": "DB_PASSWORD=hunter2x by \\u001b[31mAcme\\u001b[0m"}\n')
    result = run(tmp_path, "--preview", str(log), "--json", ULTRON_REDACT_WORDS="acme")
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert [(one["line"], one["entity"]) for one in found] == [
        (2, "REDACTED_CREDENTIAL"),
        (2, "REDACTED_WORD"),
    ]
    assert "hunter2x" in found[0]["before"]
    assert "hunter2x" not in found[1]["after"]
    assert not (tmp_path / "home").exists()


def test_a_log_cannot_steer_the_terminal(tmp_path):
    log = tmp_path / "one.txt"
    log.write_text("password: hunter2x \x1b]0;owned\x07 \u202e\n")
    result = run(tmp_path, "--preview", str(log))
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    assert "\u202e" not in result.output
    assert "1 replacements" in result.output


def test_either_replay_or_preview(tmp_path):
    assert run(tmp_path).exit_code == 2
    assert run(tmp_path, "--preview", str(tmp_path / "absent")).exit_code != 0


def test_links_are_passed_over_and_a_device_is_refused(tmp_path):
    outside = tmp_path / "outside.txt"
    outside.write_text("password: hunter2x\n")
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "link.jsonl").symlink_to(outside)
    result = run(tmp_path, "--preview", str(tmp_path / "logs"))
    assert result.exit_code == 0 and "0 replacements" in result.output
    refused = run(tmp_path, "--preview", "/dev/null")
    assert refused.exit_code != 0 and "no regular file" in str(refused.exception or refused.output)
