"""`ultron edit`: fields by options, in an editor, and a purge; words that cannot be saved are not lost."""

import io
import json

import pytest

from tests.support.memories import tables_holding
from ultron_core.cli.commands.edit import fields_in, form_of
from ultron_core.client import Ultron
from ultron_core.errors import InputError

LESSON = "The relay listens on port 2525."


@pytest.fixture
def memory(settings, run):
    with Ultron(settings) as ultron:
        return ultron.upload_memory(LESSON, context="in staging", resolution="ask ops", tags=["net", "mail"])


def shown(settings, memory):
    with Ultron(settings) as ultron:
        return ultron.browse.memories().rows[0]


@pytest.fixture
def editor(tmp_path):
    """An editor that puts one text in the place of another, or nothing at all."""

    def made(old="", new=""):
        script = tmp_path / "editor.py"
        script.write_text(
            "import pathlib, sys\n"
            f"path = pathlib.Path(sys.argv[1]); text = path.read_text('utf-8')\n"
            f"path.write_text(text.replace({old!r}, {new!r}) if {old!r} else text, 'utf-8')\n"
            "import os; os.utime(path, (0, 9_999_999_999 if %r else path.stat().st_mtime))\n" % bool(old)
        )
        import sys

        return f"{sys.executable} {script}"

    return made


def test_fields_by_options_and_what_is_not_named_stays(run, settings, memory):
    code, out, _ = run(
        "edit", str(memory.id)[:8], "--content", "The relay listens on port 25.", "--tag", "smtp"
    )
    assert code == 0 and out.startswith(f"Saved: {str(memory.id)[:8]}, version 2.")
    now = shown(settings, memory)
    assert (now.content, now.context, now.tags, now.trust) == (
        "The relay listens on port 25.",
        "in staging",
        ["smtp"],
        "human",
    )
    changed = json.loads(run("edit", memory.id, "--context", "", "--tag", "", "--json")[1])
    assert (changed["context"], changed["tags"], changed["resolution"]) == ("", [], "ask ops")


def test_an_editor_changes_what_was_changed_in_it(run, settings, memory, editor):
    code, out, _ = run("edit", memory.id, EDITOR=editor("port 2525.\n", "port 25.\nSince May.\n"), VISUAL="")
    assert code == 0 and "version 2" in out
    now = shown(settings, memory)
    assert (now.content, now.context, now.tags) == (
        "The relay listens on port 25.\nSince May.",
        "in staging",
        ["net", "mail"],
    )


def test_an_editor_that_is_left_changes_nothing(run, settings, memory, editor):
    code, out, _ = run("edit", memory.id, EDITOR=editor(), VISUAL="")
    assert (code, out) == (0, "Nothing was changed.\n") and shown(settings, memory).version == 1


def test_words_that_cannot_be_saved_are_printed(run, settings, memory, editor):
    heading = f"#### context of {str(memory.id)[:8]}\n"
    code, _, errors = run("edit", memory.id, EDITOR=editor(heading, "my new words\n"), VISUAL="")
    assert code == 1 and "is gone: nothing was changed" in errors and "my new words" in errors
    assert shown(settings, memory).version == 1


def test_a_form_gives_back_what_it_was_made_of_whatever_that_is(memory):
    from dataclasses import replace

    other = replace(
        memory, content="#### context of 00000000\n\na ` b\n\n\ttab", context="", resolution="---", tags=[]
    )
    values = {"content": other.content, "context": "", "resolution": "---", "tags": []}
    assert fields_in(form_of(other), other.id) == values
    assert fields_in(form_of(other).replace("\n", "\r\n"), other.id) == values
    with pytest.raises(InputError, match="tags of"):
        fields_in(form_of(other).partition("#### tags")[0], other.id)


def test_a_purge_asks_first_and_leaves_no_older_words(run, settings, memory, monkeypatch):
    new = ("--content", "The relay moved.", "--context", "", "--resolution", "", "--tag", "")
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    code, out, _ = run("edit", memory.id, *new, "--purge")
    assert code == 0 and out.endswith("Nothing was changed.\n") and shown(settings, memory).content == LESSON
    code, out, _ = run("edit", memory.id, *new, "--purge", "--yes")
    assert code == 0 and "no older words are kept" in out
    with Ultron(settings) as ultron:
        assert tables_holding(ultron, "2525") == tables_holding(ultron, "ask ops") == set()
    assert "version 1 said: (purged)" in run("history", memory.id)[1]


def test_an_empty_lesson_and_an_unknown_id_are_refused(run, settings, memory):
    code, _, errors = run("edit", memory.id, "--content", "  ")
    assert code == 1 and "delete it instead" in errors
    code, _, errors = run("edit", "ffffffff", "--content", "x")
    assert code == 2 and "No memory" in errors
    assert shown(settings, memory).version == 1
