"""What changed between a failing and a working try, and what of a line is true only once."""

import pytest

from tests.core.lessons.builders import bash, talk
from tests.core.memories.test_extract import kept
from ultron_core.lessons.describe import general_line, general_value
from ultron_core.lessons.errors.code_diff import find_code_change
from ultron_core.models import Message, as_messages
from ultron_core.transcript.actions import read_actions

TRACE = 'Traceback (most recent call last):\n  File "a.py", line 2, in <module>\n    {line}\n{error}'


def test_the_import_that_was_missing():
    output = TRACE.format(line="r = requests.get(url)", error="NameError: name 'requests' is not defined")
    change = find_code_change(
        "r = requests.get(url)", "import requests\nimport os\nr = requests.get(url)", output
    )
    assert change.added == ("import requests",) and not change.removed


def test_the_statement_that_the_run_stopped_at():
    output = TRACE.format(
        line="n = int(tag.text)", error="AttributeError: 'NoneType' object has no attribute 'text'"
    )
    before = "tag = soup.find('b')\nn = int(tag.text)\nm = n + 1"
    after = "tag = soup.find('b')\nn = int(tag.text) if tag else 0\nk = 3\nm = n + 1"
    change = find_code_change(before, after, output)
    assert (change.removed, change.added) == ("n = int(tag.text)", ("n = int(tag.text) if tag else 0",))


def test_a_rewrite_is_not_a_change_that_fits_a_sentence():
    assert find_code_change("a = 1\nb = 2", "x = 5\ny = 6\nz = 7\nw = 8", "ValueError: bad") is None


def test_indentation():
    change = find_code_change(
        " import os\nos.getcwd()", "import os\nos.getcwd()", "IndentationError: unexpected indent"
    )
    assert change.layout


@pytest.mark.parametrize(
    ("line", "general"),
    [
        ("src/a.py:52:12: F821 undefined name 'x'", "src/a.py: F821 undefined name 'x'"),
        ("src/a.ts(499,20): error TS2304: no 'join'", "src/a.ts: error TS2304: no 'join'"),
        (
            "HTTP 404 at https://api.example.org/v7/search?q=a+b",
            "HTTP 404 at https://api.example.org/v7/search…",
        ),
        ("no such file: /tmp/tmpab12/x.csv", "no such file: …"),
        ("<Object at 0x7f4c96f544>", "<Object at …>"),
        ("port 5432 is taken", "port 5432 is taken"),
    ],
)
def test_places_and_queries_are_left_out(line, general):
    assert general_line(line) == general


@pytest.mark.parametrize(
    ("line", "general"),
    [
        ("not enough balance in gift_card_8190333", "not enough balance in gift_card_…"),
        ("total price is 375, but paid 299", "total price is …, but paid …"),
        ("HTTP 404 not found", "HTTP 404 not found"),
        ("use utf8 and python3", "use utf8 and python3"),
    ],
)
def test_amounts_and_accounts_are_left_out_of_a_tools_answer(line, general):
    assert general_value(line) == general


def fixed(*steps):
    test = bash("npm run check")
    failed = "error: src/a.ts: the loader lacks the name 'join'"
    found = kept(talk(("user", "Please make it compile."), (test, failed), *steps, (test, "ok")))
    return [d.resolution for d in found if d.memory_type == "error"]


def edit(file, old, new):
    return (("Edit", {"file_path": file, "old_string": old, "new_string": new}), "The file has been updated.")


def test_the_edit_that_has_to_do_with_the_failure_is_named():
    other = edit("/repo/src/b.ts", "const a = 1;", "const a = 2;")
    cure = edit("/repo/src/a.ts", 'import { resolve } from "path";', 'import { join, resolve } from "path";')
    (resolution,) = fixed(cure, other)
    assert resolution.startswith("It worked after a change to `src/a.ts`")
    assert "join, resolve" in resolution and "const a" not in resolution


def test_edits_that_have_nothing_to_do_with_it_are_not_a_cure():
    others = [edit(f"/repo/src/{n}.ts", f"let q = {n};", f"let q = {n}0;") for n in "bcd"]
    assert fixed(*others) == []


