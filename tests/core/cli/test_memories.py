"""`ultron memories`, `history`, `archive`, `unarchive`, `delete`: ids by their first characters, several at once."""

import io
import json
import re

import pytest

from ultron_core.client import Ultron

LESSONS = (
    "The relay listens on port 2525.",
    "The build needs wheel in its image.",
    "Backups are written to the second disk at night.",
)


@pytest.fixture
def ids(settings, run):
    with Ultron(settings) as ultron:
        made = [ultron.upload_memory(lesson, agent_id="ann", tags=[lesson.split()[1]]) for lesson in LESSONS]
        return [str(record.id) for record in made]


def listed(run, *options):
    code, out, _ = run("memories", *options, "--json")
    assert code == 0
    return [one["id"] for one in json.loads(out)["memories"]]


def test_the_newest_stand_first_with_their_facts(run, ids):
    code, out, _ = run("memories")
    assert code == 0 and [out.index(one[:8]) for one in ids] == sorted(
        (out.index(one[:8]) for one in ids), reverse=True
    )
    assert "last hit" in out and "WARM" in out and LESSONS[0] in out


def test_a_narrow_terminal_gets_blocks(run, ids):
    _, out, _ = run("memories", COLUMNS="90")
    lines = out.splitlines()
    assert len(lines) == 6 and all(len(line) <= 90 for line in lines) and "│" not in out
    assert (
        lines[0].startswith(ids[2][:8])
        and "hits 1  last hit 20" in lines[0]
        and lines[1] == f"  {LESSONS[2]}"
    )
    _, out, _ = run("search", "relay port", "--no-hits", COLUMNS="60")
    assert f"  {LESSONS[0]}" in out.splitlines() and "│" not in out


def test_filters_and_orders(run, ids):
    run("show", ids[0])  # two hits
    assert listed(run, "--sort", "hits")[0] == ids[0] == listed(run, "--sort", "last-hit")[0]
    assert listed(run, "--tag", "build") == [ids[1]]
    assert listed(run, "--agent", "ann", "--since", "2020-01-01") == ids[::-1]
    assert listed(run, "--until", "2020-01-01") == []
    run("archive", ids[1])
    assert listed(run, "--status", "archived") == [ids[1]]


def test_a_day_is_from_its_first_to_its_last_moment(run, ids, settings):
    with Ultron(settings) as ultron:
        day = ultron.browse.memories().rows[0].created_at.astimezone().date().isoformat()
    assert listed(run, "--since", day, "--until", day) == ids[::-1]
    code, _, errors = run("memories", "--since", "last week")
    assert code == 2 and "give it like 2026-11-28" in errors


def test_the_next_page_is_the_same_command_with_what_was_printed(run, ids):
    _, out, _ = run("memories", "--limit", 2)
    cursor = re.search(r"--cursor (\S+)", out)[1]
    assert listed(run, "--limit", 2, "--cursor", cursor) == [ids[0]]
    code, _, errors = run("memories", "--sort", "hits", "--cursor", cursor)
    assert code == 1 and "leave it out to begin again" in errors


def test_an_unknown_name_exits_2_with_the_nearest(run, ids):
    code, _, errors = run("memories", "--agent", "anne")
    assert code == 2 and "No agent 'anne'. Did you mean ann?" in errors
    code, _, errors = run("memories", "--session", "nope")
    assert code == 2 and "No session 'nope'." in errors


def test_an_empty_list_says_where_it_looked(run, ids):
    code, out, errors = run("memories", "--status", "claimed")
    assert (code, out) == (0, "") and "3 memories, 0 claimed" in errors


def test_several_are_archived_and_brought_back_or_none(run, ids):
    code, out, _ = run("archive", ids[0][:8], ids[1])
    assert code == 0 and out.splitlines() == [
        f"Archived: {one[:8]} {lesson}" for one, lesson in zip(ids[:2], LESSONS, strict=False)
    ]
    assert listed(run) == [ids[2]]
    code, _, errors = run("unarchive", ids[0], "ffffffff")
    assert code == 2 and "No memory whose id begins with ffffffff" in errors and listed(run) == [ids[2]]
    code, out, _ = run("unarchive", ids[0][:8], ids[1][:8])
    assert code == 0 and out.startswith("Back: ") and listed(run) == ids[::-1]


def test_several_are_deleted_after_one_question(run, ids, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    code, out, _ = run("delete", ids[0][:8], ids[1][:8])
    assert (
        code == 0
        and out.endswith("Nothing was deleted.\n")
        and f"To be deleted: {ids[0][:8]} {LESSONS[0]}" in out
        and "these 2 memories" in out
    )
    assert len(listed(run)) == 3
    code, out, _ = run("delete", ids[0][:8], ids[1][:8], "--yes")
    assert (code, out) == (0, "Deleted 2 memories.\n") and listed(run) == [ids[2]]
    assert run("delete", ids[2], "--yes")[1] == "Deleted.\n"


def test_a_beginning_that_fits_several_lists_them_and_exits_2(run, ids):
    common = next(c for c in "0123456789abcdef" if sum(one.startswith(c) for one in ids) != 1)
    fits = [one for one in ids if one.startswith(common)]
    code, _, errors = run("archive", common)
    assert code == 2 and len(listed(run)) == 3
    assert all(one in errors for one in fits) and ("fits more than one memory" in errors) == bool(fits)


def test_history_tells_everything_in_order(run, ids, settings):
    run("archive", ids[0])
    run("unarchive", ids[0])
    run("edit", ids[0], "--content", "The relay listens on port 25.")
    run("judge", ids[0], "useful")
    code, out, _ = run("history", ids[0][:8])
    told = [line[18:].split(",")[0] for line in out.splitlines()[1:]]
    assert code == 0 and out.splitlines()[0].startswith(f"{ids[0]}  version 2, 2 hits, the last one 20")
    assert told == [
        "made: first_of_its_type",
        "archived: by_hand",
        "came back: by_hand",
        f"changed; version 1 said: {LESSONS[0]}",
        "useful by the owner",
    ]
    known = json.loads(run("history", ids[0], "--json")[1])
    assert known["id"] == ids[0] and known["hits"]["count"] == 2 and len(known["decisions"]) == 3
