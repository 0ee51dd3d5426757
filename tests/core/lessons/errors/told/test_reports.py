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