def test_an_argument_is_named_with_its_value():
    call = ("update_booking", {"booking": "AB", "payment_id": "certificate_7815826"})
    again = ("update_booking", {"booking": "AB", "payment_id": "gift_card_1642017"})
    messages = talk(("user", "Please."), (call, "Error: certificate cannot be used"), (again, "done"))
    (draft,) = kept(messages)
    assert draft.resolution == "It worked after changing `payment_id` from `certificate_…` to `gift_card_…`."


def test_a_cure_that_a_later_failure_refutes_is_none():
    missing = "error: src/a.ts: the loader lacks the name 'join'"
    again = "error: src/b.ts: the loader lacks the name 'join'"
    cure = edit("/repo/src/a.ts", 'import { x } from "path";', 'import { join, x } from "path";')
    test = bash("npm run check")
    turns = [(test, missing), cure, (test, "ok")]
    assert [d for d in kept(talk(("user", "Please."), *turns)) if d.memory_type == "error"]
    assert not [d for d in kept(talk(("user", "Please."), *turns, (test, again))) if d.resolution]


def test_an_argument_that_the_failure_does_not_mention_is_not_a_cure():
    call = ("update_booking", {"booking": "AB", "cabin": "business"})
    again = ("update_booking", {"booking": "AB", "cabin": "economy"})
    assert kept(talk(("user", "Please."), (call, "Error: gift card balance too low"), (again, "done"))) == []


def test_what_a_harness_prints_after_an_output_is_not_success():
    script = "I run it.\n```python\nimport os\nprint(os.getenvv('HOME'))\n```"
    error = "exitcode: 1 (execution failed)\nAttributeError: module 'os' has no attribute 'getenvv'"
    costs = Message("tool", "33506 prompt tokens, 88 completion tokens", origin="tool")
    output = Message("tool", error, origin="tool")
    messages = as_messages([*talk(("user", "Please."), ("assistant", script)), output, costs])
    assert [(a.call, a.result) for a in read_actions(messages)] == [(1, 2)]


def test_a_name_that_an_edit_left_behind_is_a_slip_unless_its_cause_is_told():
    slip = "src/a.ts(3,1): error TS2304: Cannot find name 'join'."
    cure = edit("/repo/src/a.ts", 'import { resolve } from "path";', 'import { join, resolve } from "path";')
    check = bash("npm run check")
    cause = ("assistant", "The bundler does not re-export `join` from its own `path` module.")
    turns = [(check, slip), cure, (check, "ok")]
    assert [d for d in kept(talk(("user", "Please."), *turns)) if d.memory_type == "error"] == []
    (draft,) = (
        d for d in kept(talk(("user", "Please."), turns[0], cause, *turns[1:])) if d.memory_type == "error"
    )
    assert draft.resolution.startswith("The bundler does not re-export `join`")


def test_of_several_changed_arguments_the_one_that_the_error_asked_for():
    call = ("book", {"flight": "A1", "payment": [{"id": "card_1", "amount": 299}]})
    again = ("book", {"flight": "A1", "payment": [{"id": "gift_2", "amount": 375}]})
    error = "Error: payment amount does not add up, total price is 375, but paid 299"
    (draft,) = kept(talk(("user", "Please."), (call, error), (again, "booked")))
    assert draft.resolution == "It worked after changing `payment.amount` to what the error asked for."


RUN = bash("python3 check.py")
MISSING = (RUN, TRACE.format(line="import dotenv", error="ModuleNotFoundError: No module named 'dotenv'"))
INSTALLED = (bash("pip install python-dotenv"), "Successfully installed python-dotenv-1.0")
REWRITTEN = (
    ("Edit", {"file_path": "/repo/check.py", "old_string": "import dotenv", "new_string": "import os"}),
    "The file has been updated.",
)


@pytest.mark.parametrize(("between", "credited"), [((INSTALLED,), True), ((INSTALLED, REWRITTEN), False)])
def test_a_script_that_was_written_anew_was_not_cured_by_an_installation(between, credited):
    messages = as_messages(talk(("user", "Run check.py."), MISSING, *between, (RUN, "4 settings found")))
    resolutions = [draft.resolution for draft in kept(messages)]
    assert any("pip install" in told for told in resolutions) is credited
