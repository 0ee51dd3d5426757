"""What counts as a report of an error: pasted lines, a fault in words, the title of an issue."""

from ultron_core.lessons.errors.told.reports import find_reports
from ultron_core.models import Message

PASTED = """what is this

```
00:58:45 [glob-loader] Reloaded data from docs/tree.mdx
00:58:46 [ERROR] Cannot find module '@acme/ui/components' imported from '/repo/docs/tree.mdx'
  Stack trace:
    at fetchModule (file:///repo/node_modules/vite/dist/node/chunks/dep.js:46813:19)
```"""
TWO_TESTS = """ FAIL   browser (chromium)  packages/solid/test/hooks.spec.ts
Error: No test suite found in file /repo/packages/solid/test/hooks.spec.ts

 FAIL   browser (chromium)  packages/tabs/test/tabs.spec.ts > on arrow right, loop focus
Error: expect(element).toHaveFocus()

 Test Files  2 failed (2)"""


def reports(text, *, first=False):
    return find_reports(Message("user", text), first=first)


def test_a_pasted_log_is_reported_by_its_telling_line():
    (report,) = reports(PASTED)
    assert report.pasted
    assert report.told == "Cannot find module '@acme/ui/components' imported from '/repo/docs/tree.mdx'"


def test_each_failing_test_of_a_pasted_run_is_a_report_and_its_summary_is_none():
    one, two = reports(TWO_TESTS)
    assert one.told.startswith("Error: No test suite found")
    assert two.test.endswith("tabs.spec.ts > on arrow right, loop focus")


def test_a_line_of_the_package_runner_is_not_the_error():
    text = "why?\n\n```\ngenerating routes\n"
    text += "The requested module 'nanoid/non-secure' does not provide an export named 'default'\n"
    (report,) = reports(f"{text} ELIFECYCLE  Command failed with exit code 1.\n```")
    assert report.told.startswith("The requested module 'nanoid/non-secure'")


def test_a_fault_in_words():
    (report,) = reports("The `watch` command silently fails when the history folder goes away.")
    assert report.statement == report.told
    assert not report.pasted


def test_the_wish_around_a_fault_is_left_out():
    (report,) = reports("帮我修复一下这个问题，我将 snippets 修改了目录位置，现在不会直接渲染代码了")
    assert report.statement == "我将 snippets 修改了目录位置，现在不会直接渲染代码了"
    (report,) = reports("lit 的这个 example 不会显示红色的线,这是为什么")
    assert report.statement == "lit 的这个 example 不会显示红色的线"


def test_what_a_sentence_announces_is_shown_with_it():
    (report,) = reports(
        "I still get this output with --only-stats:\n\nWarning: Cloud sync not available, you are not logged in."
    )
    assert report.statement.endswith(": Warning: Cloud sync not available, you are not logged in.")


def test_orders_questions_and_paths_are_no_reports():
    assert reports("Add a test that fails when the history folder of `watch` is missing.") == []
    assert reports("What happens if `sync` fails in the middle?") == []
    assert reports("Look at https://example.org/acme/issues/182 with gh, please.") == []
    assert reports("确保 `sync` 不会失败") == []


def test_an_issue_is_reported_by_its_title():
    text = "We are solving this issue.\nISSUE:\nSyntaxError: invalid syntax in `colon.py`\nRunning it gives an error.\n"
    (report,) = reports(text, first=True)
    assert report.task
    assert report.told == "SyntaxError: invalid syntax in `colon.py`"
    (report,) = reports(text)
    assert not report.task


def test_a_log_is_no_issue_and_its_first_telling_line_counts():
    pasted = (
        "C:\\shop>mvn install\n[INFO] Scanning for projects...\n[ERROR] [ERROR] Some problems were encountered:\n"
        "[ERROR] Child module C:\\shop\\till of C:\\shop\\pom.xml does not exist\n[ERROR]\n"
    )
    (report,) = reports(pasted, first=True)
    assert report.pasted and not report.task
    assert report.told == "Child module C:\\shop\\till of C:\\shop\\pom.xml does not exist"


def test_one_error_that_a_compiler_and_its_caller_tell_is_one():
    (report,) = reports(
        "src/main.cpp:1:10: fatal error: sensors.h: No such file or directory\n\n"
        "Compilation error: sensors.h: No such file or directory"
    )
    assert report.told.startswith("src/main.cpp")


def test_the_place_where_a_program_stopped():
    (report,) = reports(
        "Uncaught TypeError: Cannot read properties of undefined (reading 'size')\n"
        "    at drawLine (canvas-tools.js:13:1)\n    at main (app.js:4:2)"
    )
    assert report.statement.endswith("(reading 'size') (in drawLine (canvas-tools.js))")


def test_a_warning_with_which_a_turn_begins():
    (report,) = reports("Warning: This local variable is never assigned a value.\n\nSpecifically: `total`")
    assert report.told == "Warning: This local variable is never assigned a value."


def test_an_item_of_a_list_is_no_error():
    assert not any(
        r.pasted for r in reports("Look at these:\n- (9) Missing error handling - if `send` fails we go on")
    )
